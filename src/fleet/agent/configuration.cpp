#include "fleet/agent/configuration.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "fleet/templates/hub.hpp"
#include "json/codec.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet::agent {
namespace {

std::string word(const json::Object& object, json::Path path) {
  return to_lower(json::get_string(object, path).value_or(""));
}

std::vector<std::string> texts(const json::Object& object, json::Path path) {
  std::vector<std::string> out;
  const json::Array* found = json::get_array(object, path);
  if (found == nullptr) return out;
  for (const json::Value& each : *found)
    if (each.is_string()) out.emplace_back(json::view(each.get_string()));
  return out;
}

std::optional<Rule> rule_of(std::string_view text) {
  if (text == "musthave") return Rule::MustHave;
  if (text == "mustonlyhave") return Rule::MustOnlyHave;
  if (text == "mustnothave") return Rule::MustNotHave;
  return std::nullopt;
}

Recreate recreate_of(std::string_view text) {
  if (text == "always") return Recreate::Always;
  return text == "ifrequired" ? Recreate::IfRequired : Recreate::None;
}

RecordDiff record_diff_of(std::string_view text) {
  if (text == "instatus") return RecordDiff::InStatus;
  if (text == "log") return RecordDiff::Log;
  if (text == "censored") return RecordDiff::Censored;
  return text == "none" ? RecordDiff::None : RecordDiff::Default;
}

Prune prune_of(std::string_view text) {
  if (text == "deleteall") return Prune::DeleteAll;
  return text == "deleteifcreated" ? Prune::DeleteIfCreated : Prune::None;
}

TerminatingInclusion terminating_of(std::string_view text) {
  if (text == "ifmatch") return TerminatingInclusion::IfMatch;
  return text == "never" ? TerminatingInclusion::Never : TerminatingInclusion::Default;
}

Result<kube::Selector> selector_of(const json::Object& object) {
  FAIRWAY_TRY(const kube::LabelSelector parsed, json::from_json<kube::LabelSelector>(object));
  return kube::Selector::from(parsed);
}

NamespaceSelector namespaces_of(const json::Object& policy) {
  NamespaceSelector made;
  const json::Object* found = json::get_object(policy, {"spec", "namespaceSelector"});
  if (found == nullptr) return made;
  made.include = texts(*found, {"include"});
  made.exclude = texts(*found, {"exclude"});
  made.terminating = terminating_of(word(*found, {"terminatingInclusion"}));
  const bool has_labels = json::get_object(*found, {"matchLabels"}) != nullptr ||
                          json::get_array(*found, {"matchExpressions"}) != nullptr;
  if (!has_labels) return made;
  json::Object labels;
  for (const char* key : {"matchLabels", "matchExpressions"})
    if (const json::Value* part = found->if_contains(key)) labels[key] = *part;
  auto selector = selector_of(labels);
  if (selector) {
    made.labels = *std::move(selector);
  } else {
    made.problem = selector.error().describe();
  }
  return made;
}

}  // namespace

Result<ObjectTemplate> ObjectTemplate::from(const json::Value& entry) {
  if (!entry.is_object())
    return fail(ErrorCode::Invalid,
                fmt::format("an object template must be an object, found {}", json::a_kind(entry)));
  const json::Object& object = entry.get_object();
  const auto rule = rule_of(word(object, {"complianceType"}));
  if (!rule) {
    return fail(ErrorCode::Invalid,
                fmt::format("complianceType must be musthave, mustonlyhave or mustnothave, found {}",
                            quoted(json::get_string(object, {"complianceType"}).value_or(""))));
  }
  const json::Object* definition = json::get_object(object, {"objectDefinition"});
  if (definition == nullptr) return fail(ErrorCode::Invalid, "an object template needs an objectDefinition");
  ObjectTemplate made{.definition = *definition};
  made.rules.rule = *rule;
  made.rules.metadata_rule = rule_of(word(object, {"metadataComplianceType"})).value_or(*rule);
  made.recreate = recreate_of(word(object, {"recreateOption"}));
  made.record_diff = record_diff_of(word(object, {"recordDiff"}));
  if (const json::Object* selector = json::get_object(object, {"objectSelector"})) {
    auto read = selector_of(*selector);
    if (!read) return std::unexpected(std::move(read.error()).within("objectSelector"));
    made.selector = *std::move(read);
  }
  return made;
}

Interval Interval::from(std::optional<std::string_view> text) {
  if (!text) return {};
  if (*text == "never") return {.kind = Kind::Never};
  const auto every = parse_duration(*text);
  if (!every || *every <= Duration::zero()) return {};
  return {.kind = Kind::Every, .every = *every};
}

Configuration Configuration::from(const json::Object& policy) {
  Configuration made;
  made.is_enforced = word(policy, {"spec", "remediationAction"}) == "enforce";
  made.resolves_templates = kube::annotation(policy, templates::kDisableTemplates) != "true";
  made.prune = prune_of(word(policy, {"spec", "pruneObjectBehavior"}));
  made.when_compliant = Interval::from(json::get_string(policy, {"spec", "evaluationInterval", "compliant"}));
  made.when_noncompliant =
      Interval::from(json::get_string(policy, {"spec", "evaluationInterval", "noncompliant"}));
  made.namespaces = namespaces_of(policy);
  made.message_compliant = json::get_string(policy, {"spec", "customMessage", "compliant"}).value_or("");
  made.message_noncompliant =
      json::get_string(policy, {"spec", "customMessage", "noncompliant"}).value_or("");
  if (const json::Array* entries = json::get_array(policy, {"spec", "object-templates"}))
    made.entries.assign(entries->begin(), entries->end());
  if (const auto raw = json::get_string(policy, {"spec", "object-templates-raw"}))
    made.raw = std::string(*raw);
  return made;
}

Result<kube::GroupVersionKind> kind_of_definition(const json::Object& definition) {
  const std::string_view api = kube::api_version_of(definition);
  const std::string_view kind = kube::kind_of(definition);
  if (api.empty() || kind.empty())
    return fail(ErrorCode::Invalid, "an objectDefinition needs both apiVersion and kind");
  return kube::GroupVersionKind::parse(api, kind);
}

}  // namespace fairway::fleet::agent
