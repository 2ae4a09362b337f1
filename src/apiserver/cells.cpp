#include "apiserver/cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "apiserver/cells_kinds.hpp"
#include "base/text.hpp"
#include "json/codec.hpp"
#include "json/schema_errors.hpp"
#include "json/write.hpp"
#include "kube/core/object.hpp"
#include "kube/core/selector.hpp"

namespace fairway::apiserver {
namespace {

using json::Array;
using json::Object;
using json::Value;

const Value* value_of(const CellInput& input) {
  return input.column.path ? input.column.path->first(input.document) : nullptr;
}

std::string_view text_of(const CellInput& input) {
  const Value* value = value_of(input);
  return value && value->is_string() ? json::view(value->get_string()) : std::string_view();
}

Value or_text(const CellInput& input, std::string_view otherwise) {
  const std::string_view text = text_of(input);
  return Value(text.empty() ? otherwise : text);
}

Value or_none(const CellInput& input) {
  return or_text(input, "<none>");
}
Value or_unknown(const CellInput& input) {
  return or_text(input, "<unknown>");
}

Value age(const CellInput& input) {
  return Value(age_text(kube::creation_timestamp_of(input.object()), input.now));
}

Value created_at(const CellInput& input) {
  const auto created = kube::creation_timestamp_of(input.object());
  return Value(created ? format_rfc3339(*created) : "0001-01-01T00:00:00Z");  // Go's zero time
}

Value data_count(const CellInput& input) {
  std::int64_t count = 0;
  for (const std::string_view key : {"data", "binaryData"}) {
    if (const Object* data = json::get_object(input.object(), {key}))
      count += static_cast<std::int64_t>(data->size());
  }
  return Value(count);
}

Value list_length(const CellInput& input) {
  const Value* list = value_of(input);
  return Value(list && list->is_array() ? static_cast<std::int64_t>(list->get_array().size())
                                        : std::int64_t{0});
}

Value number_or_zero(const CellInput& input) {
  const Value* number = value_of(input);
  return number && number->is_number() ? *number : Value(0);
}

Value label_map(const CellInput& input) {
  const Value* map = value_of(input);
  std::vector<std::string> pairs;
  if (map && map->is_object()) {
    for (const auto& [key, value] : map->get_object()) {
      if (value.is_string()) pairs.push_back(fmt::format("{}={}", key, json::view(value.get_string())));
    }
  }
  std::ranges::sort(pairs);
  return Value(pairs.empty() ? "<none>" : join(pairs, ","));
}

Value label_selector(const CellInput& input) {
  const Value* written = value_of(input);
  if (!written || !written->is_object()) return Value("<none>");
  const auto decoded = json::from_json<kube::LabelSelector>(*written);
  if (!decoded) return Value("<error>");
  const auto selector = kube::Selector::from(*decoded);
  if (!selector) return Value("<error>");
  const std::string text = selector->to_string();
  return Value(text.empty() ? "<none>" : text);
}

struct NamedCell {
  std::string_view name;
  Cell cell;
};

constexpr std::array<NamedCell, 33> kCells{{
    {"age", age},
    {"binding-accounts", cells::binding_accounts},
    {"binding-groups", cells::binding_groups},
    {"binding-role", cells::binding_role},
    {"binding-users", cells::binding_users},
    {"container-images", cells::container_images},
    {"container-names", cells::container_names},
    {"created-at", created_at},
    {"data-count", data_count},
    {"deployment-ready", cells::deployment_ready},
    {"event-count", cells::event_count},
    {"event-first-seen", cells::event_first_seen},
    {"event-last-seen", cells::event_last_seen},
    {"event-message", cells::event_message},
    {"event-object", cells::event_object},
    {"event-source", cells::event_source},
    {"label-map", label_map},
    {"label-selector", label_selector},
    {"list-length", list_length},
    {"node-external-ip", cells::node_external_ip},
    {"node-internal-ip", cells::node_internal_ip},
    {"node-roles", cells::node_roles},
    {"node-status", cells::node_status},
    {"number-or-zero", number_or_zero},
    {"or-none", or_none},
    {"or-unknown", or_unknown},
    {"pod-ip", cells::pod_ip},
    {"pod-readiness-gates", cells::pod_readiness_gates},
    {"pod-ready", cells::pod_ready},
    {"pod-restarts", cells::pod_restarts},
    {"pod-status", cells::pod_status},
    {"service-external-ip", cells::service_external_ip},
    {"service-ports", cells::service_ports},
}};

Value sorted(const Value& value) {
  if (const Array* list = value.if_array()) {
    Array out;
    for (const Value& each : *list) out.push_back(sorted(each));
    return out;
  }
  const Object* object = value.if_object();
  if (!object) return value;
  std::vector<std::string_view> keys;
  for (const auto& member : *object) keys.push_back(member.key());
  std::ranges::sort(keys);
  Object out;
  for (const std::string_view key : keys) out.emplace(key, sorted(object->at(key)));
  return out;
}

// As Go's encoding/json writes it: keys sorted, what HTML would misread escaped.
std::string go_json(const Value& value) {
  std::string text = json::serialize(sorted(value));
  for (const auto& [from, to] :
       {std::pair("<", "\\u003c"), std::pair(">", "\\u003e"), std::pair("&", "\\u0026")}) {
    text = replace_all(text, from, to);
  }
  return text;
}

Value shown_text(const Value& value) {
  if (value.is_null()) return Value("<no value>");
  if (value.is_string()) return value;
  if (value.is_double()) return Value(json::go_number(value.get_double()));
  return Value(value.is_structured() ? go_json(value) : json::serialize(value));
}

Value shown_integer(const Value& value) {
  if (value.is_int64() || value.is_uint64()) return value;
  if (!value.is_double()) return {};
  const double whole = std::trunc(value.get_double());
  const bool fits = std::abs(whole) < static_cast<double>(std::numeric_limits<std::int64_t>::max());
  return fits ? Value(static_cast<std::int64_t>(whole)) : Value{};
}

Value shown_date(const Value& value, WallTime now) {
  if (!value.is_string()) return {};
  const std::string_view text = json::view(value.get_string());
  if (text.empty() || text == "null") return Value("<unknown>");
  const auto time = parse_rfc3339(text);
  return Value(time ? age_text(time, now) : "<invalid>");
}

}  // namespace

Cell find_cell(std::string_view name) {
  const auto* found = std::ranges::lower_bound(kCells, name, {}, &NamedCell::name);
  return found != kCells.end() && found->name == name ? found->cell : nullptr;
}

json::Value plain_cell(const CellInput& input) {
  const Value* value = value_of(input);
  return value && !value->is_null() ? *value : Value("");
}

json::Value custom_cell(const CellInput& input) {
  const Value* value = value_of(input);
  if (!value) return {};
  const std::string_view type = input.column.type;
  if (type == "string") return shown_text(*value);
  if (type == "integer") return shown_integer(*value);
  if (type == "number") return value->is_number() ? *value : Value{};
  if (type == "boolean") return value->is_bool() ? *value : Value{};
  return type == "date" ? shown_date(*value, input.now) : Value{};
}

std::string age_text(std::optional<WallTime> since, WallTime now) {
  return since ? format_age(now - *since) : "<unknown>";
}

}  // namespace fairway::apiserver
