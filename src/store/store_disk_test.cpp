// What the disk adds: reopening, crashes, failing commits, two processes, backups.
#include <atomic>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <latch>
#include <random>
#include <sys/stat.h>

#include "store/check.hpp"
#include "store/store.hpp"
#include "store/testing/fault_vfs.hpp"
#include "store/testing/store_fixture.hpp"

namespace fairway::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class DiskTest : public StoreFixture {
 protected:
  DiskTest() { open(); }

  std::string list() { return describe(store_->list({.cluster = "hub", .resource = "/configmaps"})); }

  // The files as they are now, as a crash would leave them, in another directory; the store goes on.
  std::string crash_image(const std::string& name) {
    const std::string image = directory_.path() + "/" + name;
    std::filesystem::copy(options_.directory, image);
    return image;
  }

  void open_at(const std::string& directory) {
    options_.directory = directory;
    open();
  }
};

TEST_F(DiskTest, EverythingIsThereAfterReopening) {
  ASSERT_TRUE(write(
      {.kind = ChangeKind::Created, .key = key_of("a"), .value = text_of("1"), .labels = {{"l", "1"}}}));
  ASSERT_TRUE(create("b", ""));
  ASSERT_TRUE(update("a", "3"));
  ASSERT_TRUE(remove("b"));
  ASSERT_TRUE(create("c", std::string(100'000, 'c')));
  ASSERT_TRUE(write(
      {.kind = ChangeKind::Updated, .key = key_of("a"), .value = text_of("6"), .labels = {{"l", "2"}}}));
  open();
  EXPECT_EQ(store_->revision(), 6U);
  EXPECT_EQ(store_->next_revision(), 7U) << "after closing in order, no revision is skipped";
  EXPECT_EQ(store_->stats().objects, 2U);
  EXPECT_EQ(store_->get(key_of("a"))->labels, (Labels{{"l", "2"}}));
  EXPECT_EQ(store_->get(key_of("a"))->create_revision, 1U);
  EXPECT_EQ(store_->get(key_of("c"))->value->size(), 100'000U);
  EXPECT_THAT(*changes_since(0), SizeIs(6));
  EXPECT_EQ(describe(*changes_since(0)).at(3), "deleted b@4= (was @2)");
}

TEST_F(DiskTest, OnlyTheOwnerCanReadIt) {
  ASSERT_TRUE(create("a", "1"));
  open();
  ASSERT_TRUE(create("b", "1"));
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(options_.directory))
    names.push_back(file.path().filename());
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("fairway.db", "fairway.db-wal", "lock"));
  for (const auto& file : std::filesystem::directory_iterator(options_.directory))
    EXPECT_EQ(file.status().permissions() &
                  (std::filesystem::perms::group_all | std::filesystem::perms::others_all),
              std::filesystem::perms::none)
        << file.path();
  EXPECT_EQ(std::filesystem::status(options_.directory).permissions() & std::filesystem::perms::all,
            std::filesystem::perms::owner_all);
}

TEST_F(DiskTest, RevisionsHandedOutBeforeACrashAreNotHandedOutAgain) {
  ASSERT_TRUE(create("a", "1"));
  for (int i = 0; i < 10; ++i)
    store_->submit(
        {.kind = ChangeKind::Created, .key = key_of("x" + std::to_string(i)), .value = text_of("1")},
        [](const Result<ChangePtr>&) {});
  const Revision handed_out = store_->next_revision() - 1;
  open_at(crash_image("crashed"));
  EXPECT_GT(store_->next_revision(), handed_out);
  EXPECT_EQ(list(), "a@1=1");
  EXPECT_EQ(store_->revision(), 1U);
}

TEST_F(DiskTest, RevisionsAreReservedBeforeTheyAreHandedOut) {
  options_.log.reserve_block = 4;
  open_at(directory_.path() + "/small-blocks");
  std::vector<bool> answers;
  for (int i = 0; i < 6; ++i)
    store_->submit(
        {.kind = ChangeKind::Created, .key = key_of("x" + std::to_string(i)), .value = text_of("1")},
        [&](const Result<ChangePtr>& done) { answers.push_back(done.has_value()); });
  ASSERT_TRUE(settle());
  EXPECT_THAT(answers, ElementsAre(true, true, true, true, false, false));
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(create("y" + std::to_string(i), "1"));
    const std::string image = crash_image("image" + std::to_string(i));
    const Revision next = store_->next_revision();
    TestLoop loop;
    auto crashed =
        Store::open({.directory = image, .clock = clock_, .post = loop.poster(), .log = options_.log});
    ASSERT_TRUE(crashed) << crashed.error().describe();
    EXPECT_GE((*crashed)->next_revision(), next);
  }
}

TEST_F(DiskTest, TwoProcessesCannotShareAStore) {
  const auto second = Store::open(options_);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(second.error().describe(), HasSubstr("in use by process " + std::to_string(::getpid())));
  EXPECT_EQ(check(options_.directory).error().code, ErrorCode::Unavailable);
  close();
  EXPECT_TRUE(Store::open(options_));
}

TEST_F(DiskTest, ABackupDoesNotReplaceTheStoreItself) {
  ASSERT_TRUE(create("a", "1"));
  EXPECT_EQ(backup(store_file(options_.directory)).error().code, ErrorCode::Invalid);
  EXPECT_EQ(backup(directory_.path() + "/no/such/directory").error().code, ErrorCode::Unavailable);
  EXPECT_TRUE(update("a", "2"));
}

TEST_F(DiskTest, CompactionGivesSpaceBack) {
  options_.history.max_changes = 1'000'000;
  open_at(directory_.path() + "/large");
  ASSERT_TRUE(create("a", "0"));
  for (int i = 0; i < 2000; ++i)
    store_->submit(
        {.kind = ChangeKind::Updated, .key = key_of("a"), .value = text_of(std::string(8000, 'x'))},
        [](const Result<ChangePtr>& done) { EXPECT_TRUE(done); });
  ASSERT_TRUE(settle());
  open();
  const auto before = std::filesystem::file_size(store_file(options_.directory));
  ASSERT_TRUE(compact(store_->revision()));
  close();
  EXPECT_LT(std::filesystem::file_size(store_file(options_.directory)), before / 2);
  EXPECT_THAT(check(options_.directory)->findings, IsEmpty());
}

// A commit that fails: nothing of the group and nothing behind it happened.
class FailingDiskTest : public DiskTest {
 protected:
  FailingDiskTest()
      : vfs_("failing", [this](const IoEvent& event) {
          std::latch* const gate = event.kind == IoKind::Sync ? gate_.exchange(nullptr) : nullptr;
          if (gate != nullptr) gate->wait();
          return event.file.ends_with("-wal") && event.kind == failing_.load() ? fault_.load()
                                                                               : IoFault::None;
        }) {
    options_.log.vfs = "failing";
    open_at(directory_.path() + "/failing");
  }
  ~FailingDiskTest() override { store_.reset(); }

  void submit_text(const std::string& name, std::size_t size) {
    store_->submit(
        {.kind = ChangeKind::Created, .key = key_of(name), .value = text_of(std::string(size, 'x'))},
        [](const Result<ChangePtr>& done) { EXPECT_TRUE(done); });
  }

  std::atomic<IoKind> failing_ = IoKind::Write;
  std::atomic<IoFault> fault_ = IoFault::None;
  std::atomic<std::latch*> gate_ = nullptr;  // the next sync of the worker waits there
  int committed_ = 0;
  FaultVfs vfs_;
};

TEST_F(FailingDiskTest, AFailedCommitFailsEverythingThatWaits) {
  ASSERT_TRUE(create("a", "1"));
  const std::pair<IoKind, IoFault> cases[] = {
      {IoKind::Write, IoFault::Error}, {IoKind::Write, IoFault::DiskFull}, {IoKind::Sync, IoFault::Error}};
  Revision last = 1;
  for (const auto& [kind, fault] : cases) {
    failing_ = kind;
    fault_ = fault;
    std::vector<ErrorCode> errors;
    const auto note = [&](const Result<ChangePtr>& done) { errors.push_back(done.error().code); };
    store_->submit({.kind = ChangeKind::Updated, .key = key_of("a"), .value = text_of("lost")}, note);
    store_->submit({.kind = ChangeKind::Created, .key = key_of("b"), .value = text_of("lost")}, note);
    store_->submit({.kind = ChangeKind::Created, .key = key_of("b"), .value = text_of("refused")}, note);
    EXPECT_EQ(settle().error().code, ErrorCode::Unavailable);
    EXPECT_THAT(errors, ElementsAre(ErrorCode::Unavailable, ErrorCode::Unavailable, ErrorCode::Unavailable));
    EXPECT_EQ(store_->head(key_of("a")).entry->revision, last);
    EXPECT_EQ(store_->head(key_of("b")).entry, nullptr);
    EXPECT_EQ(store_->stats().waiting_writes, 0U);
    const Revision handed_out = store_->next_revision() - 1;
    fault_ = IoFault::None;
    const auto after = update("a", "kept", last);
    ASSERT_TRUE(after) << after.error().describe();
    last = (*after)->revision;
    EXPECT_GT(last, handed_out) << "revisions of failed writes are not used again";
  }
  EXPECT_EQ(store_->stats().failed_commits, 3U);
  open();
  EXPECT_EQ(list(), "a@" + std::to_string(last) + "=kept");
  EXPECT_THAT(*changes_since(0), SizeIs(4));
}

TEST_F(FailingDiskTest, RevisionsSpentOnFailuresAreReplaced) {
  options_.log.reserve_block = 4;
  open_at(directory_.path() + "/spent");
  fault_ = IoFault::DiskFull;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(create("a", "1").error().code, ErrorCode::Unavailable);
  fault_ = IoFault::None;
  while (!create("a", "1")) continue;  // until the reserve that the first refusal asked for is on disk
  EXPECT_NE(store_->get(key_of("a")), nullptr);
  EXPECT_GE(store_->revision(), 5U);
}

TEST_F(FailingDiskTest, AFailedCheckpointLosesNothing) {
  options_.log.idle_checkpoint_bytes = 1;
  options_.log.forced_checkpoint_bytes = 1;
  open_at(directory_.path() + "/checkpoints");
  FaultVfs full("full", [](const IoEvent& event) {
    return event.kind == IoKind::Write && !event.file.ends_with("-wal") ? IoFault::DiskFull : IoFault::None;
  });
  ASSERT_TRUE(create("a", "1"));
  options_.log.vfs = "full";
  open();
  ASSERT_TRUE(create("b", "2"));
  ASSERT_TRUE(update("a", "3"));
  store_.reset();
  options_.log.vfs.clear();
  open();
  EXPECT_EQ(list(), "a@3=3 b@2=2");
}

TEST_F(FailingDiskTest, WritesThatWaitForACommitShareTheNext) {
  std::latch gate(1);
  gate_ = &gate;
  const auto count = [this](const Result<ChangePtr>& done) { committed_ += done ? 1 : 0; };
  store_->submit({.kind = ChangeKind::Created, .key = key_of("first"), .value = text_of("1")}, count);
  loop_.run_ready();  // hands it to the worker, which is now held inside its commit, or about to be
  for (int i = 0; i < 50; ++i) {
    store_->submit(
        {.kind = ChangeKind::Created, .key = key_of("k" + std::to_string(i)), .value = text_of("1")}, count);
    loop_.run_ready();
  }
  gate.count_down();
  ASSERT_TRUE(settle());
  EXPECT_EQ(committed_, 51);
  EXPECT_LE(store_->stats().commits, 3U);
}

// The worker is held in a commit while a backup, more writes and a compaction queue up behind it: they then
// take turns, and pages that were copied already change again.
TEST_F(FailingDiskTest, ABackupIsAWholeStoreWhileWritesGoOn) {
  for (int i = 0; i < 500; ++i) submit_text("before" + std::to_string(i), 20'000);
  ASSERT_TRUE(settle());
  std::latch gate(1);
  gate_ = &gate;
  submit_text("first", 10);
  loop_.run_ready();
  const std::string path = directory_.path() + "/saved";
  std::optional<Result<void>> saved;
  store_->backup(path, [&](Result<void> done) { saved = std::move(done); });
  submit_text("during", 10);
  store_->submit(
      {.kind = ChangeKind::Updated, .key = key_of("before1"), .value = text_of(std::string(30'000, 'z'))},
      [](const Result<ChangePtr>& done) { EXPECT_TRUE(done); });
  store_->compact(100, [](const Result<void>& done) { EXPECT_TRUE(done); });
  loop_.run_ready();
  gate.count_down();
  loop_.run_until([&] { return saved.has_value(); });
  ASSERT_TRUE(saved->has_value()) << saved->error().describe();
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
  const auto report = check(path);
  ASSERT_THAT(report->findings, IsEmpty());
  EXPECT_EQ(report->objects, 502U);
  EXPECT_EQ(report->revision, 503U);
}

TEST_F(DiskTest, ARestoredBackupGoesOnBeyondWhatWasLost) {
  ASSERT_TRUE(create("a", "1"));
  ASSERT_TRUE(update("a", "2"));
  ASSERT_TRUE(create("gone", "3"));
  ASSERT_TRUE(remove("gone"));
  const std::string restored = directory_.path() + "/restored";
  std::filesystem::create_directory(restored);
  ASSERT_TRUE(backup(store_file(restored)));
  ASSERT_TRUE(update("a", "lost"));
  const Revision seen = store_->revision();
  open_at(restored);
  EXPECT_EQ(list(), "a@2=2");
  // Clients of the lost store may have seen revisions that the backup does not know of.
  EXPECT_GT(store_->next_revision(), seen + 1'000'000);
  EXPECT_EQ(changes_since(4).error().code, ErrorCode::Gone);
  EXPECT_EQ(changes_since(seen).error().code, ErrorCode::Gone);
  ASSERT_TRUE(update("a", "5", 2));
  const Revision restart = store_->revision();
  open();
  EXPECT_EQ(store_->revision(), restart) << "the second start is an ordinary one";
  EXPECT_EQ(store_->next_revision(), restart + 1);
  close();
  EXPECT_THAT(check(restored)->findings, IsEmpty());
}

// Random writes, reopenings and crashes against a model: the present, and every kept moment of the past.
TEST_F(DiskTest, RandomHistoryMatchesAModel) {
  std::mt19937_64 random(7);
  using Model = std::map<std::string, std::pair<Revision, std::string>>;
  std::map<Revision, Model> past = {{0, {}}};
  Revision kept_since = 0;
  options_.ring_changes = 8;
  for (int step = 0; step < 600; ++step) {
    Model model = past.rbegin()->second;
    const std::string name(1, static_cast<char>('a' + random() % 8));
    const std::string value = std::to_string(step) + std::string(random() % 3000, 'v');
    const bool exists = model.contains(name);
    const bool removes = exists && random() % 3 == 0;
    const auto done = removes ? remove(name) : exists ? update(name, value) : create(name, value);
    ASSERT_TRUE(done) << done.error().describe();
    if (removes)
      model.erase(name);
    else
      model[name] = {(*done)->revision, value};
    past[(*done)->revision] = model;
    if (random() % 60 == 0) {
      kept_since = std::max(kept_since, store_->revision() - random() % 20);
      ASSERT_TRUE(compact(kept_since));
    }
    if (random() % 50 == 0) random() % 2 == 0 ? open() : open_at(crash_image("crash" + std::to_string(step)));
    if (random() % 10 != 0) continue;
    auto moment = past.lower_bound(kept_since);
    std::advance(moment, random() % static_cast<std::size_t>(std::distance(moment, past.end())));
    const auto page = list_at(moment->first, {.cluster = "hub", .resource = "/configmaps"});
    ASSERT_TRUE(page) << page.error().describe();
    Model found;
    for (const EntryPtr& entry : page->entries) found[entry->key.name] = {entry->revision, *entry->value};
    ASSERT_EQ(found, moment->second) << "at revision " << moment->first << ", step " << step;
  }
  close();
  EXPECT_THAT(check(options_.directory)->findings, IsEmpty());
}

}  // namespace
}  // namespace fairway::store
