// Power failures: whatever the disk had not been made to keep may be gone, and no acknowledged write is.
//
// Killing a process leaves the system's cache as it is, so only this tells a commit that was synced from one
// that was merely written. The disk fails at a random operation, loses what was not synced, and the store is
// opened on what is left; over and over, with one history.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "store/store.hpp"
#include "store/testing/store_fixture.hpp"
#include "store/testing/test_loop.hpp"
#include "store/testing/virtual_disk.hpp"
#include "tests/fault/history.hpp"
#include "tests/fault/workload.hpp"

namespace fairway::fault {
namespace {

using ::testing::IsEmpty;

class PowerLossTest : public ::testing::Test {
 protected:
  PowerLossTest() : disk_("virtual") {}

  // One life of the store, until the disk fails; false when what is left cannot be opened.
  bool live(int round, std::uint64_t operations) {
    disk_.fail_after(operations);
    store::StoreOptions options{
        .directory = directory_.path() + "/store", .clock = clock_, .post = loop_.poster()};
    options.ring_changes = 50;
    options.log = {.vfs = "virtual",
                   .idle_checkpoint_bytes = 64 << 10,
                   .forced_checkpoint_bytes = 256 << 10,
                   .reserve_block = 256};
    const auto opened = store::Store::open(std::move(options));
    if (!opened) return disk_.has_failed();
    Workload workload(
        **opened, {.seed = random_(), .run = fmt::format("r{}", round), .resume = history_.last_watched()},
        [this](const std::string& line) { read(line); });
    workload.start();
    if (random_() % 4 == 0) (*opened)->compact(history_.last_watched(), [](const Result<void>&) {});
    loop_.run_until([&] { return workload.is_finished(); });
    static_cast<void>((*opened)->close());
    reader_.cut();
    return true;
  }

  // A last, undisturbed life: only the list and the watch.
  bool look() {
    store::StoreOptions options{
        .directory = directory_.path() + "/store", .clock = clock_, .post = loop_.poster()};
    options.log.vfs = "virtual";
    const auto opened = store::Store::open(std::move(options));
    if (!opened) return false;
    Workload workload(**opened, {.run = "look", .resume = history_.last_watched(), .writes = 0},
                      [this](const std::string& line) { read(line); });
    workload.start();
    loop_.run_until([&] { return workload.is_finished(); });
    return true;
  }

  void read(const std::string& line) {
    if (!reader_.read(line)) strange_lines_.push_back(line);
  }

  store::TemporaryDirectory directory_;
  ManualClock clock_;
  store::TestLoop loop_;
  store::VirtualDisk disk_;
  std::mt19937_64 random_{20240229};
  History history_;
  HistoryReader reader_{history_};
  std::vector<std::string> strange_lines_;
};

TEST_F(PowerLossTest, NothingAcknowledgedIsLost) {
  for (int round = 0; round < 100; ++round) {
    ASSERT_TRUE(live(round, 1 + random_() % (round % 3 == 0 ? 40 : 600))) << "round " << round;
    disk_.power_failure(random_);
  }
  ASSERT_TRUE(look());
  EXPECT_THAT(history_.violations(), IsEmpty());
  EXPECT_THAT(strange_lines_, IsEmpty());
  EXPECT_GT(history_.acknowledged_writes(), 1000U);
}

// The test of the test: a disk that only says that it has synced must be found out.
TEST_F(PowerLossTest, ADiskThatDoesNotSyncIsFoundOut) {
  disk_.ignore_syncs();
  bool is_open = true;
  for (int round = 0; round < 20 && is_open; ++round) {
    is_open = live(round, 200 + random_() % 400);
    disk_.power_failure(random_);
  }
  is_open = is_open && look();
  EXPECT_TRUE(!is_open || !history_.violations().empty() || !strange_lines_.empty());
}

}  // namespace
}  // namespace fairway::fault
