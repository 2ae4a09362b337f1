#include "fleet/agent/report.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet::agent {
namespace {

constexpr std::string_view kNoName = "-";

const char* word_of(bool is_compliant) {
  return is_compliant ? "Compliant" : "NonCompliant";
}

json::Array next_details(const Observed& seen, const Report& report) {
  const json::Array* before = json::get_array(*seen.policy, {"status", "compliancyDetails"});
  json::Array details;
  for (const Finding& each : report.findings) {
    json::Object condition{{"type", each.is_compliant ? "notification" : "violation"},
                           {"status", "True"},
                           {"reason", each.reason},
                           {"message", each.message}};
    json::Object detail{{"Compliant", word_of(each.is_compliant)}};
    std::string since = format_rfc3339(seen.now);
    const std::size_t index = details.size();
    if (before != nullptr && index < before->size() && (*before)[index].is_object()) {
      const json::Array* was = json::get_array((*before)[index].get_object(), {"conditions"});
      if (was != nullptr && !was->empty() && (*was)[0].is_object()) {
        json::Object same = (*was)[0].get_object();
        const std::string then = json::text_at(same, {"lastTransitionTime"});
        json::remove(same, "lastTransitionTime");
        if (!then.empty() && json::same_value(same, condition)) since = then;
      }
    }
    condition["lastTransitionTime"] = since;
    detail["conditions"] = json::Array{std::move(condition)};
    details.push_back(std::move(detail));
  }
  return details;
}

// Who made an object is remembered with its uid: another object of the same name is not ours.
json::Object properties_of(const Verdict& verdict, const std::vector<Related>& before) {
  json::Object made;
  const std::string uid = verdict.object ? std::string(kube::uid_of(*verdict.object)) : "";
  const auto known = std::ranges::find_if(before, [&](const Related& each) {
    return each.subject == verdict.subject && !each.uid.empty() && each.uid == uid;
  });
  const bool is_ours = known != before.end() && known->was_created_by_policy;
  if (verdict.state == State::Created) {
    made["createdByPolicy"] = true;
  } else if (known != before.end() || verdict.state == State::Updated) {
    made["createdByPolicy"] = is_ours;
  }
  if (!made.empty() && !uid.empty()) made["uid"] = uid;
  if (!verdict.diff.empty()) made["diff"] = verdict.diff;
  if (verdict.matches_after_dry_run) made["matchesAfterDryRun"] = true;
  return made;
}

json::Array next_related(const Report& report, const std::vector<Related>& before) {
  json::Array related;
  std::set<Subject> told;
  for (const Verdict& each : report.verdicts) {
    if (!told.insert(each.subject).second) continue;
    json::Object metadata{
        {"name", each.subject.name.empty() ? kNoName : std::string_view(each.subject.name)}};
    if (!each.subject.namespace_.empty()) metadata["namespace"] = each.subject.namespace_;
    json::Object object{{"apiVersion", each.subject.kind.api_version()},
                        {"kind", each.subject.kind.kind},
                        {"metadata", std::move(metadata)}};
    json::Object entry{{"compliant", word_of(is_compliant(each.state))},
                       {"object", std::move(object)},
                       {"reason", related_reason(each.state)}};
    json::Object properties = properties_of(each, before);
    if (!properties.empty()) entry["properties"] = std::move(properties);
    related.push_back(std::move(entry));
  }
  return related;
}

// Which object an entry is about.
std::vector<std::string> identity_of(const json::Value& entry) {
  if (!entry.is_object()) return {};
  const json::Object& object = entry.get_object();
  return {json::text_at(object, {"object", "apiVersion"}), json::text_at(object, {"object", "kind"}),
          json::text_at(object, {"object", "metadata", "namespace"}),
          json::text_at(object, {"object", "metadata", "name"})};
}

// Adds the known entries about other objects than those that are listed already.
void keep_known(json::Array& related, const json::Array& known) {
  std::set<std::vector<std::string>> listed;
  for (const json::Value& each : related) listed.insert(identity_of(each));
  for (const json::Value& each : known)
    if (listed.insert(identity_of(each)).second) related.push_back(each);
}

void remember(json::Array& history, const std::string& message, WallTime when) {
  if (message.empty()) return;
  if (!history.empty() && history[0].is_object() &&
      json::text_at(history[0].get_object(), {"message"}) == message)
    return;
  json::Object entry{{"lastTimestamp", format_rfc3339_micro(when)}, {"message", message}};
  history.insert(history.begin(), std::move(entry));
  if (history.size() > kMostHistory) history.resize(kMostHistory);
}

}  // namespace

bool Report::is_compliant() const {
  return std::ranges::all_of(findings, &Finding::is_compliant);
}

json::Object next_status(const Observed& seen, const Report& report) {
  const json::Object* before = json::get_object(*seen.policy, {"status"});
  json::Object status = before == nullptr ? json::Object() : *before;
  json::Array history;
  if (const json::Array* found = json::get_array(status, {"history"})) history = *found;
  remember(history, report.message_before, seen.now);
  remember(history, report.message,
           seen.now + std::chrono::microseconds(report.message_before.empty() ? 0 : 1));
  json::Array related = next_related(report, related_of(*seen.policy));
  if (const json::Array* known = json::get_array(status, {"relatedObjects"});
      known != nullptr && report.is_incomplete)
    keep_known(related, *known);
  status["compliant"] = report.is_terminating ? "Terminating" : word_of(report.is_compliant());
  status["compliancyDetails"] = next_details(seen, report);
  if (related.empty()) {
    json::remove(status, "relatedObjects");
  } else {
    status["relatedObjects"] = std::move(related);
  }
  if (!history.empty()) status["history"] = std::move(history);
  status["lastEvaluated"] = format_rfc3339(seen.now);
  status["lastEvaluatedGeneration"] = kube::generation_of(*seen.policy);
  return status;
}

bool is_news(const json::Object& before, const json::Object& after) {
  const auto bare = [](json::Object status) {
    json::remove(status, "lastEvaluated");
    return status;
  };
  return !json::same_value(bare(before), bare(after));
}

std::vector<Related> related_of(const json::Object& policy) {
  std::vector<Related> out;
  const json::Array* found = json::get_array(policy, {"status", "relatedObjects"});
  if (found == nullptr) return out;
  for (const json::Value& each : *found) {
    if (!each.is_object()) continue;
    const json::Object& entry = each.get_object();
    const auto kind = kube::GroupVersionKind::parse(json::text_at(entry, {"object", "apiVersion"}),
                                                    json::text_at(entry, {"object", "kind"}));
    std::string name = json::text_at(entry, {"object", "metadata", "name"});
    if (!kind || name.empty() || name == kNoName) continue;
    Related made{
        .subject = {*kind, json::text_at(entry, {"object", "metadata", "namespace"}), std::move(name)},
        .was_created_by_policy = json::get_bool(entry, {"properties", "createdByPolicy"}).value_or(false),
        .uid = json::text_at(entry, {"properties", "uid"})};
    const std::string reason = json::text_at(entry, {"reason"});
    made.is_unwanted = reason == related_reason(State::UnwantedPresent) ||
                       reason == related_reason(State::UnwantedAbsent) ||
                       reason == related_reason(State::Deleted);
    out.push_back(std::move(made));
  }
  return out;
}

}  // namespace fairway::fleet::agent
