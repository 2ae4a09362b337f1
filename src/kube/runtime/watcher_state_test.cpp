#include "kube/runtime/watcher_state.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/core/object.hpp"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using namespace watcher;
using ::testing::ElementsAre;

json::Object versioned(std::string_view name, std::string_view version) {
  return *json::parse_object(
      fmt::format(R"({{"metadata":{{"name":"{}","resourceVersion":"{}"}}}})", name, version));
}

Listed listed(std::vector<json::Object> items, std::string version, std::string more = {}) {
  return {{std::move(items), {.resource_version = std::move(version), .continue_ = std::move(more)}}};
}

Received received(WatchEvent::Type type, std::string_view name, std::string_view version) {
  return {{type, versioned(name, version)}};
}

Failed failed(ErrorCode code) {
  return {{code, "as told"}};
}

std::string text_of(const WatcherEvent& event) {
  struct Describe {
    std::string operator()(const InitStart&) const { return "start"; }
    std::string operator()(const InitObject& each) const {
      return "init " + std::string(name_of(each.object));
    }
    std::string operator()(const InitDone&) const { return "done"; }
    std::string operator()(const Applied& each) const { return "apply " + std::string(name_of(each.object)); }
    std::string operator()(const Deleted& each) const {
      return "delete " + std::string(name_of(each.object));
    }
  };
  return std::visit(Describe{}, event);
}

std::string text_of(const WatcherCommand& command) {
  struct Describe {
    std::string operator()(const DoList& each) const {
      return fmt::format("list limit={} continue={}", each.options.limit, each.options.continue_);
    }
    std::string operator()(const DoWatch& each) const {
      return "watch from " + each.options.resource_version;
    }
    std::string operator()(const DoRead&) const { return "read"; }
    std::string operator()(const DoPause& each) const {
      return fmt::format("pause {}ms",
                         std::chrono::duration_cast<std::chrono::milliseconds>(each.duration).count());
    }
  };
  return std::visit(Describe{}, command);
}

// The machine, driven by hand; each call gives its events and its next command in words.
struct Driven {
  WatcherOptions options{.page_size = 2, .backoff = {.first = 100ms, .cap = 1s, .jitter = 0}};
  WatcherState state = {};
  WatcherCommand command = DoRead{};
  std::optional<Error> problem = {};

  std::vector<std::string> operator()(WatcherInput input) {
    auto next = step(options, std::move(state), std::move(input));
    state = std::move(next.state);
    command = next.command;
    problem = next.problem;
    std::vector<std::string> words;
    for (const auto& event : next.events) words.push_back(text_of(event));
    words.push_back(text_of(next.command));
    return words;
  }
  // Up to a watch that reads from version 10.
  void to_watching() {
    (*this)(Begin{});
    (*this)(listed({}, "10"));
    (*this)(Opened{});
  }
};

TEST(WatcherState, ListsPageByPageThenWatches) {
  Driven machine;
  EXPECT_THAT(machine(Begin{}), ElementsAre("list limit=2 continue="));
  EXPECT_THAT(machine(listed({versioned("a", "1"), versioned("b", "2")}, "9", "more")),
              ElementsAre("start", "init a", "init b", "list limit=2 continue=more"));
  EXPECT_THAT(machine(listed({versioned("c", "3")}, "9")), ElementsAre("init c", "done", "watch from 9"));
  EXPECT_THAT(machine(Opened{}), ElementsAre("read"));
}

TEST(WatcherState, EventsMoveTheVersionAndBookmarksOnlyThat) {
  Driven machine;
  machine.to_watching();
  EXPECT_THAT(machine(received(WatchEvent::Type::Added, "a", "11")), ElementsAre("apply a", "read"));
  EXPECT_THAT(machine(received(WatchEvent::Type::Modified, "a", "12")), ElementsAre("apply a", "read"));
  EXPECT_THAT(machine(received(WatchEvent::Type::Deleted, "a", "13")), ElementsAre("delete a", "read"));
  EXPECT_THAT(machine(received(WatchEvent::Type::Bookmark, "", "99")), ElementsAre("read"));
  EXPECT_FALSE(machine.problem);
  EXPECT_THAT(machine(Ended{0s}), ElementsAre("watch from 99"));
}

TEST(WatcherState, ACutWatchResumesFromTheLastVersion) {
  Driven machine;
  machine.to_watching();
  machine(received(WatchEvent::Type::Added, "a", "11"));
  EXPECT_THAT(machine(failed(ErrorCode::Unavailable)), ElementsAre("pause 100ms"));
  EXPECT_THAT(machine(Begin{}), ElementsAre("watch from 11"));
  EXPECT_THAT(machine(failed(ErrorCode::Timeout)), ElementsAre("pause 200ms"));
  EXPECT_THAT(machine(Begin{}), ElementsAre("watch from 11"));
  machine(Opened{});
  machine(received(WatchEvent::Type::Added, "b", "12"));
  EXPECT_THAT(machine(failed(ErrorCode::Unavailable)), ElementsAre("pause 100ms"))
      << "progress starts the count anew";
}

TEST(WatcherState, AWatchThatLastedHasWorkedEvenIfNothingHappened) {
  Driven machine;
  machine.to_watching();
  machine(failed(ErrorCode::Unavailable));
  machine(Begin{});
  EXPECT_THAT(machine(Failed{{ErrorCode::Unavailable, "cut"}, 9s}), ElementsAre("pause 200ms"));
  machine(Begin{});
  EXPECT_THAT(machine(Failed{{ErrorCode::Unavailable, "cut"}, 10s}), ElementsAre("pause 100ms"));
}

TEST(WatcherState, GoneListsAnewAtOnceAndThenWithGrowingPauses) {
  Driven machine;
  machine.to_watching();
  EXPECT_THAT(machine(failed(ErrorCode::Gone)), ElementsAre("list limit=2 continue="));
  EXPECT_THAT(machine(listed({versioned("a", "20")}, "20")),
              ElementsAre("start", "init a", "done", "watch from 20"));
  EXPECT_THAT(machine(failed(ErrorCode::Gone)), ElementsAre("pause 100ms")) << "a list alone is no progress";
  EXPECT_THAT(machine(Begin{}), ElementsAre("list limit=2 continue="));
  machine(listed({}, "21"));
  EXPECT_THAT(machine(failed(ErrorCode::Gone)), ElementsAre("pause 200ms"));
  for (int i = 0; i < 10; ++i) {
    machine(Begin{});
    machine(listed({}, "22"));
    machine(failed(ErrorCode::Gone));
  }
  EXPECT_EQ(text_of(machine.command), "pause 1000ms");
}

TEST(WatcherState, AListThatExpiresHalfwayStartsOverWithoutPages) {
  Driven machine;
  machine(Begin{});
  machine(listed({versioned("a", "1")}, "9", "more"));
  EXPECT_THAT(machine(ListFailed{{ErrorCode::Gone, "expired"}}), ElementsAre("list limit=0 continue="));
  EXPECT_THAT(machine(listed({versioned("b", "2")}, "12")),
              ElementsAre("start", "init b", "done", "watch from 12"))
      << "what the first page brought must not be mixed in: a new start";
}

TEST(WatcherState, AFailedPageIsAskedForAgain) {
  Driven machine;
  machine(Begin{});
  machine(listed({versioned("a", "1")}, "9", "more"));
  EXPECT_THAT(machine(ListFailed{{ErrorCode::Unavailable, "cut"}}), ElementsAre("pause 100ms"));
  EXPECT_THAT(machine(Begin{}), ElementsAre("list limit=2 continue=more"));
  EXPECT_THAT(machine(listed({versioned("b", "2")}, "9")), ElementsAre("init b", "done", "watch from 9"));
}

TEST(WatcherState, AServerThatAsksForPatienceGetsIt) {
  Driven machine;
  machine(Begin{});
  EXPECT_THAT(machine(ListFailed{{ErrorCode::Unavailable, "busy", {}, 7s}}), ElementsAre("pause 7000ms"));
}

TEST(WatcherState, AWatchThatEndsAtOnceIsNotReopenedInAHurry) {
  Driven machine;
  machine.to_watching();
  EXPECT_THAT(machine(Ended{10ms}), ElementsAre("pause 100ms"));
  machine(Begin{});
  machine(Opened{});
  EXPECT_THAT(machine(Ended{20ms}), ElementsAre("pause 200ms"));
  machine(Begin{});
  machine(Opened{});
  EXPECT_THAT(machine(Ended{280s}), ElementsAre("watch from 10")) << "an orderly end after its time";
}

TEST(WatcherState, WhatCannotBeReadIsListedAnewAfterAFewTries) {
  Driven machine;
  machine.to_watching();
  machine(failed(ErrorCode::Internal));
  EXPECT_THAT(machine(Begin{}), ElementsAre("watch from 10"));
  machine(failed(ErrorCode::Internal));
  EXPECT_THAT(machine(Begin{}), ElementsAre("watch from 10"));
  machine(failed(ErrorCode::Internal));
  EXPECT_THAT(machine(Begin{}), ElementsAre("list limit=2 continue="));
}

TEST(WatcherState, AKindThatIsGoneIsLookedForAgain) {
  Driven machine;
  machine.to_watching();
  EXPECT_THAT(machine(failed(ErrorCode::NotFound)), ElementsAre("pause 100ms"));
  EXPECT_THAT(machine(Begin{}), ElementsAre("list limit=2 continue="));
  EXPECT_THAT(machine(ListFailed{{ErrorCode::NotFound, "no such kind"}}), ElementsAre("pause 200ms"));
}

TEST(WatcherState, OneObjectWithoutANameDoesNotStopTheOthers) {
  Driven machine;
  machine(Begin{});
  EXPECT_THAT(machine(listed({versioned("", "1"), versioned("b", "2")}, "9")),
              ElementsAre("start", "init b", "done", "watch from 9"));
  EXPECT_TRUE(machine.problem);
  machine(Opened{});
  EXPECT_THAT(machine(received(WatchEvent::Type::Added, "", "10")), ElementsAre("read"));
  EXPECT_TRUE(machine.problem);
  EXPECT_THAT(machine(Ended{1min}), ElementsAre("watch from 10")) << "its version still counts";
}

TEST(WatcherState, AListWithoutAVersionIsNotTrusted) {
  Driven machine;
  machine(Begin{});
  EXPECT_THAT(machine(listed({versioned("a", "1")}, "")), ElementsAre("pause 100ms"));
  EXPECT_TRUE(machine.problem);
}

TEST(WatcherState, WatchesAreAskedToEndAtDifferentTimes) {
  Driven machine;
  machine.to_watching();
  std::vector<std::chrono::seconds> timeouts;
  for (int i = 0; i < 20; ++i) {
    machine(Ended{1min});
    timeouts.push_back(*std::get<DoWatch>(machine.command).options.timeout);
    machine(Opened{});
  }
  EXPECT_GE(*std::ranges::min_element(timeouts), 232s);
  EXPECT_LE(*std::ranges::max_element(timeouts), 290s);
  EXPECT_NE(*std::ranges::min_element(timeouts), *std::ranges::max_element(timeouts));
}

}  // namespace
}  // namespace fairway::kube
