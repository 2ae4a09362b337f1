#include "fleet/agent/namespaces.hpp"

#include <algorithm>
#include <optional>

#include "kube/core/object.hpp"

namespace fairway::fleet::agent {
namespace {

struct ClassMatch {
  bool matches = false;
  std::size_t length = 0;  // of the class in the pattern
};

// Of "[…]" at the start of the pattern; nothing when it is malformed.
std::optional<ClassMatch> match_class(std::string_view pattern, char c) {
  std::size_t at = 1;
  const bool is_negated = at < pattern.size() && pattern[at] == '^';
  at += is_negated;
  bool is_within = false;
  const auto next = [&]() -> std::optional<char> {
    if (at < pattern.size() && pattern[at] == '\\') ++at;
    if (at >= pattern.size()) return std::nullopt;
    return pattern[at++];
  };
  for (std::size_t ranges = 0;; ++ranges) {
    if (at >= pattern.size()) return std::nullopt;
    if (pattern[at] == ']' && ranges > 0) return ClassMatch{is_within != is_negated, at + 1};
    if (pattern[at] == '-' || pattern[at] == ']') return std::nullopt;
    const auto low = next();
    auto high = low;
    if (at < pattern.size() && pattern[at] == '-') {
      ++at;
      if (at < pattern.size() && pattern[at] == ']') return std::nullopt;
      high = next();
    }
    if (!low || !high) return std::nullopt;
    is_within |= *low <= c && c <= *high;
  }
}

// The length of the pattern's first element when it matches the character.
std::optional<std::size_t> match_one(std::string_view pattern, char c) {
  if (pattern.front() == '?') return c == '/' ? std::nullopt : std::optional<std::size_t>(1);
  if (pattern.front() == '[') {
    const auto found = match_class(pattern, c);
    return found && found->matches ? std::optional(found->length) : std::nullopt;
  }
  if (pattern.front() == '\\') {
    if (pattern.size() < 2 || pattern[1] != c) return std::nullopt;
    return 2;
  }
  return pattern.front() == c ? std::optional<std::size_t>(1) : std::nullopt;
}

// Without a word about it they are namespaces like others.
bool is_terminating_meant(TerminatingInclusion inclusion, const NamespaceFacts& ns) {
  return !ns.is_terminating || inclusion != TerminatingInclusion::Never;
}

}  // namespace

NamespaceFacts NamespaceFacts::from(const json::Object& object) {
  NamespaceFacts made{.name = std::string(kube::name_of(object)),
                      .is_terminating = kube::is_being_deleted(object)};
  if (const json::Object* labels = json::get_object(object, {"metadata", "labels"})) {
    for (const auto& each : *labels)
      if (each.value().is_string())
        made.labels.emplace(std::string(each.key()), std::string(json::view(each.value().get_string())));
  }
  return made;
}

// One place to go back to is enough: a later * can do whatever an earlier one could.
bool matches_glob(std::string_view pattern, std::string_view text) {
  std::optional<std::pair<std::string_view, std::string_view>> star;
  while (!text.empty() || !pattern.empty()) {
    if (!pattern.empty() && pattern.front() == '*') {
      pattern.remove_prefix(1);
      star = {pattern, text};
      continue;
    }
    if (!pattern.empty() && !text.empty()) {
      if (const auto length = match_one(pattern, text.front())) {
        pattern.remove_prefix(*length);
        text.remove_prefix(1);
        continue;
      }
    }
    if (!star || star->second.empty() || star->second.front() == '/') return false;
    star->second.remove_prefix(1);
    pattern = star->first;
    text = star->second;
  }
  return true;
}

std::vector<std::string> select_namespaces(const NamespaceSelector& selector,
                                           const std::vector<NamespaceFacts>& namespaces) {
  std::vector<std::string> selected;
  if (!selector.problem.empty()) return selected;
  std::vector<std::string> include = selector.include;
  if (include.empty() && selector.labels) include = {"*"};
  const auto matches_any = [](const std::vector<std::string>& patterns, const std::string& name) {
    return std::ranges::any_of(patterns, [&](const std::string& each) { return matches_glob(each, name); });
  };
  for (const NamespaceFacts& each : namespaces) {
    if (!matches_any(include, each.name) || matches_any(selector.exclude, each.name)) continue;
    if (selector.labels && !selector.labels->matches(each.labels)) continue;
    if (is_terminating_meant(selector.terminating, each)) selected.push_back(each.name);
  }
  std::ranges::sort(selected);
  return selected;
}

}  // namespace fairway::fleet::agent
