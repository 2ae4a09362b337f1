#include "fleet/agent/messages.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/text.hpp"
#include "fleet/templates/templates.hpp"

namespace fairway::fleet::agent {
namespace {

struct Words {
  std::string_view reason;
  std::string_view verb;
};

Words words_of(State state) {
  switch (state) {
    case State::AsWanted:
      return {"K8s `must have` object already exists", "found as specified"};
    case State::Created:
      return {"K8s creation success", "was created successfully"};
    case State::Updated:
      return {"K8s update success", "was updated successfully"};
    case State::Deleted:
      return {"K8s deletion success", "was deleted successfully"};
    case State::UnwantedAbsent:
      return {"K8s `must not have` object already missing", "missing as expected"};
    case State::Absent:
      return {"K8s does not have a `must have` object", "not found"};
    case State::Differs:
      return {"K8s does not have a `must have` object", "found but not as specified"};
    case State::UnwantedPresent:
      return {"K8s has a `must not have` object", "found"};
    case State::CreateFailed:
      return {"K8s creation error", "is missing, and cannot be created, reason: `{}`"};
    case State::UpdateFailed:
      return {"K8s update template error", "cannot be updated, reason: `{}`"};
    case State::DeleteFailed:
      return {"K8s deletion error", "exists, and cannot be deleted, reason: `{}`"};
  }
  return {};
}

State as_found(State state) {
  switch (state) {
    case State::Created:
      return State::Absent;
    case State::Updated:
      return State::Differs;
    case State::Deleted:
      return State::UnwantedPresent;
    default:
      return state;
  }
}

std::string where(const std::set<std::string>& namespaces) {
  const std::vector<std::string> names(namespaces.begin(), namespaces.end());
  if (names.empty() || (names.size() == 1 && names.front().empty())) return "";
  if (names.size() == 1) return fmt::format(" in namespace {}", names.front());
  return fmt::format(" in namespaces: {}", join(names, ", "));
}

// What is the same in several namespaces is said once.
struct Group {
  State state;
  std::vector<std::string> names;
  std::string error;
  auto operator<=>(const Group&) const = default;
};

std::string sentence(const Group& group, const std::set<std::string>& namespaces,
                     const PreparedTemplate& prepared) {
  const bool is_nameless = group.names.empty();
  if (is_nameless && group.state == State::Absent)
    return fmt::format("No instances of `{}` found as specified{}", prepared.resource, where(namespaces));
  const std::string verb = replace_all(words_of(group.state).verb, "{}", group.error);
  const std::string names = is_nameless ? "" : fmt::format(" [{}]", join(group.names, ", "));
  // An error's text stands last, so that it is not taken for part of the place.
  if (!group.error.empty())
    return fmt::format("{}{}{} {}", prepared.resource, names, where(namespaces), verb);
  return fmt::format("{}{} {}{}", prepared.resource, names, verb, where(namespaces));
}

std::map<Group, std::set<std::string>> grouped(const std::vector<Verdict>& verdicts, bool before_acting) {
  // Names by state, error and namespace first; then namespaces with the same names together.
  std::map<std::tuple<State, std::string, std::string>, std::set<std::string>> names;
  for (const Verdict& each : verdicts) {
    const State state = before_acting ? as_found(each.state) : each.state;
    auto& into = names[{state, each.error, each.subject.namespace_}];
    if (!each.subject.name.empty()) into.insert(each.subject.name);
  }
  std::map<Group, std::set<std::string>> groups;
  for (const auto& [key, found] : names) {
    const auto& [state, error, ns] = key;
    groups[{state, {found.begin(), found.end()}, error}].insert(ns);
  }
  return groups;
}

}  // namespace

Finding finding_of(const PreparedTemplate& prepared, const std::vector<Verdict>& verdicts,
                   bool before_acting) {
  if (prepared.fault) return {false, prepared.fault->reason, prepared.fault->message};
  const auto groups = grouped(verdicts, before_acting);
  Finding made;
  std::vector<std::string> bad;
  std::vector<std::string> good;
  for (const auto& [group, namespaces] : groups) {
    const bool is_good = is_compliant(group.state);
    if (made.reason.empty() || (made.is_compliant && !is_good)) made.reason = words_of(group.state).reason;
    made.is_compliant &= is_good;
    (is_good ? good : bad).push_back(sentence(group, namespaces, prepared));
  }
  bad.insert(bad.end(), good.begin(), good.end());
  made.message = join(bad, "; ");
  if (prepared.is_skipped && groups.empty()) {
    return {true, std::string(words_of(State::AsWanted).reason),
            fmt::format("All objects of kind {} were skipped by the `skipObject` template function",
                        prepared.kind.kind)};
  }
  if (groups.empty()) {
    made.reason = words_of(State::UnwantedAbsent).reason;
    made.message = fmt::format("{} {}", prepared.resource, words_of(State::UnwantedAbsent).verb);
  }
  return made;
}

std::string default_message(const std::vector<Finding>& findings) {
  std::vector<std::string> parts;
  parts.reserve(findings.size());
  for (const Finding& each : findings)
    parts.push_back(fmt::format("{} - {}", each.is_compliant ? "notification" : "violation", each.message));
  return join(parts, "; ");
}

std::string custom_message(std::string_view text, const std::string& usual, const json::Object& policy) {
  if (text.empty()) return usual;
  json::Object context{{"DefaultMessage", usual}, {"Policy", policy}};
  const auto made =
      templates::resolve_text(text, {.side = templates::Side::Cluster, .context = std::move(context)});
  if (!made)
    return fmt::format("{} (failure processing the custom message: {})", usual, made.error().describe());
  if (!made->missing.empty())
    return fmt::format("{} (failure processing the custom message: lookups are not possible in it)", usual);
  return std::string(json::view(made->value.get_string()));
}

std::string policy_message(bool is_compliant, std::string_view message) {
  constexpr std::string_view kCut = "...[truncated]";
  std::string text = fmt::format("{}; {}", is_compliant ? "Compliant" : "NonCompliant", message);
  if (text.size() <= kMostMessageBytes) return text;
  std::size_t end = kMostMessageBytes - kCut.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;  // never inside a character
  return text.substr(0, end) + std::string(kCut);
}

std::string_view related_reason(State state) {
  switch (state) {
    case State::AsWanted:
      return "Resource found as expected";
    case State::Created:
      return "K8s creation success";
    case State::Updated:
      return "K8s update success";
    case State::Deleted:
      return "K8s deletion success";
    case State::UnwantedAbsent:
      return "Resource not found as expected";
    case State::Absent:
    case State::CreateFailed:
      return "Resource not found but should exist";
    case State::Differs:
    case State::UpdateFailed:
      return "Resource found but does not match";
    case State::UnwantedPresent:
    case State::DeleteFailed:
      return "Resource found but should not exist";
  }
  return "";
}

}  // namespace fairway::fleet::agent
