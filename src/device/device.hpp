// Device: the verbs. Each takes the lock, recovers what was interrupted, reads the whole state, decides, acts
// and writes the history; a dry run only reads and decides.
//
// Owns nothing but its settings; safe to make for one call. The listener hears of each step before it is
// taken and of a copy's progress.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "device/manifest.hpp"
#include "device/observed.hpp"
#include "device/place.hpp"
#include "device/plan.hpp"
#include "device/storage_step.hpp"
#include "device/tree_copy.hpp"

namespace fairway::device {

struct Listener {
  std::function<void(const Note&)> on_note = {};
  std::function<void(const Step&)> on_step = {};
  CopyWatch on_progress = {};
};

enum class Mode { Act, DryRun };

struct ManualRestore {
  std::string from = {};          // a path, or the name of a backup
  bool without_manifest = false;  // the administrator knows what it is
  bool discards_data = false;     // no copy is kept of the data as it is
};

struct Verification {
  std::string name = {};
  bool is_good = false;
  std::string text = {};
};

class Device {
 public:
  // Without `migrate_storage`, migrations that need an API server fail.
  Device(Place place, const Clock& clock, Listener listener, MigrateStorage migrate_storage = {})
      : place_(std::move(place)),
        clock_(clock),
        listener_(std::move(listener)),
        migrate_storage_(std::move(migrate_storage)) {}

  const Place& place() const { return place_; }

  // Each gives the plan that was carried out or, in a dry run, would be. A refusal is an error unless it is a
  // dry run, where it stands in the plan.
  Result<Plan> pre_run(Mode mode);
  Result<Plan> green(Mode mode);
  Result<Plan> red(Mode mode);
  Result<Plan> request_restore(const std::optional<std::string>& deployment, Mode mode);
  Result<Plan> prune(Mode mode);
  // Puts files that cannot be read out of the way. `data_version` is needed when .version is one of them.
  Result<std::vector<std::string>> repair(const std::optional<AppVersion>& data_version);

  // Both refuse while the application runs. `path` must not exist; gives where the copy is.
  Result<std::string> back_up(const std::string& path);
  Result<void> restore(const ManualRestore& request);
  // The same in a folder of many: a backup named by the time, and the newest one that was not tried yet.
  Result<std::string> back_up_for_recovery(const std::string& folder);
  Result<std::string> restore_for_recovery(const std::string& folder, bool saves_failed);

  Result<Observed> look() const;
  // All backups, or the one named.
  Result<std::vector<Verification>> verify(const std::string& name) const;

 private:
  using Decision = std::function<Plan(const Observed&)>;

  Result<Plan> run(const std::string& verb, const Decision& decide, bool is_health, Mode mode);
  Result<Plan> run_locked(const std::string& verb, const Decision& decide, bool is_health);
  // Adds what its steps report to the plan's notes.
  Result<void> carry_out(Plan& plan);
  // What a dry run can tell of a migration without doing it.
  void preview(Plan& plan) const;
  Result<void> recover();
  void record(const std::string& verb, const Observed& seen, const Plan& plan, const Result<void>& outcome);
  Result<void> save_before_restore(const Observed& seen, const std::string& source, bool discards);
  Result<void> recover_from(const std::string& real, const std::string& folder, const std::string& chosen,
                            const std::string& last, bool saves_failed);
  Result<void> save_failed(const std::string& real, const std::string& draft);
  Result<void> check_source(const ManualRestore& request, const std::string& path, Manifest& manifest) const;

  Place place_;
  const Clock& clock_;
  Listener listener_;
  MigrateStorage migrate_storage_;
};

}  // namespace fairway::device
