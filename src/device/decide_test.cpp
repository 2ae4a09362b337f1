// The decision table, row by row, and what green, red and the administrator write.
#include "device/decide.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fairway::device {
namespace {

std::string id_of(char letter, int serial = 0) {
  return fmt::format("os-{}.{}", std::string(64, letter), serial);
}
std::string boot_of(int number) {
  return fmt::format("{:032x}", number);
}

const std::string A = id_of('a');
const std::string B = id_of('b');
const std::string F = id_of('f');

DataVersion data_of(const std::string& deployment, int boot, Health status = Health::Healthy,
                    AppVersion version = {4, 14, 0}) {
  DataVersion data{
      .version = version, .opened_by = {version, deployment, boot_of(boot)}, .status = status, .seq = 5};
  if (status == Health::Healthy) data.healthy_version = version;
  return data;
}

Backup backup_of(const std::string& name, const DataVersion& version) {
  Manifest manifest{.deployment_id = name,
                    .boot_id = version.opened_by.boot_id,
                    .version = version.version,
                    .seq = version.seq};
  return {
      .name = name, .kind = classify(name), .has_directory = true, .manifest = manifest, .version = version};
}

// Boot 9 of `current`, with the others as it goes on.
Observed state(const std::string& current, std::vector<std::string> others = {},
               AppVersion binary = {4, 14, 0}) {
  Observed seen{.boot_id = boot_of(9), .has_deployments = true, .binary = binary};
  seen.deployments.current = current;
  seen.deployments.all.push_back({.id = current, .is_booted = true});
  for (std::string& other : others) seen.deployments.all.push_back({.id = std::move(other)});
  return seen;
}

Observed with_data(Observed seen, DataVersion version) {
  seen.has_data = true;
  seen.version = std::move(version);
  return seen;
}

NextBoot pending(const std::string& deployment, int boot) {
  return {.backup = PendingBackup{deployment, boot_of(boot)}};
}
NextBoot restore_by(Requester by, std::optional<std::string> predecessor = {}) {
  return {.restore = RestoreRequest{.by = by}, .predecessor = std::move(predecessor)};
}

std::string rows(const Plan& plan) {
  std::string text;
  for (const Step& step : plan.steps) {
    static constexpr const char* kNames[] = {"finish", "discard", "tidy",    "backup", "restore", "aside",
                                             "remove", "next",    "no-next", "stamp",  "migrate", "stop"};
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", step.row, kNames[step.action.index()]);
  }
  if (plan.refusal) text += fmt::format("{}{}:refuse", text.empty() ? "" : " ", *plan.refusal_row);
  return text;
}

template <class T>
const T& action(const Plan& plan) {
  for (const Step& step : plan.steps) {
    if (const T* found = std::get_if<T>(&step.action)) return *found;
  }
  throw std::runtime_error("there is no such action in: " + to_text(plan));
}

TEST(PreRun, FirstStartOnlyStamps) {
  const Plan plan = decide_pre_run(state(A));
  EXPECT_EQ(rows(plan), "S:stamp");
  const DataVersion& stamp = action<WriteVersion>(plan).version;
  EXPECT_EQ(stamp.version.to_string(), "4.14.0");
  EXPECT_EQ(stamp.opened_by.deployment_id, A);
  EXPECT_EQ(stamp.status, Health::Unknown);
  EXPECT_FALSE(stamp.was_ever_healthy());
}

TEST(PreRun, G2ASecondRunInOneBootDoesNothing) {
  Observed seen = with_data(state(A), data_of(A, 9, Health::Unknown));
  seen.next_boot = Corrupt{"whatever"};
  EXPECT_EQ(rows(decide_pre_run(seen)), "");
  DataVersion migrating = data_of(A, 9, Health::Unknown);
  migrating.migration = MigrationProgress{{4, 13, 0}, {4, 14, 0}, {}};
  migrating.version = {4, 13, 0};
  EXPECT_NE(rows(decide_pre_run(with_data(state(A), migrating))), "")
      << "a migration that failed is not done";
}

TEST(PreRun, G3WhatCannotBeReadIsNotAbsent) {
  Observed seen = with_data(state(A), data_of(A, 8));
  seen.next_boot = Corrupt{"schema: expected 1, found 2"};
  Plan plan = decide_pre_run(seen);
  EXPECT_EQ(rows(plan), "G3:refuse");
  EXPECT_NE(plan.refusal->find("next_boot cannot be read (schema: expected 1, found 2)"), std::string::npos);
  seen.next_boot = Absent{};
  seen.version = Corrupt{"empty"};
  EXPECT_EQ(rows(decide_pre_run(seen)), "G3:refuse");
  seen.version = data_of(A, 8);
  seen.journal = Corrupt{"empty"};
  EXPECT_EQ(rows(decide_pre_run(seen)), "G3:refuse");
  seen.journal = Absent{};
  seen.deployments.current.reset();
  EXPECT_EQ(rows(decide_pre_run(seen)), "G3:refuse");
}

TEST(PreRun, G1WithoutDeploymentsOnlyVersionsCount) {
  Observed seen = with_data(state(A), data_of("", 8));
  seen.has_deployments = false;
  seen.deployments = {};
  seen.next_boot = pending(A, 8);
  EXPECT_EQ(rows(decide_pre_run(seen)), "S:stamp");
  seen.binary = AppVersion{4, 15, 0};
  EXPECT_EQ(rows(decide_pre_run(seen)), "B5:backup M:migrate S:stamp");
  EXPECT_EQ(action<MakeBackup>(decide_pre_run(seen)).name, "4.14");
}

TEST(PreRun, B1ToB3ThePendingBackup) {
  Observed seen = state(A);
  seen.next_boot = pending(A, 8);
  EXPECT_EQ(rows(decide_pre_run(seen)), "B3:no-next S:stamp") << "no data";

  seen = with_data(seen, data_of(A, 8));
  const Plan plan = decide_pre_run(seen);
  EXPECT_EQ(rows(plan), "B3:backup B3:no-next S:stamp");
  EXPECT_EQ(action<MakeBackup>(plan).name, A);
  EXPECT_TRUE(action<MakeBackup>(plan).becomes_latest);
  EXPECT_EQ(action<MakeBackup>(plan).manifest.boot_id, boot_of(8));

  seen.backups = {backup_of(A, data_of(A, 8))};
  EXPECT_EQ(rows(decide_pre_run(seen)), "B3:no-next S:stamp") << "made already, cut afterwards";
  seen.backups = {backup_of(A, data_of(A, 7))};
  EXPECT_EQ(rows(decide_pre_run(seen)), "B3:backup B3:no-next S:stamp") << "of an earlier boot";
}

TEST(PreRun, APendingBackupOfOtherDataIsKeptAsUnverified) {
  Observed seen = with_data(state(A), data_of(A, 6));
  seen.next_boot = pending(A, 8);
  EXPECT_EQ(action<MakeBackup>(decide_pre_run(seen)).name, A + ".unverified");
}

TEST(PreRun, B4DataFromBeforeThereWasAVersion) {
  Observed seen = state(B, {A});
  seen.has_data = true;
  Plan plan = decide_pre_run(seen);
  EXPECT_EQ(rows(plan), "B4:backup M:migrate S:stamp");
  EXPECT_EQ(action<MakeBackup>(plan).name, A);
  seen.backups = {backup_of(A, data_of(A, 3))};
  EXPECT_EQ(action<MakeBackup>(decide_pre_run(seen)).name, A + ".unverified")
      << "a healthy backup is not replaced";
  seen = state(B);
  seen.has_data = true;
  EXPECT_EQ(action<MakeBackup>(decide_pre_run(seen)).name, "4.13");
  seen.binary = AppVersion{4, 15, 0};
  EXPECT_EQ(rows(decide_pre_run(seen)), "B4:backup V:refuse");
}

TEST(PreRun, B4AlsoAfterARedBootThatNeverOpenedTheData) {
  Observed seen = state(B, {A});
  seen.has_data = true;
  seen.next_boot = restore_by(Requester::Red);
  EXPECT_EQ(rows(decide_pre_run(seen)), "B4:backup R3:no-next M:migrate S:stamp");
}

TEST(PreRun, B5NoMigrationWithoutACopy) {
  Observed seen = with_data(state(B, {A}, {4, 15, 0}), data_of(A, 8, Health::Unknown));
  Plan plan = decide_pre_run(seen);
  EXPECT_EQ(rows(plan), "B5:backup M:migrate S:stamp");
  EXPECT_EQ(action<MakeBackup>(plan).name, A) << "A has none at all: a red boot has to find it";
  seen.backups = {backup_of(A, data_of(A, 7))};
  plan = decide_pre_run(seen);
  EXPECT_EQ(action<MakeBackup>(plan).name, A + ".unverified")
      << "what is not known to be healthy replaces nothing";
  EXPECT_FALSE(action<MakeBackup>(plan).becomes_latest);
  seen.backups.push_back(backup_of(A + ".unverified", data_of(A, 8, Health::Unknown)));
  std::get<Manifest>(seen.backups.back().manifest).deployment_id = A;
  EXPECT_EQ(rows(decide_pre_run(seen)), "M:migrate S:stamp") << "copied already";
}

TEST(PreRun, R1AndR2RestoreTheCandidate) {
  Observed seen = state(B, {A});
  seen.next_boot = restore_by(Requester::Red, A);
  seen.backups = {backup_of(A, data_of(A, 7))};
  EXPECT_EQ(rows(decide_pre_run(seen)), "R1:restore R1:no-next R1:tidy S:stamp");
  seen = with_data(seen, data_of(B, 8, Health::Unhealthy));
  EXPECT_EQ(rows(decide_pre_run(seen)), "R2:restore R2:no-next R2:tidy S:stamp");
  seen.backups.push_back(backup_of(B, data_of(B, 6)));
  EXPECT_EQ(action<RestoreBackup>(decide_pre_run(seen)).name, B) << "the booted deployment's own comes first";
  seen.version = data_of(B, 6);
  EXPECT_EQ(rows(decide_pre_run(seen)), "R2:no-next S:stamp") << "the data is that backup already";
  seen.version = data_of(B, 6, Health::Unhealthy);
  EXPECT_EQ(action<RestoreBackup>(decide_pre_run(seen)).name, B);
}

TEST(PreRun, CandidatesAreCompleteExactAndNotStale) {
  Observed seen = with_data(state(id_of('a', 1), {F}), data_of(id_of('a', 1), 8, Health::Unhealthy));
  seen.next_boot = restore_by(Requester::Red);
  seen.backups = {backup_of(id_of('a', 10), data_of(id_of('a', 10), 3))};
  EXPECT_EQ(rows(decide_pre_run(seen)), "R4:aside R4:no-next S:stamp") << "...1 is not ...10";
  seen.backups = {backup_of(id_of('a', 1), data_of(id_of('a', 1), 3))};
  std::get<DataVersion>(seen.backups[0].version).seq = 4;
  EXPECT_EQ(rows(decide_pre_run(seen)), "R4:aside R4:no-next S:stamp") << "a manifest of another copy";
  seen.backups = {backup_of(id_of('a', 1), data_of(id_of('a', 1), 3))};
  EXPECT_EQ(rows(decide_pre_run(seen)), "R2:restore R2:no-next R2:tidy S:stamp");
  seen.deployments.all[0].directory = DirectoryIdentity{10, "5.0"};
  std::get<Manifest>(seen.backups[0].manifest).deployment_dir = DirectoryIdentity{10, "4.0"};
  EXPECT_EQ(rows(decide_pre_run(seen)), "R4:aside R4:no-next S:stamp") << "the same id, deployed again";
  seen.latest = id_of('a', 1);
  EXPECT_EQ(rows(decide_pre_run(seen)), "R2:restore R2:no-next R2:tidy S:stamp") << "only as the latest";
}

TEST(PreRun, TheLatestIsOnlyTakenWhenTheSoftwareCanOpenIt) {
  Observed seen = with_data(state(A, {F}), data_of(A, 8, Health::Unhealthy));
  seen.next_boot = restore_by(Requester::Red);
  seen.latest = B;
  seen.backups = {backup_of(B, data_of(B, 3, Health::Healthy, {4, 15, 0}))};
  EXPECT_EQ(rows(decide_pre_run(seen)), "R4:aside R4:no-next S:stamp");
  seen.backups = {backup_of(B, data_of(B, 3, Health::Healthy, {4, 14, 0}))};
  EXPECT_EQ(rows(decide_pre_run(seen)), "R2:restore R2:no-next R2:tidy S:stamp");
}

TEST(PreRun, R3ToR4WithoutACandidate) {
  Observed seen = with_data(state(A), data_of(A, 8, Health::Unhealthy));
  seen.next_boot = restore_by(Requester::Red);
  EXPECT_EQ(rows(decide_pre_run(seen)), "R3b:no-next S:stamp") << "the only system";
  std::get<DataVersion>(seen.version).healthy_version = AppVersion{4, 14, 0};
  EXPECT_EQ(rows(decide_pre_run(seen)), "R3:no-next S:stamp") << "it was healthy once";
  seen = with_data(state(A, {F}), data_of(A, 8, Health::Unhealthy));
  seen.next_boot = restore_by(Requester::Red);
  seen.backups = {
      {.name = unhealthy_name(F, boot_of(2)), .kind = EntryKind::Unhealthy, .has_directory = true}};
  const Plan plan = decide_pre_run(seen);
  EXPECT_EQ(rows(plan), "R4:remove R4:aside R4:no-next S:stamp") << "only the newest set is kept";
  EXPECT_EQ(action<SetAside>(plan).name, unhealthy_name(A, boot_of(8)));
  seen.deployments.problem = "cannot be read";
  EXPECT_EQ(rows(decide_pre_run(seen)), "R3:no-next S:stamp") << "not being able to tell sets nothing aside";
}

TEST(PreRun, R5OlderSoftwareTakesItsOwnBackup) {
  Observed seen = with_data(state(A, {B}), data_of(B, 8, Health::Healthy, {4, 15, 0}));
  EXPECT_EQ(rows(decide_pre_run(seen)), "V:refuse");
  seen.backups = {backup_of(A, data_of(A, 5))};
  EXPECT_EQ(rows(decide_pre_run(seen)), "B5:backup R5:restore R5:tidy S:stamp");
  EXPECT_EQ(action<MakeBackup>(decide_pre_run(seen)).name, B);
  seen.version = data_of(B, 8, Health::Unknown, {4, 15, 0});
  EXPECT_EQ(action<MakeBackup>(decide_pre_run(seen)).name, B + ".unverified") << "scenario 30";
  seen.next_boot = pending(B, 8);
  EXPECT_EQ(rows(decide_pre_run(seen)), "B3:backup B3:no-next R5:restore R5:tidy S:stamp") << "scenario 25";
}

TEST(PreRun, R6DataOfADeploymentThatIsGoneAndNeverWasHealthy) {
  Observed seen = with_data(state(B, {F}), data_of(A, 8, Health::Unknown));
  EXPECT_EQ(rows(decide_pre_run(seen)), "R6:aside S:stamp");
  EXPECT_EQ(rows(decide_pre_run(with_data(state(B, {A}), data_of(A, 8, Health::Unknown)))), "S:stamp");
  EXPECT_EQ(rows(decide_pre_run(with_data(state(B, {F}), data_of(A, 8)))), "S:stamp");
}

TEST(PreRun, AnAdministratorsRestoreComesAfterTheBackup) {
  Observed seen = with_data(state(A, {B}), data_of(B, 8));
  NextBoot both = pending(B, 8);
  both.restore = RestoreRequest{.by = Requester::Admin};
  seen.next_boot = both;
  seen.backups = {backup_of(A, data_of(A, 5))};
  EXPECT_EQ(rows(decide_pre_run(seen)), "B3:backup B3:next R2:restore R2:no-next R2:tidy S:stamp")
      << "scenario 23";
}

TEST(PreRun, MigrationGoesOnWhereItWasCut) {
  DataVersion begun = data_of(B, 8, Health::Unknown);
  begun.opened_by.version = {4, 15, 0};
  begun.migration = MigrationProgress{{4, 14, 0}, {4, 15, 0}, {"4.15:10_a"}};
  Observed seen = with_data(state(B, {A}, {4, 15, 0}), begun);
  seen.hooks.for_every_hop = {"10_a", "20_b"};
  seen.hooks.for_hop_to = {{"4.15", {"4.15/30_c"}}, {"4.16", {"4.16/30_d"}}};
  seen.latest = A;
  seen.backups = {backup_of(A, data_of(A, 7))};
  const Plan plan = decide_pre_run(seen);
  EXPECT_EQ(rows(plan), "M:migrate S:stamp");
  const Migrate& migrate = action<Migrate>(plan);
  ASSERT_EQ(migrate.steps.size(), 2U);
  EXPECT_EQ(migrate.steps[0], (MigrationStep{"4.15:20_b", "20_b", "4.14", "4.15"}));
  EXPECT_EQ(migrate.steps[1].name, "4.15:4.15/30_c");
  EXPECT_EQ(migrate.begun.version.to_string(), "4.14.0") << "the level changes only when all is done";
  EXPECT_EQ(action<WriteVersion>(plan).version.version.to_string(), "4.15.0");
}

TEST(PreRun, RecoversFirst) {
  Observed seen = with_data(state(A), data_of(A, 8));
  seen.next_boot = pending(A, 8);
  Journal journal{
      .destination = "/bak/" + A, .temporary = "/bak/.tmp.backup.1", .phase = Phase::Swapped, .inode = 5};
  seen.backups = {backup_of(A, data_of(A, 8))};
  journal.manifest = seen.backups[0].record();
  seen.backups[0].manifest = Absent{};
  seen.journal = journal;
  seen.leftovers = {"/bak/.tmp.backup.1", "/bak/.tmp.write.3"};
  seen.journal_facts = {5, 6};
  EXPECT_EQ(rows(decide_pre_run(seen)), "J:finish J:tidy B3:no-next S:stamp");
  seen.journal_facts = {7, 5};
  EXPECT_EQ(rows(decide_pre_run(seen)), "J:discard J:tidy B3:backup B3:no-next S:stamp");
  seen.journal_facts = {{}, 5};
  const Plan plan = decide_pre_run(seen);
  EXPECT_EQ(rows(plan), "J:finish");
  EXPECT_TRUE(plan.looks_again);
}

TEST(Prune, KeepsEverythingThatSomebodyMayNeed) {
  Observed seen = state(A, {B});
  for (const char letter : {'a', 'b', 'c', 'd', 'e'})
    seen.backups.push_back(backup_of(id_of(letter), data_of(id_of(letter), 3)));
  seen.backups.push_back(backup_of("4.13", data_of("4.13", 3)));
  seen.backups.push_back({.name = "my-own", .kind = EntryKind::Backup, .has_directory = true});
  seen.latest = id_of('c');
  seen.next_boot = pending(id_of('d'), 3);
  const auto steps = decide_prune(seen);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(std::get<RemoveBackup>(steps[0].action).name, id_of('e'));
  seen.deployments.problem = "cannot be read";
  EXPECT_TRUE(decide_prune(seen).empty());
}

TEST(Green, AsksForABackupAndKeepsTheAdministratorsWish) {
  Observed seen = with_data(state(A), data_of(A, 9, Health::Unknown));
  Plan plan = decide_green(seen);
  EXPECT_EQ(rows(plan), "X:stamp X:next");
  EXPECT_EQ(action<WriteVersion>(plan).version.status, Health::Healthy);
  EXPECT_EQ(action<WriteVersion>(plan).version.healthy_version->to_string(), "4.14.0");
  EXPECT_EQ(action<WriteNextBoot>(plan).next.backup, (PendingBackup{A, boot_of(9)}));
  seen.version = action<WriteVersion>(plan).version;
  seen.next_boot = action<WriteNextBoot>(plan).next;
  EXPECT_EQ(rows(decide_green(seen)), "") << "twice is once";
  seen.next_boot = restore_by(Requester::Admin);
  EXPECT_TRUE(action<WriteNextBoot>(decide_green(seen)).next.restore);
  seen.next_boot = restore_by(Requester::Red);
  EXPECT_FALSE(action<WriteNextBoot>(decide_green(seen)).next.restore);
  EXPECT_EQ(rows(decide_green(with_data(state(A), data_of(A, 8)))), "") << "pre-run did not run in this boot";
}

TEST(Red, AsksForARestoreUnlessABackupIsStillToBeMade) {
  Observed seen = with_data(state(A), data_of(A, 9, Health::Unknown));
  seen.latest = B;
  Plan plan = decide_red(seen);
  EXPECT_EQ(rows(plan), "X:stamp X:next");
  EXPECT_EQ(action<WriteVersion>(plan).version.status, Health::Unhealthy);
  EXPECT_EQ(action<WriteNextBoot>(plan).next.predecessor, B);

  seen = with_data(state(B, {A}), data_of(A, 8));  // the backup failed, so this boot never opened the data
  seen.next_boot = pending(A, 8);
  plan = decide_red(seen);
  EXPECT_EQ(rows(plan), "X:next");
  EXPECT_EQ(action<WriteNextBoot>(plan).next.backup, (PendingBackup{A, boot_of(8)}));
  EXPECT_FALSE(action<WriteNextBoot>(plan).next.restore);
  seen.next_boot = action<WriteNextBoot>(plan).next;
  EXPECT_EQ(rows(decide_red(seen)), "") << "twice is once";

  NextBoot both = pending(A, 8);
  both.restore = RestoreRequest{.by = Requester::Admin};
  seen.next_boot = both;
  EXPECT_EQ(rows(decide_red(seen)), "") << "scenario 42";
}

TEST(Red, AfterGreenInOneBootTheHealthyStateIsStillBackedUp) {
  Observed seen = with_data(state(A), data_of(A, 9));
  seen.next_boot = pending(A, 9);
  const Plan plan = decide_red(seen);
  EXPECT_EQ(rows(plan), "X:next");
  EXPECT_TRUE(action<WriteNextBoot>(plan).next.backup);
}

TEST(Red, SaysHowToGoBackWhereTheRollbackCannot) {
  Observed seen = with_data(state(B, {A}), data_of(B, 9, Health::Unknown));
  seen.boot_counter = "0";
  seen.deployments.all[1].has_application = true;
  seen.backups = {backup_of(A, data_of(A, 5))};
  const Plan plan = decide_red(seen);
  ASSERT_FALSE(plan.notes.empty());
  EXPECT_NE(plan.notes.back().text.find("fairway device restore " + A), std::string::npos);
  seen.deployments.all[1].has_pre_run = true;
  EXPECT_TRUE(decide_red(seen).notes.empty());
}

TEST(RequestRestore, NamesABackupThatIsThere) {
  Observed seen = with_data(state(B, {A}), data_of(B, 9));
  seen.next_boot = pending(B, 9);
  EXPECT_EQ(rows(decide_request_restore(seen, A)), "G3:refuse");
  seen.backups = {backup_of(A, data_of(A, 5))};
  const Plan plan = decide_request_restore(seen, A);
  EXPECT_EQ(action<WriteNextBoot>(plan).next.backup, (PendingBackup{B, boot_of(9)})) << "nothing is dropped";
  EXPECT_EQ(action<WriteNextBoot>(plan).next.restore->deployment_id, A);
}

// A red B beside a system that has the application and not us, and its backup.
Observed red_before_legacy() {
  Observed seen = with_data(state(B, {A}, {4, 14, 0}), data_of(B, 9, Health::Unknown));
  seen.deployments.all[1].has_application = true;
  seen.backups.push_back({.name = A, .has_directory = true, .manifest = Manifest{.deployment_id = A}});
  seen.latest = A;
  seen.services = {"app.service"};
  return seen;
}

TEST(Red, RestoresAtOnceForASystemThatCannotIfAskedTo) {
  Observed seen = red_before_legacy();
  EXPECT_EQ(rows(decide_red(seen)), "X:stamp X:next") << "not unless a setting says so";
  seen.restores_legacy = true;
  EXPECT_EQ(rows(decide_red(seen)), "X:stamp X:next X:stop X:restore X:no-next X:tidy");
  EXPECT_EQ(action<RestoreBackup>(decide_red(seen)).name, A);
  Observed other = seen;
  other.deployments.all[1].has_pre_run = true;
  EXPECT_EQ(rows(decide_red(other)), "X:stamp X:next") << "it can by itself";
  other = seen;
  other.deployments.all[1].has_application = false;
  EXPECT_EQ(rows(decide_red(other)), "X:stamp X:next") << "it does not need the data";
  other = seen;
  other.backups.clear();
  EXPECT_EQ(rows(decide_red(other)), "X:stamp X:next") << "there is no backup";
  other = seen;
  other.next_boot = pending(B, 8);
  EXPECT_EQ(rows(decide_red(other)), "X:stamp X:next") << "the data was not touched";
}

TEST(PreRun, ATailOfTheVersionIsSaid) {
  Observed seen = state(A, {}, AppVersion::parse("4.14.0-rc.1").value());
  EXPECT_NE(to_text(decide_pre_run(seen))
                .find("\"-rc.1\" of the installed software's version 4.14.0 does not count"),
            std::string::npos);
}

TEST(PreRun, AMigrationGoesOnWhereItWas) {
  DataVersion begun = data_of(B, 8, Health::Unknown, {4, 14, 0});
  begun.migration = MigrationProgress{.from = {4, 14, 0}, .to = {4, 15, 0}};
  begun.migration->position = MigrationPosition{"4.15:10_x.yaml", "half"};
  Observed seen = with_data(state(B, {A}, {4, 15, 0}), begun);
  seen.hooks.for_every_hop = {"10_x.yaml"};
  EXPECT_EQ(action<Migrate>(decide_pre_run(seen)).begun.migration->position->at, "half");
  seen.binary = AppVersion{4, 15, 1};
  EXPECT_FALSE(action<Migrate>(decide_pre_run(seen)).begun.migration->position)
      << "another migration begins anew";
}

}  // namespace
}  // namespace fairway::device
