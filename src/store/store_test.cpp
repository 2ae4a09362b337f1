// The store's own behaviour, on disk and in memory alike.
#include "store/store.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/testing/store_fixture.hpp"

namespace fairway::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

enum class Kind { Disk, Memory };

class StoreTest : public StoreFixture, public ::testing::WithParamInterface<Kind> {
 protected:
  StoreTest() {
    if (GetParam() == Kind::Memory) options_.directory.clear();
    open();
  }

  std::string list() { return describe(store_->list({.cluster = "hub", .resource = "/configmaps"})); }

  void submit(Write write) {
    store_->submit(std::move(write), [this](Result<ChangePtr> done) {
      answers_.push_back(done ? describe(**done) : std::string(to_string(done.error().code)));
    });
  }

  std::vector<std::string> answers_;
  bool third_started_ = false;
};

INSTANTIATE_TEST_SUITE_P(All, StoreTest, ::testing::Values(Kind::Disk, Kind::Memory),
                         [](const auto& kind) { return kind.param == Kind::Disk ? "Disk" : "Memory"; });

TEST_P(StoreTest, CreatesUpdatesAndDeletes) {
  EXPECT_EQ(describe(**create("a", "1")), "created a@1=1");
  EXPECT_EQ(describe(**update("a", "2")), "updated a@2=2 (was 1@1)");
  EXPECT_EQ(store_->get(key_of("a"))->create_revision, 1U);
  EXPECT_EQ(list(), "a@2=2");
  EXPECT_EQ(describe(**remove("a")), "deleted a@3=2 (was 2@2)");
  EXPECT_EQ(store_->get(key_of("a")), nullptr);
  EXPECT_EQ(describe(**create("a", "4")), "created a@4=4");
  EXPECT_EQ(store_->get(key_of("a"))->create_revision, 4U);
  EXPECT_EQ(store_->revision(), 4U);
}

TEST_P(StoreTest, ADeletionKeepsTheLastStateThatItIsGiven) {
  ASSERT_TRUE(write(
      {.kind = ChangeKind::Created, .key = key_of("a"), .value = text_of("1"), .labels = {{"x", "y"}}}));
  const auto deleted = write({.kind = ChangeKind::Deleted, .key = key_of("a"), .value = text_of("last")});
  EXPECT_EQ(describe(**deleted), "deleted a@2=last (was 1@1)");
  EXPECT_EQ((*deleted)->now->labels, (Labels{{"x", "y"}}));
  EXPECT_EQ((*deleted)->now->create_revision, 1U);
}

TEST_P(StoreTest, RefusesWhatDoesNotFitTheHead) {
  ASSERT_TRUE(create("a", "1"));
  EXPECT_EQ(create("a", "2").error().code, ErrorCode::AlreadyExists);
  EXPECT_EQ(update("b", "2").error().code, ErrorCode::NotFound);
  EXPECT_EQ(remove("b").error().code, ErrorCode::NotFound);
  EXPECT_EQ(update("a", "2", 7).error().code, ErrorCode::Conflict);
  EXPECT_EQ(remove("a", 7).error().code, ErrorCode::Conflict);
  EXPECT_THAT(update("a", "2", 7).error().message,
              HasSubstr("expected \"hub:/configmaps/default/a\" at revision 7"));
  EXPECT_EQ(list(), "a@1=1");
  EXPECT_EQ(store_->next_revision(), 2U) << "a refused write takes no revision";
  EXPECT_TRUE(update("a", "2", 1));
}

TEST_P(StoreTest, DecidesOnTheHeadAndReadsTheDurableState) {
  submit({.kind = ChangeKind::Created, .key = key_of("a"), .value = text_of("1")});
  EXPECT_EQ(store_->get(key_of("a")), nullptr);
  EXPECT_EQ(store_->head(key_of("a")).entry->revision, 1U);
  EXPECT_FALSE(store_->head(key_of("a")).is_durable);
  submit({.kind = ChangeKind::Updated, .key = key_of("a"), .value = text_of("2"), .expected = 1});
  submit({.kind = ChangeKind::Updated, .key = key_of("a"), .value = text_of("3"), .expected = 1});
  submit({.kind = ChangeKind::Deleted, .key = key_of("a"), .value = nullptr, .expected = 2});
  EXPECT_EQ(store_->head(key_of("a")).entry, nullptr);
  submit({.kind = ChangeKind::Created, .key = key_of("a"), .value = text_of("4")});
  EXPECT_TRUE(answers_.empty()) << "completions never run inside submit()";
  EXPECT_EQ(store_->stats().waiting_writes, 4U);
  ASSERT_TRUE(settle());
  EXPECT_THAT(answers_, ElementsAre("created a@1=1", "updated a@2=2 (was 1@1)", "Conflict",
                                    "deleted a@3=2 (was 2@2)", "created a@4=4"));
  EXPECT_TRUE(store_->head(key_of("a")).is_durable);
  EXPECT_EQ(store_->get(key_of("a"))->revision, 4U);
  EXPECT_EQ(store_->stats().waiting_writes, 0U);
}

TEST_P(StoreTest, NamesTheRevisionThatTheNextWriteGets) {
  ASSERT_TRUE(create("a", "1"));
  const Revision revision = store_->next_revision();
  submit({.kind = ChangeKind::Created, .key = key_of("b"), .value = text_of("self"), .revision = revision});
  EXPECT_EQ(store_->next_revision(), revision + 1);
  ASSERT_TRUE(settle());
  EXPECT_EQ(store_->get(key_of("b"))->revision, revision);
}

TEST_P(StoreTest, SettlesAtOnceWhenNothingIsUnderWay) {
  EXPECT_TRUE(settle());
}

TEST_P(StoreTest, TellsWritersToComeBackWhenTooManyWait) {
  options_.max_waiting_writes = 2;
  open();
  for (const char* name : {"a", "b", "c"})
    submit({.kind = ChangeKind::Created, .key = key_of(name), .value = text_of("1")});
  ASSERT_TRUE(settle());
  EXPECT_THAT(answers_, ElementsAre("created a@1=1", "created b@2=1", "Unavailable"));
  EXPECT_TRUE(create("c", "1"));
}

TEST_P(StoreTest, ChangesSinceComeFromTheRingAndFromTheLog) {
  for (const std::size_t ring : {100U, 2U, 0U}) {
    options_.ring_changes = ring;
    options_.directory = GetParam() == Kind::Memory ? "" : directory_.path() + "/ring" + std::to_string(ring);
    open();
    ASSERT_TRUE(create("a", "1"));
    ASSERT_TRUE(create("b", "2"));
    ASSERT_TRUE(update("a", "3"));
    ASSERT_TRUE(
        write({.kind = ChangeKind::Created, .key = key_of("n", "", "/nodes"), .value = text_of("4")}));
    ASSERT_TRUE(remove("a"));
    EXPECT_THAT(describe(*changes_since(0)),
                ElementsAre("created a@1=1", "created b@2=2", "updated a@3=3 (was 1@1)", "created n@4=4",
                            "deleted a@5=3 (was 3@3)"))
        << ring;
    EXPECT_THAT(describe(*changes_since(2, {"hub", "/configmaps"})),
                ElementsAre("updated a@3=3 (was 1@1)", "deleted a@5=3 (was 3@3)"));
    EXPECT_THAT(describe(*changes_since(5)), ElementsAre());
    EXPECT_EQ(changes_since(6).error().code, ErrorCode::Invalid);
  }
}

TEST_P(StoreTest, HistoryBeforeTheCompactedRevisionIsGone) {
  options_.ring_changes = 0;
  open();
  ASSERT_TRUE(create("a", "1"));
  ASSERT_TRUE(update("a", "2"));
  ASSERT_TRUE(create("b", "3"));
  ASSERT_TRUE(remove("b"));
  ASSERT_TRUE(update("a", "5"));
  ASSERT_TRUE(compact(4));
  EXPECT_EQ(store_->compacted(), 4U);
  EXPECT_EQ(changes_since(3).error().code, ErrorCode::Gone);
  EXPECT_EQ(list_at(3, {.cluster = "hub", .resource = "/configmaps"}).error().code, ErrorCode::Gone);
  EXPECT_THAT(describe(*changes_since(4)), ElementsAre("updated a@5=5 (was 2@2)"));
  EXPECT_EQ(describe(*list_at(4, {.cluster = "hub", .resource = "/configmaps"})), "a@2=2");
  ASSERT_TRUE(compact(100));
  EXPECT_EQ(store_->compacted(), 5U);
  EXPECT_EQ(list(), "a@5=5");
}

TEST_P(StoreTest, TheRingAnswersEvenWhatTheLogHasDropped) {
  ASSERT_TRUE(create("a", "1"));
  ASSERT_TRUE(update("a", "2"));
  ASSERT_TRUE(compact(2));
  EXPECT_THAT(describe(*changes_since(0)), ElementsAre("created a@1=1", "updated a@2=2 (was 1@1)"));
}

TEST_P(StoreTest, APageIsContinuedAtItsRevision) {
  for (const char* name : {"a", "b", "c", "d"}) ASSERT_TRUE(create(name, "1"));
  Query query{.cluster = "hub", .resource = "/configmaps", .limit = 2};
  const Page first = store_->list(query);
  EXPECT_EQ(describe(first), "a@1=1 b@2=1");
  EXPECT_EQ(first.remaining, 2U);
  ASSERT_TRUE(remove("c"));
  ASSERT_TRUE(update("d", "2"));
  ASSERT_TRUE(create("bb", "1"));
  query.after = Position{"default", "b"};
  const Result<Page> second = list_at(first.revision, query);
  EXPECT_EQ(describe(*second), "c@3=1 d@4=1");
  EXPECT_FALSE(second->has_more);
  EXPECT_EQ(second->revision, first.revision);
}

TEST_P(StoreTest, ASubscriptionReplaysThenFollows) {
  for (const std::size_t ring : {100U, 1U, 0U}) {
    options_.ring_changes = ring;
    options_.directory =
        GetParam() == Kind::Memory ? "" : directory_.path() + "/watch" + std::to_string(ring);
    open();
    ASSERT_TRUE(create("a", "1"));
    ASSERT_TRUE(update("a", "2"));
    std::vector<std::string> heard;
    const Subscription subscription = store_->subscribe(
        {"hub", "/configmaps"}, 1, [&](Result<ChangePtr> change) { heard.push_back(describe(**change)); });
    EXPECT_TRUE(heard.empty()) << "listeners are never called inside subscribe()";
    ASSERT_TRUE(update("a", "3"));
    ASSERT_TRUE(
        write({.kind = ChangeKind::Created, .key = key_of("n", "", "/nodes"), .value = text_of("4")}));
    ASSERT_TRUE(remove("a"));
    loop_.run_until([&] { return heard.size() >= 3; });
    EXPECT_THAT(heard,
                ElementsAre("updated a@2=2 (was 1@1)", "updated a@3=3 (was 2@2)", "deleted a@5=3 (was 3@3)"));
    EXPECT_EQ(store_->stats().watches, 1U);
  }
}

TEST_P(StoreTest, ASubscriptionFromBeforeTheHistoryIsToldSo) {
  options_.ring_changes = 0;
  open();
  ASSERT_TRUE(create("a", "1"));
  ASSERT_TRUE(update("a", "2"));
  ASSERT_TRUE(compact(2));
  std::vector<ErrorCode> errors;
  const Subscription gone =
      store_->subscribe({}, 1, [&](Result<ChangePtr> change) { errors.push_back(change.error().code); });
  const Subscription ahead =
      store_->subscribe({}, 9, [&](Result<ChangePtr> change) { errors.push_back(change.error().code); });
  loop_.run_until([&] { return errors.size() == 2; });
  EXPECT_THAT(errors, ::testing::UnorderedElementsAre(ErrorCode::Gone, ErrorCode::Invalid));
  ASSERT_TRUE(update("a", "3"));
  EXPECT_EQ(errors.size(), 2U) << "an ended subscription hears nothing more";
}

TEST_P(StoreTest, ListenersMaySubscribeCancelAndWrite) {
  std::vector<std::string> heard;
  Subscription first;
  Subscription second;
  Subscription third;
  const auto note = [&](const char* who) {
    return [&heard, who](Result<ChangePtr> change) {
      heard.push_back(who + std::to_string((*change)->revision));
    };
  };
  first = store_->subscribe({}, 0, [&](Result<ChangePtr> change) {
    note("first ")(change);
    second.cancel();
    if (!third_started_) third = store_->subscribe({}, (*change)->revision, note("third "));
    third_started_ = true;
    if ((*change)->revision == 1)
      submit({.kind = ChangeKind::Created, .key = key_of("b"), .value = text_of("2")});
    if ((*change)->revision == 2) first.cancel();
  });
  second = store_->subscribe({}, 0, note("second "));
  loop_.run_ready();
  ASSERT_TRUE(create("a", "1"));
  ASSERT_TRUE(settle());
  ASSERT_TRUE(create("c", "3"));
  EXPECT_THAT(heard, ElementsAre("first 1", "first 2", "third 2", "third 3"));
  EXPECT_EQ(store_->stats().watches, 1U);
}

TEST_P(StoreTest, ACompletionMayDestroyTheStore) {
  bool has_second = false;
  store_->submit({.kind = ChangeKind::Created, .key = key_of("a"), .value = text_of("1")},
                 [this](const Result<ChangePtr>&) { store_.reset(); });
  store_->submit({.kind = ChangeKind::Created, .key = key_of("b"), .value = text_of("1")},
                 [&](const Result<ChangePtr>& done) { has_second = done.has_value(); });
  loop_.run_until([&] { return has_second; });
  EXPECT_EQ(store_, nullptr);
}

TEST_P(StoreTest, ClosingDrainsWhatWasSubmitted) {
  for (const char* name : {"a", "b"})
    submit({.kind = ChangeKind::Created, .key = key_of(name), .value = text_of("1")});
  std::vector<ErrorCode> ended;
  const Subscription live = store_->subscribe({}, 0, [&](Result<ChangePtr> change) {
    if (!change) ended.push_back(change.error().code);
  });
  ASSERT_TRUE(store_->close());
  EXPECT_THAT(answers_, ElementsAre("created a@1=1", "created b@2=1"));
  EXPECT_THAT(ended, ElementsAre(ErrorCode::Cancelled));
  EXPECT_EQ(create("c", "1").error().code, ErrorCode::Unavailable);
  EXPECT_EQ(compact(1).error().code, ErrorCode::Cancelled);
  EXPECT_EQ(backup(directory_.path() + "/b").error().code, ErrorCode::Cancelled);
  EXPECT_EQ(list(), "a@1=1 b@2=1") << "the durable state can still be read";
}

TEST_P(StoreTest, ABackupCanBeOpenedAsAStore) {
  ASSERT_TRUE(create("a", "1"));
  ASSERT_TRUE(update("a", "2"));
  const std::string restored = directory_.path() + "/restored";
  std::filesystem::create_directory(restored);
  ASSERT_TRUE(backup(store_file(restored)));
  options_.directory = restored;
  open();
  EXPECT_EQ(list(), "a@2=2");
  EXPECT_TRUE(update("a", "3", 2));
}

// In memory the worker shares the loop: writers that go on and on must leave room for others.
TEST_P(StoreTest, EndlessWritersDoNotKeepTheLoopToThemselves) {
  bool has_stopped = false;
  int written = 0;
  std::function<void()> write_on = [&] {
    store_->submit(
        {.kind = ChangeKind::Created, .key = key_of(std::to_string(written)), .value = text_of("1")},
        [&](const Result<ChangePtr>&) {
          ++written;
          if (!has_stopped) write_on();
        });
  };
  write_on();
  loop_.run_until([&] { return written >= 10; });
  has_stopped = true;
  ASSERT_TRUE(settle());
  EXPECT_LE(written, 12);
}

TEST_P(StoreTest, HistoryBeyondTheWindowIsDroppedByItself) {
  options_.ring_changes = 0;
  options_.history = {.max_changes = 16, .max_age = std::chrono::hours(1)};
  open();
  ASSERT_TRUE(create("a", "0"));
  for (int i = 1; i < 40; ++i) ASSERT_TRUE(update("a", std::to_string(i)));
  loop_.run_until([&] { return store_->compacted() >= 20; });
  EXPECT_LE(store_->compacted(), 24U);
  EXPECT_EQ(describe(*changes_since(24)).size(), 16U);
  clock_.advance(std::chrono::hours(2));
  store_->maintain();
  loop_.run_until([&] { return store_->compacted() >= 39; });
  EXPECT_EQ(list(), "a@40=39");
}

}  // namespace
}  // namespace fairway::store
