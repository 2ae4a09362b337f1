#include "base/log.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

namespace fairway::log {
namespace {

struct Line {
  Level level;
  std::string message;
  std::vector<std::pair<std::string, std::string>> fields;
  bool operator==(const Line&) const = default;
};

// Installs a sink that keeps what it gets, and takes it out again.
class Log : public testing::Test {
 protected:
  void listen(Level lowest) {
    set_sink(
        [this](Level level, std::string_view message, const Fields& fields) {
          Line line{level, std::string(message), {}};
          for (const auto& [key, value] : fields) line.fields.emplace_back(key, value);
          lines_.push_back(std::move(line));
        },
        lowest);
  }
  void TearDown() override { set_sink({}); }

  std::vector<Line> lines_;
};

TEST_F(Log, IsQuietWithoutASink) {
  EXPECT_FALSE(is_enabled(Level::Error));
  error("nobody hears this");
}

TEST_F(Log, PassesMessagesAndFields) {
  listen(Level::Debug);
  debug("a");
  info("listening", {{"address", "127.0.0.1:6443"}, {"tls", "true"}});
  warning("c", {{"why", "x"}});
  error("d");
  EXPECT_EQ(lines_,
            (std::vector<Line>{{Level::Debug, "a", {}},
                               {Level::Info, "listening", {{"address", "127.0.0.1:6443"}, {"tls", "true"}}},
                               {Level::Warning, "c", {{"why", "x"}}},
                               {Level::Error, "d", {}}}));
}

TEST_F(Log, DropsWhatIsBelowTheLowestLevel) {
  listen(Level::Warning);
  info("quiet");
  warning("loud");
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_EQ(lines_[0].message, "loud");
  EXPECT_FALSE(is_enabled(Level::Info));
  EXPECT_TRUE(is_enabled(Level::Warning));
}

TEST_F(Log, SetSinkReturnsThePreviousOne) {
  listen(Level::Info);
  const Sink previous = set_sink({});
  EXPECT_FALSE(is_enabled(Level::Error));
  ASSERT_TRUE(previous);
  previous(Level::Info, "direct", {});
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_EQ(lines_[0].message, "direct");
}

TEST_F(Log, ASinkMayLogAndReplaceTheSink) {
  set_sink([this](Level level, std::string_view message, const Fields&) {
    lines_.push_back({level, std::string(message), {}});
    if (message == "first") {
      info("second");
      set_sink({});
    }
  });
  info("first");
  info("third");
  EXPECT_EQ(lines_, (std::vector<Line>{{Level::Info, "first", {}}, {Level::Info, "second", {}}}));
}

TEST_F(Log, TakesMessagesFromSeveralThreads) {
  std::atomic<int> heard = 0;
  set_sink([&](Level, std::string_view, const Fields&) { ++heard; });
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([] {
        for (int j = 0; j < 100; ++j) info("x");
      });
    }
  }
  EXPECT_EQ(heard, 400);
}

TEST(LogLevel, HasNames) {
  EXPECT_EQ(to_string(Level::Debug), "debug");
  EXPECT_EQ(to_string(Level::Info), "info");
  EXPECT_EQ(to_string(Level::Warning), "warning");
  EXPECT_EQ(to_string(Level::Error), "error");
}

}  // namespace
}  // namespace fairway::log
