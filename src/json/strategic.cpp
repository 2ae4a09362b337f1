#include "json/strategic.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "json/apply_typed.hpp"
#include "json/schema_errors.hpp"
#include "json/strategic_lists.hpp"

namespace fairway::json {
namespace {

constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeletePrefix = "$deleteFromPrimitiveList";
constexpr std::string_view kOrderPrefix = "$setElementOrder";

// The field that a directive such as `$setElementOrder/containers` is about; empty when it names none.
std::string_view directed_field(std::string_view key, std::string_view prefix) {
  key.remove_prefix(prefix.size());
  return key.starts_with('/') ? key.substr(1) : std::string_view{};
}

std::unexpected<Error> refuse(std::string message) {
  return fail(ErrorCode::Invalid, std::move(message));
}

std::unexpected<Error> refuse_kind(std::string_view expected, const Value& found) {
  return refuse(fmt::format("expected a {}, but received a {}", expected, go_type(found)));
}

// What is added as it is must not carry directives or nulls into the object; false when it is one directive.
bool clean(Value& value) {
  if (Array* list = value.if_array()) {
    Array kept;
    for (Value& item : *list) {
      if (clean(item)) kept.push_back(std::move(item));
    }
    *list = std::move(kept);
  } else if (Object* object = value.if_object()) {
    if (object->contains(kPatchDirective)) return false;
    Object kept;
    for (auto& member : *object) {
      const std::string_view key = member.key();
      const bool is_directive =
          key == kRetainKeys || key.starts_with(kDeletePrefix) || key.starts_with(kOrderPrefix);
      if (is_directive || member.value().is_null() || !clean(member.value())) continue;
      kept.emplace(key, std::move(member.value()));
    }
    *object = std::move(kept);
  }
  return true;
}

class StrategicMerge {
 public:
  Result<Object> map(Object original, Object patch, const Schema& schema, std::size_t depth) {
    if (depth > kMaxSchemaDepth) return refuse("patch is nested too deep");
    if (const Value* directive = patch.if_contains(kPatchDirective))
      return replace(*directive, std::move(patch));
    FAIRWAY_CHECKED(retain_keys(original, patch));
    FAIRWAY_CHECKED(order_lists(original, patch, schema, depth));
    for (auto& member : patch) {
      FAIRWAY_CHECKED(field(original, member.key(), std::move(member.value()), schema, depth));
    }
    return original;
  }

 private:
  static Result<Object> replace(const Value& directive, Object patch) {
    const std::string_view name = directive.is_string() ? view(directive.get_string()) : std::string_view{};
    if (name == "delete") return Object{};
    if (name != "replace") {
      return refuse(fmt::format("unknown patch type: {} in map: {}", go_plain(directive), go_plain(patch)));
    }
    remove(patch, kPatchDirective);
    return patch;
  }

  // Clears the fields that the directive does not list; the patch may not set one of those.
  static Result<void> retain_keys(Object& original, Object& patch) {
    const Value* directive = patch.if_contains(kRetainKeys);
    if (!directive) return {};
    const Array* list = directive->if_array();
    if (!list) return refuse("invalid patch format of retainKeys");
    std::set<std::string, std::less<>> retained;
    for (const Value& key : *list) {
      if (key.is_string()) retained.emplace(view(key.get_string()));
    }
    remove(patch, kRetainKeys);
    for (const auto& [key, value] : patch) {
      const std::string_view name = key;
      if (value.is_null() || name.starts_with(kDeletePrefix) || name.starts_with(kOrderPrefix)) continue;
      if (!retained.contains(name)) return refuse("invalid patch format of retainKeys");
    }
    Object kept;
    for (auto& member : original) {
      if (retained.contains(std::string_view(member.key())))
        kept.emplace(member.key(), std::move(member.value()));
    }
    original = std::move(kept);
    return {};
  }

  Result<void> field(Object& original, std::string_view key, Value value, const Schema& schema,
                     std::size_t depth) {
    const bool is_deletion = key.starts_with(kDeletePrefix);
    const std::string_view name = is_deletion ? directed_field(key, kDeletePrefix) : key;
    if (is_deletion && name.empty()) return refuse("invalid patch format of primitive list");
    if (value.is_null()) {
      remove(original, name);
      return {};
    }
    Value* current = original.if_contains(name);
    const Schema& inner = map_value_schema(schema, name);
    if (current && current->is_object() && value.is_object()) {
      if (inner.patch_replace) {
        *current = std::move(value);
        return {};
      }
      FAIRWAY_TRY(Object merged,
                  map(std::move(current->get_object()), std::move(value.get_object()), inner, depth + 1));
      *current = std::move(merged);
    } else if (current && current->is_array() && value.is_array()) {
      FAIRWAY_TRY(Array merged, list(std::move(current->get_array()), std::move(value.get_array()), inner,
                                     is_deletion, depth));
      *current = std::move(merged);
    } else if (!is_deletion) {
      if (clean(value)) {
        original.insert_or_assign(name, std::move(value));
      } else {
        remove(original, name);
      }
    }
    return {};
  }

  Result<Array> list(Array original, Array patch, const Schema& schema, bool is_deletion, std::size_t depth) {
    if (!schema.patch_merge) return patch;
    if (original.empty() && patch.empty()) return original;
    FAIRWAY_TRY(const bool of_objects, are_objects(original, patch));
    if (!of_objects) {
      return is_deletion ? without_scalars(original, patch) : merge_scalars(original, patch);
    }
    const std::string& key = schema.patch_merge_key;
    if (key.empty()) return refuse("cannot merge lists without merge key for []interface {}");
    FAIRWAY_TRY(const bool is_replaced, apply_directives(original, patch, key));
    if (is_replaced) {
      original = std::move(patch);
      patch = {};
    }
    FAIRWAY_TRY(Array merged, objects(original, patch, schema, depth));
    return in_order(std::move(merged), patch, original, key);
  }

  // Each object of the patch into the one with the same key, or behind all others.
  Result<Array> objects(const Array& original, const Array& patch, const Schema& schema, std::size_t depth) {
    const std::string& key = schema.patch_merge_key;
    Array merged = original;
    KeyIndex index(original, key);
    for (const Value& item : patch) {
      FAIRWAY_TRY(const std::string id, key_text(item, key));
      if (const auto at = index.find(id)) {
        FAIRWAY_TRY(Object both, map(std::move(merged[*at].get_object()), item.get_object(),
                                     list_item_schema(schema), depth + 1));
        merged[*at] = std::move(both);
      } else {
        Value added = item;
        clean(added);
        index.add(id, merged.size());
        merged.push_back(std::move(added));
      }
    }
    return merged;
  }

  // `$setElementOrder/x` with the list x of the patch, if it has one; both are done with afterwards.
  Result<void> order_lists(Object& original, Object& patch, const Schema& schema, std::size_t depth) {
    std::vector<std::string> directives;
    for (const auto& member : patch) {
      if (std::string_view(member.key()).starts_with(kOrderPrefix)) directives.emplace_back(member.key());
    }
    for (const std::string& directive : directives) {
      const std::string name(directed_field(directive, kOrderPrefix));
      if (name.empty()) return refuse("invalid patch format of setElementOrder list");
      Value order = std::move(patch.at(directive));
      remove(patch, directive);
      if (!order.is_array()) return refuse_kind("[]interface {}", order);
      FAIRWAY_CHECKED(order_list(original, patch, name, order.get_array(), schema, depth));
      remove(patch, name);
    }
    return {};
  }

  Result<void> order_list(Object& original, Object& patch, const std::string& name, const Array& order,
                          const Schema& schema, std::size_t depth) {
    Value* live = original.if_contains(name);
    Value* patched = patch.if_contains(name);
    if (live && !live->is_array()) return refuse_kind("[]interface {}", *live);
    if (patched && !patched->is_array()) return refuse_kind("[]interface {}", *patched);
    if (!live && !patched) return {};
    const Schema& inner = map_value_schema(schema, name);
    const Array before = live ? live->get_array() : Array{};
    if (patched) FAIRWAY_CHECKED(check_order(patched->get_array(), order, inner.patch_merge_key));
    Array server = before;
    Array merged = before;
    if (live && patched) {
      if (inner.patch_merge) server = order_after(before, patched->get_array(), inner.patch_merge_key);
      FAIRWAY_TRY(merged, list(before, patched->get_array(), inner, false, depth));
    } else if (patched) {
      clean(*patched);
      merged = patched->get_array();
    }
    FAIRWAY_TRY(Array ordered, in_order(std::move(merged), order, server, inner.patch_merge_key));
    original.insert_or_assign(name, std::move(ordered));
    return {};
  }
};

}  // namespace

Result<Object> strategic_merge(const Schema& schema, Object original, Object patch) {
  return StrategicMerge().map(std::move(original), std::move(patch), schema, 0);
}

}  // namespace fairway::json
