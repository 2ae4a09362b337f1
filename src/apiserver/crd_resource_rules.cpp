#include "apiserver/crd_resource_rules.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

#include "apiserver/crd_resource.hpp"
#include "apiserver/view_fields.hpp"
#include "base/text.hpp"
#include "kube/core/names.hpp"

namespace fairway::apiserver {
namespace {

using fields::flag_at;
using fields::text_at;
using json::Array;
using json::FieldError;
using json::FieldErrors;
using json::Object;
using json::Value;

constexpr std::string_view kApproval = "api-approved.kubernetes.io";

void add(FieldErrors& errors, FieldErrors more) {
  std::ranges::move(more, std::back_inserter(errors));
}

void check_label(std::string_view value, std::string path, std::string_view prefix, FieldErrors& errors) {
  const auto problems = kube::validate_dns1035_label(value);
  if (problems.empty()) return;
  errors.push_back(FieldError::invalid(std::move(path), Value(value),
                                       fmt::format("{}{}", prefix, fmt::join(problems, ","))));
}

FieldErrors check_names(const Object& names, const std::string& path) {
  FieldErrors errors;
  for (const std::string_view key : {"plural", "singular"}) {
    const auto value = text_at(names, {key});
    if (!value.empty()) check_label(value, json::child_path(path, key), "", errors);
  }
  const std::string_view kind = text_at(names, {"kind"}), list_kind = text_at(names, {"listKind"});
  const auto check_kind = [&](std::string_view value, std::string_view key) {
    const auto problems = kube::validate_dns1035_label(to_lower(value));
    if (value.empty() || problems.empty()) return;
    errors.push_back(FieldError::invalid(
        json::child_path(path, key), Value(value),
        fmt::format("may have mixed case, but should otherwise match: {}", fmt::join(problems, ","))));
  };
  check_kind(kind, "kind");
  check_kind(list_kind, "listKind");
  const auto check_list = [&](std::string_view key) {
    const Array* list = json::get_array(names, {key});
    for (std::size_t i = 0; list && i < list->size(); ++i) {
      const auto* text = (*list)[i].if_string();
      const std::string at = json::index_path(json::child_path(path, key), i);
      check_label(text ? json::view(*text) : std::string_view(), at, "", errors);
    }
  };
  check_list("shortNames");
  if (!kind.empty() && kind == list_kind) {
    errors.push_back(FieldError::invalid(json::child_path(path, "listKind"), Value(list_kind),
                                         "kind and listKind may not be the same"));
  }
  check_list("categories");
  return errors;
}

void check_group(const Object& spec, FieldErrors& errors) {
  const std::string_view group = text_at(spec, {"group"});
  if (group.empty()) {
    errors.push_back(FieldError::required("spec.group"));
  } else if (const auto problems = kube::validate_dns1123_subdomain(group); !problems.empty()) {
    errors.push_back(
        FieldError::invalid("spec.group", Value(group), fmt::format("{}", fmt::join(problems, ","))));
  } else if (group.find('.') == std::string_view::npos) {
    errors.push_back(
        FieldError::invalid("spec.group", Value(group), "should be a domain with at least one dot"));
  }
}

void check_choice(std::string_view value, std::string path, const std::vector<std::string>& accepted,
                  FieldErrors& errors) {
  if (value.empty()) {
    errors.push_back(FieldError::required(std::move(path)));
  } else if (std::ranges::find(accepted, value) == accepted.end()) {
    errors.push_back(FieldError::not_supported(std::move(path), Value(value), accepted));
  }
}

void check_conversion(const Object& spec, FieldErrors& errors) {
  const Object* conversion = json::get_object(spec, {"conversion"});
  if (!conversion) return;
  const std::string_view strategy = text_at(*conversion, {"strategy"});
  check_choice(strategy, "spec.conversion.strategy", {"None", "Webhook"}, errors);
  if (strategy == "Webhook") {
    errors.push_back(FieldError::invalid("spec.conversion.strategy", Value(strategy),
                                         "this server does not call conversion webhooks: use None, with "
                                         "versions that differ in their schemas only"));
    return;
  }
  const Object* webhook = json::get_object(*conversion, {"webhook"});
  if (!webhook) return;
  for (const auto& [key, shown] : {std::pair("clientConfig", "webhookClientConfig"),
                                   std::pair("conversionReviewVersions", "conversionReviewVersions")}) {
    const Value* value = webhook->if_contains(key);
    if (!value || value->is_null()) continue;
    errors.push_back(FieldError::forbidden(fmt::format("spec.conversion.{}", shown),
                                           "should not be set when strategy is not set to Webhook"));
  }
}

FieldErrors check_spec(const Object& spec) {
  FieldErrors errors;
  check_group(spec, errors);
  check_choice(text_at(spec, {"scope"}), "spec.scope", {"Cluster", "Namespaced"}, errors);
  add(errors, check_crd_versions(spec));
  static const Object kNone;
  const Object* names = json::get_object(spec, {"names"});
  for (const std::string_view key : {"plural", "singular", "kind", "listKind"}) {
    if (!names || text_at(*names, {key}).empty()) {
      errors.push_back(FieldError::required(json::child_path("spec.names", key)));
    }
  }
  add(errors, check_names(names ? *names : kNone, "spec.names"));
  check_conversion(spec, errors);
  return errors;
}

// Sorted by the position in the list, so that the answer does not depend on chance.
FieldErrors check_stored_versions(const Object& crd) {
  const std::string path = "status.storedVersions";
  const Array* stored = json::get_array(crd, {"status", "storedVersions"});
  if (!stored || stored->empty()) {
    return {FieldError::invalid(path, Array{}, "must have at least one stored version")};
  }
  std::map<std::string_view, std::size_t> missing;
  for (std::size_t i = 0; i < stored->size(); ++i) {
    if (const auto* text = (*stored)[i].if_string()) missing[json::view(*text)] = i;
  }
  FieldErrors errors;
  const Array* versions = json::get_array(crd, {"spec", "versions"});
  for (std::size_t i = 0; versions && i < versions->size(); ++i) {
    const Object* version = (*versions)[i].if_object();
    if (!version) continue;
    const std::string_view name = text_at(*version, {"name"});
    if (missing.erase(name) == 0 && flag_at(*version, {"storage"})) {
      errors.push_back(
          FieldError::invalid(path, *stored, fmt::format("must have the storage version {}", name)));
    }
  }
  for (std::size_t i = 0; i < stored->size(); ++i) {
    const auto* text = (*stored)[i].if_string();
    const auto found = text ? missing.find(json::view(*text)) : missing.end();
    if (found == missing.end() || found->second != i) continue;
    errors.push_back(FieldError::invalid(
        json::index_path(path, i), (*stored)[i],
        fmt::format(
            "missing from spec.versions; {0} was previously a storage version, and must remain in "
            "spec.versions until a storage migration ensures no data remains persisted in {0} and removes "
            "{0} from status.storedVersions",
            found->first)));
  }
  return errors;
}

enum class Approval { Missing, Bypassed, Given, Unreadable };

Approval approval_of(const Object& crd) {
  const std::string_view text = text_at(crd, {"metadata", "annotations", kApproval});
  if (text.empty()) return Approval::Missing;
  if (text.starts_with("unapproved")) return Approval::Bypassed;
  const auto scheme = text.find("://");
  const bool is_url = scheme != std::string_view::npos && scheme > 0 && scheme + 3 < text.size() &&
                      text[scheme + 3] != '/' && text.find(' ') == std::string_view::npos;
  return is_url ? Approval::Given : Approval::Unreadable;
}

// Groups of the Kubernetes community ask for a sign that it agreed.
void check_approval(const Object* before, const Object& crd, FieldErrors& errors) {
  const std::string_view group = text_at(crd, {"spec", "group"});
  const bool is_protected = group == "k8s.io" || group == "kubernetes.io" || group.ends_with(".k8s.io") ||
                            group.ends_with(".kubernetes.io");
  const Approval approval = approval_of(crd);
  if (!is_protected || (before && approval_of(*before) == approval)) return;
  const std::string path = json::key_path("metadata.annotations", kApproval);
  constexpr std::string_view kSee = "see https://github.com/kubernetes/enhancements/pull/1111";
  if (approval == Approval::Missing) {
    errors.push_back(FieldError::required(
        path, fmt::format("protected groups must have approval annotation \"{}\", {}", kApproval, kSee)));
  } else if (approval == Approval::Unreadable) {
    errors.push_back(FieldError::invalid(
        path, Value(text_at(crd, {"metadata", "annotations", kApproval})),
        fmt::format(
            "protected groups must have approval annotation \"{}\" with either a URL or a reason starting "
            "with \"unapproved\", {}",
            kApproval, kSee)));
  }
}

void check_unknown_fields(const Object& crd, FieldErrors& errors) {
  if (!flag_at(crd, {"spec", "preserveUnknownFields"})) return;
  errors.push_back(
      FieldError::invalid("spec.preserveUnknownFields", true,
                          "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
                          "spec.versions[*].schema instead"));
}

bool has_same_spec(const Object& before, const Object& crd) {
  const Value* old = before.if_contains("spec");
  const Value* now = crd.if_contains("spec");
  return old && now && json::same_value(*old, *now);
}

FieldErrors check_all(const Object* before, const Object& crd) {
  static const Object kNone;
  FieldErrors errors;
  // What was accepted is not judged again: most updates are about the status, and judging takes long.
  if (!before || !has_same_spec(*before, crd)) {
    const Object* spec = json::get_object(crd, {"spec"});
    errors = check_spec(spec ? *spec : kNone);
  }
  if (before) {
    const auto keep = [&](json::Path path, std::string_view shown) {
      const std::string_view value = text_at(crd, path);
      if (value == text_at(*before, path)) return;
      errors.push_back(FieldError::invalid(std::string(shown), Value(value), "field is immutable"));
    };
    if (is_established(*before)) {
      keep({"spec", "scope"}, "spec.scope");
      keep({"spec", "names", "kind"}, "spec.names.kind");
    }
    keep({"spec", "group"}, "spec.group");
    keep({"spec", "names", "plural"}, "spec.names.plural");
  }
  add(errors, validate_crd_status_update(crd));
  add(errors, check_stored_versions(crd));
  check_approval(before, crd, errors);
  check_unknown_fields(crd, errors);
  return errors;
}

// The version that objects are now written in is one that the store may hold from now on.
void note_storage_version(Object& crd) {
  const Array* versions = json::get_array(crd, {"spec", "versions"});
  for (std::size_t i = 0; versions && i < versions->size(); ++i) {
    const Object* version = (*versions)[i].if_object();
    if (!version || !flag_at(*version, {"storage"})) continue;
    const Value name(text_at(*version, {"name"}));
    Value& stored = json::ensure_object(crd, {"status"})["storedVersions"];
    if (!stored.is_array()) stored = Array{};
    Array& list = stored.get_array();
    if (std::ranges::find(list, name) == list.end()) list.push_back(name);
    return;
  }
}

}  // namespace

void default_crd(json::Object& crd) {
  Value* found = json::find(crd, {"spec"});
  if (!found || !found->is_object()) return;  // for validation to refuse
  Object& spec = found->get_object();
  if (const Value* conversion = spec.if_contains("conversion"); !conversion || conversion->is_null()) {
    spec["conversion"] = Object{{"strategy", "None"}};
  }
  Value* written = spec.if_contains("names");
  if (!written || !written->is_object()) return;
  Object& names = written->get_object();
  const std::string kind(text_at(names, {"kind"}));
  if (kind.empty()) return;
  if (text_at(names, {"singular"}).empty()) names["singular"] = to_lower(kind);
  if (text_at(names, {"listKind"}).empty()) names["listKind"] = kind + "List";
}

void prepare_crd_create(json::Object& crd) {
  crd["status"] = Object{{"acceptedNames", Object{{"kind", ""}, {"plural", ""}}}, {"conditions", Array{}}};
  note_storage_version(crd);
}

void prepare_crd_update(const json::Object& before, json::Object& crd) {
  const Value* status = before.if_contains("status");
  if (status) crd["status"] = *status;
  if (!status) json::remove(crd, "status");
  note_storage_version(crd);
}

json::FieldErrors validate_crd(const json::Object& crd) {
  FieldErrors errors;
  const std::string_view name = text_at(crd, {"metadata", "name"});
  const auto wanted =
      fmt::format("{}.{}", text_at(crd, {"spec", "names", "plural"}), text_at(crd, {"spec", "group"}));
  if (name != wanted) {
    errors.push_back(
        FieldError::invalid("metadata.name", Value(name), "must be spec.names.plural+\".\"+spec.group"));
  }
  add(errors, check_all(nullptr, crd));
  return errors;
}

json::FieldErrors validate_crd_update(const json::Object& before, const json::Object& crd) {
  return check_all(&before, crd);
}

json::FieldErrors validate_crd_status_update(const json::Object& crd) {
  const Object* accepted = json::get_object(crd, {"status", "acceptedNames"});
  return accepted ? check_names(*accepted, "status.acceptedNames") : FieldErrors{};
}

}  // namespace fairway::apiserver
