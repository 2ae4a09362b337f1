#include "apiserver/kinds_support.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <fmt/format.h>

#include "base/text.hpp"
#include "kube/core/quantity.hpp"

namespace fairway::apiserver::kinds {
namespace {

constexpr std::string_view kQuantityProblem =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

bool is_address(int family, std::string_view text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(family, std::string(text).c_str(), bytes.data()) == 1;
}

FieldErrors check_requirement(const Object& requirement, const std::string& field) {
  FieldErrors errors;
  const std::string op = json::text_at(requirement, {"operator"});
  const auto values = texts_at(requirement, {"values"});
  if (op == "In" || op == "NotIn") {
    if (values.empty()) {
      errors.push_back(
          FieldError::required(field + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) {
      errors.push_back(FieldError::forbidden(
          field + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
  } else {
    errors.push_back(FieldError::invalid(field + ".operator", Value(op), "not a valid selector operator"));
  }
  const std::string key = json::text_at(requirement, {"key"});
  append(errors, invalid_because(field + ".key", key, kube::validate_qualified_name(key)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    append(errors, invalid_because(json::index_path(field + ".values", i), values[i],
                                   kube::validate_label_value(values[i])));
  }
  return errors;
}

}  // namespace

std::vector<std::string> texts_at(const Object& object, json::Path path) {
  std::vector<std::string> texts;
  for (const Value& value : array_at(object, path)) {
    if (value.is_string()) texts.emplace_back(json::view(value.get_string()));
  }
  return texts;
}

kube::Labels labels_at(const Object& object, json::Path path) {
  kube::Labels labels;
  for (const auto& [key, value] : object_at(object, path)) {
    if (value.is_string()) labels.emplace(key, json::view(value.get_string()));
  }
  return labels;
}

const Array& array_at(const Object& object, json::Path path) {
  static const Array kEmpty;
  const Array* found = json::get_array(object, path);
  return found == nullptr ? kEmpty : *found;
}

const Object& object_at(const Object& object, json::Path path) {
  static const Object kEmpty;
  const Object* found = json::get_object(object, path);
  return found == nullptr ? kEmpty : *found;
}

Array* find_array(Object& object, json::Path path) {
  Value* found = json::find(object, path);
  return found == nullptr ? nullptr : found->if_array();
}

Array to_array(const std::vector<std::string>& texts) {
  Array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

bool is_same(const Object& before, const Object& object, json::Path path) {
  const Value* old = json::find(before, path);
  const Value* now = json::find(object, path);
  if (old == nullptr || now == nullptr) return old == now;
  return json::same_value(*old, *now);
}

void append(FieldErrors& errors, FieldErrors more) {
  errors.insert(errors.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

FieldErrors invalid_because(const std::string& field, std::string_view value,
                            const kube::Problems& problems) {
  FieldErrors errors;
  for (const std::string& problem : problems)
    errors.push_back(FieldError::invalid(field, Value(value), problem));
  return errors;
}

FieldErrors check_not_empty(const Object& object, std::string_view name, const std::string& path,
                            std::string detail) {
  const Value* value = object.if_contains(name);
  if (value == nullptr) return {};
  const bool is_empty = (value->is_string() && value->get_string().empty()) ||
                        (value->is_array() && value->get_array().empty()) ||
                        (value->is_int64() && value->get_int64() == 0);
  if (!is_empty) return {};
  return {FieldError::required(json::child_path(path, name), std::move(detail))};
}

FieldErrors check_immutable(const Object& before, const Object& object, json::Path path,
                            const std::string& field) {
  if (is_same(before, object, path)) return {};
  const Value* now = json::find(object, path);
  return {FieldError::invalid(field, now == nullptr ? Value(nullptr) : *now, std::string(kImmutable))};
}

kube::Problems validate_data_key(std::string_view key) {
  kube::Problems problems;
  if (key.size() > 253) problems.emplace_back("must be no more than 253 characters");
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  if (key.empty() || !std::ranges::all_of(key, fits)) {
    problems.emplace_back(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or "
        "'KEY_NAME',  "
        "or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')");
  }
  if (key == "." || key == "..") {
    problems.push_back(fmt::format("must not be '{}'", key));
  } else if (key.starts_with("..")) {
    problems.emplace_back("must not start with '..'");
  }
  return problems;
}

FieldErrors check_not_negative(const Object& object, std::string_view name, std::string_view path) {
  const auto number = json::get_int(object, {name});
  if (!number || *number >= 0) return {};
  return {FieldError::invalid(json::child_path(path, name), Value(*number),
                              "must be greater than or equal to 0")};
}

FieldErrors check_port_number(const std::string& field, std::int64_t port) {
  if (port >= 1 && port <= 65535) return {};
  return {FieldError::invalid(field, Value(port), "must be between 1 and 65535, inclusive")};
}

bool is_ipv4(std::string_view text) {
  return is_address(AF_INET, text);
}

bool is_ipv6(std::string_view text) {
  return is_address(AF_INET6, text);
}

bool is_ip(std::string_view text) {
  return is_ipv4(text) || is_ipv6(text);
}

FieldErrors check_ip(const std::string& field, const std::string& text) {
  if (is_ip(text)) return {};
  return {FieldError::invalid(field, Value(text),
                              "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")};
}

FieldErrors check_cidr(const std::string& field, const std::string& text) {
  const auto slash = text.find('/');
  if (slash != std::string::npos) {
    const std::string_view address = std::string_view(text).substr(0, slash);
    const auto bits = parse_unsigned(std::string_view(text).substr(slash + 1));
    if (bits && ((is_ipv4(address) && *bits <= 32) || (is_ipv6(address) && *bits <= 128))) return {};
  }
  return {FieldError::invalid(field, Value(text),
                              "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")};
}

FieldErrors check_label_selector(const Object& selector, const std::string& field) {
  FieldErrors errors = kube::validate_labels(labels_at(selector, {"matchLabels"}), field + ".matchLabels");
  const Array& requirements = array_at(selector, {"matchExpressions"});
  for (std::size_t i = 0; i < requirements.size(); ++i) {
    if (!requirements[i].is_object()) continue;
    append(errors,
           check_requirement(requirements[i].get_object(), json::index_path(field + ".matchExpressions", i)));
  }
  return errors;
}

void canonicalize_quantity(Value* quantity) {
  if (quantity == nullptr) return;
  if (auto parsed = json::Codec<kube::Quantity>::read(*quantity)) *quantity = parsed->to_string();
}

void canonicalize_quantities(Value* map) {
  Object* object = map == nullptr ? nullptr : map->if_object();
  if (object == nullptr) return;
  for (auto& [key, value] : *object) canonicalize_quantity(&value);
}

FieldErrors check_quantity(const Value& quantity, const std::string& field) {
  const auto parsed = json::Codec<kube::Quantity>::read(quantity);
  if (!parsed) return {FieldError::invalid(field, quantity, std::string(kQuantityProblem))};
  if (*parsed < kube::Quantity()) {
    return {FieldError::invalid(field, quantity, "must be greater than or equal to 0")};
  }
  return {};
}

std::vector<std::string> subdomain_name(std::string_view name, bool is_prefix) {
  return kube::validate_dns1123_subdomain(is_prefix ? kube::mask_trailing_dash(name) : name);
}

std::vector<std::string> label_name(std::string_view name, bool is_prefix) {
  return kube::validate_dns1123_label(is_prefix ? kube::mask_trailing_dash(name) : name);
}

std::vector<std::string> service_name(std::string_view name, bool is_prefix) {
  return kube::validate_dns1035_label(is_prefix ? kube::mask_trailing_dash(name) : name);
}

std::vector<std::string> path_segment_name(std::string_view name, bool) {
  return kube::validate_path_segment_name(name);
}

}  // namespace fairway::apiserver::kinds
