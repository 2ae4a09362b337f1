#include "http/prepared_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "http/prepared_testing.hpp"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace testing;

TEST(PreparedServer, AnswersWithHeadBodyAndDate) {
  PreparedFixture fixture;
  const RawAnswer answer = fixture.ask(get("/small"));
  EXPECT_EQ(answer.head,
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n"
            "Date: Tue, 14 Nov 2023 22:13:20 GMT\r\n\r\n");
  EXPECT_EQ(answer.body, "hello");
}

TEST(PreparedServer, SendsALargeBodyWhole) {
  PreparedFixture fixture;
  EXPECT_EQ(fixture.ask(get("/large")).body, pattern(kLargeSize));
}

TEST(PreparedServer, SendsALargeBodyToOneWhoReadsSlowly) {
  PreparedFixture fixture;
  RawSocket socket = fixture.connect(4096);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(socket.send(get("/large")));
  for (int i = 0; i < 20; ++i) ASSERT_EQ(socket.read().body, pattern(kLargeSize)) << i;
}

TEST(PreparedServer, ManySmallAnswersToOneWhoDoesNotReadYet) {
  PreparedFixture fixture;
  constexpr int kCount = 20'000;
  RawSocket socket = fixture.connect(4096);
  std::thread sender([&] {
    for (int i = 0; i < kCount; ++i) socket.send(get("/small"));
  });
  std::size_t good = 0;
  // Half of the answers stand in the way before the first is read.
  fixture.clock.advance(1s);
  for (int i = 0; i < kCount; ++i) good += socket.read().body == "hello" ? 1 : 0;
  sender.join();
  EXPECT_EQ(good, static_cast<std::size_t>(kCount));
}

TEST(PreparedServer, HandlerSeesTheRequestAsItWasSent) {
  PreparedFixture fixture;
  const RawAnswer answer = fixture.ask(get("/echo%20/a?b=%20&c", "X-Test: \x80\xff value\r\n"));
  EXPECT_EQ(answer.body,
            "GET|/echo%20/a?b=%20&c|/echo%20/a|b=%20&c|\x80\xff value|127.0.0.1");  // spec case 28
}

TEST(PreparedServer, AcceptsAnAbsoluteTarget) {
  PreparedFixture fixture;
  EXPECT_EQ(fixture.ask(get("http://other:1/echo?q")).body, "GET|http://other:1/echo?q|/echo|q||127.0.0.1");
}

TEST(PreparedServer, AddsWhatDependsOnTheRequest) {
  PreparedFixture fixture;
  const RawAnswer answer = fixture.ask(get("/echo", "Origin: https://a\r\n"));
  EXPECT_EQ(answer.header("access-control-allow-origin"), "https://a");
  EXPECT_FALSE(answer.header("date").empty());
}

TEST(PreparedServer, DateFollowsTheClock) {
  PreparedFixture fixture;
  RawSocket socket = fixture.connect();
  socket.send(get("/small"));
  EXPECT_EQ(socket.read().header("Date"), "Tue, 14 Nov 2023 22:13:20 GMT");
  fixture.clock.advance(2s);
  socket.send(get("/small"));
  EXPECT_EQ(socket.read().header("Date"), "Tue, 14 Nov 2023 22:13:22 GMT");
}

TEST(PreparedServer, HeadIsGetWithoutTheBody) {
  PreparedFixture fixture;
  RawSocket socket = fixture.connect();
  for (const std::string_view path : {"/small", "/large"}) {
    socket.send("HEAD " + std::string(path) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    const RawAnswer answer = socket.read(false);
    EXPECT_EQ(answer.status(), 200);
    EXPECT_EQ(answer.header("Content-Length"), path == "/small" ? "5" : "357000");
  }
  socket.send(get("/small"));
  EXPECT_EQ(socket.read().body, "hello");  // nothing stood in between
}

TEST(PreparedServer, NoBodyWithoutOne) {
  PreparedFixture fixture;
  RawSocket socket = fixture.connect();
  for (const std::string_view path : {"/204", "/304"}) {
    socket.send(get(path));
    EXPECT_THAT(socket.read().head, Not(HasSubstr("Content-Length")));
  }
  socket.send(get("/small"));
  EXPECT_EQ(socket.read().body, "hello");
}

TEST(PreparedServer, KeepsAConnectionAsItsVersionSays) {
  PreparedFixture fixture;
  struct Case {
    std::string text;
    std::string connection;
    bool stays;
  };
  const std::vector<Case> cases = {
      {get("/small"), "", true},
      {get("/small", "Connection: close\r\n"), "close", false},
      {"GET /small HTTP/1.0\r\n\r\n", "close", false},
      {"GET /small HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "keep-alive", true},
      {get("/large", "Connection: close\r\n"), "close", false},
  };
  for (const Case& test : cases) {
    RawSocket socket = fixture.connect();
    socket.send(test.text);
    EXPECT_EQ(socket.read().header("Connection"), test.connection) << test.text;
    if (test.stays) {
      socket.send(get("/small", "Connection: close\r\n"));
      EXPECT_EQ(socket.read().body, "hello") << test.text;
    }
    EXPECT_EQ(socket.drain(), "") << test.text;
  }
}

TEST(PreparedServer, RequestsAfterAnAnnouncedCloseAreNotAnswered) {
  PreparedFixture fixture;
  RawSocket socket = fixture.connect();
  socket.send(get("/small", "Connection: close\r\n") + get("/small") + get("/small"));
  EXPECT_EQ(socket.read().body, "hello");
  EXPECT_EQ(socket.drain(), "");
}

TEST(PreparedServer, PipelinedAnswersComeInOrder) {
  PreparedFixture fixture;
  RawSocket socket = fixture.connect();
  std::string text;
  for (int i = 0; i < 300; ++i) text += get("/echo?" + std::to_string(i));
  socket.send(text);
  for (int i = 0; i < 300; ++i)
    EXPECT_THAT(socket.read().body, HasSubstr("|" + std::to_string(i) + "|")) << i;
}

TEST(PreparedServer, PipelinedAnswersComeInOrderAlsoWhenOneIsLate) {
  PreparedFixture fixture;
  RawSocket socket = fixture.connect();
  socket.send(get("/echo?1") + get("/later") + get("/large") + get("/later") + get("/echo?2"));
  EXPECT_THAT(socket.read().body, HasSubstr("|1|"));
  fixture.await_later(1);
  std::thread([&] { fixture.take_later().send({PreparedAnswer::make(201, {})}); }).join();
  EXPECT_EQ(socket.read().status(), 201);
  EXPECT_EQ(socket.read().body, pattern(kLargeSize));
  fixture.await_later(2);
  std::thread([&] { fixture.take_later().send({PreparedAnswer::make(202, {})}); }).join();
  EXPECT_EQ(socket.read().status(), 202);
  EXPECT_THAT(socket.read().body, HasSubstr("|2|"));
}

TEST(PreparedServer, RequestsInPieces) {
  PreparedFixture fixture;
  RawSocket socket = fixture.connect();
  const std::string text = get("/echo?1", "X-Test: y\r\n") + get("/echo?2");
  for (const char c : text) socket.send({&c, 1});
  EXPECT_EQ(socket.read().body, "GET|/echo?1|/echo|1|y|127.0.0.1");
  EXPECT_EQ(socket.read().body, "GET|/echo?2|/echo|2||127.0.0.1");
}

TEST(PreparedServer, SkipsRequestBodies) {
  PreparedFixture fixture;
  RawSocket socket = fixture.connect();
  const std::string body(65'536, 'b');
  socket.send("POST /echo?1 HTTP/1.1\r\nHost: x\r\nContent-Length: 65536\r\n\r\n" + body + get("/echo?2"));
  EXPECT_EQ(socket.read().body, "POST|/echo?1|/echo|1||127.0.0.1");
  EXPECT_EQ(socket.read().body, "GET|/echo?2|/echo|2||127.0.0.1");
  socket.send("PUT /echo?3 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nX-Test: y\r\n\r\n");
  socket.send("8000\r\n" + std::string(0x8000, 'c') + "\r\n");
  socket.send("0\r\n\r\n\r\n" + get("/echo?4"));
  EXPECT_EQ(socket.read().body, "PUT|/echo?3|/echo|3|y|127.0.0.1");
  EXPECT_EQ(socket.read().body, "GET|/echo?4|/echo|4||127.0.0.1");
}

TEST(PreparedServer, TellsAClientThatWaitsToGoOn) {
  PreparedFixture fixture;
  RawSocket socket = fixture.connect();
  socket.send("POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(socket.read().head, "HTTP/1.1 100 Continue\r\n\r\n");
  socket.send("ab");
  socket.send("cd");
  EXPECT_EQ(socket.read().status(), 200);
}

TEST(PreparedServer, RefusesWhatItDoesNotTake) {
  PreparedFixture fixture;
  struct Case {
    std::string text;
    int status;
  };
  const std::vector<Case> cases = {
      {"NONSENSE\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n\r\n", 400},
      {get("/", "Bad Name: x\r\n"), 400},
      {get("/", "Content-Length: 1\r\nContent-Length: 2\r\n"), 400},
      {get("/", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), 400},
      {get("/", "Content-Length: 65537\r\n") + std::string(65'537, 'x'), 413},
      {get("/", "Content-Length: 99999999\r\nExpect: 100-continue\r\n"), 413},
      {get("/", "X: " + std::string(17'000, 'x') + "\r\n"), 431},
      {"GET /" + std::string(17'000, 'x') + " HTTP/1.1\r\nHost: x\r\n\r\n", 414},
      {get("/", "Transfer-Encoding: gzip\r\n"), 501},
      {"GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505},
  };
  for (const Case& test : cases) {
    RawSocket socket = fixture.connect();
    socket.send(test.text + get("/small"));
    const RawAnswer answer = socket.read();
    EXPECT_EQ(answer.status(), test.status) << test.text.substr(0, 80);
    EXPECT_EQ(answer.header("Connection"), "close");
    EXPECT_FALSE(answer.body.empty());
    EXPECT_EQ(socket.drain(), "") << "no request after a refusal is answered";
  }
}

TEST(PreparedServer, RefusalsAreInTheCallersWords) {
  PreparedFixture fixture({.refusal = [](int status, std::string_view message) {
    return PreparedReply{
        PreparedAnswer::make(status, {{"Content-Type", "application/json"}},
                             PreparedBody::make("{\"why\":\"" + std::string(message) + "\"}"))};
  }});
  const RawAnswer answer = fixture.ask("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(answer.header("Content-Type"), "application/json");
  EXPECT_EQ(answer.body, "{\"why\":\"the Host header is missing\"}");
}

TEST(PreparedServer, AHandlerWithoutAnAnswerIsAnError) {
  PreparedFixture fixture;
  EXPECT_EQ(fixture.ask(get("/never")).status(), 500);
  RawSocket socket = fixture.connect();
  socket.send(get("/later"));
  fixture.await_later(1);
  std::thread([&] { const Responder dropped = fixture.take_later(); }).join();
  EXPECT_EQ(socket.read().status(), 500);
}

TEST(PreparedServer, AnswersFromManyThreads) {
  PreparedFixture fixture({.threads = 3});
  constexpr std::size_t kClients = 60;
  std::vector<RawSocket> sockets;
  for (std::size_t i = 0; i < kClients; ++i) {
    sockets.push_back(fixture.connect());
    sockets.back().send(get("/later"));
  }
  fixture.await_later(kClients);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < kClients / 4; ++i) fixture.take_later().send({fixture.small()});
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (RawSocket& socket : sockets) EXPECT_EQ(socket.read().body, "hello");
}

TEST(PreparedServer, ServesManyClientsOnSeveralThreads) {
  PreparedFixture fixture({.threads = 3});
  std::atomic<int> good = 0;
  std::vector<std::thread> clients;
  clients.reserve(4);
  for (int t = 0; t < 4; ++t) {
    clients.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        RawSocket socket = fixture.connect();
        socket.send(get("/small") + get("/large"));
        if (socket.read().body == "hello" && socket.read().body.size() == kLargeSize) ++good;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(good, 80);
}

TEST(PreparedServer, AResponderMayOutliveItsConnectionAndTheServer) {
  PreparedFixture fixture;
  RawSocket first = fixture.connect();
  first.send(get("/later"));
  fixture.await_later(1);
  first.reset();
  RawSocket second = fixture.connect();
  second.send(get("/later"));
  fixture.await_later(2);
  fixture.take_later().send({fixture.small()});  // to nobody
  Responder last = fixture.take_later();
  fixture.drop_server();
  EXPECT_EQ(second.drain(), "");
  last.send({fixture.small()});
}

TEST(PreparedServer, AnAnswerForAnEarlierConnectionDoesNotReachTheNext) {
  PreparedFixture fixture;
  RawSocket first = fixture.connect();
  first.send(get("/later"));
  fixture.await_later(1);
  first.reset();
  // The second is to get the place that the first had.
  while (fixture.server().connections() > 0) std::this_thread::yield();
  RawSocket second = fixture.connect();
  second.send(get("/later"));
  fixture.await_later(2);
  fixture.take_later().send({PreparedAnswer::make(418, {})});
  fixture.take_later().send({fixture.small()});
  EXPECT_EQ(second.read().body, "hello");
}

TEST(PreparedServer, AClientThatEndsItsSideStillGetsItsAnswer) {
  PreparedFixture fixture;
  RawSocket socket = fixture.connect();
  socket.send(get("/small") + get("/later") + get("/large"));
  socket.end();
  EXPECT_EQ(socket.read().body, "hello");
  fixture.await_later(1);
  fixture.take_later().send({fixture.small()});
  EXPECT_EQ(socket.read().body, "hello");
  EXPECT_EQ(socket.read().body.size(), kLargeSize);
  EXPECT_EQ(socket.drain(), "");
}

TEST(PreparedServer, SaysWhatItAnswered) {
  PreparedFixture fixture;
  RawSocket socket = fixture.connect();
  socket.send(get("/small?q", "User-Agent: test/1\r\n") + get("/later", "User-Agent: test/2\r\n"));
  EXPECT_EQ(socket.read().body, "hello");
  fixture.await_later(1);
  fixture.clock.advance(250ms);
  fixture.take_later().send({fixture.small()});
  EXPECT_EQ(socket.read().body, "hello");
  socket.send("nonsense");
  socket.send("\r\n");
  EXPECT_EQ(socket.read().status(), 400);
  socket.drain();
  fixture.server().stop(0s);
  const std::vector<Answered> answered = fixture.answered();
  ASSERT_EQ(answered.size(), 3U);
  EXPECT_EQ(answered[0].method, "GET");
  EXPECT_EQ(answered[0].target, "/small?q");
  EXPECT_EQ(answered[0].user_agent, "test/1");
  EXPECT_EQ(answered[0].peer, "127.0.0.1");
  EXPECT_EQ(answered[0].status, 200);
  EXPECT_EQ(answered[0].bytes, 5U);
  EXPECT_TRUE(answered[0].is_complete);
  EXPECT_EQ(answered[1].target, "/later");
  EXPECT_EQ(answered[1].user_agent, "test/2");
  EXPECT_EQ(answered[1].duration, 250ms);
  EXPECT_EQ(answered[2].status, 400);
  EXPECT_EQ(answered[2].duration, 0s);
}

TEST(PreparedServer, ListensWhereItIsTold) {
  const ManualClock clock;
  const PreparedHandler handler = [](const RequestView&, Responder) {};
  const auto first = PreparedServer::listen(clock, {.address = "::1", .threads = 2}, handler);
  ASSERT_TRUE(first.has_value());
  for (const std::size_t threads : {1U, 2U}) {
    const auto second = PreparedServer::listen(
        clock, {.address = "::1", .port = (*first)->port(), .threads = threads}, handler);
    ASSERT_FALSE(second.has_value()) << "a port that is in use is not shared with another server";
    EXPECT_EQ(second.error().code, ErrorCode::AlreadyExists);
  }
  const auto wrong = PreparedServer::listen(clock, {.address = "localhost"}, handler);
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().message, "expected an IPv4 or IPv6 address to listen on, found \"localhost\"");
}

}  // namespace
}  // namespace fairway::http
