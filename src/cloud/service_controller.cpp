#include "cloud/service_controller.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "cloud/kinds.hpp"
#include "kube/core/selector.hpp"
#include "kube/runtime/control_loop.hpp"

namespace fairway::cloud {
namespace {

constexpr const char* kServicesManager = "fairway-cloud";

std::string_view state_of(const LoadBalancer& record) {
  if (!record.operation) return "Active";
  switch (record.operation->kind) {
    case Operation::Kind::Create:
      return "Creating";
    case Operation::Kind::Change:
      return "Changing";
    case Operation::Kind::Delete:
      return "Deleting";
  }
  return "Active";
}

}  // namespace

ServiceController::ServiceController(kube::Runtime& runtime, boost::asio::any_io_executor executor,
                                     Settings settings, Faults faults, metrics::Registry& registry)
    : runtime_(runtime),
      settings_(std::make_shared<const Settings>(std::move(settings))),
      faults_(faults),
      services_(runtime.cache(kServices)),
      pods_(runtime.cache(kPods)),
      forwarder_(
          std::move(executor), runtime.client().clock(), settings_,
          [this](const auto& key, const auto& frontend, const auto& port) {
            return backends(key, frontend, port);
          },
          registry),
      external_(settings_->external),
      internal_(settings_->internal) {
  // Before the controller's own handler: who holds what is known before anybody looks.
  following_ = services_.on_change([this](const kube::Change<json::Object>& change) { follow(change); });
  kube::ControlLoop<Observed, Action> loop{
      .observe = [this](kube::ObjectKey key) { return observe(std::move(key)); },
      .decide = decide,
      .act = [this](Action action) { return act(std::move(action)); },
      .execution = {.max_retries = 0}};
  controller_ = &kube::add_control_loop<Observed, Action>(
      runtime,
      {.name = kComponent,
       .workers = 4,
       .backoff = {.first = retry_pause(1), .cap = retry_pause(100), .jitter = 0},
       .metrics = &registry},
      std::move(loop));
  controller_->watch<json::Object>(services_,
                                   [this](const json::Object& service) { return due_keys(service); });
}

ServiceController::~ServiceController() = default;

boost::asio::awaitable<void> ServiceController::stop() {
  late_.clear();
  co_await forwarder_.stop_all();
}

void ServiceController::follow(const kube::Change<json::Object>& change) {
  const auto gone =
      change.before && (!change.after || kube::uid_of(*change.before) != kube::uid_of(*change.after));
  if (gone) {
    hold_only({}, kube::uid_of(*change.before));
    attempts_.erase(change.key);
  }
  if (!change.after) return;
  const auto record = load_balancer_of(*change.after);
  hold_only(record ? addresses_of(*record) : std::set<std::string>{}, kube::uid_of(*change.after));
}

void ServiceController::hold_only(const std::set<std::string>& addresses, std::string_view uid) {
  external_.hold_only(addresses, uid);
  internal_.hold_only(addresses, uid);
  if (addresses.empty()) {
    if (const auto found = with_record_.find(uid); found != with_record_.end()) with_record_.erase(found);
  } else {
    with_record_.emplace(uid);
  }
}

// False when somebody else has got one of them meanwhile.
bool ServiceController::hold_addresses(const LoadBalancer& record) {
  for (const std::string& address : addresses_of(record)) {
    AddressBook& book = settings_->external.contains(address) ? external_ : internal_;
    if (!book.hold(address, record.uid)) return false;
  }
  with_record_.insert(record.uid);
  return true;
}

std::vector<kube::ObjectKey> ServiceController::due_keys(const json::Object& service) {
  const kube::ObjectKey key = kube::key_of(service);
  if (faults_.slow_watch == Duration::zero()) return {key};
  TimerClock& clock = runtime_.client().clock();
  late_[key] = clock.call_at(clock.steady() + faults_.slow_watch, [this, key] { controller_->enqueue(key); });
  return {};
}

void ServiceController::set_faults(Faults faults) {
  faults_ = faults;
  for (const auto& service : services_.all()) controller_->enqueue(kube::key_of(*service));
}

Task<Observed> ServiceController::observe(kube::ObjectKey key) {
  Observed seen{.key = key,
                .service = services_.get(key),
                .settings = settings_,
                .now = runtime_.client().clock().now(),
                .faults = faults_,
                .serving = forwarder_.serving(key),
                .load_balancers = with_record_.size()};
  if (const auto found = attempts_.find(key); found != attempts_.end()) seen.attempts = found->second;
  if (seen.service) {
    seen.free_external = external_.propose(kube::uid_of(*seen.service));
    seen.free_internal = internal_.propose(kube::uid_of(*seen.service));
  }
  co_return seen;
}

Task<void> ServiceController::act(Action action) {
  const auto done = co_await carry_out(action);
  if (done) {
    for (const EventText& event : events_of(action)) tell(action, event);
    co_return Result<void>{};
  }
  const ErrorCode code = done.error().code;
  // The world is not as it was seen, and what it is like now makes the Service due by itself.
  if (code == ErrorCode::Conflict || code == ErrorCode::NotFound) co_return Result<void>{};
  if (code != ErrorCode::Cancelled) tell(action, failure_event(action, done.error()));
  co_return std::unexpected(done.error());
}

Task<void> ServiceController::carry_out(const Action& action) {
  if (const auto* serve = std::get_if<Serve>(&action)) {
    co_return co_await forwarder_.serve(serve->key, serve->frontend);
  }
  if (const auto* stop = std::get_if<StopServing>(&action)) co_return co_await forwarder_.stop(stop->key);
  if (const auto* refusal = std::get_if<Refuse>(&action)) refuse(*refusal);
  if (const auto request = request_of(action)) co_return co_await send(action, *request);
  co_return Result<void>{};
}

void ServiceController::refuse(const Refuse& refusal) {
  const kube::ObjectKey key = kube::key_of(*refusal.service);
  Attempts& failed = attempts_[key];
  ++failed.failures;
  failed.not_before = runtime_.client().clock().now() + retry_pause(failed.failures);
  failed.resource_version = kube::resource_version_of(*refusal.service);
  count_refusal(faults_, refusal.call);
  controller_->enqueue(key);  // to learn when it is tried again
}

Task<void> ServiceController::send(const Action& action, const Request& request) {
  const Observed::Object service = service_of(action);
  const auto* record = std::get_if<WriteRecord>(&action);
  if (record != nullptr && !hold_addresses(record->record)) {
    controller_->enqueue(kube::key_of(*service));
    co_return fail(ErrorCode::Conflict, "the address was given to another Service meanwhile");
  }
  if (std::holds_alternative<WriteStatus>(action) && faults_.lose_status_writes > 0) {
    --faults_.lose_status_writes;
    co_return fail(ErrorCode::Unavailable, "failed to update load balancer status: the write was lost");
  }
  const kube::ObjectKey key = kube::key_of(*service);
  const auto sent = co_await runtime_.client().patch(kServices.at(key, request.is_of_status ? "status" : ""),
                                                     kube::PatchKind::Merge, request.patch,
                                                     {.field_manager = kServicesManager});
  if (sent) {
    if (record != nullptr) attempts_.erase(key);
    co_return Result<void>{};
  }
  // What was certainly not written holds nothing. Otherwise the next change of the Service tells.
  const bool is_unwritten = retry_of(sent.error().code) != Retry::Backoff;
  if (record != nullptr && is_unwritten) {
    const auto before = load_balancer_of(*service);
    hold_only(before ? addresses_of(*before) : std::set<std::string>{}, record->record.uid);
  }
  co_return std::unexpected(sent.error());
}

void ServiceController::tell(const Action& action, const EventText& event) {
  Observed::Object about = service_of(action);
  if (const auto* serve = std::get_if<Serve>(&action)) about = services_.get(serve->key);
  if (!about) return;
  const int times = faults_.duplicate_events ? 2 : 1;
  for (int i = 0; i < times; ++i) {
    runtime_.events().record({.about = {.kind = "Service",
                                        .namespace_ = std::string(kube::namespace_of(*about)),
                                        .name = std::string(kube::name_of(*about)),
                                        .uid = std::string(kube::uid_of(*about)),
                                        .api_version = "v1"},
                              .type = event.is_warning ? "Warning" : "Normal",
                              .reason = std::string(event.reason),
                              .message = event.message});
  }
}

std::vector<Backend> ServiceController::backends(const kube::ObjectKey& service, const Frontend& frontend,
                                                 const FrontendPort& port) const {
  if (frontend.selector.empty()) return {};
  return backends_of(pods_.select(kube::Selector::from_labels(frontend.selector), service.namespace_), port);
}

json::Object ServiceController::describe_one(const json::Object& service, const LoadBalancer& record) const {
  const kube::ObjectKey key = kube::key_of(service);
  const Frontend frontend = frontend_of(service, record, *settings_);
  json::Array ports;
  for (const FrontendPort& port : frontend.ports) {
    ports.push_back(json::Object{{"name", port.name},
                                 {"port", port.port},
                                 {"listen", fmt::format("{}:{}", record.address, port.listen)},
                                 {"backends", backends(key, frontend, port).size()}});
  }
  const Forwarder::Traffic traffic = forwarder_.traffic(key);
  json::Object row{{"namespace", key.namespace_},
                   {"name", key.name},
                   {"uid", record.uid},
                   {"state", state_of(record)},
                   {"scope", to_string(record.scope)},
                   {"askedScope", to_string(asked_scope(service, settings_->profile))},
                   {"address", record.address},
                   {"published", published_name(record, *settings_)},
                   {"serving", forwarder_.serving(key).has_value()}};
  row["sourceRanges"] = json::to_json(frontend.source_ranges);
  row["ports"] = std::move(ports);
  row["connections"] = json::Object{{"open", traffic.open},
                                    {"forwarded", traffic.forwarded},
                                    {"refused", traffic.refused},
                                    {"unserved", traffic.unserved}};
  return row;
}

json::Array ServiceController::describe_all() const {
  json::Array rows;
  for (const auto& service : services_.all())
    if (const auto record = load_balancer_of(*service)) rows.push_back(describe_one(*service, *record));
  return rows;
}

std::string ServiceController::hosts() const {
  std::string lines;
  for (const auto& service : services_.all()) {
    const auto record = load_balancer_of(*service);
    if (!record || !record->is_live() || settings_->profile.form != AddressForm::Hostname) continue;
    lines += fmt::format("{} {}\n", record->address, published_name(*record, *settings_));
  }
  return lines;
}

}  // namespace fairway::cloud
