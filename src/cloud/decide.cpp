#include "cloud/decide.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::cloud {
namespace {

using Kind = Operation::Kind;
using Step = WriteRecord::Step;

// The decision about a Service that is there.
class Decision {
 public:
  explicit Decision(const Observed& seen)
      : seen_(seen),
        service_(*seen.service),
        settings_(*seen.settings),
        record_(usable_record(service_, settings_)) {}

  kube::Plan<Action> make() {
    // The last thing that was deprovisioned goes before anything new comes.
    const bool is_going = record_ && record_->operation && record_->operation->kind == Kind::Delete;
    if (wants_load_balancer(service_) && !is_going) {
      ensure();
    } else if (record_ || (kube::has_finalizer(service_, kCleanupFinalizer) && !has_class(service_))) {
      release();
    } else {
      serve(std::nullopt);
    }
    return std::move(plan_);
  }

 private:
  // A record whose address is not of our ranges is of a cloud that we are not.
  static std::optional<LoadBalancer> usable_record(const json::Object& service, const Settings& settings) {
    auto record = load_balancer_of(service);
    if (!record) return std::nullopt;
    const auto is_ours = [&](const std::string& address) {
      return settings.external.contains(address) || settings.internal.contains(address);
    };
    return std::ranges::all_of(addresses_of(*record), is_ours) ? record : std::nullopt;
  }

  void ensure() {
    if (!kube::has_finalizer(service_, kCleanupFinalizer)) {
      if (!record_) serve(std::nullopt);
      plan_.actions.push_back(AddFinalizer{seen_.service});
      return;
    }
    if (!record_) {
      serve(std::nullopt);
      return begin_create();
    }
    if (!record_->operation) return keep();
    if (record_->operation->kind == Kind::Create) return finish_create();
    finish_change();
  }

  void begin_create() {
    if (is_waiting()) return;
    if (seen_.faults.fail_creates > 0) return refuse(Kind::Create, "the cloud failed to create it");
    if (seen_.faults.quota && seen_.load_balancers >= *seen_.faults.quota) {
      return refuse(Kind::Create,
                    fmt::format("the quota of {} load balancers is exhausted", *seen_.faults.quota));
    }
    const Scope scope = asked_scope(service_, settings_.profile);
    const auto address = free_address(scope);
    if (!address) return refuse(Kind::Create, exhausted(scope));
    write(LoadBalancer{.uid = std::string(kube::uid_of(service_)),
                       .scope = scope,
                       .address = *address,
                       .operation = operation(Kind::Create)},
          Step::BeginCreate);
  }

  void finish_create() {
    if (is_under_way(settings_.profile.delays.provision, "the load balancer is being made")) {
      return serve(std::nullopt);
    }
    LoadBalancer made = *record_;
    made.operation.reset();
    made.ensured = wishes_of(service_);
    serve(frontend_of(service_, made, settings_));
    write(std::move(made), Step::Created);
  }

  void finish_change() {
    const Operation& change = *record_->operation;
    LoadBalancer made = *record_;
    made.operation.reset();
    made.ensured = wishes_of(service_);
    // What is asked for by now counts: a change that was taken back is dropped.
    if (asked_scope(service_, settings_.profile) != change.scope) {
      serve(frontend_of(service_, made, settings_));
      return write(std::move(made), Step::ChangeDropped);
    }
    if (is_under_way(settings_.profile.delays.mutate, "the scope is being changed")) {
      return serve(frontend_of(service_, *record_, settings_));
    }
    made.scope = change.scope;
    made.address = change.address;
    serve(frontend_of(service_, made, settings_));
    write(std::move(made), Step::Changed);
  }

  // A live load balancer, at rest.
  void keep() {
    serve(frontend_of(service_, *record_, settings_));
    const Scope asked = asked_scope(service_, settings_.profile);
    if (asked != record_->scope && settings_.profile.is_mutable && begin_change(asked)) return;
    if (asked != record_->scope && !settings_.profile.is_mutable) {
      plan_.notes.push_back(fmt::format("the Service asks for {}, the load balancer is {} and cannot change",
                                        to_string(asked), to_string(record_->scope)));
    }
    if (asked == record_->scope || !settings_.profile.is_mutable) {
      if (const std::string wishes = wishes_of(service_); wishes != record_->ensured) {
        LoadBalancer updated = *record_;
        updated.ensured = wishes;
        return write(std::move(updated), Step::Updated);
      }
    }
    publish(published_name(*record_, settings_));
  }

  // False while it has to wait; what is published meanwhile is kept up.
  bool begin_change(Scope asked) {
    if (is_waiting()) return false;
    if (seen_.faults.fail_changes > 0) {
      refuse(Kind::Change, "the cloud failed to change its scope");
      return true;
    }
    const bool is_kept = settings_.profile.keeps_address;
    const auto address = is_kept ? std::optional(record_->address) : free_address(asked);
    if (!address) {
      refuse(Kind::Change, exhausted(asked));
      return true;
    }
    LoadBalancer changing = *record_;
    changing.operation = operation(Kind::Change);
    changing.operation->scope = asked;
    changing.operation->address = *address;
    write(std::move(changing), Step::BeginChange);
    return true;
  }

  void release() {
    if (!record_) {
      serve(std::nullopt);
      return clear_then_remove();
    }
    if (!record_->operation || record_->operation->kind != Kind::Delete) {
      if (is_waiting()) return;
      if (seen_.faults.fail_deletes > 0) return refuse(Kind::Delete, "the cloud failed to delete it");
      LoadBalancer going = *record_;
      going.operation = operation(Kind::Delete);
      serve(std::nullopt);
      return write(std::move(going), Step::BeginDelete);
    }
    serve(std::nullopt);
    if (seen_.faults.stuck_deletes) {
      plan_.notes.emplace_back("the deletion is stuck, as was asked for");
      return;
    }
    if (is_under_way(settings_.profile.delays.deprovision, "the load balancer is being deleted")) return;
    clear_then_remove();
  }

  // The status first: once the finalizer has gone there may be no object to write it on.
  void clear_then_remove() {
    const bool is_foreign = has_class(service_);
    if (!is_foreign && !published_of(service_).empty()) return publish("");
    plan_.actions.push_back(RemoveFinalizer{seen_.service, is_foreign, record_.has_value()});
  }

  void publish(const std::string& name) {
    const std::vector<std::string> wanted =
        name.empty() ? std::vector<std::string>{} : std::vector<std::string>{name};
    if (published_of(service_) == wanted) return;
    plan_.actions.push_back(
        WriteStatus{seen_.service, name, settings_.profile.form == AddressForm::Hostname});
  }

  void serve(const std::optional<Frontend>& wanted) {
    if (seen_.serving == wanted) return;
    if (wanted) {
      plan_.actions.push_back(Serve{seen_.key, *wanted});
    } else {
      plan_.actions.push_back(StopServing{seen_.key});
    }
  }

  void write(LoadBalancer record, Step step) {
    plan_.actions.push_back(WriteRecord{seen_.service, std::move(record), step});
  }
  void refuse(Kind call, std::string why) {
    plan_.actions.push_back(Refuse{seen_.service, call, std::move(why)});
  }

  bool is_waiting() {
    const auto& failed = seen_.attempts;
    if (!failed || failed->resource_version != kube::resource_version_of(service_)) return false;
    if (seen_.now >= failed->not_before) return false;
    plan_.wake(failed->not_before, "the cloud is asked again");
    return true;
  }
  bool is_under_way(Duration takes, const char* what) {
    const WallTime done = record_->operation->since->time + takes;
    if (seen_.now >= done) return false;
    plan_.wake(done, what);
    return true;
  }

  // As precise as it can be written, so that what is read back is what was decided.
  Operation operation(Kind kind) const {
    const auto since = std::chrono::floor<std::chrono::microseconds>(seen_.now);
    return {.kind = kind, .since = json::MicroTime{since}};
  }
  const std::optional<std::string>& free_address(Scope scope) const {
    return scope == Scope::Internal ? seen_.free_internal : seen_.free_external;
  }
  std::string exhausted(Scope scope) const {
    return fmt::format("no address of {} is free", settings_.range(scope).to_string());
  }

  const Observed& seen_;
  const json::Object& service_;
  const Settings& settings_;
  std::optional<LoadBalancer> record_;
  kube::Plan<Action> plan_;
};

}  // namespace

Duration retry_pause(int failures) {
  constexpr Duration kFirst = std::chrono::seconds(5);
  constexpr Duration kCap = std::chrono::seconds(300);
  Duration pause = kFirst;
  for (int i = 1; i < failures && pause < kCap; ++i) pause *= 2;
  return std::min(pause, kCap);
}

kube::Plan<Action> decide(const Observed& seen) {
  if (seen.service) return Decision(seen).make();
  kube::Plan<Action> plan;
  if (seen.serving) plan.actions.push_back(StopServing{seen.key});
  return plan;
}

}  // namespace fairway::cloud
