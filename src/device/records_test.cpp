// The small files: what is written reads back, and what cannot be read is said to be so.
#include <gtest/gtest.h>

#include "device/data_version.hpp"
#include "device/deployment_facts.hpp"
#include "device/journal.hpp"
#include "device/manifest.hpp"
#include "device/next_boot.hpp"
#include "device/recovery_names.hpp"
#include "device/settings.hpp"

namespace fairway::device {
namespace {

const std::string kId = "rhel-" + std::string(64, 'c') + ".0";
const std::string kBoot(32, 'd');

TEST(NextBoot, ReadsBackWhatItWrites) {
  NextBoot next{.backup = PendingBackup{kId, kBoot}, .predecessor = kId, .written_boot_id = kBoot, .seq = 7};
  EXPECT_EQ(NextBoot::parse(next.serialize()).value(), next);
  next.red_kept_backup = true;
  EXPECT_NE(next.serialize().find("\"restore\":false"), std::string::npos);
  EXPECT_EQ(NextBoot::parse(next.serialize()).value(), next);
  next.red_kept_backup = false;
  next.restore = RestoreRequest{Requester::Admin, kId};
  EXPECT_EQ(NextBoot::parse(next.serialize()).value(), next);
  EXPECT_NE(next.serialize().find("\"action\":\"backup\""), std::string::npos);
  next.backup.reset();
  EXPECT_NE(next.serialize().find("\"action\":\"restore\""), std::string::npos);
  EXPECT_EQ(NextBoot::parse(next.serialize()).value(), next);
}

TEST(NextBoot, ReadsTheOneLineForms) {
  EXPECT_EQ(NextBoot::parse("backup " + kId + "\n")->backup->deployment_id, kId);
  EXPECT_EQ(NextBoot::parse("restore\n")->restore->by, Requester::Red);
}

TEST(NextBoot, IsNeverGuessed) {
  const std::string good = NextBoot{.restore = RestoreRequest{}}.serialize();
  for (
      const std::string& wrong : std::vector<std::string>{
          "",
          " \n",
          "backup",
          "backup a b",
          "backup ../x",
          "restore now",
          std::string("restore\0", 8),
          "{",
          "{}",
          good.substr(0, good.size() / 2),
          R"({"schema":2,"action":"none"})",
          R"({"schema":1})",
          R"({"schema":1,"action":"backup"})",
          R"({"schema":1,"action":"restore"})",
          R"({"schema":1,"action":"restore","restore":{"by":"me"}})",
          R"({"schema":1,"action":"none","restore":{"by":"red"}})",
          R"({"schema":1,"action":"backup","backup":{"deployment_id":"a/b","boot_id":""}})",
          R"({"schema":1,"action":"backup","backup":{"deployment_id":"a","boot_id":"x"}})",
          R"({"schema":1,"action":"restore","restore":{"by":"red"},"backup":{"deployment_id":"a","boot_id":""}})",
          R"({"schema":1,"action":"none","seq":-1})",
          std::string(300 * 1024, ' ') + good})
    EXPECT_FALSE(NextBoot::parse(wrong)) << wrong.substr(0, 80);
}

DataVersion sample_version() {
  return {.version = {4, 14, 0},
          .opened_by = {{4, 15, 0}, kId, kBoot},
          .status = Health::Healthy,
          .healthy_version = AppVersion{4, 14, 0},
          .healthy_boot_id = kBoot,
          .migration = MigrationProgress{{4, 14, 0}, {4, 15, 0}, {"4.15:10_a"}},
          .seq = 3};
}

TEST(DataVersion, ReadsBackWhatItWrites) {
  EXPECT_EQ(DataVersion::parse(sample_version().serialize()).value(), sample_version());
}

TEST(DataVersion, ReadsOlderForms) {
  const DataVersion bare = DataVersion::parse("4.14.0\n").value();
  EXPECT_EQ(bare.version.to_string(), "4.14.0");
  EXPECT_TRUE(bare.was_ever_healthy());
  const auto shipped = DataVersion::parse_shipped(R"({"version":"4.16.1","deployment_id":")" + kId +
                                                  R"(","boot_id":")" + kBoot + "\"}");
  ASSERT_TRUE(shipped) << shipped.error().describe();
  EXPECT_EQ(shipped->opened_by.deployment_id, kId);
  EXPECT_EQ(shipped->opened_by.boot_id, kBoot);
}

TEST(DataVersion, IsNeverGuessed) {
  const std::string good = sample_version().serialize();
  for (
      const std::string& wrong : std::vector<std::string>{
          "", "4.14", "4.14.0 4.15.0", "garbage", "\177ELF", "{}", good.substr(0, 40), R"({"schema":9})",
          R"({"schema":1,"version":"4.14","opened_by":{"version":"4.14.0","deployment_id":"","boot_id":""},"status":"unknown"})",
          R"({"schema":1,"version":"4.14.0","status":"unknown"})",
          R"({"schema":1,"version":"4.14.0","opened_by":{"version":"4.14.0","deployment_id":"","boot_id":""},"status":"fine"})",
          R"({"schema":1,"version":"4.14.0","opened_by":{"version":"4.14.0","deployment_id":"","boot_id":""},"status":"unknown","migration":{}})"})
    EXPECT_FALSE(DataVersion::parse(wrong)) << wrong;
  EXPECT_FALSE(DataVersion::parse_shipped("{\"version\":\"4.14\"}"));
  EXPECT_FALSE(DataVersion::parse_shipped(""));
}

Manifest sample_manifest() {
  return {.deployment_id = kId,
          .boot_id = kBoot,
          .version = AppVersion{4, 14, 0},
          .seq = 3,
          .created = "2026-01-01T00:00:00Z",
          .files = 12,
          .bytes = 3456,
          .method = "copy",
          .digest = "sha256:00",
          .deployment_dir = DirectoryIdentity{7, "1.000000002"}};
}

TEST(Manifest, ReadsBackWhatItWritesAndMustBeComplete) {
  const Manifest manifest = sample_manifest();
  EXPECT_EQ(Manifest::parse(manifest.serialize()).value(), manifest);
  std::string incomplete = manifest.serialize();
  incomplete.replace(incomplete.find("\"complete\":true"), 15, "\"complete\":false");
  EXPECT_FALSE(Manifest::parse(incomplete));
  EXPECT_FALSE(Manifest::parse(R"({"schema":1,"deployment_id":"a","boot_id":""})"));
}

TEST(Journal, ReadsBackWhatItWrites) {
  Journal journal{
      .operation = Operation::Backup, .source = "/d", .destination = "/b/x", .temporary = "/b/.tmp.backup.1"};
  EXPECT_EQ(Journal::parse(journal.serialize()).value(), journal);
  journal.phase = Phase::Swapped;
  journal.inode = 9;
  journal.manifest = sample_manifest();
  journal.becomes_latest = true;
  EXPECT_EQ(Journal::parse(journal.serialize()).value(), journal);
  journal.inode = 0;
  EXPECT_FALSE(Journal::parse(journal.serialize()));
}

TEST(Journal, TheDiskSaysWhatHappened) {
  Journal journal{.phase = Phase::Copy, .inode = 5};
  EXPECT_EQ(recover(journal, {5, 6}), Recovery::Discard);
  journal.phase = Phase::Swapped;
  EXPECT_EQ(recover(journal, {5, 6}), Recovery::Finish);
  EXPECT_EQ(recover(journal, {5, {}}), Recovery::Finish);
  EXPECT_EQ(recover(journal, {6, 5}), Recovery::Discard);
  EXPECT_EQ(recover(journal, {{}, 5}), Recovery::Rename);
  EXPECT_EQ(recover(journal, {{}, {}}), Recovery::Discard);
}

TEST(DeploymentFacts, ReadsBootEntries) {
  const std::string sum(64, 'e');
  const auto entry = parse_boot_entry(
      "title RHEL\nversion 2\noptions root=UUID=1 rw ostree=/ostree/boot.1/rhel/" + sum + "/0\nlinux /x\n");
  ASSERT_TRUE(entry && *entry);
  EXPECT_EQ((*entry)->version, 2);
  EXPECT_EQ((*entry)->link, "ostree/boot.1/rhel/" + sum + "/0");
  EXPECT_FALSE(*parse_boot_entry("title other\nversion 2\noptions root=/dev/sda1\n"));
  EXPECT_FALSE(parse_boot_entry("options ostree=/ostree/boot.1/rhel/x/0\n"));
  EXPECT_FALSE(ostree_argument("quiet ostree=/ostree/../../etc"));
  EXPECT_EQ(ostree_argument("a=b ostree=/ostree/boot.0/x/y/1"), "ostree/boot.0/x/y/1");
  EXPECT_EQ(parse_deployment_link("../../../deploy/rhel/deploy/" + sum + ".10")->id(), "rhel-" + sum + ".10");
  EXPECT_FALSE(parse_deployment_link("../../../deploy/rhel/other/" + sum + ".10"));
  EXPECT_FALSE(parse_deployment_link("deploy"));
}

TEST(DeploymentFacts, ReadsOstreesStatus) {
  const std::string hex(64, 'a');
  const auto all = parse_ostree_status("  rhel " + hex + ".2 (staged)\n    Version: 3\n* rhel " + hex +
                                       ".1\n    Version: 2\n    Pinned: yes\n    origin refspec: "
                                       "x:y\n  rhel " +
                                       hex + ".0 (rollback)\n");
  ASSERT_TRUE(all) << all.error().describe();
  ASSERT_EQ(all->size(), 3U);
  EXPECT_EQ((*all)[0].id, "rhel-" + hex + ".2");
  EXPECT_TRUE((*all)[0].is_staged);
  EXPECT_TRUE((*all)[1].is_booted && (*all)[1].is_pinned && !(*all)[1].is_staged);
  EXPECT_FALSE((*all)[2].is_booted || (*all)[2].is_pinned);
  for (const char* wrong : {"", "No deployments.\n", "* rhel x.0\n", "error: y\n"})
    EXPECT_FALSE(parse_ostree_status(wrong));
  const auto path = parse_deployment_id("my-os-" + hex + ".7");
  ASSERT_TRUE(path);
  EXPECT_EQ(path->path(), "ostree/deploy/my-os/deploy/" + hex + ".7");
  for (const std::string& wrong :
       {"rhel-" + hex, "../rhel-" + hex + ".0", "..-" + hex + ".0", std::string("x")})
    EXPECT_FALSE(parse_deployment_id(wrong)) << wrong;
}

TEST(DataVersion, KeepsThePositionOfAMigration) {
  DataVersion version{.version = {4, 14, 0}, .opened_by = {{4, 15, 0}, kId, kBoot}};
  version.migration = MigrationProgress{.from = {4, 14, 0}, .to = {4, 15, 0}, .done = {"a"}};
  version.migration->position = MigrationPosition{"b", R"({"continue":"x"})"};
  EXPECT_EQ(DataVersion::parse(version.serialize()).value(), version);
}

TEST(DeploymentFacts, ReadsOriginsGrubAndRpmOstree) {
  EXPECT_TRUE(is_pinned_origin("[origin]\nrefspec=x\n[libostree-transient]\npinned=true\n"));
  EXPECT_FALSE(is_pinned_origin("[origin]\npinned=true\n"));
  const std::string grubenv = "# GRUB Environment Block\nboot_success=0\nboot_counter=2\n######";
  EXPECT_EQ(grub_variable(grubenv, "boot_counter"), "2");
  EXPECT_FALSE(grub_variable(grubenv, "counter"));
  EXPECT_FALSE(grub_variable("boot_counter=2\n", "boot_counter"));
  const auto all = parse_rpm_ostree_status(R"({"deployments":[{"id":")" + kId +
                                           R"(","booted":true,"pinned":false},{"id":")" + kId + R"(0"}]})");
  ASSERT_TRUE(all) << all.error().describe();
  EXPECT_TRUE(all->at(0).is_booted);
  EXPECT_EQ(all->at(1).id, kId + "0");
  EXPECT_FALSE(parse_rpm_ostree_status("{}"));
  EXPECT_FALSE(parse_rpm_ostree_status(R"({"deployments":[{"id":"x"}]})"));
}

TEST(Deployments, RollbackIsTheFirstAfterTheBootedOne) {
  Deployments list{.current = "b", .all = {{.id = "a"}, {.id = "b", .is_booted = true}, {.id = "c"}}};
  EXPECT_EQ(list.rollback()->id, "c");
  list.problem = "unreadable";
  EXPECT_EQ(list.rollback(), nullptr);
}

TEST(RecoveryNames, TheNewestThatWasNotTriedYet) {
  EXPECT_EQ(recovery_name(WallTime{std::chrono::seconds{1'700'000'000}}, "4.14.0"), "20231114221320_4.14.0");
  const std::vector<std::string> names = {"20230101000000_4.14.0",
                                          "20230301000000_4.15.0",
                                          "20230201000000_4.14.0",
                                          "20230401000000",
                                          "2023040100000x_4.14.0",
                                          "state.json",
                                          "failed"};
  EXPECT_EQ(choose_recovery(names, "4.14.0", ""), "20230201000000_4.14.0");
  EXPECT_EQ(choose_recovery(names, "4.14.0", "20230201000000_4.14.0"), "20230101000000_4.14.0");
  EXPECT_EQ(choose_recovery(names, "4.14", ""), std::nullopt);
  EXPECT_EQ(parse_recovery_state(serialize_recovery_state("20230201000000_4.14.0")).value(),
            "20230201000000_4.14.0");
  for (const char* wrong : {"", "{}", "[]", R"({"LastBackup":"../x"})", R"({"LastBackup":3})"})
    EXPECT_FALSE(parse_recovery_state(wrong)) << wrong;
}

TEST(Settings, AreStrict) {
  const auto settings = Settings::parse(
      "data: /var/lib/app\nbackups: /var/lib/app.bak\nmax-skew: 2\nversion: 1.10.0\nlast-minor: {}\n");
  ASSERT_TRUE(settings) << settings.error().describe();
  EXPECT_EQ(settings->data_parent(), "/var/lib");
  EXPECT_EQ(settings->data_name(), "app");
  EXPECT_EQ(settings->version->to_string(), "1.10.0");
  EXPECT_TRUE(settings->last_minor.empty());
  EXPECT_TRUE(Settings::parse(""));
  const auto unknown = Settings::parse("dta: /x\n");
  EXPECT_EQ(unknown.error().describe(), "there is no setting \"dta\"; did you mean data?");
  for (const char* wrong :
       {"data: relative\n", "data: /\n", "data: /a/../b\n", "data: /a\nbackups: /a/b\n", "max-skew: many\n",
        "services: one\n", "version: 4.14\n", "deployment-folder: /x\n", "- a\n", "lock-wait: -1s\n"})
    EXPECT_FALSE(Settings::parse(wrong)) << wrong;
}

}  // namespace
}  // namespace fairway::device
