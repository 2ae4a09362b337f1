#include "cloud/echo.hpp"

#include <gtest/gtest.h>

#include "json/value.hpp"

namespace fairway::cloud {
namespace {

EchoSession session() {
  return EchoSession({"router-1", {"/healthz"}}, "127.0.0.1", 4321);
}
json::Object body_of(const std::string& answer) {
  const auto parsed = json::parse_object(answer.substr(answer.find("\r\n\r\n") + 4));
  EXPECT_TRUE(parsed) << answer;
  return parsed ? *parsed : json::Object{};
}

TEST(Echo, NamesThePodAndTheClient) {
  const auto said = session().feed("GET /a?b HTTP/1.1\r\nHost: apps.example\r\n\r\n");
  EXPECT_FALSE(said.is_over);
  const json::Object body = body_of(said.bytes);
  EXPECT_EQ(json::get_string(body, {"pod"}), "router-1");
  EXPECT_EQ(json::get_string(body, {"client"}), "127.0.0.1");
  EXPECT_EQ(json::get_int(body, {"clientPort"}), 4321);
  EXPECT_EQ(json::get_string(body, {"host"}), "apps.example");
  EXPECT_EQ(json::get_string(body, {"path"}), "/a?b");
}

TEST(Echo, AnswersProbesWithHealth) {
  const auto said = session().feed("GET /healthz HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(said.bytes.ends_with("\r\n\r\nok\n"));
  EXPECT_TRUE(said.is_over);
}

TEST(Echo, TakesRequestsInAnyPiecesAndSeveralAtOnce) {
  EchoSession one = session();
  const std::string requests =
      "POST /1 HTTP/1.1\r\nContent-Length: 5\r\n\r\nhelloGET /2 HTTP/1.1\r\n\r\nHEAD /3 "
      "HTTP/1.1\r\nConnection: "
      "close\r\n\r\n";
  std::string all;
  bool is_over = false;
  for (const char each : requests) {
    const auto said = one.feed({&each, 1});
    all += said.bytes;
    is_over = said.is_over;
  }
  EXPECT_TRUE(is_over);
  EXPECT_NE(all.find(R"("path":"/1")"), std::string::npos) << all;
  EXPECT_NE(all.find(R"("path":"/2")"), std::string::npos);
  EXPECT_EQ(all.find(R"("path":"/3")"), std::string::npos) << "HEAD has no body";
  EXPECT_EQ(session().feed(requests).bytes, all);
}

TEST(Echo, IsToldTheClientByAProxyHeader) {
  const ProxyAddresses addresses{"127.77.0.9", 5555, "127.203.0.1", 80};
  for (const ProxyHeader version : {ProxyHeader::V1, ProxyHeader::V2}) {
    EchoSession one = session();
    std::string bytes = proxy_header(version, addresses) + "GET / HTTP/1.1\r\n\r\n";
    std::string all;
    for (const char each : bytes) all += one.feed({&each, 1}).bytes;
    const json::Object body = body_of(all);
    EXPECT_EQ(json::get_string(body, {"client"}), "127.77.0.9");
    EXPECT_EQ(json::get_string(body, {"via"}), "127.0.0.1");
    EXPECT_EQ(json::get_int(body, {"proxyProtocol"}), version == ProxyHeader::V1 ? 1 : 2);
  }
}

TEST(Echo, RefusesWhatIsNoRequest) {
  for (const char* bytes : {"hello\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
                            "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "GET / HTTP/2\r\n\r\n"}) {
    const auto said = session().feed(bytes);
    EXPECT_TRUE(said.is_over) << bytes;
    EXPECT_TRUE(said.bytes.starts_with("HTTP/1.1 400")) << bytes;
  }
  EXPECT_TRUE(session().feed("PROXY nonsense\r\n").is_over);
  EchoSession endless = session();
  bool is_over = false;
  for (int i = 0; i < 2000 && !is_over; ++i) is_over = endless.feed(std::string(1024, 'x')).is_over;
  EXPECT_TRUE(is_over);
}

TEST(ProxyProtocol, IsReadBackAsItWasWritten) {
  const ProxyAddresses addresses{"10.1.2.3", 65535, "203.0.113.7", 1};
  EXPECT_EQ(proxy_header(ProxyHeader::V1, addresses), "PROXY TCP4 10.1.2.3 203.0.113.7 65535 1\r\n");
  EXPECT_EQ(proxy_header(ProxyHeader::V2, addresses).size(), 28U);
  EXPECT_EQ(proxy_header(ProxyHeader::None, addresses), "");
  for (const ProxyHeader version : {ProxyHeader::V1, ProxyHeader::V2}) {
    const std::string header = proxy_header(version, addresses);
    for (std::size_t size = 0; size < header.size(); ++size)
      EXPECT_EQ(parse_proxy_header(header.substr(0, size)).outcome, ProxyParsed::Outcome::NeedsMore) << size;
    const ProxyParsed parsed = parse_proxy_header(header + "GET");
    EXPECT_EQ(parsed.outcome, ProxyParsed::Outcome::Present);
    EXPECT_EQ(parsed.size, header.size());
    EXPECT_EQ(parsed.addresses, addresses);
  }
  EXPECT_EQ(parse_proxy_header("GET / HTTP/1.1").outcome, ProxyParsed::Outcome::Absent);
  for (const char* bad : {"PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 99999\r\n",
                          "PROXY TCP4 1.2.3.4 host 1 2\r\n", "PROXY UNKNOWN\r\n"})
    EXPECT_EQ(parse_proxy_header(bad).outcome, ProxyParsed::Outcome::Malformed) << bad;
  EXPECT_EQ(parse_proxy_header("PROXY " + std::string(200, 'x')).outcome, ProxyParsed::Outcome::Malformed);
}

}  // namespace
}  // namespace fairway::cloud
