#include "device/decide.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "device/decide_parts.hpp"

namespace fairway::device {
namespace {

enum class Choice { Keep, SkipCopy, Restore, SetAside };

struct Restoration {
  Choice choice = Choice::Keep;
  std::string row = "R7";
  std::optional<Backup> candidate = {};
};

// Builds the plan while following, in `now_`, what the state will be after each step.
class PreRunPlanner {
 public:
  explicit PreRunPlanner(const Observed& seen) : now_(seen) {}

  Plan plan() && {
    if (is_settled()) return std::move(plan_);
    back_up_pending();
    const Restoration restoration = choose_restoration();
    const VersionVerdict verdict = judge(restoration);
    protect(restoration, verdict);
    carry_out(restoration);
    if (const auto* refusal = std::get_if<RefuseVersion>(&verdict)) {
      refuse("V", refusal->why);
    } else {
      migrate_and_stamp(std::get_if<MigrateTo>(&verdict));
    }
    return std::move(plan_);
  }

 private:
  // Guards and recovery; true when nothing is left to decide.
  bool is_settled() {
    const DataVersion* version = value_of(now_.version);
    if (version != nullptr && !now_.boot_id.empty() && version->opened_by.boot_id == now_.boot_id &&
        !version->migration && std::holds_alternative<Absent>(now_.journal)) {
      note("G2", "the data was opened in this boot already: nothing to do");
      return true;
    }
    if (refuse_corrupt("next_boot", now_.next_boot) || refuse_corrupt(".version", now_.version) ||
        refuse_corrupt("journal", now_.journal))
      return true;
    if (now_.has_deployments && !now_.deployments.current) {
      refuse("G3", fmt::format("the booted deployment cannot be told: {}",
                               now_.deployments.problem.value_or("no boot entry matches")));
      return true;
    }
    if (!now_.binary) {
      refuse("V",
             fmt::format("the version of the installed software cannot be told: {}", now_.binary_problem));
      return true;
    }
    if (!now_.binary->tail.empty())
      note("V", fmt::format("{} of the installed software's version {} does not count",
                            quoted(now_.binary->tail), now_.binary->to_string()));
    if (!now_.has_deployments) {
      note("G1", "no deployments here: backups are made and restored by hand only");
      now_.next_boot = Absent{};  // whatever it asks for
    }
    return recover_journal();
  }

  template <class T>
  bool refuse_corrupt(std::string_view file, const Found<T>& found) {
    const Corrupt* corrupt = problem_of(found);
    if (corrupt == nullptr) return false;
    refuse("G3", fmt::format("{} cannot be read ({}): nothing was touched; 'fairway device repair' helps",
                             file, corrupt->why));
    return true;
  }

  bool recover_journal() {
    Plan recovery = decide_recovery(now_);
    for (Step& step : recovery.steps) plan_.steps.push_back(std::move(step));
    plan_.looks_again = recovery.looks_again;
    const Journal* journal = value_of(now_.journal);
    if (journal != nullptr && journal->manifest && recover(*journal, now_.journal_facts) == Recovery::Finish)
      adopt_finished(*journal);
    return plan_.looks_again;
  }

  void adopt_finished(const Journal& journal) {
    const std::string name = journal.destination.substr(journal.destination.rfind('/') + 1);
    for (Backup& backup : now_.backups) {
      if (backup.name == name) backup.manifest = *journal.manifest;
    }
    if (journal.becomes_latest) now_.latest = name;
  }

  // B1 to B3.
  void back_up_pending() {
    NextBoot* next = next_boot();
    if (next == nullptr || !next->backup) return;
    const PendingBackup pending = *next->backup;
    const Backup* made = find_complete(now_.backups, pending.deployment_id);
    if (!now_.has_data) {
      note("B1", fmt::format("there is no data: the backup of {} that was to be made is dropped",
                             quoted(pending.deployment_id)));
    } else if (made != nullptr && !pending.boot_id.empty() && made->record().boot_id == pending.boot_id) {
      note("B2", fmt::format("the backup of {} is complete already", quoted(pending.deployment_id)));
      is_backed_up_ = is_of_data(*made);
    } else if (is_of(pending)) {
      make_backup("B3", pending.deployment_id, pending.deployment_id, true);
    } else {
      warn("B3",
           fmt::format("the data is not what {} had when it was judged healthy: it is kept as unverified",
                       quoted(pending.deployment_id)));
      make_backup("B3", unverified_name(pending.deployment_id), pending.deployment_id, false);
    }
    next->backup.reset();
    next->red_kept_backup = false;
    update_next_boot("B3");
  }

  // Whether the data is the one that the green boot judged.
  bool is_of(const PendingBackup& pending) const {
    const DataVersion* version = value_of(now_.version);
    if (version == nullptr) return false;
    return pending.boot_id.empty() || (version->opened_by.deployment_id == pending.deployment_id &&
                                       version->opened_by.boot_id == pending.boot_id);
  }

  bool is_of_data(const Backup& backup) const {
    const DataVersion* version = value_of(now_.version);
    return version != nullptr && version->opened_by.deployment_id == backup.record().deployment_id &&
           version->opened_by.boot_id == backup.record().boot_id && version->seq == backup.record().seq;
  }

  // B4: data from before there was a .version.
  void back_up_legacy() {
    const Deployment* rollback = now_.deployments.rollback();
    const std::string name = rollback != nullptr ? rollback->id : now_.assumed_version.minor_text();
    note("B4", fmt::format("the data has no .version: taken for {}", now_.assumed_version.to_string()));
    const Backup* earlier = find_complete(now_.backups, name);
    const bool is_judged = earlier != nullptr && value_of(earlier->version) != nullptr;  // not to be replaced
    make_backup("B4", is_judged ? unverified_name(name) : name, name, !is_judged);
  }

  Restoration choose_restoration() {
    if (!now_.has_deployments) return {};
    const NextBoot* next = next_boot();
    const DataVersion* version = value_of(now_.version);
    if (next == nullptr || !next->restore) {
      if (now_.has_data && version == nullptr && !is_backed_up_) back_up_legacy();
      return now_.has_data && version != nullptr ? restoration_without_request(*version) : Restoration{};
    }
    if (const Backup* candidate = restore_candidate(now_, *next->restore, next->predecessor)) {
      if (!now_.has_data) return {Choice::Restore, "R1", *candidate};
      const bool is_there = is_of_data(*candidate) && version->status == Health::Healthy;
      return {is_there ? Choice::SkipCopy : Choice::Restore, "R2", *candidate};
    }
    return restoration_without_candidate(*next, version);
  }

  Restoration restoration_without_candidate(const NextBoot& next, const DataVersion* version) {
    if (!now_.has_data) {
      note("R1", "there is neither data nor a backup to restore: a clean start");
      return {Choice::Keep, "R1"};
    }
    if (version == nullptr) {  // the software that was red never opened it
      back_up_legacy();
      return {Choice::Keep, "R3"};
    }
    const bool is_only_system = version->opened_by.deployment_id == now_.deployments.current &&
                                now_.deployments.rollback() == nullptr;
    if (version->was_ever_healthy() || next.restore->deployment_id || now_.deployments.problem) {
      warn("R3", "there is no backup to restore: the data is kept");
      return {Choice::Keep, "R3"};
    }
    if (is_only_system) {
      warn("R3b", "there is no backup to restore and no other system: the data is kept");
      return {Choice::Keep, "R3b"};
    }
    return {Choice::SetAside, "R4"};
  }

  Restoration restoration_without_request(const DataVersion& version) const {
    const std::string& opener = version.opened_by.deployment_id;
    if (opener != now_.deployments.current && now_.binary->is_older_minor_than(version.level().newest())) {
      if (const Backup* own = own_backup(now_)) return {Choice::Restore, "R5", *own};
    }
    const Deployment* rollback = now_.deployments.rollback();
    const bool is_present =
        opener == now_.deployments.current || (rollback != nullptr && rollback->id == opener);
    if (version.status != Health::Healthy && !version.was_ever_healthy() && !opener.empty() && !is_present &&
        !now_.deployments.problem)
      return {Choice::SetAside, "R6"};
    return {};
  }

  // Versions are judged of the data as it will be after the restoration.
  VersionVerdict judge(const Restoration& restoration) const {
    const bool has_copy = restoration.choice == Choice::Restore || restoration.choice == Choice::SkipCopy;
    if (restoration.choice == Choice::SetAside || (!now_.has_data && !has_copy)) return RunAsIs{};
    const auto& found = has_copy ? restoration.candidate->version : now_.version;
    const DataVersion* version = value_of(found);
    const DataLevel level = version != nullptr ? version->level() : DataLevel{now_.assumed_version, {}};
    return judge_version(now_.rules, level, *now_.binary);
  }

  // B5: data that is about to be changed or replaced, and of which there is no copy.
  void protect(const Restoration& restoration, const VersionVerdict& verdict) {
    if (!now_.has_data || is_backed_up_) return;
    const DataVersion* version = value_of(now_.version);
    const bool migrates = restoration.choice == Choice::Keep && std::holds_alternative<MigrateTo>(verdict);
    if (!migrates && !replaces_what_counts(restoration, version)) return;
    if (version != nullptr && version->migration && now_.latest &&
        find_complete(now_.backups, *now_.latest) != nullptr)
      return;  // a migration that goes on: the copy from before it is there
    if (has_copy_of_data()) return;
    std::string deployment = version != nullptr ? version->opened_by.deployment_id : "";
    if (deployment.empty())
      deployment = version != nullptr ? version->version.minor_text() : now_.assumed_version.minor_text();
    const bool is_first = std::ranges::find(now_.backups, deployment, &Backup::name) == now_.backups.end();
    const bool replaces_own = !now_.has_deployments;  // one copy a version, made anew before each migration
    const bool is_candidate = (migrates || is_healthy(version)) && (is_first || replaces_own);
    make_backup("B5", is_candidate ? deployment : unverified_name(deployment), deployment, is_candidate);
  }

  static bool is_healthy(const DataVersion* version) {
    return version != nullptr && version->status == Health::Healthy;
  }

  // A red boot's data may be given up for the backup; anything else is copied first.
  bool replaces_what_counts(const Restoration& restoration, const DataVersion* version) const {
    if (restoration.choice != Choice::Restore) return false;
    const NextBoot* next = value_of(now_.next_boot);
    const bool is_red = next != nullptr && next->restore && next->restore->by == Requester::Red;
    if (!is_red) return true;
    if (version == nullptr) return value_of(restoration.candidate->version) != nullptr;
    return version->status == Health::Healthy;
  }

  bool has_copy_of_data() const {
    return std::ranges::any_of(now_.backups,
                               [&](const Backup& each) { return each.is_complete() && is_of_data(each); });
  }

  void carry_out(const Restoration& restoration) {
    switch (restoration.choice) {
      case Choice::Keep:
        break;
      case Choice::SkipCopy:
        note_rollback();
        note(restoration.row, fmt::format("the data is that of backup {} already: nothing to copy",
                                          quoted(restoration.candidate->name)));
        is_backed_up_ = true;
        break;
      case Choice::Restore:
        note_rollback();
        add(restoration.row, RestoreBackup{restoration.candidate->name});
        now_.version = restoration.candidate->version;
        now_.has_data = true;
        is_backed_up_ = true;
        break;
      case Choice::SetAside:
        set_aside(restoration.row);
        break;
    }
    NextBoot* next = next_boot();
    if (next != nullptr) {
      next->restore.reset();
      next->predecessor.reset();
      update_next_boot(restoration.row);
    }
    if (restoration.choice == Choice::Restore) add(restoration.row, RemoveLeftovers{});
  }

  void note_rollback() {
    const DataVersion* version = value_of(now_.version);
    if (version == nullptr || version->opened_by.deployment_id == now_.deployments.current) return;
    note("R", fmt::format("the data was last opened by deployment {}, which is not the booted one",
                          quoted(version->opened_by.deployment_id)));
  }

  void set_aside(const std::string& row) {
    const DataVersion* version = value_of(now_.version);
    const bool is_known = version != nullptr && !version->opened_by.deployment_id.empty();
    const bool has_boot = version != nullptr && !version->opened_by.boot_id.empty();
    const std::string name = unhealthy_name(is_known ? version->opened_by.deployment_id : "unknown",
                                            has_boot ? version->opened_by.boot_id : now_.boot_id);
    // Before, not after: a cut in between must not leave two sets, which nothing could tell apart later.
    for (const Backup& backup : now_.backups) {
      if (backup.kind == EntryKind::Unhealthy && backup.name != name)
        add(row, RemoveBackup{backup.name, "only the newest data that was set aside is kept"});
    }
    add(row, SetAside{name});
    now_.version = Absent{};
    now_.has_data = false;
  }

  void migrate_and_stamp(const MigrateTo* migration) {
    const DataVersion* before = value_of(now_.version);
    DataVersion stamp = before != nullptr ? *before : DataVersion{};
    const AppVersion from = before != nullptr ? before->version : now_.assumed_version;
    stamp.version = now_.has_data ? from : *now_.binary;
    stamp.opened_by = {*now_.binary, now_.deployments.current.value_or(""), now_.boot_id};
    stamp.status = Health::Unknown;
    ++stamp.seq;
    if (migration != nullptr) {
      add_migration(stamp, from, *migration);
      stamp.version = *now_.binary;
      ++stamp.seq;
    }
    stamp.migration.reset();
    add("S", WriteVersion{stamp});
    if (has_made_backup_) {
      for (Step& step : decide_prune(now_)) plan_.steps.push_back(std::move(step));
    }
  }

  void add_migration(DataVersion begun, const AppVersion& from, const MigrateTo& migration) {
    MigrationProgress progress{.from = from, .to = *now_.binary};
    if (begun.migration && begun.migration->from == from && begun.migration->to == *now_.binary)
      progress = *begun.migration;
    begun.migration = progress;
    std::vector<MigrationStep> steps;
    std::string at = from.minor_text();
    for (const std::string& hop : migration.hops) {
      std::vector<std::string> hooks = now_.hooks.for_every_hop;
      if (const auto own = now_.hooks.for_hop_to.find(hop); own != now_.hooks.for_hop_to.end())
        hooks.insert(hooks.end(), own->second.begin(), own->second.end());
      for (const std::string& hook : hooks) {
        MigrationStep step{fmt::format("{}:{}", hop, hook), hook, at, hop};
        if (std::ranges::find(progress.done, step.name) == progress.done.end()) steps.push_back(step);
      }
      at = hop;
    }
    add("M", Migrate{std::move(begun), std::move(steps)});
  }

  void make_backup(const char* row, const std::string& name, const std::string& deployment, bool latest) {
    const DataVersion* version = value_of(now_.version);
    Manifest manifest{.deployment_id = deployment};
    if (version != nullptr) {
      manifest.boot_id = version->opened_by.boot_id;
      manifest.version = version->version;
      manifest.seq = version->seq;
    }
    if (const Deployment* place = now_.deployments.find(deployment))
      manifest.deployment_dir = place->directory;
    add(row, MakeBackup{name, manifest, latest});
    std::erase_if(now_.backups, [&](const Backup& each) { return each.name == name; });
    now_.backups.push_back({name, classify(name), true, manifest, now_.version});
    if (latest) now_.latest = name;
    is_backed_up_ = true;
    has_made_backup_ = true;
  }

  // Writes what is left of the wishes, or removes the file when nothing is.
  void update_next_boot(const std::string& row) {
    NextBoot* next = next_boot();
    if (next->asks_for_nothing()) {
      add(row, RemoveNextBoot{});
      now_.next_boot = Absent{};
    } else {
      ++next->seq;
      add(row, WriteNextBoot{*next});
    }
  }

  NextBoot* next_boot() { return std::get_if<NextBoot>(&now_.next_boot); }
  void add(std::string row, Action action) { plan_.steps.push_back({std::move(row), std::move(action)}); }
  void note(std::string row, std::string text) {
    plan_.notes.push_back({std::move(row), std::move(text), false});
  }
  void warn(std::string row, std::string text) {
    plan_.notes.push_back({std::move(row), std::move(text), true});
  }
  void refuse(std::string row, std::string why) {
    plan_.refusal_row = std::move(row);
    plan_.refusal = std::move(why);
  }

  Observed now_;
  Plan plan_ = {};
  bool is_backed_up_ = false;
  bool has_made_backup_ = false;
};

}  // namespace

Plan decide_pre_run(const Observed& seen) {
  return PreRunPlanner(seen).plan();
}

Plan decide_recovery(const Observed& seen) {
  Plan plan;
  std::vector<std::string> leftovers = seen.leftovers;
  if (const Journal* journal = value_of(seen.journal)) {
    const Recovery recovery = recover(*journal, seen.journal_facts);
    if (recovery == Recovery::Discard) {
      plan.steps.push_back({"J", DiscardCopy{*journal}});
    } else {
      plan.steps.push_back({"J", FinishExchange{*journal, recovery == Recovery::Rename}});
    }
    if (recovery == Recovery::Rename) {
      plan.looks_again = true;  // what is in the copy shows only when it is in its place
      return plan;
    }
    std::erase(leftovers, journal->temporary);
  }
  if (!leftovers.empty()) plan.steps.push_back({"J", RemoveLeftovers{std::move(leftovers)}});
  return plan;
}

std::vector<Step> decide_prune(const Observed& seen) {
  std::vector<Step> steps;
  if (!seen.has_deployments || seen.deployments.problem || seen.deployments.all.empty()) return steps;
  const NextBoot* next = value_of(seen.next_boot);
  const auto is_needed = [&](const Backup& backup, const std::string& deployment) {
    if (seen.deployments.find(deployment) != nullptr || backup.name == seen.latest) return true;
    if (next == nullptr) return false;
    return (next->backup && next->backup->deployment_id == deployment) || next->predecessor == deployment ||
           (next->restore && next->restore->deployment_id == deployment);
  };
  for (const Backup& backup : seen.backups) {
    const Manifest* manifest = value_of(backup.manifest);
    if (backup.kind != EntryKind::Backup && backup.kind != EntryKind::Unverified) continue;
    if (manifest == nullptr || !backup.has_directory || is_version_name(manifest->deployment_id)) continue;
    if (is_needed(backup, manifest->deployment_id)) continue;
    steps.push_back({"P", RemoveBackup{backup.name, "its deployment is gone"}});
  }
  return steps;
}

}  // namespace fairway::device
