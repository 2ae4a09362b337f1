// What the agent does: one request for each action, guarded by what was observed.
#include <fmt/format.h>

#include "fleet/agent/agent.hpp"
#include "kube/client/discovery.hpp"

namespace fairway::fleet::agent {
namespace {

constexpr const char* kManager = "fairway-agent";

ObjectPointer pointer_to(json::Object object) {
  return std::make_shared<const json::Object>(std::move(object));
}

// What may go away by itself is tried again as a whole; what stays is part of what was found.
bool is_passing(const Error& error) {
  return retry_of(error.code) == Retry::Backoff || error.code == ErrorCode::Cancelled;
}
// The world is not as it was seen.
bool is_otherwise(const Error& error) {
  return error.code == ErrorCode::Conflict || error.code == ErrorCode::AlreadyExists ||
         error.code == ErrorCode::NotFound;
}

Error seen_otherwise(Error error) {
  if (error.code == ErrorCode::AlreadyExists || error.code == ErrorCode::NotFound)
    error.code = ErrorCode::Conflict;
  return error;
}

}  // namespace

Task<kube::Resource> ClusterAgent::place_of(Subject subject) {
  FAIRWAY_CO_TRY(const kube::ResourceType type, co_await client_.discovery().find(subject.kind));
  co_return type.at({subject.namespace_, subject.name});
}

// What is there now, from the server itself.
Task<void> ClusterAgent::look_again(Subject subject, Outcome& outcome) {
  FAIRWAY_CO_TRY(const kube::Resource place, co_await place_of(subject));
  auto found = co_await client_.get(place);
  if (!found && found.error().code != ErrorCode::NotFound) co_return std::unexpected(found.error());
  outcome.is_seen_anew = true;
  outcome.trial.reset();
  outcome.now = found ? pointer_to(*std::move(found)) : nullptr;
  co_return Result<void>{};
}

Task<void> ClusterAgent::act(kube::ObjectKey policy, Action action, Outcomes& outcomes) {
  if (const auto* one = std::get_if<TryUpdate>(&action))
    co_return co_await try_update(std::move(policy), *one, outcomes[one->subject]);
  if (const auto* one = std::get_if<CreateObject>(&action))
    co_return co_await create(*one, outcomes[one->subject]);
  if (const auto* one = std::get_if<UpdateObject>(&action))
    co_return co_await update(*one, outcomes[one->subject]);
  if (const auto* one = std::get_if<DeleteObject>(&action))
    co_return co_await remove(*one, outcomes[one->subject]);
  if (const auto* one = std::get_if<SetFinalizer>(&action)) co_return co_await set_finalizer(*one);
  co_return co_await write_status(std::get<WriteStatus>(action));
}

Task<void> ClusterAgent::try_update(kube::ObjectKey policy, const TryUpdate& action, Outcome& outcome) {
  auto& trials = trials_[policy];
  const SteadyTime now = client_.clock().steady();
  const auto known = trials.find(action.subject);
  if (known != trials.end() && now < known->second.at + kRefusalStands &&
      json::same_value(known->second.asked, action.object)) {
    outcome.trial = known->second.answer;
    co_return Result<void>{};
  }
  FAIRWAY_CO_TRY(const kube::Resource place, co_await place_of(action.subject));
  auto answer = co_await client_.update(place, action.object, {.dry_run = true, .field_manager = kManager});
  if (!answer && is_otherwise(answer.error())) co_return co_await look_again(action.subject, outcome);
  if (!answer && is_passing(answer.error())) co_return std::unexpected(answer.error());
  Result<ObjectPointer> kept = answer ? Result<ObjectPointer>(pointer_to(*std::move(answer)))
                                      : Result<ObjectPointer>(std::unexpected(answer.error()));
  outcome.trial = kept;
  trials_[policy].insert_or_assign(action.subject, Trial{action.object, std::move(kept), now});
  co_return Result<void>{};
}

Task<void> ClusterAgent::create(const CreateObject& action, Outcome& outcome) {
  FAIRWAY_CO_TRY(kube::Resource place, co_await place_of(action.subject));
  place.name.clear();
  auto made = co_await client_.create(place, action.object, {.field_manager = kManager});
  writes_.with({"create", made ? "done" : "refused"}).add();
  if (made) {
    outcome.was_created = outcome.is_seen_anew = true;
    outcome.now = pointer_to(*std::move(made));
  } else if (made.error().code == ErrorCode::AlreadyExists) {
    co_return co_await look_again(action.subject, outcome);
  } else if (is_passing(made.error())) {
    co_return std::unexpected(made.error());
  } else {
    outcome.refusal = made.error();
  }
  co_return Result<void>{};
}

Task<void> ClusterAgent::update(const UpdateObject& action, Outcome& outcome) {
  FAIRWAY_CO_TRY(const kube::Resource place, co_await place_of(action.subject));
  auto written = co_await client_.update(place, action.object, {.field_manager = kManager});
  writes_.with({"update", written ? "done" : "refused"}).add();
  if (written) {
    outcome.was_updated = outcome.is_seen_anew = true;
    outcome.now = pointer_to(*std::move(written));
  } else if (is_otherwise(written.error())) {
    co_return co_await look_again(action.subject, outcome);
  } else if (is_passing(written.error())) {
    co_return std::unexpected(written.error());
  } else {
    outcome.refusal = written.error();
  }
  co_return Result<void>{};
}

Task<void> ClusterAgent::remove(const DeleteObject& action, Outcome& outcome) {
  FAIRWAY_CO_TRY(const kube::Resource place, co_await place_of(action.subject));
  auto answer =
      co_await client_.remove(place, {.propagation = kube::Propagation::Background, .uid = action.uid});
  writes_.with({"delete", answer ? "done" : "refused"}).add();
  const bool is_gone = !answer && answer.error().code == ErrorCode::NotFound;
  if (answer || is_gone) {
    outcome.was_deleted = outcome.is_seen_anew = true;
    // Finalizers hold it: then the object is the answer, else a Status.
    const bool is_held = answer && kube::is_being_deleted(*answer);
    outcome.now = is_held ? pointer_to(*std::move(answer)) : nullptr;
  } else if (answer.error().code == ErrorCode::Conflict) {
    co_return co_await look_again(action.subject, outcome);
  } else if (is_passing(answer.error())) {
    co_return std::unexpected(answer.error());
  } else {
    outcome.refusal = answer.error();
  }
  co_return Result<void>{};
}

Task<void> ClusterAgent::set_finalizer(const SetFinalizer& action) {
  json::Object next = *action.policy;
  if (action.is_wanted) {
    kube::add_finalizer(next, kPruneFinalizer);
  } else {
    kube::remove_finalizer(next, kPruneFinalizer);
  }
  const kube::ObjectKey key = kube::key_of(next);
  const auto written = co_await client_.update(configuration_policy_type().at(key), std::move(next),
                                               {.field_manager = kManager});
  if (!written) co_return std::unexpected(seen_otherwise(written.error()));
  co_return Result<void>{};
}

Task<void> ClusterAgent::write_status(const WriteStatus& action) {
  json::Object next = *action.policy;
  next["status"] = action.status;
  const kube::ObjectKey key = kube::key_of(next);
  const auto written = co_await client_.update_status(configuration_policy_type().at(key), std::move(next),
                                                      {.field_manager = kManager});
  if (!written) co_return std::unexpected(seen_otherwise(written.error()));
  co_return Result<void>{};
}

Task<json::Object> ClusterAgent::create_policy(json::Object object) {
  const kube::Resource place = configuration_policy_type().in(settings_.namespace_);
  auto made = co_await client_.create(place, object, {.field_manager = kManager});
  if (made || made.error().code != ErrorCode::NotFound) co_return made;
  // The first policy brings its namespace along.
  json::Object ns{{"apiVersion", "v1"}, {"kind", "Namespace"}};
  json::ensure_object(ns, {"metadata"})["name"] = settings_.namespace_;
  const kube::ResourceType type{
      .kind = {"", "v1", "Namespace"}, .resource = "namespaces", .is_namespaced = false};
  const auto added = co_await client_.create(type.in(""), std::move(ns), {.field_manager = kManager});
  if (!added && added.error().code != ErrorCode::AlreadyExists) co_return std::unexpected(added.error());
  co_return co_await client_.create(place, std::move(object), {.field_manager = kManager});
}

// What the cluster will not take is told by the child's status at the next look, which is at once.
Error ClusterAgent::policy_error(const json::Object& object, Error error) {
  error = seen_otherwise(std::move(error));
  if (retry_of(error.code) != Retry::Never) return error;
  const kube::ObjectKey child{settings_.cluster, std::string(kube::label(object, kPolicyLabel).value_or(""))};
  refusals_[child][std::string(kube::name_of(object))] = {digest_of(object), error.message,
                                                          client_.clock().now()};
  error.code = ErrorCode::Conflict;
  return error;
}

Task<void> ClusterAgent::act_on_child(FrameworkAction action) {
  Result<json::Object> done = json::Object();
  if (const auto* made = std::get_if<CreatePolicy>(&action)) {
    done = co_await create_policy(made->object);
    if (!done) co_return std::unexpected(policy_error(made->object, done.error()));
  } else if (const auto* changed = std::get_if<UpdatePolicy>(&action)) {
    done = co_await client_.update(configuration_policy_type().at(kube::key_of(changed->object)),
                                   changed->object, {.field_manager = kManager});
    if (!done) co_return std::unexpected(policy_error(changed->object, done.error()));
  } else if (const auto* removed = std::get_if<DeletePolicy>(&action)) {
    done = co_await client_.remove(configuration_policy_type().at(removed->key), {.uid = removed->uid});
    if (!done && done.error().code == ErrorCode::NotFound) co_return Result<void>{};
  } else {
    const auto& write = std::get<WriteChildStatus>(action);
    json::Object next = *write.child;
    next["status"] = write.status;
    const kube::ObjectKey key = kube::key_of(next);
    done = co_await hub_client_.update_status(policy_type().at(key), std::move(next),
                                              {.field_manager = kManager});
  }
  if (!done) co_return std::unexpected(seen_otherwise(done.error()));
  co_return Result<void>{};
}

}  // namespace fairway::fleet::agent
