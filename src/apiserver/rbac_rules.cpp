#include "apiserver/rbac_rules.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <tuple>

#include "base/text.hpp"
#include "json/schema_errors.hpp"

namespace fairway::apiserver {
namespace {

using Texts = std::vector<std::string>;

// A rule that says more than this in one breath is looked at as a whole.
constexpr std::size_t kMaxPieces = 100'000;

bool has(const Texts& texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

bool has_all(const Texts& texts, const Texts& wanted) {
  return std::ranges::all_of(wanted, [&](const std::string& text) { return has(texts, text); });
}

// Nothing when there is something else than a list of texts.
std::optional<Texts> texts_at(const json::Object& object, std::string_view key) {
  const json::Value* found = object.if_contains(key);
  if (found == nullptr || found->is_null()) return Texts{};
  if (!found->is_array()) return std::nullopt;
  Texts texts;
  for (const json::Value& value : found->get_array()) {
    if (!value.is_string()) return std::nullopt;
    texts.emplace_back(json::view(value.get_string()));
  }
  return texts;
}

bool url_covers(std::string_view rule, std::string_view path) {
  if (rule == path || rule == "*") return true;
  if (!rule.ends_with('*')) return false;
  const auto last = rule.find_last_not_of('*');
  return path.starts_with(last == std::string_view::npos ? "" : rule.substr(0, last + 1));
}

bool any_url_covers(const Texts& rules, std::string_view path) {
  return std::ranges::any_of(rules, [&](const std::string& rule) { return url_covers(rule, path); });
}

// `resource` is pods, or pods/status.
bool resource_matches(const Texts& rules, std::string_view resource) {
  const auto slash = resource.find('/');
  return std::ranges::any_of(rules, [&](std::string_view rule) {
    if (rule == "*" || rule == resource) return true;
    return slash != std::string_view::npos && rule.starts_with("*/") &&
           rule.substr(1) == resource.substr(slash);
  });
}

// One piece for each verb, group, resource, name and URL.
PolicyRules broken_down(const PolicyRule& rule) {
  PolicyRules pieces;
  const Texts no_name{""};
  for (const std::string& group : rule.api_groups) {
    for (const std::string& resource : rule.resources) {
      for (const std::string& name : rule.resource_names.empty() ? no_name : rule.resource_names) {
        for (const std::string& verb : rule.verbs) {
          pieces.push_back({.verbs = {verb},
                            .api_groups = {group},
                            .resources = {resource},
                            .resource_names = rule.resource_names.empty() ? Texts{} : Texts{name}});
        }
      }
    }
  }
  for (const std::string& url : rule.non_resource_urls) {
    for (const std::string& verb : rule.verbs)
      pieces.push_back({.verbs = {verb}, .non_resource_urls = {url}});
  }
  return pieces;
}

std::size_t piece_count(const PolicyRule& rule) {
  std::size_t count = rule.verbs.size();
  for (const std::size_t factor : {rule.api_groups.size(), rule.resources.size(),
                                   std::max<std::size_t>(rule.resource_names.size(), 1)}) {
    if (factor != 0 && count > kMaxPieces / factor) return kMaxPieces + 1;
    count *= factor;
  }
  return count + rule.verbs.size() * rule.non_resource_urls.size();
}

// Pieces that differ in their verb alone become one rule.
PolicyRules joined(const PolicyRules& pieces) {
  using Key = std::tuple<Texts, Texts, Texts, Texts>;
  std::map<Key, PolicyRule> rules;
  for (const PolicyRule& piece : pieces) {
    const Key key{piece.api_groups, piece.resources, piece.resource_names, piece.non_resource_urls};
    const auto [place, is_new] = rules.try_emplace(key, piece);
    if (is_new) continue;
    for (const std::string& verb : piece.verbs) {
      if (!has(place->second.verbs, verb)) place->second.verbs.push_back(verb);
    }
  }
  PolicyRules result;
  for (auto& [key, rule] : rules) result.push_back(std::move(rule));
  return result;
}

void put(json::Object& object, std::string_view key, const Texts& texts) {
  if (texts.empty()) return;
  json::Array array;
  for (const std::string& text : texts) array.emplace_back(text);
  object[key] = std::move(array);
}

}  // namespace

PolicyRule PolicyRule::from(const json::Object& object) {
  auto verbs = texts_at(object, "verbs");
  auto groups = texts_at(object, "apiGroups");
  auto resources = texts_at(object, "resources");
  auto names = texts_at(object, "resourceNames");
  auto urls = texts_at(object, "nonResourceURLs");
  if (!verbs || !groups || !resources || !names || !urls) return {};
  return {.verbs = *std::move(verbs),
          .api_groups = *std::move(groups),
          .resources = *std::move(resources),
          .resource_names = *std::move(names),
          .non_resource_urls = *std::move(urls)};
}

json::Object PolicyRule::to_json() const {
  json::Object object;
  put(object, "apiGroups", api_groups);
  put(object, "nonResourceURLs", non_resource_urls);
  put(object, "resourceNames", resource_names);
  put(object, "resources", resources);
  put(object, "verbs", verbs);
  return object;
}

bool PolicyRule::allows(const AccessRequest& request) const {
  if (!has(verbs, "*") && !has(verbs, request.verb)) return false;
  if (!request.is_resource_request()) return any_url_covers(non_resource_urls, request.path);
  if (!has(api_groups, "*") && !has(api_groups, request.group)) return false;
  if (!resource_names.empty() && !has(resource_names, request.name)) return false;
  return request.subresource.empty()
             ? resource_matches(resources, request.resource)
             : resource_matches(resources, request.resource + '/' + request.subresource);
}

bool PolicyRule::covers(const PolicyRule& other) const {
  if (!has(verbs, "*") && !has_all(verbs, other.verbs)) return false;
  if (!has(api_groups, "*") && !has_all(api_groups, other.api_groups)) return false;
  if (!resource_names.empty() &&
      (other.resource_names.empty() || !has_all(resource_names, other.resource_names))) {
    return false;
  }
  return std::ranges::all_of(other.resources,
                             [&](const std::string& each) { return resource_matches(resources, each); }) &&
         std::ranges::all_of(other.non_resource_urls, [&](const std::string& each) {
           return any_url_covers(non_resource_urls, each);
         });
}

std::string PolicyRule::describe() const {
  Texts parts;
  const auto part = [&](std::string_view name, const Texts& texts) {
    if (!texts.empty()) parts.push_back(fmt::format("{}:{}", name, go_list(texts)));
  };
  part("APIGroups", api_groups);
  part("Resources", resources);
  part("NonResourceURLs", non_resource_urls);
  part("ResourceNames", resource_names);
  part("Verbs", verbs);
  return fmt::format("{{{}}}", join(parts, ", "));
}

PolicyRules rules_in(const json::Object& role) {
  PolicyRules rules;
  const json::Array* array = json::get_array(role, {"rules"});
  if (array == nullptr) return rules;
  for (const json::Value& value : *array) {
    if (value.is_object()) rules.push_back(PolicyRule::from(value.get_object()));
  }
  return rules;
}

PolicyRules missing_rights(const PolicyRules& held, const PolicyRules& wanted) {
  const auto is_held = [&](const PolicyRule& rule) {
    return std::ranges::any_of(held, [&](const PolicyRule& own) { return own.covers(rule); });
  };
  PolicyRules missing;
  for (const PolicyRule& rule : wanted) {
    if (is_held(rule)) continue;
    if (piece_count(rule) > kMaxPieces) {
      missing.push_back(rule);
      continue;
    }
    for (PolicyRule& piece : broken_down(rule)) {
      if (!is_held(piece)) missing.push_back(std::move(piece));
    }
  }
  return joined(missing);
}

std::string go_list(const Texts& texts) {
  Texts quoted_texts;
  for (const std::string& text : texts) quoted_texts.push_back(json::go_quoted(text));
  return fmt::format("[{}]", join(quoted_texts, " "));
}

}  // namespace fairway::apiserver
