#include "fleet/agent/framework_status.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet::agent {
namespace {

std::string newest_message(const json::Array& history) {
  return history.empty() || !history[0].is_object() ? ""
                                                    : json::text_at(history[0].get_object(), {"message"});
}

std::optional<WallTime> time_of(const json::Value& entry) {
  return entry.is_object() ? parse_rfc3339(json::text_at(entry.get_object(), {"lastTimestamp"}))
                           : std::nullopt;
}

json::Array history_of(const json::Object& holder, json::Path path) {
  const json::Array* found = json::get_array(holder, path);
  return found == nullptr ? json::Array() : *found;
}

class History {
 public:
  History(std::string owner, json::Array entries) : owner_(std::move(owner)), entries_(std::move(entries)) {}

  // What the ConfigurationPolicy said since the newest entry, and in any case what it says now.
  void follow(const json::Object& policy, WallTime now) {
    const json::Array said = history_of(policy, {"status", "history"});
    const auto newest = entries_.empty() ? std::nullopt : time_of(entries_[0]);
    for (std::size_t i = said.size(); i-- > 0;) {
      const auto when = time_of(said[i]);
      if (when && (!newest || *when > *newest)) add(json::text_at(said[i].get_object(), {"message"}), *when);
    }
    if (const std::string last = newest_message(said); !last.empty()) add(last, now);
  }

  void add(const std::string& message, WallTime when) {
    if (newest_message(entries_) == message) return;
    const auto nanoseconds = static_cast<std::uint64_t>(when.time_since_epoch().count());
    json::Object entry{{"lastTimestamp", format_rfc3339_micro(when)},
                       {"message", message},
                       {"eventName", fmt::format("{}.{:x}", owner_, nanoseconds)}};
    entries_.insert(entries_.begin(), std::move(entry));
    if (entries_.size() > kMostChildHistory) entries_.resize(kMostChildHistory);
  }

  json::Array take() && { return std::move(entries_); }

 private:
  std::string owner_;
  json::Array entries_;  // newest first
};

// Details are found again by their template's name: others may have been added before it.
json::Array known_history(const json::Object& child, const std::string& name) {
  const json::Array* details = json::get_array(child, {"status", "details"});
  if (details == nullptr || name.empty()) return {};
  for (const json::Value& each : *details)
    if (each.is_object() && json::text_at(each.get_object(), {"templateMeta", "name"}) == name)
      return history_of(each.get_object(), {"history"});
  return {};
}

std::string overall(const json::Array& details) {
  bool is_pending = false;
  bool is_unknown = details.empty();
  for (const json::Value& each : details) {
    const std::string text = json::text_at(each.get_object(), {"compliant"});
    if (text == "NonCompliant") return text;
    is_pending |= text == "Pending";
    is_unknown |= text.empty();
  }
  if (is_pending) return "Pending";
  return is_unknown ? "" : "Compliant";
}

}  // namespace

json::Object next_child_status(const ChildObserved& seen, const std::vector<TemplateReport>& reports) {
  const json::Object& child = *seen.child;
  const json::Object* before = json::get_object(child, {"status"});
  json::Object status = before == nullptr ? json::Object() : *before;
  json::Array details;
  for (const TemplateReport& each : reports) {
    History history(seen.key.name, known_history(child, each.name));
    if (!each.message.empty()) history.add(each.message, seen.now);
    if (each.policy) history.follow(*each.policy, seen.now);
    json::Array entries = std::move(history).take();
    json::Object detail{{"templateMeta", json::Object{{"name", each.name}}}};
    if (!entries.empty()) {
      detail["compliant"] = compliance_in(newest_message(entries));
      detail["history"] = std::move(entries);
    }
    details.push_back(std::move(detail));
  }
  const std::string compliant = overall(details);
  if (compliant.empty()) {
    json::remove(status, "compliant");
  } else {
    status["compliant"] = compliant;
  }
  status["details"] = std::move(details);
  const bool is_current = std::ranges::all_of(reports, &TemplateReport::is_current);
  if (is_current) {
    status["observedGeneration"] = kube::generation_of(child);
  } else if (!status.contains("observedGeneration")) {
    status["observedGeneration"] = 0;  // without it a reader would take what is there for current
  }
  return status;
}

}  // namespace fairway::fleet::agent
