#include "http/server.hpp"

#include <arpa/inet.h>
#include <atomic>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "async/notify.hpp"
#include "base/text.hpp"
#include "http/test_server.hpp"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;
using testing::TestServer;

Task<void> echo(const Request& request, ResponseWriter& writer) {
  return writer.send({200, {{"X-Method", request.method}, {"X-Target", request.target}}, request.body});
}

// A client that writes what it likes. It blocks, so it runs on a thread of its own beside the server's loop.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawClient() { ::close(socket_); }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return connected_;
  }
  void end() { ::shutdown(socket_, SHUT_WR); }
  // All until the server closes.
  std::string drain() {
    std::string all;
    char buffer[4096];
    for (;;) {
      const auto got = ::recv(socket_, buffer, sizeof buffer, 0);
      if (got <= 0) return all;
      all.append(buffer, static_cast<std::size_t>(got));
    }
  }

 private:
  int socket_;
  bool connected_ = false;
};

std::string exchange(TestServer& server, const std::function<std::string(RawClient&)>& script) {
  std::string answer;
  std::atomic<bool> done = false;
  std::thread client([&] {
    RawClient raw(server.port());
    answer = script(raw);
    done = true;
    server.loop.post([] {});
  });
  server.loop.run_until([&] { return done.load(); });
  client.join();
  return answer;
}

std::string send_and_drain(TestServer& server, const std::string& text) {
  return exchange(server, [&](RawClient& raw) {
    raw.send(text);
    raw.end();
    return raw.drain();
  });
}

TEST(HttpServer, AnswersSeveralPipelinedRequestsInOrder) {
  TestServer server(echo);
  const std::string answer =
      send_and_drain(server,
                     "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\none"
                     "POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ntwo\r\n0\r\n\r\n"
                     "HEAD /c HTTP/1.1\r\nHost: x\r\n\r\n"
                     "GET /d HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const auto a = answer.find("X-Target: /a"), b = answer.find("X-Target: /b");
  const auto c = answer.find("X-Target: /c"), d = answer.find("X-Target: /d");
  EXPECT_TRUE(a < b && b < c && c < d && d != std::string::npos) << answer;
  EXPECT_NE(answer.find("\r\n\r\none"), std::string::npos);
  EXPECT_NE(answer.find("\r\n\r\ntwo"), std::string::npos);
}

TEST(HttpServer, ContinueIsSentBeforeTheBodyIsAwaited) {
  TestServer server(echo);
  const std::string answer = exchange(server, [](RawClient& raw) {
    raw.send(
        "PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: "
        "close\r\n\r\n");
    raw.send("hi");
    return raw.drain();
  });
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK")) << answer;
}

TEST(HttpServer, RefusesWhatItMust) {
  struct Case {
    std::string name, request, expected;
  };
  std::string many_headers = "GET / HTTP/1.1\r\nHost: x\r\n";
  for (int i = 0; i < 10'000; ++i) many_headers += fmt::format("X-{}: yes\r\n", i);
  const std::vector<Case> cases{
      {"a body announced as 1 GB", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1073741824\r\n\r\n", "413"},
      {"10,000 headers", many_headers + "\r\n", "431"},
      {"a header without end", "GET / HTTP/1.1\r\nX: " + std::string(100'000, 'a'), "431"},
      {"rubbish", "\x16\x03\x01\x02rubbish\r\n\r\n", "400"},
      {"a bad length", "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "400"},
      {"two lengths", "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "400"},
      {"a bad chunk", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "400"},
      {"HTTP/3.0", "GET / HTTP/3.0\r\n\r\n", "505"},
  };
  for (const Case& test : cases) {
    TestServer server(echo);
    const std::string answer = send_and_drain(server, test.request);
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 " + test.expected))
        << test.name << ": " << answer.substr(0, 200);
  }
}

TEST(HttpServer, AChunkedBodyIsCutOffAtTheLimit) {
  TestServer server(echo, {.max_body_bytes = 64 * 1024});
  const std::string answer = exchange(server, [](RawClient& raw) {
    raw.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "1000\r\n" + std::string(0x1000, 'a') + "\r\n";
    for (int i = 0; i < 64 && raw.send(chunk); ++i) {
    }
    return raw.drain();
  });
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 413")) << answer.substr(0, 200);
}

// The server's time is the test's: nothing here waits for real.
TEST(HttpServer, SlowClientsAreCutOffInEveryPhase) {
  for (const std::string& sent : {std::string(), std::string("GET / HT"),
                                  std::string("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab")}) {
    ManualClock clock;
    TestServer server(echo, {}, {}, &clock);
    std::atomic<bool> done = false;
    std::string answer = "unset";
    std::thread client([&] {
      RawClient raw(server.port());
      raw.send(sent);
      answer = raw.drain();
      done = true;
      server.loop.post([] {});
    });
    // The time moves on only once the server has come to wait for this client.
    server.loop.run_until([&] { return server.server().connections() == 1; });
    while (!done) {
      server.loop.run_until_idle();
      clock.advance_to_next();
      std::this_thread::yield();
    }
    client.join();
    EXPECT_EQ(answer, "") << quoted(sent);
    server.loop.run_until([&] { return server.server().connections() == 0; });
  }
}

Task<void> never_answer(const Request&, ResponseWriter&) {
  co_return fail(ErrorCode::Internal, "a defect");
}

TEST(HttpServer, AHandlerThatFailsGives500WithoutItsSecrets) {
  TestServer server(never_answer);
  const std::string answer = send_and_drain(server, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 500")) << answer;
  EXPECT_EQ(answer.find("a defect"), std::string::npos);
}

struct Streams {
  async::Notify more;
  int ended = 0;

  Task<void> handle(const Request&, ResponseWriter& writer) {
    FAIRWAY_CO_CHECKED(co_await writer.start({200, {}, "first\n"}));
    auto waited = co_await more.wait();
    ++ended;
    co_return waited;
  }
};

Task<void> two_pieces(const Request&, ResponseWriter& writer) {
  FAIRWAY_CO_CHECKED(co_await writer.start({200, {}, "first\n"}));
  FAIRWAY_CO_CHECKED(co_await writer.write("second\n"));
  co_return co_await writer.finish();
}

TEST(HttpServer, AStreamIsChunkedAndEnds) {
  TestServer server(two_pieces);
  const std::string answer = exchange(server, [](RawClient& raw) {
    raw.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    return raw.drain();
  });
  EXPECT_TRUE(answer.ends_with("\r\n\r\n6\r\nfirst\n\r\n7\r\nsecond\n\r\n0\r\n\r\n")) << answer;
}

TEST(HttpServer, AStreamToAnOldClientEndsWithTheConnection) {
  TestServer server(two_pieces);
  const std::string answer = exchange(server, [](RawClient& raw) {
    raw.send("GET / HTTP/1.0\r\n\r\n");
    return raw.drain();
  });
  EXPECT_TRUE(answer.ends_with("\r\n\r\nfirst\nsecond\n")) << answer;
}

TEST(HttpServer, AStreamIsCancelledWhenItsClientGoes) {
  Streams streams;
  TestServer server(
      [&](const Request& request, ResponseWriter& writer) { return streams.handle(request, writer); });
  {
    RawClient raw(server.port());
    raw.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    server.loop.run_until([&] { return server.server().connections() == 1; });
  }
  server.loop.run_until([&] { return server.server().connections() == 0; });
  EXPECT_LE(streams.ended, 1);
}

TEST(HttpServer, BodiesThatTogetherAreTooLargeAreToldToComeBack) {
  TestServer server(echo, {.max_body_bytes = 100, .max_total_body_bytes = 150});
  RawClient first(server.port());
  first.send("POST /first HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nnot yet all");
  const std::string second =
      "POST /second HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 60\r\n\r\n" +
      std::string(60, 'b');
  std::string refused;
  while (!refused.contains("503")) refused = send_and_drain(server, second);  // until the first one was read
  EXPECT_THAT(refused, ::testing::HasSubstr("Retry-After: 1\r\n"));
  EXPECT_THAT(refused, ::testing::HasSubstr("the bodies of all requests together are larger than 150 bytes"));
  const std::string chunked =
      "POST /third HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3c\r\n" + std::string(60, 'c');
  EXPECT_THAT(send_and_drain(server, chunked), ::testing::HasSubstr("HTTP/1.1 503 "));
  first.send(std::string(89, 'a'));
  first.end();
  server.loop.run_until([&] { return server.server().connections() == 0; });
  EXPECT_THAT(send_and_drain(server, second), ::testing::HasSubstr("HTTP/1.1 200 OK"));
}

TEST(HttpServer, ConnectionsAboveTheLimitAreTurnedAway) {
  TestServer server(echo, {.max_connections = 1});
  RawClient first(server.port());
  server.loop.run_until([&] { return server.server().connections() == 1; });
  EXPECT_EQ(send_and_drain(server, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "");
}

}  // namespace
}  // namespace fairway::http
