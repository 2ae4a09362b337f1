#include "fleet/agent/testing/cluster.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "fleet/agent/report.hpp"
#include "json/yaml.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet::agent::testing {
namespace {

json::Object yaml(std::string_view text) {
  const auto parsed = json::parse_yaml(text);
  FAIRWAY_CHECK(parsed && parsed->is_object(), "a test's YAML must be an object");
  return parsed->get_object();
}

json::Object& metadata(json::Object& object) {
  return json::ensure_object(object, {"metadata"});
}

const json::Value* at(const json::Object& object, std::string_view path) {
  const json::Object* inner = &object;
  const json::Value* found = nullptr;
  for (const std::string_view step : split(path, '.')) {
    found = inner == nullptr ? nullptr : inner->if_contains(step);
    inner = found != nullptr ? found->if_object() : nullptr;
  }
  return found;
}

}  // namespace

SimulatedCluster::SimulatedCluster() {
  kinds[{"", "v1", "Namespace"}] = KindFacts{"namespaces", false};
  kinds[{"", "v1", "ConfigMap"}] = KindFacts{"configmaps", true};
  kinds[{"", "v1", "Secret"}] = KindFacts{"secrets", true};
  kinds[{"", "v1", "Pod"}] = KindFacts{"pods", true};
  kinds[{"apps", "v1", "Deployment"}] = KindFacts{"deployments", true};
  kinds[{"example.test", "v1", "Gone"}] = std::nullopt;
  put("{apiVersion: v1, kind: Namespace, metadata: {name: default}}");
}

Subject SimulatedCluster::parse(std::string_view text) const {
  const auto words = split(text, ' ');
  Subject made;
  for (const auto& [kind, facts] : kinds)
    if (kind.kind == words.at(0)) made.kind = kind;
  const auto parts = split(words.at(1), '/');
  if (parts.size() == 2) made.namespace_ = parts[0];
  made.name = parts.back();
  return made;
}

void SimulatedCluster::put(std::string_view text) {
  json::Object object = yaml(text);
  const Subject subject{*kube::gvk_of(object), std::string(kube::namespace_of(object)),
                        std::string(kube::name_of(object))};
  FAIRWAY_CHECK(kinds.contains(subject.kind), "the simulated cluster has no such kind");
  metadata(object)["uid"] = fmt::format("uid-{}", ++version);
  metadata(object)["resourceVersion"] = fmt::to_string(version);
  objects[subject] = std::move(object);
}

const json::Object* SimulatedCluster::find(std::string_view text) const {
  const auto found = objects.find(parse(text));
  return found == objects.end() ? nullptr : &found->second;
}

void SimulatedCluster::change(std::string_view text, const std::function<void(json::Object&)>& edit) {
  json::Object& object = objects.at(parse(text));
  edit(object);
  metadata(object)["resourceVersion"] = fmt::to_string(++version);
}

void SimulatedCluster::erase(std::string_view text) {
  objects.erase(parse(text));
}

void SimulatedCluster::set_policy(std::string_view spec_yaml) {
  auto next = std::make_shared<json::Object>();
  if (policy_object) *next = *policy_object;
  const std::int64_t generation = policy_object ? kube::generation_of(*policy_object) + 1 : 1;
  json::Object& meta = metadata(*next);
  meta["name"] = "p";
  meta["namespace"] = "policies";
  meta["generation"] = generation;
  meta["resourceVersion"] = fmt::to_string(++version);
  (*next)["spec"] = yaml(spec_yaml);
  policy_object = std::move(next);
}

void SimulatedCluster::delete_policy() {
  auto next = std::make_shared<json::Object>(*policy_object);
  metadata(*next)["deletionTimestamp"] = format_rfc3339(now);
  policy_object = std::move(next);
}

std::string SimulatedCluster::compliant() const {
  return std::string(json::get_string(*policy_object, {"status", "compliant"}).value_or(""));
}

namespace {

std::string condition_part(const json::Object& policy, std::size_t of, const char* part) {
  const json::Array* details = json::get_array(policy, {"status", "compliancyDetails"});
  if (details == nullptr || of >= details->size()) return "";
  const json::Array* conditions = json::get_array((*details)[of].get_object(), {"conditions"});
  return std::string(json::get_string((*conditions)[0].get_object(), {part}).value_or(""));
}

}  // namespace

std::string SimulatedCluster::message(std::size_t of) const {
  return condition_part(*policy_object, of, "message");
}
std::string SimulatedCluster::reason(std::size_t of) const {
  return condition_part(*policy_object, of, "reason");
}

std::vector<std::string> SimulatedCluster::history() const {
  std::vector<std::string> out;
  if (const json::Array* found = json::get_array(*policy_object, {"status", "history"}))
    for (const json::Value& each : *found)
      out.emplace_back(json::get_string(each.get_object(), {"message"}).value_or(""));
  return out;
}

json::Value SimulatedCluster::look_up(const templates::Lookup& lookup) const {
  json::Array items;
  for (const auto& [subject, object] : objects) {
    if (subject.kind.api_version() != lookup.api_version || subject.kind.kind != lookup.kind) continue;
    if (!lookup.namespace_.empty() && subject.namespace_ != lookup.namespace_) continue;
    if (!lookup.name.empty() && subject.name == lookup.name) return json::Value(object);
    items.push_back(object);
  }
  if (!lookup.name.empty()) return json::Value(nullptr);
  return json::Value(json::Object{{"items", std::move(items)}});
}

void SimulatedCluster::fill(const PreparedTemplate& prepared, Target& target) const {
  for (const auto& [subject, object] : objects) {
    if (subject.kind == prepared.kind && subject.namespace_ == target.namespace_ &&
        (target.name.empty() || target.name == subject.name))
      target.live.push_back(std::make_shared<json::Object>(object));
  }
}

Observed SimulatedCluster::observe() const {
  Observed seen{.policy = policy_object, .namespaces_before = namespaces_before, .now = now};
  if (!policy_object) return seen;
  std::vector<NamespaceFacts> namespaces;
  for (const auto& [subject, object] : objects)
    if (subject.kind.kind == "Namespace") namespaces.push_back(NamespaceFacts::from(object));
  templates::Answers answers;
  const Configuration configuration = Configuration::from(*policy_object);
  Preparation prepared = prepare(configuration, namespaces, kinds, answers, decrypt, template_time(now));
  while (!prepared.missing.empty()) {
    for (const templates::Lookup& each : prepared.missing) answers[each] = look_up(each);
    prepared = prepare(configuration, namespaces, kinds, answers, decrypt, template_time(now));
  }
  FAIRWAY_CHECK(prepared.is_complete(),
                "a test's policy names a kind that the simulated cluster knows nothing of");
  for (PreparedTemplate& each : prepared.templates) {
    for (Target& target : each.targets) fill(each, target);
    ObjectLookups lookups;
    PreparedTemplate complete = resolve_objects(each, answers, lookups, decrypt, template_time(now));
    while (!lookups.missing.empty()) {
      for (const templates::Lookup& missing : lookups.missing) answers[missing] = look_up(missing);
      lookups = {};
      complete = resolve_objects(each, answers, lookups, decrypt, template_time(now));
    }
    each = std::move(complete);
  }
  seen.templates = std::move(prepared.templates);
  seen.namespaces = std::move(prepared.namespaces);
  seen.related = related_of(*policy_object);
  for (Related& each : seen.related) {
    const auto found = objects.find(each.subject);
    if (found != objects.end()) each.live = std::make_shared<json::Object>(found->second);
  }
  return seen;
}

Result<json::Object> SimulatedCluster::accepted(const json::Object& before, json::Object after) const {
  for (const std::string& path : immutable) {
    const json::Value* was = at(before, path);
    const json::Value* is = at(after, path);
    const bool is_same = was == nullptr || is == nullptr ? was == is : json::same_value(*was, *is);
    if (!is_same) return fail(ErrorCode::Invalid, fmt::format("{}: field is immutable", path));
  }
  if (admit) admit(after);
  return after;
}

Result<void> SimulatedCluster::create(const CreateObject& action, Outcome& outcome) {
  if (const auto found = objects.find(action.subject); found != objects.end()) {
    outcome.is_seen_anew = true;
    outcome.now = std::make_shared<json::Object>(found->second);
    return {};
  }
  if (refuses.starts_with("create")) {
    outcome.refusal = Error{ErrorCode::Forbidden, refuses};
    return {};
  }
  json::Object object = action.object;
  if (admit) admit(object);
  metadata(object)["uid"] = fmt::format("uid-{}", ++version);
  metadata(object)["resourceVersion"] = fmt::to_string(version);
  objects[action.subject] = object;
  outcome.was_created = outcome.is_seen_anew = true;
  outcome.now = std::make_shared<json::Object>(std::move(object));
  return {};
}

Result<void> SimulatedCluster::update(const Subject& subject, const json::Object& object, bool is_trial,
                                      Outcome& outcome) {
  const auto found = objects.find(subject);
  if (found == objects.end() ||
      kube::resource_version_of(found->second) != kube::resource_version_of(object)) {
    outcome = {.is_seen_anew = true};
    if (found != objects.end()) outcome.now = std::make_shared<json::Object>(found->second);
    return {};
  }
  auto next = accepted(found->second, object);
  if (is_trial) {
    if (next) {
      outcome.trial = std::make_shared<json::Object>(*std::move(next));
    } else {
      outcome.trial = std::unexpected(next.error());
    }
    return {};
  }
  if (refuses.starts_with("update")) {
    outcome.refusal = Error{ErrorCode::Forbidden, refuses};
    return {};
  }
  if (!next) {
    outcome.refusal = next.error();
    return {};
  }
  metadata(*next)["resourceVersion"] = fmt::to_string(++version);
  found->second = *next;
  outcome.was_updated = outcome.is_seen_anew = true;
  outcome.now = std::make_shared<json::Object>(*std::move(next));
  return {};
}

Result<void> SimulatedCluster::remove(const DeleteObject& action, Outcome& outcome) {
  const auto found = objects.find(action.subject);
  if (refuses.starts_with("delete")) {
    outcome.refusal = Error{ErrorCode::Forbidden, refuses};
    return {};
  }
  if (found != objects.end() && kube::uid_of(found->second) != action.uid) {
    outcome = {.is_seen_anew = true, .now = std::make_shared<json::Object>(found->second)};
    return {};
  }
  outcome.was_deleted = outcome.is_seen_anew = true;
  outcome.now = nullptr;
  if (found == objects.end()) return {};
  if (keeps_deleted) {
    metadata(found->second)["deletionTimestamp"] = format_rfc3339(now);
    outcome.now = std::make_shared<json::Object>(found->second);
  } else {
    objects.erase(found);
  }
  return {};
}

Result<void> SimulatedCluster::act(const Action& action, Outcomes& outcomes) {
  if (const auto* one = std::get_if<CreateObject>(&action)) return create(*one, outcomes[one->subject]);
  if (const auto* one = std::get_if<TryUpdate>(&action))
    return update(one->subject, one->object, true, outcomes[one->subject]);
  if (const auto* one = std::get_if<UpdateObject>(&action))
    return update(one->subject, one->object, false, outcomes[one->subject]);
  if (const auto* one = std::get_if<DeleteObject>(&action)) return remove(*one, outcomes[one->subject]);
  const ObjectPointer& seen = std::holds_alternative<WriteStatus>(action)
                                  ? std::get<WriteStatus>(action).policy
                                  : std::get<SetFinalizer>(action).policy;
  if (!policy_object || kube::resource_version_of(*seen) != kube::resource_version_of(*policy_object))
    return fail(ErrorCode::Conflict, "the policy has changed");
  auto next = std::make_shared<json::Object>(*policy_object);
  metadata(*next)["resourceVersion"] = fmt::to_string(++version);
  if (const auto* one = std::get_if<WriteStatus>(&action)) (*next)["status"] = one->status;
  if (const auto* one = std::get_if<SetFinalizer>(&action)) {
    if (one->is_wanted) {
      kube::add_finalizer(*next, kPruneFinalizer);
    } else {
      kube::remove_finalizer(*next, kPruneFinalizer);
    }
  }
  policy_object = std::move(next);
  const bool is_gone =
      kube::is_being_deleted(*policy_object) && !kube::has_finalizer(*policy_object, kPruneFinalizer);
  if (is_gone) policy_object = nullptr;
  return {};
}

std::string SimulatedCluster::pass() {
  std::string told;
  Observed seen = observe();
  for (int round = 0; round < 20; ++round) {
    const auto planned = decide(seen);
    if (planned.is_empty()) return told;
    bool is_over = false;
    for (const Action& each : planned.actions) {
      told += describe(each) + "\n";
      const auto done = act(each, seen.outcomes);
      is_over |=
          !done || std::holds_alternative<WriteStatus>(each) || std::holds_alternative<SetFinalizer>(each);
    }
    namespaces_before = seen.namespaces;
    if (is_over) return told;
  }
  FAIRWAY_CHECK(false, "a pass has no end:\n" + told);
  return told;
}

void SimulatedCluster::settle() {
  // Questions are asked, and what is refused is tried, at every look; neither changes anything.
  for (int i = 0; i < 20; ++i) {
    const std::int64_t before = version;
    const std::size_t objects_before = objects.size();
    if (pass().empty() || (version == before && objects.size() == objects_before)) return;
  }
  FAIRWAY_CHECK(false, "there is always more to do");
}

}  // namespace fairway::fleet::agent::testing
