#include "fleet/agent/targets.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "json/yaml.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet::agent {
namespace {

constexpr std::string_view kTemplateError = "Error processing template";

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Whether a template mentions the field of its context, as a whole word.
bool mentions(std::string_view text, std::string_view field) {
  for (std::size_t at = text.find(field); at != std::string_view::npos; at = text.find(field, at + 1)) {
    const std::string_view rest = text.substr(at + field.size());
    if (rest.empty() || !is_name_letter(rest.front())) return true;
  }
  return false;
}

bool is_over_objects(const json::Value& entry) {
  const std::string text = json::serialize(entry);
  return mentions(text, ".Object") || mentions(text, ".ObjectName");
}

PreparedTemplate faulty(std::string_view reason, std::string message) {
  return {.fault = Fault{std::string(reason), std::move(message)}};
}

// What a parser says may quote what it read.
std::string told(const Error& error, bool has_decrypted) {
  return has_decrypted ? "it cannot be read; why is not told, because it has decrypted values"
                       : error.describe();
}

class Preparer {
 public:
  Preparer(const Configuration& configuration, const std::vector<NamespaceFacts>& namespaces,
           const KnownKinds& kinds, const templates::Answers& answers, const templates::Cipher& decrypt,
           std::optional<WallTime> now)
      : configuration_(configuration), kinds_(kinds), answers_(answers), decrypt_(decrypt), now_(now) {
    made_.namespaces = select_namespaces(configuration.namespaces, namespaces);
  }

  Preparation run() {
    if (configuration_.raw) {
      add_raw(*configuration_.raw);
    } else {
      for (const json::Value& each : configuration_.entries) add(each);
    }
    return std::move(made_);
  }

 private:
  // Nothing: an answer is missing, or it failed, which is then a template of its own.
  std::optional<templates::Resolution> resolved(Result<templates::Resolution> result) {
    if (!result) {
      made_.templates.push_back(faulty(kTemplateError, result.error().describe()));
      return std::nullopt;
    }
    made_.asked.insert(result->asked.begin(), result->asked.end());
    made_.missing.insert(result->missing.begin(), result->missing.end());
    if (!result->missing.empty()) return std::nullopt;
    return *std::move(result);
  }

  templates::Settings settings(std::string_view ns = {}) const {
    templates::Settings made{
        .side = templates::Side::Cluster, .answers = &answers_, .now = now_, .decrypt = decrypt_};
    if (!ns.empty()) made.context["ObjectNamespace"] = ns;
    return made;
  }

  void add_raw(const std::string& raw) {
    std::string text = raw;
    bool has_decrypted = false;
    if (configuration_.resolves_templates) {
      const auto found = resolved(templates::resolve_text(raw, settings()));
      if (!found) return;
      text = json::view(found->value.get_string());
      has_decrypted = found->has_decrypted;
    }
    const auto entries = json::parse_yaml(text);
    if (!entries) {
      made_.templates.push_back(faulty(kTemplateError, fmt::format("object-templates-raw is no YAML: {}",
                                                                   told(entries.error(), has_decrypted))));
    } else if (entries->is_array()) {
      for (const json::Value& each : entries->get_array()) add_entry(each, false, has_decrypted);
    } else if (!entries->is_null()) {
      made_.templates.push_back(faulty(
          kTemplateError, fmt::format("object-templates-raw must give a list of object templates, found {}",
                                      json::a_kind(*entries))));
    }
  }

  void add(const json::Value& entry) {
    const bool is_template =
        configuration_.resolves_templates && templates::has_templates(entry, templates::Side::Cluster);
    const bool is_encrypted = configuration_.resolves_templates && templates::has_encrypted(entry);
    if (!is_template && !is_encrypted) return add_entry(entry);
    if (is_template && (is_over_objects(entry) || mentions(json::serialize(entry), ".ObjectNamespace")))
      return add_entry(entry, true, is_encrypted);
    const auto found = resolved(templates::resolve(entry, settings()));
    if (!found) return;
    add_entry(found->value, false, found->has_decrypted);
    if (found->is_skipped) skip(made_.templates.back());
  }

  static void skip(PreparedTemplate& prepared) {
    prepared.targets.clear();
    prepared.fault.reset();
    prepared.is_skipped = true;
  }

  void add_entry(const json::Value& entry, bool is_contextual = false, bool has_decrypted = false) {
    auto settings = ObjectTemplate::from(entry);
    if (!settings)
      return made_.templates.push_back(
          faulty("K8s decode object definition error", told(settings.error(), has_decrypted)));
    const auto kind = kind_of_definition(settings->definition);
    if (!kind)
      return made_.templates.push_back(
          faulty("K8s decode object definition error", told(kind.error(), has_decrypted)));
    PreparedTemplate made{.settings = *std::move(settings),
                          .kind = *kind,
                          .resource = to_lower(kind->kind),
                          .has_decrypted = has_decrypted};
    made.is_over_objects = is_contextual && is_over_objects(entry);
    const auto facts = kinds_.find(*kind);
    if (facts == kinds_.end()) {
      made_.unknown_kinds.push_back(*kind);
    } else if (!facts->second) {
      without_kind(made);
    } else {
      made.resource = facts->second->resource;
      made.is_namespaced = facts->second->is_namespaced;
      add_targets(made, is_contextual && !made.is_over_objects);
    }
    made_.templates.push_back(std::move(made));
  }

  // What has no kind has no objects either.
  void without_kind(PreparedTemplate& made) {
    made_.lacks_kinds = true;
    if (made.settings.rules.rule == Rule::MustNotHave) return;
    made.fault = Fault{
        std::string(kServerError),
        fmt::format("couldn't find mapping resource with kind {} in API version {}, please check if you "
                    "have CRD deployed",
                    made.kind.kind, made.kind.api_version())};
  }

  void add_targets(PreparedTemplate& made, bool is_contextual) {
    const std::string own(kube::namespace_of(made.settings.definition));
    std::vector<std::string> namespaces = own.empty() ? made_.namespaces : std::vector<std::string>{own};
    if (!made.is_namespaced) namespaces = {""};
    if (namespaces.empty()) made.fault = missing_namespace(made);
    for (const std::string& each : namespaces) add_target(made, each, is_contextual);
    made.is_skipped &= made.targets.empty();
  }

  void add_target(PreparedTemplate& made, const std::string& ns, bool is_contextual) {
    Target target{.namespace_ = ns, .definition = made.settings.definition};
    if (is_contextual) {
      const auto result = templates::resolve(json::Value(made.settings.definition), settings(ns));
      if (!result) {
        made.fault = Fault{std::string(kTemplateError), result.error().describe()};
        return;
      }
      made_.asked.insert(result->asked.begin(), result->asked.end());
      made_.missing.insert(result->missing.begin(), result->missing.end());
      if (result->is_skipped) {
        made.is_skipped = true;
        return;
      }
      target.definition = result->value.get_object();
    }
    target.name = kube::name_of(target.definition);
    // A name that is a template over the object means any object.
    if (made.is_over_objects && templates::is_template(target.name, templates::Side::Cluster))
      target.name.clear();
    made.targets.push_back(std::move(target));
  }

  Fault missing_namespace(const PreparedTemplate& made) const {
    const std::string_view name = kube::name_of(made.settings.definition);
    std::string message = fmt::format(
        "namespaced object {} of kind {} has no namespace specified from the policy namespaceSelector nor "
        "the "
        "object metadata",
        name.empty() ? "-" : name, made.kind.kind);
    if (!configuration_.namespaces.problem.empty())
      message += fmt::format("; the namespaceSelector cannot be read: {}", configuration_.namespaces.problem);
    return {"K8s missing namespace", std::move(message)};
  }

  const Configuration& configuration_;
  const KnownKinds& kinds_;
  const templates::Answers& answers_;
  const templates::Cipher& decrypt_;
  std::optional<WallTime> now_;
  Preparation made_;
};

// One object that a template over objects is resolved for; null: it is not there.
struct About {
  std::string name;
  ObjectPointer live;
};

std::vector<About> objects_of(const PreparedTemplate& prepared, const Target& target) {
  if (!target.name.empty()) return {{target.name, target.live.empty() ? nullptr : target.live.front()}};
  if (!prepared.settings.selector) return {{"", nullptr}};
  std::vector<About> out;
  for (const ObjectPointer& each : target.live)
    if (prepared.settings.selector->matches_object(*each))
      out.push_back({std::string(kube::name_of(*each)), each});
  return out;
}

}  // namespace

Preparation prepare(const Configuration& configuration, const std::vector<NamespaceFacts>& namespaces,
                    const KnownKinds& kinds, const templates::Answers& answers,
                    const templates::Cipher& decrypt, std::optional<WallTime> now) {
  return Preparer(configuration, namespaces, kinds, answers, decrypt, now).run();
}

WallTime template_time(WallTime now) {
  return std::chrono::floor<std::chrono::minutes>(now);
}

bool has_encrypted(const Configuration& configuration) {
  if (!configuration.resolves_templates) return false;
  if (configuration.raw) return configuration.raw->contains(templates::kEncryptedPrefix);
  return std::ranges::any_of(configuration.entries, templates::has_encrypted);
}

Result<void> check_encrypted(const Configuration& configuration, const templates::Cipher& decrypt) {
  if (configuration.raw) return templates::check_encrypted(json::Value(*configuration.raw), decrypt);
  for (const json::Value& each : configuration.entries)
    FAIRWAY_CHECKED(templates::check_encrypted(each, decrypt));
  return {};
}

PreparedTemplate resolve_objects(const PreparedTemplate& prepared, const templates::Answers& answers,
                                 ObjectLookups& lookups, const templates::Cipher& decrypt,
                                 std::optional<WallTime> now) {
  PreparedTemplate made = prepared;
  if (!prepared.is_over_objects || prepared.fault) return made;
  made.targets.clear();
  for (const Target& target : prepared.targets) {
    const std::vector<About> objects = objects_of(prepared, target);
    if (objects.empty())
      made.targets.push_back({.namespace_ = target.namespace_, .definition = target.definition});
    for (const About& about : objects) {
      templates::Settings settings{
          .side = templates::Side::Cluster, .answers = &answers, .now = now, .decrypt = decrypt};
      settings.context["ObjectNamespace"] = target.namespace_;
      settings.context["ObjectName"] = about.name;
      settings.context["Object"] = about.live ? *about.live : json::Object();
      const auto result = templates::resolve(json::Value(prepared.settings.definition), settings);
      if (!result) {
        made.fault = Fault{std::string(kTemplateError), result.error().describe()};
        made.targets.clear();
        return made;
      }
      lookups.asked.insert(result->asked.begin(), result->asked.end());
      lookups.missing.insert(result->missing.begin(), result->missing.end());
      if (result->is_skipped) continue;
      Target one{
          .namespace_ = target.namespace_, .name = about.name, .definition = result->value.get_object()};
      if (about.live) one.live = {about.live};
      made.targets.push_back(std::move(one));
    }
  }
  made.is_skipped = made.targets.empty() && !prepared.targets.empty();
  return made;
}

}  // namespace fairway::fleet::agent
