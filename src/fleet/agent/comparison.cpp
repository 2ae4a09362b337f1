#include "fleet/agent/comparison.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "fleet/agent/matching.hpp"
#include "kube/core/object.hpp"
#include "kube/core/quantity.hpp"

namespace fairway::fleet::agent {
namespace {

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

std::string_view key_text(const json::Object::value_type& each) {
  return {each.key().data(), each.key().size()};
}

bool is_zero(const json::Value& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return true;
    case boost::json::kind::bool_:
      return !value.get_bool();
    case boost::json::kind::int64:
      return value.get_int64() == 0;
    case boost::json::kind::uint64:
      return value.get_uint64() == 0;
    case boost::json::kind::double_:
      return value.get_double() == 0;
    case boost::json::kind::string:
      return value.get_string().empty();
    case boost::json::kind::array:
      return value.get_array().empty();
    case boost::json::kind::object:
      return value.get_object().empty();
  }
  return false;
}

std::string printed(const json::Value& scalar) {
  return scalar.is_string() ? std::string(json::view(scalar.get_string())) : json::serialize(scalar);
}

bool is_scalar(const json::Value& value) {
  return !value.is_object() && !value.is_array();
}

bool has_unit_or_exponent(std::string_view text) {
  return std::ranges::any_of(text,
                             [](char c) { return c != '.' && c != '-' && c != '+' && (c < '0' || c > '9'); });
}

bool same_quantity(std::string_view left, std::string_view right) {
  const bool has_unit = has_unit_or_exponent(left) || has_unit_or_exponent(right);
  const bool left_dotted = left.contains('.');
  const bool right_dotted = right.contains('.');
  if (!has_unit && left_dotted == right_dotted) return false;  // two plain numbers: versions, identifiers
  const auto a = kube::Quantity::parse(left);
  if (!a) return false;
  const auto b = kube::Quantity::parse(right);
  return b && *a == *b;
}

// What a value has to become; nothing when it is as wanted.
using Change = std::optional<json::Value>;

class Comparer {
 public:
  Comparer(bool replaces, bool knows_quantities) : replaces_(replaces), knows_quantities_(knows_quantities) {}

  Change change(const json::Value& want, const json::Value* have) const {
    if (is_zero(want) && (have == nullptr || is_zero(*have))) return std::nullopt;
    if (have == nullptr) return want;
    if (want.is_object() && have->is_object()) return change_map(want.get_object(), have->get_object());
    if (want.is_array() && have->is_array()) return change_list(want.get_array(), have->get_array());
    if (is_scalar(want) && is_scalar(*have) && same_scalar(want, *have)) return std::nullopt;
    return want;
  }

 private:
  bool same_scalar(const json::Value& want, const json::Value& have) const {
    if (json::same_value(want, have)) return true;
    if (want.is_null() || have.is_null()) return false;
    const std::string left = printed(want);
    const std::string right = printed(have);
    if (left == right) return true;
    return knows_quantities_ && (want.is_string() || have.is_string()) && same_quantity(left, right);
  }

  Change change_map(const json::Object& want, const json::Object& have) const {
    json::Object next = have;
    bool is_changed = false;
    for (const auto& each : want) {
      Change inner = change(each.value(), have.if_contains(each.key()));
      if (!inner) continue;
      is_changed = true;
      if (inner->is_null()) {
        json::remove(next, key_text(each));
      } else {
        next[each.key()] = *std::move(inner);
      }
    }
    if (replaces_) {
      for (const auto& each : have) {
        if (want.contains(each.key()) || is_zero(each.value())) continue;
        is_changed = true;
        json::remove(next, key_text(each));
      }
    }
    if (!is_changed) return std::nullopt;
    return json::Value(std::move(next));
  }

  Change change_list(const json::Array& want, const json::Array& have) const {
    const std::vector<std::size_t> place = match_items(
        want.size(), have.size(),
        [&](std::size_t wanted, std::size_t found) { return !change(want[wanted], &have[found]); });
    const bool all_matched = std::ranges::find(place, kNowhere) == place.end();
    if (all_matched && (!replaces_ || want.size() == have.size())) return std::nullopt;
    if (replaces_) return json::Value(want);
    return json::Value(merged_list(want, have, place));
  }

  // Items without a match go over the free item of their name, or to the end; all others stay where they are.
  json::Array merged_list(const json::Array& want, const json::Array& have,
                          const std::vector<std::size_t>& place) const {
    std::vector<bool> is_taken(have.size(), false);
    for (const std::size_t each : place)
      if (each != kNowhere) is_taken[each] = true;
    json::Array next = have;
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (place[i] != kNowhere) continue;
      const std::size_t at = namesake(want[i], have, is_taken);
      if (at == kNowhere) {
        next.push_back(want[i]);
        continue;
      }
      is_taken[at] = true;
      if (Change inner = change(want[i], &have[at])) next[at] = *std::move(inner);
    }
    return next;
  }

  static std::size_t namesake(const json::Value& want, const json::Array& have,
                              const std::vector<bool>& is_taken) {
    if (!want.is_object()) return kNowhere;
    const auto name = json::get_string(want.get_object(), {"name"});
    if (!name || name->empty()) return kNowhere;
    for (std::size_t i = 0; i < have.size(); ++i) {
      if (is_taken[i] || !have[i].is_object()) continue;
      if (json::get_string(have[i].get_object(), {"name"}) == name) return i;
    }
    return kNowhere;
  }

  bool replaces_;
  bool knows_quantities_;
};

// What others put on every object or namespace, and no policy means when it says "only".
bool is_injected(std::string_view part, std::string_view key, bool is_namespace) {
  if (part == "annotations" && key == kLastApplied) return true;
  if (!is_namespace) return false;
  if (part == "labels") return key == "kubernetes.io/metadata.name";
  return key.starts_with("openshift.io/sa.scc.");
}

void compare_metadata(const json::Object& want, const json::Object& live, Rule rule, Comparison& result) {
  const bool is_namespace = kube::kind_of(live) == "Namespace" && kube::api_version_of(live) == "v1";
  const bool replaces = rule == Rule::MustOnlyHave;
  for (const std::string_view part : {"labels", "annotations"}) {
    const json::Value* wanted = want.if_contains(part);
    if (wanted == nullptr || !wanted->is_object()) continue;
    json::Object meant = wanted->get_object();
    if (part == "annotations") json::remove(meant, kLastApplied);
    const json::Object* found = json::get_object(live, {"metadata", part});
    const json::Object have = found == nullptr ? json::Object() : *found;
    if (replaces) {
      for (const auto& each : have)
        if (!meant.contains(each.key()) && is_injected(part, key_text(each), is_namespace))
          meant[each.key()] = each.value();
    }
    const json::Value current(have);
    Change changed = Comparer(replaces, false).change(json::Value(std::move(meant)), &current);
    if (!changed) continue;
    result.has_correction = true;
    json::ensure_object(result.corrected, {"metadata"})[part] = *std::move(changed);
  }
}

bool holds_texts(const json::Object& live) {
  const std::string_view kind = kube::kind_of(live);
  return kube::api_version_of(live) == "v1" && (kind == "ConfigMap" || kind == "Secret");
}

// stringData is a way of writing data, and is never read back.
json::Object with_encoded_data(const json::Object& definition) {
  const json::Object* plain = json::get_object(definition, {"stringData"});
  const bool is_secret = kube::kind_of(definition) == "Secret" && kube::api_version_of(definition) == "v1";
  if (!is_secret || plain == nullptr) return definition;
  json::Object made = definition;
  json::Object& data = json::ensure_object(made, {"data"});
  for (const auto& each : *plain) data[each.key()] = encode_base64(printed(each.value()));
  json::remove(made, "stringData");
  return made;
}

}  // namespace

Comparison compare(const json::Object& definition, const json::Object& live, const ComparisonRules& rules) {
  const json::Object want = with_encoded_data(definition);
  const Comparer comparer(rules.rule == Rule::MustOnlyHave, !holds_texts(live));
  Comparison result{.corrected = live};
  for (const auto& each : want) {
    const std::string_view key = key_text(each);
    if (key == "apiVersion" || key == "kind") continue;
    if (key == "metadata") {
      if (each.value().is_object())
        compare_metadata(each.value().get_object(), live, rules.metadata_rule, result);
      continue;
    }
    Change changed = comparer.change(each.value(), live.if_contains(each.key()));
    if (!changed) continue;
    if (key == "status") {
      result.has_status_mismatch = true;
      continue;
    }
    result.has_correction = true;
    if (changed->is_null()) {
      json::remove(result.corrected, key);
    } else {
      result.corrected[each.key()] = *std::move(changed);
    }
  }
  if (!result.has_correction) result.corrected.clear();
  return result;
}

json::Object as_created(const json::Object& definition, std::string_view ns) {
  json::Object made = definition;
  json::remove(made, "status");
  json::Object& metadata = json::ensure_object(made, {"metadata"});
  for (const std::string_view key :
       {"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"})
    json::remove(metadata, key);
  if (ns.empty()) {
    json::remove(metadata, "namespace");
  } else {
    metadata["namespace"] = ns;
  }
  return made;
}

bool is_same_object(const json::Object& left, const json::Object& right) {
  const auto bare = [](json::Object object) {
    if (json::Value* metadata = json::find(object, {"metadata"});
        metadata != nullptr && metadata->is_object()) {
      for (const std::string_view key : {"resourceVersion", "managedFields", "generation"})
        json::remove(metadata->get_object(), key);
    }
    return object;
  };
  return json::same_value(bare(left), bare(right));
}

}  // namespace fairway::fleet::agent
