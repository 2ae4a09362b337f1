// ModelDevice: a device as values, for tests of the decision: deployments, data, backups, and a power that
// can be cut between any two changes of the disk.
//
// Contents of trees are texts that say who wrote them. Each action is taken apart into the changes that the
// real one makes, in their order; `cut_after` of them happen. Breaches of the invariants are collected as
// texts.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/decide.hpp"

namespace fairway::device {

struct ModelTree {
  std::string content = {};
  std::optional<DataVersion> version = {};
  std::uint64_t inode = 0;
  bool is_partial = false;
};

struct ModelSystem {
  std::string id = {};
  AppVersion version = {};
  bool has_component = true;
};

class ModelDevice {
 public:
  // The first of `systems` is booted.
  explicit ModelDevice(std::vector<ModelSystem> systems);

  void reboot_into(const std::string& id);
  void add_system(ModelSystem system);
  void remove_system(const std::string& id);

  // Whether pre-run succeeded. The power goes after `cut_after` changes, when that is given.
  bool pre_run(std::optional<std::size_t> cut_after = {});
  void run_application();
  void green() { apply(decide_green(observe())); }
  void red() { apply(decide_red(observe())); }
  void request_restore() { apply(decide_request_restore(observe(), {})); }

  Observed observe() const;
  const ModelSystem& booted() const;
  bool was_cut() const { return was_cut_; }
  std::size_t changes() const { return changes_; }
  // What broke, each with what led to it; empty when all holds.
  const std::vector<std::string>& breaches() const { return breaches_; }
  void check_invariants();

  std::optional<ModelTree> data = {};
  std::optional<NextBoot> next_boot = {};
  std::map<std::string, ModelTree> trees = {};  // in the backup folder
  std::map<std::string, Manifest> manifests = {};
  std::optional<std::string> latest = {};
  std::vector<std::string> story = {};

 private:
  using Change = std::function<void()>;

  bool apply(const Plan& plan);
  std::vector<Change> changes_of(const Action& action);
  void publish(const std::string& name, const Manifest& manifest);
  void add_backup_changes(const MakeBackup& backup, std::vector<Change>& changes);
  void add_restore_changes(const RestoreBackup& restore, std::vector<Change>& changes);
  void add_migration_changes(const Migrate& migrate, std::vector<Change>& changes);
  void breach(const std::string& what);
  bool is_present(const std::string& id) const;

  std::vector<ModelSystem> systems_;
  std::string booted_;
  std::uint64_t boot_number_ = 0;
  std::uint64_t next_inode_ = 100;
  std::optional<Journal> journal_ = {};
  std::optional<ModelTree> restore_copy_ = {};
  std::map<std::string, std::string> healthy_backups_ = {};  // what must stay restorable, by deployment
  std::vector<std::string> breaches_ = {};
  std::size_t budget_ = 0;
  std::size_t changes_ = 0;
  bool is_limited_ = false;
  bool was_cut_ = false;
};

}  // namespace fairway::device
