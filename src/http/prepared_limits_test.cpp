// What a PreparedServer does about clients that are slow, silent, gone or too many, and how it stops.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <thread>

#include "base/log.hpp"
#include "http/prepared_server.hpp"
#include "http/prepared_testing.hpp"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;
using ::testing::EndsWith;
using namespace testing;

// Reaches the server's thread: what was sent on other connections before is read by then.
void pass_through(PreparedFixture& fixture) {
  ASSERT_EQ(fixture.ask(get("/small")).body, "hello");
}

// Busy, but without a time of its own: the server does what is waited for.
void await_connections(PreparedFixture& fixture, std::size_t count) {
  while (fixture.server().connections() != count) std::this_thread::yield();
}

TEST(PreparedServerLimits, AHeaderThatDoesNotComeInTimeIsRefused) {
  PreparedFixture fixture;
  RawSocket socket = fixture.connect();
  socket.send("GET / HTTP/1.1\r\n");
  pass_through(fixture);
  fixture.advance(14s);
  socket.send("Host: x\r\n");  // a byte now and then does not buy time
  pass_through(fixture);
  fixture.advance(1s);
  EXPECT_EQ(socket.read().status(), 408);
  EXPECT_EQ(socket.drain(), "");
}

TEST(PreparedServerLimits, ABodyThatDoesNotComeInTimeIsRefused) {
  PreparedFixture fixture;
  RawSocket socket = fixture.connect();
  socket.send(get("/small", "Content-Length: 10\r\n") + "12345");
  pass_through(fixture);
  fixture.advance(15s);
  EXPECT_EQ(socket.read().status(), 408);
}

TEST(PreparedServerLimits, ASilentClientIsClosed) {
  PreparedFixture fixture;
  RawSocket silent = fixture.connect();
  RawSocket idle = fixture.connect();
  idle.send(get("/small"));
  idle.read();
  pass_through(fixture);
  fixture.advance(15s);
  EXPECT_EQ(silent.drain(), "");
  fixture.advance(59s);
  idle.send(get("/small"));
  EXPECT_EQ(idle.read().body, "hello");
  fixture.advance(74s);
  pass_through(fixture);
  idle.send(get("/small"));
  EXPECT_EQ(idle.read().body, "hello") << "each request begins the idle time anew";
  pass_through(fixture);
  fixture.advance(75s);
  EXPECT_EQ(idle.drain(), "");
}

TEST(PreparedServerLimits, EmptyLinesDoNotKeepAConnection) {
  PreparedFixture fixture;
  RawSocket socket = fixture.connect();
  socket.send("\r\n\r\n");
  pass_through(fixture);
  fixture.advance(10s);
  socket.send("\r\n");
  pass_through(fixture);
  fixture.advance(5s);
  EXPECT_EQ(socket.drain(), "");
}

TEST(PreparedServerLimits, AHandlerThatTakesTooLongIsNotWaitedFor) {
  PreparedFixture fixture;
  RawSocket socket = fixture.connect();
  socket.send(get("/later") + get("/small"));
  fixture.await_later(1);
  fixture.advance(59s);
  pass_through(fixture);
  fixture.advance(1s);
  EXPECT_EQ(socket.read().status(), 503);
  fixture.take_later().send({fixture.small()});  // too late: dropped
  EXPECT_EQ(socket.drain(), "");
}

TEST(PreparedServerLimits, AClientThatDoesNotReadIsClosed) {
  PreparedFixture fixture;
  RawSocket socket = fixture.connect(4096);
  for (int i = 0; i < 40; ++i) socket.send(get("/large"));
  socket.await(1);
  pass_through(fixture);
  fixture.advance(29s);
  pass_through(fixture);
  EXPECT_GE(fixture.server().connections(), 1U);
  fixture.advance(30s);
  await_connections(fixture, 0);
  EXPECT_LT(socket.drain().size(), 40 * kLargeSize);
  fixture.server().stop(0s);
  const std::vector<Answered> answered = fixture.answered();
  EXPECT_FALSE(answered.back().is_complete);
  EXPECT_EQ(answered.back().target, "/large");
  EXPECT_LT(answered.back().bytes, kLargeSize);
}

TEST(PreparedServerLimits, ARefusedClientThatStaysIsClosed) {
  PreparedFixture fixture;
  RawSocket socket = fixture.connect();
  socket.send("nonsense\r\n\r\n");
  EXPECT_EQ(socket.read().status(), 400);
  EXPECT_EQ(fixture.server().connections(), 1U);
  pass_through(fixture);
  fixture.advance(2s);
  await_connections(fixture, 0);
}

TEST(PreparedServerLimits, ARefusedClientMaySendALittleMore) {
  PreparedFixture fixture;
  RawSocket socket = fixture.connect();
  // It sends all of its body before it reads; a server that closed at once would take the answer away.
  socket.send(get("/", "Content-Length: 500000\r\n"));
  socket.send(std::string(500'000, 'x'));
  EXPECT_EQ(socket.read().status(), 413);
}

TEST(PreparedServerLimits, TooManyConnectionsGetAnAnswer) {
  PreparedFixture fixture({.max_connections = 3});
  std::vector<RawSocket> sockets;
  for (int i = 0; i < 3; ++i) {
    sockets.push_back(fixture.connect());
    sockets.back().send(get("/small"));
    EXPECT_EQ(sockets.back().read().body, "hello");
  }
  RawSocket refused = fixture.connect();
  refused.send(get("/small"));
  EXPECT_EQ(refused.read().status(), 503);
  EXPECT_EQ(refused.drain(), "");
  refused.close();
  sockets.pop_back();
  await_connections(fixture, 2);
  RawSocket admitted = fixture.connect();
  admitted.send(get("/small"));
  EXPECT_EQ(admitted.read().status(), 200);
}

TEST(PreparedServerLimits, FarTooManyConnectionsAreClosed) {
  PreparedFixture fixture({.max_connections = 1});
  std::vector<RawSocket> sockets;
  sockets.reserve(200);
  for (int i = 0; i < 200; ++i) sockets.push_back(fixture.connect());
  // Those beyond the ones that are refused with an answer see nothing but the end.
  EXPECT_EQ(sockets.back().drain(), "");
  EXPECT_LE(fixture.server().connections(), 65U);
  sockets.clear();
  await_connections(fixture, 0);
  EXPECT_EQ(fixture.ask(get("/small")).body, "hello");
}

TEST(PreparedServerLimits, ClientsMayGoAwayAtAnyPoint) {
  PreparedFixture fixture({.threads = 2});
  const std::string request = get("/large") + get("/later") + get("/small");
  for (std::size_t size = 0; size <= request.size(); size += 3) {
    RawSocket socket = fixture.connect(4096);
    socket.send(request.substr(0, size));
    if (size > 40) socket.await(1 + size % 7 * 1000);
    if (size % 2 == 0) socket.reset();
  }
  await_connections(fixture, 0);
  EXPECT_EQ(fixture.ask(get("/large")).body.size(), kLargeSize);
}

TEST(PreparedServerLimits, OneClientDoesNotKeepOthersWaiting) {
  PreparedFixture fixture;
  RawSocket blocker = fixture.connect();
  blocker.send(get("/block"));
  fixture.await_block();
  // Both wait when the server looks again; whichever it takes first, it comes round to the other soon.
  RawSocket greedy = fixture.connect();
  RawSocket modest = fixture.connect();
  std::string text;
  for (int i = 0; i < 400; ++i) text += get("/greedy");
  greedy.send(text);
  modest.send(get("/modest"));
  fixture.open_gate();
  for (int i = 0; i < 400; ++i) greedy.read();
  modest.read();
  fixture.server().stop(0s);
  const std::vector<Answered> answered = fixture.answered();
  ASSERT_EQ(answered.size(), 402U);
  const auto place = std::ranges::find(answered, "/modest", &Answered::target) - answered.begin();
  EXPECT_LT(place, 50);
}

TEST(PreparedServerLimits, WithoutDescriptorsItWaitsToAccept) {
  std::atomic<bool> has_warned = false;
  log::Sink before = log::set_sink([&](log::Level, std::string_view message, const log::Fields&) {
    if (message != "cannot accept connections") return;
    has_warned = true;
    has_warned.notify_all();
  });
  PreparedFixture fixture;
  RawSocket first = fixture.connect();
  first.send(get("/small"));
  first.read();
  const int unconnected = ::socket(AF_INET, SOCK_STREAM, 0);
  const int lowest_free = ::dup(unconnected);
  ::close(lowest_free);
  rlimit usual{};
  ::getrlimit(RLIMIT_NOFILE, &usual);
  const rlimit none{static_cast<rlim_t>(lowest_free), usual.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  RawSocket second(fixture.server().port(), unconnected, RawSocket::Given());
  second.send(get("/small"));
  has_warned.wait(false);
  first.send(get("/small"));
  EXPECT_EQ(first.read().body, "hello") << "those who are connected are served";
  ::setrlimit(RLIMIT_NOFILE, &usual);
  fixture.advance(100ms);
  EXPECT_EQ(second.read().body, "hello");
  log::set_sink(std::move(before));
}

// Of all threads; what is freed and kept for later does not count. A sanitizer's allocator says 0.
std::size_t allocated_bytes() {
  const struct mallinfo2 memory = ::mallinfo2();
  return memory.uordblks + memory.hblkhd;
}

TEST(PreparedServerLimits, AnIdleConnectionHoldsNoBuffer) {
  PreparedFixture fixture;
  constexpr std::size_t kClients = 200;  // each is two open files, and 1,024 of them is a usual limit
  std::vector<RawSocket> sockets;
  for (std::size_t i = 0; i < kClients; ++i) {
    sockets.push_back(fixture.connect());
    ASSERT_TRUE(sockets.back().is_connected())
        << "a process of " << i << " open files is too few for this test";
  }
  pass_through(fixture);
  const std::size_t before = allocated_bytes();
  const std::string big = get("/small", "X: " + std::string(8'000, 'x') + "\r\n");
  for (RawSocket& socket : sockets) socket.send(std::string_view(big).substr(0, 4'000));
  pass_through(fixture);
  for (RawSocket& socket : sockets) socket.send(std::string_view(big).substr(4'000));
  for (RawSocket& socket : sockets) EXPECT_EQ(socket.read().body, "hello");
  EXPECT_EQ(fixture.server().connections(), kClients);
  pass_through(fixture);
  EXPECT_LE(allocated_bytes(), before + kClients * 2'000) << "of each request's 8,000 bytes nothing is kept";
  for (RawSocket& socket : sockets) socket.send(get("/small"));
  for (RawSocket& socket : sockets) EXPECT_EQ(socket.read().body, "hello");
}

TEST(PreparedServerStop, ClosesIdleConnectionsAndAcceptsNoMore) {
  PreparedFixture fixture({.threads = 2});
  RawSocket idle = fixture.connect();
  idle.send(get("/small"));
  idle.read();
  const std::uint16_t port = fixture.server().port();
  fixture.server().stop(1h);
  EXPECT_EQ(idle.drain(), "");
  EXPECT_EQ(fixture.server().connections(), 0U);
  EXPECT_FALSE(RawSocket(port).is_connected());
}

TEST(PreparedServerStop, LetsALargeDownloadFinish) {
  PreparedFixture fixture;
  RawSocket socket = fixture.connect(4096);
  for (int i = 0; i < 40; ++i) socket.send(get("/large"));
  socket.await(1);
  std::thread stopper([&] { fixture.server().stop(1h); });
  const std::string all = socket.drain();
  socket.close();
  stopper.join();
  // The answer that was under way is whole; it or the one after it is the last.
  std::string expected = "\r\n\r\n" + pattern(kLargeSize);
  EXPECT_THAT(all, EndsWith(expected));
}

TEST(PreparedServerStop, LetsALateAnswerFinish) {
  PreparedFixture fixture;
  RawSocket socket = fixture.connect();
  socket.send(get("/later"));
  fixture.await_later(1);
  std::thread stopper([&] { fixture.server().stop(1h); });
  // It no longer accepts: it has begun to stop.
  while (RawSocket(fixture.server().port()).is_connected()) std::this_thread::yield();
  fixture.take_later().send({fixture.small()});
  const RawAnswer answer = socket.read();
  EXPECT_EQ(answer.body, "hello");
  EXPECT_EQ(answer.header("Connection"), "close");
  stopper.join();
}

TEST(PreparedServerStop, CutsOffWhatIsLeftWhenTheGraceIsOver) {
  PreparedFixture fixture;
  RawSocket download = fixture.connect(4096);
  for (int i = 0; i < 40; ++i) download.send(get("/large"));
  download.await(1);
  RawSocket late = fixture.connect();
  late.send(get("/later"));
  fixture.await_later(1);
  std::thread stopper([&] { fixture.server().stop(5s); });
  while (RawSocket(fixture.server().port()).is_connected()) std::this_thread::yield();
  fixture.advance(5s);
  stopper.join();
  EXPECT_EQ(late.drain(), "");
  EXPECT_LT(download.drain().size(), 40 * kLargeSize);
}

}  // namespace
}  // namespace fairway::http
