#include "http/prepared_request.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

namespace fairway::http {
namespace {

using Outcome = RequestParser::Outcome;
using namespace std::string_literals;

// How it came out, at which byte, and with what: the same however the bytes come.
struct Parsed {
  Outcome outcome = Outcome::NeedMore;
  int status = 0;
  std::size_t used = 0;
  std::string method = {}, path = {}, query = {};
  std::vector<std::pair<std::string, std::string>> fields = {};

  bool operator==(const Parsed&) const = default;
};

Parsed describe(const RequestParser& parser, Outcome outcome, std::string_view bytes, std::size_t forgotten) {
  Parsed parsed{outcome};
  if (outcome == Outcome::Refusal) parsed.status = parser.refusal().status;
  if (outcome != Outcome::Request) return parsed;
  const PeerAddress peer;
  const RequestView view(parser, bytes, peer);
  parsed.used = parser.used() + forgotten;
  parsed.method = view.method;
  parsed.path = view.path;
  parsed.query = view.query;
  for (const RequestParser::Field& field : parser.fields())
    parsed.fields.emplace_back(field.name.in(bytes), field.value.in(bytes));
  return parsed;
}

Parsed parse_at_once(std::string_view bytes, RequestLimits limits = {}) {
  RequestParser parser(limits);
  const Outcome outcome = parser.feed(bytes);
  return describe(parser, outcome, bytes, 0);
}

// In pieces of one size, each time from another place in memory, and without what may be forgotten.
Parsed parse_in_pieces(std::string_view bytes, std::size_t piece, RequestLimits limits = {}) {
  RequestParser parser(limits);
  std::string held;
  std::size_t forgotten = 0;
  Outcome outcome = Outcome::NeedMore;
  for (std::size_t at = 0; at < bytes.size() && outcome == Outcome::NeedMore; at += piece) {
    held = std::string(held).append(bytes.substr(at, piece));
    outcome = parser.feed(held);
    if (outcome != Outcome::NeedMore || !parser.is_in_body()) continue;
    forgotten += held.size() - parser.header_bytes();
    held.resize(parser.header_bytes());
    parser.forget_body();
  }
  return describe(parser, outcome, held, forgotten);
}

Parsed parse(std::string_view bytes, RequestLimits limits = {}) {
  const Parsed parsed = parse_at_once(bytes, limits);
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 64U})
    EXPECT_EQ(parse_in_pieces(bytes, piece, limits), parsed) << "in pieces of " << piece << ": " << bytes;
  return parsed;
}

std::string with_fields(const std::string& fields) {
  return "GET /a HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n";
}

TEST(RequestParser, ReadsARequest) {
  const std::string text =
      "GET /api/graph?channel=a&arch=b HTTP/1.1\r\nHost: example\r\nAccept:  */* \t\r\nEmpty:\r\n\r\n";
  const Parsed parsed = parse(text + "GET /next HTTP/1.1\r\n");
  EXPECT_EQ(parsed.outcome, Outcome::Request);
  EXPECT_EQ(parsed.used, text.size());
  EXPECT_EQ(parsed.method, "GET");
  EXPECT_EQ(parsed.path, "/api/graph");
  EXPECT_EQ(parsed.query, "channel=a&arch=b");
  const std::vector<std::pair<std::string, std::string>> fields = {
      {"Host", "example"}, {"Accept", "*/*"}, {"Empty", ""}};
  EXPECT_EQ(parsed.fields, fields);
}

TEST(RequestParser, EveryPrefixNeedsMore) {
  const std::string text =
      "\r\nPOST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;e=1\r\nhello\r\n0\r\nT: "
      "1\r\n\r\n";
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_EQ(parse_at_once(text.substr(0, size)).outcome, Outcome::NeedMore) << size;
  EXPECT_EQ(parse(text).used, text.size());
}

TEST(RequestParser, OutcomesByText) {
  struct Case {
    std::string text;
    int status;  // 0: a request
  };
  const std::vector<Case> cases = {
      {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", 0},
      {"GET / HTTP/1.0\r\n\r\n", 0},
      {"\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", 0},
      {"GET / HTTP/1.7\r\nHost: x\r\n\r\n", 0},
      {"PROPFIND /x HTTP/1.1\r\nHost: x\r\n\r\n", 0},
      {"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 0},
      {"CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n", 0},
      {"GET http://h:80/p?q HTTP/1.1\r\nHost: x\r\n\r\n", 0},
      {"GET /\xc3\xa9?\xff HTTP/1.1\r\nHost: x\r\n\r\n", 0},
      {with_fields("X: \x80\xff\r\n"), 0},  // spec case 28
      {with_fields("X: a\tb\r\n"), 0},
      {with_fields("Content-Length: 0\r\n"), 0},
      {with_fields("Content-Length: 0\r\nContent-Length: 0\r\n"), 0},
      {with_fields("Content-Length: 000\r\n"), 0},
      {with_fields("Expect: 100-Continue\r\n"), 0},
      {with_fields("Connection: close, x\r\nConnection: keep-alive\r\n"), 0},
      // The request line.
      {"GET /\r\n\r\n", 400},
      {"GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"GET / HTTP/1.1 \r\nHost: x\r\n\r\n", 400},
      {"GET / http/1.1\r\nHost: x\r\n\r\n", 400},
      {"GET / HTTP/11\r\nHost: x\r\n\r\n", 400},
      {"GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505},
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
      {"G\xc3T / HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {" GET / HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"\x16\x03\x01\x02", 400},
      {"\n", 400},
      {"GET x HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"GET * HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"GET http:///p HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"GET ftp://h/p HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"GET /\x01 HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"GET /\x7f HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n"s, 400},
      // Line ends.
      {"GET / HTTP/1.1\nHost: x\n\n", 400},
      {"GET / HTTP/1.1\r\nHost: x\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: x\r\n\n", 400},
      {with_fields("X: a\rb\r\n"), 400},
      {with_fields("X: a\r\n\tb\r\n"), 400},
      {with_fields("X: a\r\n b\r\n"), 400},
      // Header lines.
      {"GET / HTTP/1.1\r\n\r\n", 400},
      {with_fields("Host: y\r\n"), 400},
      {with_fields("X\r\n"), 400},
      {with_fields(": a\r\n"), 400},
      {with_fields("X : a\r\n"), 400},
      {with_fields("X\xc3: a\r\n"), 400},
      {with_fields("X: a\0b\r\n"s), 400},
      {with_fields("X: \x7f\r\n"), 400},
      {with_fields("X: \x1b\r\n"), 400},
      {with_fields("Expect: wonders\r\n"), 417},
      // Where the request ends.
      {with_fields("Content-Length: 5\r\nContent-Length: 6\r\n"), 400},
      {with_fields("Content-Length: 5, 5\r\n"), 400},
      {with_fields("Content-Length: -1\r\n"), 400},
      {with_fields("Content-Length: +1\r\n"), 400},
      {with_fields("Content-Length: 0x1\r\n"), 400},
      {with_fields("Content-Length:\r\n"), 400},
      {with_fields("Content-Length: 65537\r\n"), 413},
      {with_fields("Content-Length: 99999999999999999999999999\r\n"), 413},
      {with_fields("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), 400},
      {with_fields("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), 400},
      {with_fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400},
      {with_fields("Transfer-Encoding: gzip, chunked\r\n"), 501},
      {with_fields("Transfer-Encoding: identity\r\n"), 501},
      {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
  };
  for (const Case& test : cases) {
    const Parsed parsed = parse(test.text);
    EXPECT_EQ(parsed.outcome, test.status == 0 ? Outcome::Request : Outcome::Refusal) << test.text;
    EXPECT_EQ(parsed.status, test.status) << test.text;
    if (test.status == 0) EXPECT_EQ(parsed.used, test.text.size()) << test.text;
  }
}

TEST(RequestParser, ChunkedBodies) {
  struct Case {
    std::string body;
    int status;
  };
  const std::vector<Case> cases = {
      {"0\r\n\r\n", 0},
      {"5\r\nhello\r\n0\r\n\r\n", 0},
      {"A;name=\"value\"\r\n0123456789\r\n1 ; x\r\n!\r\n000\r\nTrailer: 1\r\nOther: 2\r\n\r\n", 0},
      {"5\r\nhello0\r\n\r\n", 400},
      {"5\nhello\r\n0\r\n\r\n", 400},
      {"5\r\nhello\r\n0\r\n\n", 400},
      {"\r\n", 400},
      {"g\r\n", 400},
      {"-1\r\n", 400},
      {"0x5\r\n", 400},
      {"5\rx", 400},
      {"0\r\nX: a\nY: b\r\n\r\n", 400},
      {"0\r\n\nx", 400},
      {"10001\r\n", 413},
      {"ffffffffffffffff\r\n", 413},
      {"00000000000000001\r\n", 413},
      {"8000\r\n" + std::string(0x8000, 'x') + "\r\n8000\r\n" + std::string(0x8000, 'x') + "\r\n0\r\n\r\n",
       413},
      {"1;" + std::string(70'000, 'x') + "\r\n", 413},
      {"0\r\nX: " + std::string(70'000, 'x') + "\r\n", 413},
  };
  for (const Case& test : cases) {
    const std::string text = "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n" + test.body;
    const Parsed parsed = parse(text);
    EXPECT_EQ(parsed.outcome, test.status == 0 ? Outcome::Request : Outcome::Refusal)
        << test.body.substr(0, 99);
    EXPECT_EQ(parsed.status, test.status) << test.body.substr(0, 99);
    if (test.status == 0) EXPECT_EQ(parsed.used, text.size()) << test.body;
  }
}

TEST(RequestParser, SkipsABodyOfKnownLength) {
  const std::string head = with_fields("Content-Length: 65536\r\n");
  const Parsed parsed = parse(head + std::string(65'536, '\n') + "GET");
  EXPECT_EQ(parsed.outcome, Outcome::Request);
  EXPECT_EQ(parsed.used, head.size() + 65'536);
}

TEST(RequestParser, LimitsTheHeader) {
  const RequestLimits limits{.max_header_bytes = 64, .max_body_bytes = 10};
  const std::string fits = "GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(64 - 32, 'y') + "\r\n\r\n";
  ASSERT_EQ(fits.size(), 64U);
  EXPECT_EQ(parse(fits, limits).outcome, Outcome::Request);
  EXPECT_EQ(parse(fits + std::string(100, 'x'), limits).outcome, Outcome::Request);
  const std::string over = "GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(65 - 32, 'y') + "\r\n\r\n";
  EXPECT_EQ(parse(over, limits).status, 431);
  EXPECT_EQ(parse("GET / HTTP/1.1\r\nHost: " + std::string(100, 'x'), limits).status, 431);
  EXPECT_EQ(parse("GET /" + std::string(100, 'x'), limits).status, 414);
  EXPECT_EQ(parse("GET /" + std::string(100, 'x') + " HTTP/1.1\r\n\r\n", limits).status, 414);
  std::string many;
  for (int i = 0; i < 127; ++i) many += "a:\r\n";
  EXPECT_EQ(parse(with_fields(many)).outcome, Outcome::Request);
  EXPECT_EQ(parse(with_fields(many + "a:\r\n")).status, 431);
}

TEST(RequestParser, KnowsWhatBecomesOfTheConnection) {
  struct Case {
    std::string_view text;
    bool keeps_alive;
  };
  constexpr std::array<Case, 8> kCases = {{
      {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", true},
      {"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", false},
      {"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, CLOSE\r\n\r\n", false},
      {"GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n", false},
      {"GET / HTTP/1.1\r\nHost: x\r\nConnection: closed\r\n\r\n", true},
      {"GET / HTTP/1.0\r\n\r\n", false},
      {"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true},
      {"GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", false},
  }};
  for (const Case& test : kCases) {
    RequestParser parser;
    ASSERT_EQ(parser.feed(test.text), Outcome::Request) << test.text;
    EXPECT_EQ(parser.keeps_alive(), test.keeps_alive) << test.text;
    EXPECT_EQ(parser.is_http10(), test.text.contains("HTTP/1.0"));
  }
}

TEST(RequestParser, SaysWhenTheClientWaits) {
  RequestParser parser;
  EXPECT_EQ(parser.feed("\r\n"), Outcome::NeedMore);
  EXPECT_TRUE(parser.is_blank());
  parser.reset();
  EXPECT_FALSE(parser.is_blank());
  std::string text = with_fields("Expect: 100-continue\r\nContent-Length: 2\r\n");
  EXPECT_EQ(parser.feed(std::string_view(text).substr(0, 20)), Outcome::NeedMore);
  EXPECT_FALSE(parser.is_blank());
  EXPECT_FALSE(parser.awaits_continue());
  EXPECT_EQ(parser.feed(text), Outcome::NeedMore);
  EXPECT_TRUE(parser.awaits_continue());
  text += "ab";
  EXPECT_EQ(parser.feed(text), Outcome::Request);
  EXPECT_FALSE(parser.awaits_continue());
  parser.reset();
  EXPECT_EQ(parser.feed("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"),
            Outcome::NeedMore);
  EXPECT_FALSE(parser.awaits_continue());
}

TEST(RequestView, FindsHeadersInAnyCase) {
  RequestParser parser;
  const std::string text = with_fields("Accept: a\r\nX-Empty:\r\nACCEPT: b\r\naccept: c, d\r\n");
  ASSERT_EQ(parser.feed(text), Outcome::Request);
  const PeerAddress peer;
  const RequestView view(parser, text, peer);
  EXPECT_EQ(view.header("accept"), "a");
  EXPECT_EQ(view.joined("Accept"), "a, b, c, d");
  EXPECT_TRUE(view.has_header("x-empty"));
  EXPECT_EQ(view.header("x-empty"), "");
  EXPECT_FALSE(view.has_header("x-absent"));
  EXPECT_EQ(view.header("x-absent"), "");
  EXPECT_EQ(view.joined("x-absent"), "");
}

TEST(RequestView, PathOfAnAbsoluteTarget) {
  struct Case {
    std::string target, path, query;
  };
  const std::vector<Case> cases = {{"http://h/p/q?a=b?c", "/p/q", "a=b?c"},
                                   {"HTTPS://h:1", "/", ""},
                                   {"http://h?a", "/", "a"},
                                   {"/?", "/", ""},
                                   {"//h/p", "//h/p", ""},
                                   {"/a%20b", "/a%20b", ""}};
  for (const Case& test : cases) {
    const Parsed parsed = parse("GET " + test.target + " HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(parsed.path, test.path) << test.target;
    EXPECT_EQ(parsed.query, test.query) << test.target;
  }
}

TEST(PeerAddress, HasATextForm) {
  PeerAddress peer;
  EXPECT_EQ(peer.to_string(), "::");
  peer.bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 1};
  EXPECT_EQ(peer.to_string(), "192.0.2.1");
  peer.bytes = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  EXPECT_EQ(peer.to_string(), "2001:db8::1");
}

}  // namespace
}  // namespace fairway::http
