#include "device/testing/model_device.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "device/decide_parts.hpp"

namespace fairway::device {
namespace {

constexpr const char* kData = "/var/lib/app";
constexpr const char* kBackups = "/var/lib/app.bak/";
constexpr const char* kRestoreCopy = "/var/lib/.app.restore.1";
constexpr const char* kCopy = ".tmp.backup.1";

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

Found<DataVersion> found(const std::optional<DataVersion>& version) {
  if (version) return *version;
  return Absent{};
}

}  // namespace

ModelDevice::ModelDevice(std::vector<ModelSystem> systems)
    : systems_(std::move(systems)), booted_(systems_.front().id) {
  trees["somebody-elses"] = {.content = "not ours"};
  reboot_into(booted_);
}

const ModelSystem& ModelDevice::booted() const {
  return *std::ranges::find(systems_, booted_, &ModelSystem::id);
}

bool ModelDevice::is_present(const std::string& id) const {
  return std::ranges::find(systems_, id, &ModelSystem::id) != systems_.end();
}

void ModelDevice::reboot_into(const std::string& id) {
  booted_ = id;
  ++boot_number_;
  is_limited_ = was_cut_ = false;
  story.push_back(fmt::format("boot {} into {}", boot_number_, id));
}

void ModelDevice::add_system(ModelSystem system) {
  story.push_back(fmt::format("{} {} is deployed", system.id, system.version.to_string()));
  systems_.insert(systems_.begin(), std::move(system));
}

void ModelDevice::remove_system(const std::string& id) {
  if (id == booted_) return;
  story.push_back(fmt::format("{} is removed", id));
  std::erase_if(systems_, [&](const ModelSystem& each) { return each.id == id; });
  healthy_backups_.erase(id);
}

Observed ModelDevice::observe() const {
  Observed seen;
  seen.boot_id = fmt::format("{:032x}", boot_number_);
  seen.has_deployments = true;
  seen.deployments.current = booted_;
  // The booted one, then the others: as after a rollback that was made permanent.
  for (const bool is_booted : {true, false}) {
    for (const ModelSystem& system : systems_) {
      if ((system.id == booted_) == is_booted)
        seen.deployments.all.push_back(
            {.id = system.id, .is_booted = is_booted, .has_application = system.has_component});
    }
  }
  seen.binary = booted().version;
  seen.has_data = data.has_value();
  if (data) seen.version = found(data->version);
  if (next_boot) seen.next_boot = *next_boot;
  seen.latest = latest;
  seen.hooks.for_every_hop = {"10_first", "20_second"};
  if (journal_) {
    seen.journal = *journal_;
    const auto inode = [](const auto& tree) { return std::optional(tree.inode); };
    const std::string name = journal_->destination.substr(journal_->destination.rfind('/') + 1);
    if (journal_->operation == Operation::Restore) {
      if (data) seen.journal_facts.destination_inode = inode(*data);
      if (restore_copy_) seen.journal_facts.temporary_inode = inode(*restore_copy_);
    } else {
      if (trees.contains(name)) seen.journal_facts.destination_inode = inode(trees.at(name));
      if (trees.contains(kCopy)) seen.journal_facts.temporary_inode = inode(trees.at(kCopy));
    }
  }
  if (restore_copy_) seen.leftovers.emplace_back(kRestoreCopy);
  for (const auto& [name, tree] : trees) {
    const EntryKind kind = classify(name);
    if (kind == EntryKind::Temporary) seen.leftovers.push_back(kBackups + name);
    if (kind == EntryKind::Temporary || kind == EntryKind::Unknown) continue;
    Backup backup{.name = name, .kind = kind, .has_directory = true, .version = found(tree.version)};
    if (const auto manifest = manifests.find(name); manifest != manifests.end())
      backup.manifest = manifest->second;
    seen.backups.push_back(std::move(backup));
  }
  return seen;
}

void ModelDevice::breach(const std::string& what) {
  std::string all;
  for (const std::string& line : story) all += "\n  " + line;
  breaches_.push_back(what + all);
}

// From here on a healthy state has to stay restorable.
void ModelDevice::publish(const std::string& name, const Manifest& manifest) {
  manifests[name] = manifest;
  const ModelTree& tree = trees.at(name);
  const bool is_healthy = tree.version && tree.version->status == Health::Healthy;
  if (is_healthy && classify(name) == EntryKind::Backup && is_present(name))
    healthy_backups_[name] = tree.content;
  if (!is_healthy && healthy_backups_.contains(name))
    breach("I3: an unhealthy state replaces a healthy backup");
}

void ModelDevice::add_backup_changes(const MakeBackup& backup, std::vector<Change>& changes) {
  Journal journal{.operation = Operation::Backup,
                  .source = kData,
                  .destination = kBackups + backup.name,
                  .temporary = std::string(kBackups) + kCopy,
                  .becomes_latest = backup.becomes_latest};
  changes.emplace_back([this, journal] { journal_ = journal; });
  changes.emplace_back(
      [this] { trees[kCopy] = {.content = "part", .inode = ++next_inode_, .is_partial = true}; });
  changes.emplace_back([this] {
    const auto inode = trees[kCopy].inode;
    trees[kCopy] = *data;
    trees[kCopy].inode = inode;
  });
  changes.emplace_back([this, journal, backup]() mutable {
    journal.phase = Phase::Swapped;
    journal.inode = trees[kCopy].inode;
    journal.manifest = backup.manifest;
    journal_ = journal;
  });
  changes.emplace_back([this, name = backup.name] {
    if (trees.contains(name)) {
      std::swap(trees[name], trees[kCopy]);
    } else {
      trees[name] = trees[kCopy];
      trees.erase(kCopy);
    }
  });
  changes.emplace_back([this, backup] { publish(backup.name, backup.manifest); });
  if (backup.becomes_latest) changes.emplace_back([this, name = backup.name] { latest = name; });
  changes.emplace_back([this] { journal_.reset(); });
  changes.emplace_back([this] { trees.erase(kCopy); });
}

void ModelDevice::add_restore_changes(const RestoreBackup& restore, std::vector<Change>& changes) {
  Journal journal{.operation = Operation::Restore,
                  .source = kBackups + restore.name,
                  .destination = kData,
                  .temporary = kRestoreCopy};
  changes.emplace_back([this, journal] { journal_ = journal; });
  changes.emplace_back([this] { restore_copy_ = ModelTree{.inode = ++next_inode_, .is_partial = true}; });
  changes.emplace_back([this, name = restore.name] {
    const auto inode = restore_copy_->inode;
    restore_copy_ = trees[name];
    restore_copy_->inode = inode;
  });
  changes.emplace_back([this, journal]() mutable {
    journal.phase = Phase::Swapped;
    journal.inode = restore_copy_->inode;
    journal_ = journal;
  });
  changes.emplace_back([this] { std::swap(data, restore_copy_); });
  changes.emplace_back([this] { journal_.reset(); });
}

void ModelDevice::add_migration_changes(const Migrate& migrate, std::vector<Change>& changes) {
  changes.emplace_back([this, migrate] {
    const bool is_kept = std::ranges::any_of(trees, [&](const auto& each) {
      return manifests.contains(each.first) && each.second.content == data->content;
    });
    const bool goes_on = data->version && data->version->migration;
    if (!is_kept && !goes_on) breach("I5: migration without a backup of the data");
    data->version = migrate.begun;
  });
  for (const MigrationStep& step : migrate.steps) {
    changes.emplace_back([this, step] { data->content += " +" + step.name; });
    changes.emplace_back([this, step] { data->version->migration->done.push_back(step.name); });
  }
}

std::vector<ModelDevice::Change> ModelDevice::changes_of(const Action& action) {
  std::vector<Change> changes;
  std::visit(Overloaded{
                 [&](const FinishExchange& finish) {
                   const std::string name =
                       finish.journal.destination.substr(finish.journal.destination.rfind('/') + 1);
                   if (finish.renames && finish.journal.operation == Operation::Backup)
                     changes.emplace_back([this, name] { trees[name] = trees[kCopy], trees.erase(kCopy); });
                   if (finish.renames && finish.journal.operation == Operation::Restore)
                     changes.emplace_back([this] { data = restore_copy_, restore_copy_.reset(); });
                   if (finish.journal.manifest)
                     changes.emplace_back([this, finish, name] { publish(name, *finish.journal.manifest); });
                   if (finish.journal.becomes_latest) changes.emplace_back([this, name] { latest = name; });
                   changes.emplace_back([this] { journal_.reset(); });
                   changes.emplace_back([this] { trees.erase(kCopy), restore_copy_.reset(); });
                 },
                 [&](const DiscardCopy&) {
                   changes.emplace_back([this] { trees.erase(kCopy), restore_copy_.reset(); });
                   changes.emplace_back([this] { journal_.reset(); });
                 },
                 [&](const RemoveLeftovers&) {
                   changes.emplace_back([this] {
                     restore_copy_.reset();
                     std::erase_if(trees, [](const auto& each) {
                       return classify(each.first) == EntryKind::Temporary;
                     });
                   });
                 },
                 [&](const MakeBackup& backup) { add_backup_changes(backup, changes); },
                 [&](const RestoreBackup& restore) { add_restore_changes(restore, changes); },
                 [&](const SetAside& aside) {
                   changes.emplace_back([this, aside] {
                     if (data->version && data->version->was_ever_healthy())
                       breach("data that was healthy is set aside");
                     trees[aside.name] = *data;
                     data.reset();
                   });
                 },
                 [&](const RemoveBackup& removal) {
                   changes.emplace_back([this, removal] {
                     trees[".tmp.remove.1"] = trees[removal.name];
                     trees.erase(removal.name);
                   });
                   changes.emplace_back([this, removal] { manifests.erase(removal.name); });
                   changes.emplace_back([this] { trees.erase(".tmp.remove.1"); });
                 },
                 [&](const WriteNextBoot& write) {
                   changes.emplace_back([this, write] { next_boot = write.next; });
                 },
                 [&](const RemoveNextBoot&) { changes.emplace_back([this] { next_boot.reset(); }); },
                 [&](const WriteVersion& write) {
                   changes.emplace_back([this, write] {
                     if (!data) data = ModelTree{.content = "new", .inode = ++next_inode_};
                     data->version = write.version;
                   });
                 },
                 [&](const Migrate& migrate) { add_migration_changes(migrate, changes); },
                 [](const StopServices&) {},  // nothing runs in a model
             },
             action);
  return changes;
}

bool ModelDevice::apply(const Plan& plan) {
  for (const Step& step : plan.steps) {
    story.push_back(fmt::format("  {} {}", step.row, describe(step.action)));
    for (const Change& change : changes_of(step.action)) {
      if (is_limited_ && budget_-- == 0) {
        story.emplace_back("  the power is cut");
        was_cut_ = true;
        check_invariants();
        return false;
      }
      ++changes_;
      change();
      check_invariants();
    }
  }
  if (plan.refusal) story.push_back("  refused: " + *plan.refusal);
  return !plan.refusal;
}

bool ModelDevice::pre_run(std::optional<std::size_t> cut_after) {
  is_limited_ = cut_after.has_value();
  budget_ = cut_after.value_or(0);
  if (!booted().has_component) return false;
  for (int round = 0; round < 3; ++round) {
    const Plan plan = decide_pre_run(observe());
    if (!apply(plan)) return false;
    if (plan.looks_again) continue;
    const Observed after = observe();
    if (!after.leftovers.empty() || !std::holds_alternative<Absent>(after.journal))
      breach("I6: something is left over after a pre-run that succeeded");
    if (!decide_pre_run(after).steps.empty()) breach("a second pre-run in one boot has something to do");
    return true;
  }
  breach("pre-run does not come to an end");
  return false;
}

void ModelDevice::run_application() {
  const DataVersion& version = *data->version;
  if (booted().version.is_older_minor_than(version.level().newest()))
    breach("I4: older software runs on newer data");
  if (version.migration) breach("software runs on data in the middle of a migration");
  data->content += fmt::format(" {}@{}", booted_, boot_number_);
}

void ModelDevice::check_invariants() {
  if (data && data->is_partial) breach("I1: the data is partial");
  const Observed seen = observe();
  for (const Backup& backup : seen.backups) {
    if (backup.is_complete() && trees.at(backup.name).is_partial)
      breach("I2: a partial copy counts as a backup");
  }
  for (const auto& [deployment, content] : healthy_backups_) {
    const bool is_being_replaced = journal_ && journal_->destination == kBackups + deployment;
    const bool is_there =
        find_complete(seen.backups, deployment) != nullptr && trees.at(deployment).content == content;
    // After the exchange the old copy waits under the journal's name until the new manifest is written.
    if (!is_there && !is_being_replaced) breach("I3: the healthy backup of " + deployment + " is lost");
  }
  if (!trees.contains("somebody-elses")) breach("I8: a name that is not ours was removed");
}

}  // namespace fairway::device
