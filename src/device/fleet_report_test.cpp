#include "device/fleet_report.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace fairway::device {
namespace {

const std::string kBoot(32, 'd');

Status status() {
  Status status;
  status.seen.boot_id = kBoot;
  status.seen.deployments.current = "os-b.0";
  status.seen.binary = AppVersion{4, 14, 0};
  status.seen.has_data = true;
  status.seen.next_boot = NextBoot{.backup = PendingBackup{"os-b.0", kBoot}};
  status.seen.latest = "os-a.0_1";
  status.seen.backups.push_back(
      {.name = "os-a.0_1", .kind = EntryKind::Backup, .manifest = Corrupt{"it is torn"}});
  status.rolled_back = RolledBack{"os-c.0", "2026-01-01T00:00:00Z", "its health checks failed"};
  return status;
}

TEST(FleetReport, SaysWhatRunsAndWhatComesNext) {
  const auto report = fleet_report(status(), {}, *parse_rfc3339("2026-01-02T03:04:05Z"));
  EXPECT_EQ(json::text_at(report, {"reportedAt"}), "2026-01-02T03:04:05Z");
  EXPECT_EQ(json::text_at(report, {"deployment"}), "os-b.0");
  EXPECT_EQ(json::text_at(report, {"version"}), "4.14.0");
  EXPECT_EQ(json::text_at(report, {"nextBoot", "action"}), "back up os-b.0");
  EXPECT_EQ(json::text_at(report, {"rolledBack", "from"}), "os-c.0");
  EXPECT_TRUE(json::get_array(report, {"problems"})->empty());
}

TEST(FleetReport, ABackupThatCannotBeRestoredSaysWhy) {
  const auto report = fleet_report(status(), {}, {});
  const json::Object& backup = json::get_array(report, {"backups"})->front().get_object();
  EXPECT_EQ(json::text_at(backup, {"name"}), "os-a.0_1");
  EXPECT_FALSE(backup.at("complete").as_bool());
  EXPECT_NE(json::text_at(backup, {"problem"}), "-");
}

TEST(FleetReport, ProblemsAreNeverLeftOut) {
  Status ill = status();
  ill.failure = "no space";
  ill.seen.next_boot = Corrupt{"not JSON"};
  ill.seen.deployments.problem = "cannot read /boot";
  const auto report = fleet_report(ill, {}, {});
  EXPECT_EQ(json::serialize(*json::get_array(report, {"problems"})),
            R"(["no space","cannot read /boot","not JSON"])");
}

TEST(FleetReport, HistoryComesNewestFirstAndBounded) {
  std::vector<json::Object> history;
  for (int i = 0; i < 60; ++i)
    history.push_back(
        {{"time", std::to_string(i)}, {"verb", "green"}, {"boot_id", kBoot}, {"steps", json::Array{"a"}}});
  const auto report = fleet_report(status(), history, {});
  const json::Array& events = *json::get_array(report, {"history"});
  ASSERT_EQ(events.size(), 50);
  EXPECT_EQ(json::serialize(events.front()),
            R"({"time":"59","event":"green","boot":")" + kBoot + R"(","actions":["a"]})");
}

}  // namespace
}  // namespace fairway::device
