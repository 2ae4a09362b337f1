// Actor: carries out one action at a time. Each is durable when it returns, and may be repeated after a cut
// at any point of it: what it leaves behind is either the state before, or one that the journal explains.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "device/place.hpp"
#include "device/plan.hpp"
#include "device/storage_step.hpp"
#include "device/tree_copy.hpp"

namespace fairway::device {

class Actor {
 public:
  Actor(const Place& place, const Clock& clock, CopyWatch watch, MigrateStorage migrate_storage = {})
      : place_(place),
        clock_(clock),
        watch_(std::move(watch)),
        migrate_storage_(std::move(migrate_storage)) {}

  Result<void> act(const Action& action);
  // What steps of migrations have to tell of what they did; empties it.
  std::vector<std::string> take_reports() { return std::exchange(reports_, {}); }

  // A copy outside of the backup folder, with its manifest beside it: the verb `backup PATH`.
  Result<Manifest> copy_out(const std::string& path, Manifest manifest);
  // The data becomes a copy of `tree`. What it was is left under a name that means garbage.
  Result<void> restore_from(const std::string& tree, const std::string& shown,
                            const std::optional<std::string>& digest);

 private:
  Result<void> perform(const FinishExchange& finish);
  Result<void> perform(const DiscardCopy& discard);
  Result<void> perform(const RemoveLeftovers& leftovers);
  Result<void> perform(const MakeBackup& backup);
  Result<void> perform(const RestoreBackup& restore);
  Result<void> perform(const SetAside& aside);
  Result<void> perform(const RemoveBackup& removal);
  Result<void> perform(const WriteNextBoot& write);
  Result<void> perform(const RemoveNextBoot& removal);
  Result<void> perform(const WriteVersion& write);
  Result<void> perform(const Migrate& migrate);
  Result<void> perform(const StopServices& stop);

  Result<void> write_record(std::string_view name, const std::string& contents);
  Result<void> begin_journal(const Journal& journal);
  Result<void> write_journal(const Journal& journal);
  Result<void> publish(const std::string& name, const Manifest& manifest, bool becomes_latest);
  Result<void> move_to(const std::string& name);
  Result<Manifest> describe_copy(Manifest manifest, const CopyReport& report, const std::string& tree);
  void abandon(const std::string& temporary);
  std::string temporary(std::string_view operation) const;

  const Place& place_;
  const Clock& clock_;
  CopyWatch watch_;
  MigrateStorage migrate_storage_;
  std::vector<std::string> reports_ = {};
};

}  // namespace fairway::device
