#include "http/tcp.hpp"

#include <gtest/gtest.h>

#include "async/event_loop.hpp"
#include "async/task_group.hpp"

namespace fairway::http {
namespace {

using std::chrono::seconds;

Task<std::string> read_all(TcpStream& stream) {
  std::string all;
  std::array<char, 4096> block;
  for (;;) {
    FAIRWAY_CO_TRY(const std::size_t count, co_await stream.read_some(block));
    if (count == 0) co_return all;
    all.append(block.data(), count);
  }
}

// Says what it was told, once the other side has said all.
Task<void> repeat_after_the_end(std::unique_ptr<TcpStream> stream) {
  FAIRWAY_CO_TRY(const std::string heard, co_await read_all(*stream));
  FAIRWAY_CO_CHECKED(co_await stream->write("heard " + heard));
  co_return Result<void>{};
}

Task<void> stop(TcpListener& listener) {
  co_await listener.stop();
  co_return Result<void>{};
}

class Tcp : public ::testing::Test {
 protected:
  std::unique_ptr<TcpListener> listen(TcpListener::Serve serve, TcpListener::Limits limits = {}) {
    auto made =
        TcpListener::listen(loop_.executor(), loop_.clock(), {"127.0.0.1", 0}, limits, std::move(serve));
    EXPECT_TRUE(made) << made.error().describe();
    return *std::move(made);
  }
  std::unique_ptr<TcpStream> connect(const TcpEndpoint& to, std::string from = {}) {
    auto made = loop_.block_on(TcpStream::connect(loop_.clock(), to, seconds(30), std::move(from)));
    EXPECT_TRUE(made) << made.error().describe();
    return made ? *std::move(made) : nullptr;
  }
  void end(TcpListener& listener) { EXPECT_TRUE(loop_.block_on(stop(listener))); }

  async::EventLoop loop_;
};

// A connection is passed on to another listener.
Task<void> pass_on(TimerClock& clock, TcpEndpoint to, Duration idle, std::unique_ptr<TcpStream> client) {
  FAIRWAY_CO_TRY(const auto server, co_await TcpStream::connect(clock, std::move(to), seconds(30)));
  FAIRWAY_CO_TRY(const std::uint64_t moved, co_await relay(clock, *client, *server, idle));
  EXPECT_GT(moved, 0U);
  co_return Result<void>{};
}

TEST_F(Tcp, ARelayKeepsHalfClosedConnectionsOpen) {
  const auto server = listen(repeat_after_the_end);
  const auto relaying = listen([&](std::unique_ptr<TcpStream> client) {
    return pass_on(loop_.clock(), server->local(), seconds(60), std::move(client));
  });
  const auto client = connect(relaying->local());
  const std::string much(1'000'000, 'x');
  // The answer comes only after our end: it would be lost if that ended both ways.
  ASSERT_TRUE(loop_.block_on(client->write(much)));
  client->shutdown_send();
  const auto heard = loop_.block_on(read_all(*client));
  ASSERT_TRUE(heard) << heard.error().describe();
  EXPECT_EQ(*heard, "heard " + much);
  end(*relaying);
  end(*server);
}

TEST_F(Tcp, ARelayEndsWhenNothingMoves) {
  ManualClock clock;
  const auto server = listen(repeat_after_the_end);
  bool has_ended = false;
  const auto relaying = listen([&](std::unique_ptr<TcpStream> client) {
    return pass_on(clock, server->local(), seconds(60), std::move(client));
  });
  const auto client = connect(relaying->local());
  loop_.run_until([&] { return server->connections() == 1 && clock.pending() > 0; });
  clock.advance(seconds(61));
  const auto heard = loop_.block_on(read_all(*client));
  has_ended = !heard || heard->empty();
  EXPECT_TRUE(has_ended);
  end(*relaying);
  end(*server);
}

TEST_F(Tcp, StoppingAListenerEndsItsConnectionsAndFreesThePort) {
  auto server = listen(repeat_after_the_end);
  const TcpEndpoint at = server->local();
  const auto client = connect(at);
  loop_.run_until([&] { return server->connections() == 1; });
  end(*server);
  EXPECT_EQ(server->connections(), 0U);
  const auto heard = loop_.block_on(read_all(*client));
  EXPECT_TRUE(!heard || heard->empty());
  EXPECT_EQ(loop_.block_on(TcpStream::connect(loop_.clock(), at, seconds(30))).error().code,
            ErrorCode::Unavailable);
  server.reset();
  const auto again = TcpListener::listen(loop_.executor(), loop_.clock(), at, {}, repeat_after_the_end);
  ASSERT_TRUE(again) << again.error().describe();
  end(**again);
}

TEST_F(Tcp, AnAddressCanBeChosenAndIsSeen) {
  TcpEndpoint seen;
  const auto server = listen([&](std::unique_ptr<TcpStream> stream) {
    seen = stream->peer();
    return repeat_after_the_end(std::move(stream));
  });
  const auto client = connect(server->local(), "127.9.8.7");
  loop_.run_until([&] { return !seen.address.empty(); });
  EXPECT_EQ(seen, client->local());
  EXPECT_EQ(seen.address, "127.9.8.7");
  end(*server);
}

TEST_F(Tcp, APortThatIsTakenIsSaid) {
  const auto server = listen(repeat_after_the_end);
  const auto second =
      TcpListener::listen(loop_.executor(), loop_.clock(), server->local(), {}, repeat_after_the_end);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::Unavailable);
  EXPECT_NE(second.error().message.find(server->local().to_string()), std::string::npos);
  const auto nowhere =
      TcpListener::listen(loop_.executor(), loop_.clock(), {"here", 1}, {}, repeat_after_the_end);
  EXPECT_EQ(nowhere.error().code, ErrorCode::Invalid);
  end(*server);
}

TEST_F(Tcp, ConnectionsAboveTheLimitAreClosed) {
  const auto server = listen(repeat_after_the_end, {.max_connections = 1});
  const auto first = connect(server->local());
  loop_.run_until([&] { return server->connections() == 1; });
  const auto second = connect(server->local());
  const auto heard = loop_.block_on(read_all(*second));
  EXPECT_TRUE(!heard || heard->empty());
  first->shutdown_send();
  EXPECT_EQ(loop_.block_on(read_all(*first)), "heard ");
  end(*server);
}

}  // namespace
}  // namespace fairway::http
