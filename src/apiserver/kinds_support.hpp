// What the rules of several kinds share: reading fields without surprises, and Kubernetes' words for common
// mistakes. Internal to kinds. Nothing here throws; a field that is missing or of another type reads as
// empty.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/kinds.hpp"
#include "json/schema_errors.hpp"
#include "json/value.hpp"
#include "kube/core/names.hpp"

namespace fairway::apiserver::kinds {

using json::Array;
using json::FieldError;
using json::FieldErrors;
using json::Object;
using json::Value;

inline constexpr std::string_view kImmutable = "field is immutable";

std::vector<std::string> texts_at(const Object& object, json::Path path);
kube::Labels labels_at(const Object& object, json::Path path);
const Array& array_at(const Object& object, json::Path path);
const Object& object_at(const Object& object, json::Path path);
// The array as it can be changed; null when there is none.
Array* find_array(Object& object, json::Path path);
Array to_array(const std::vector<std::string>& texts);

// Equal, or absent in both.
bool is_same(const Object& before, const Object& object, json::Path path);

void append(FieldErrors& errors, FieldErrors more);
// One error for each problem with the value.
FieldErrors invalid_because(const std::string& field, std::string_view value, const kube::Problems& problems);
// For a field that the schema demands: it is there, but has nothing in it.
FieldErrors check_not_empty(const Object& object, std::string_view name, const std::string& path,
                            std::string detail = {});
// Empty when the field is the same in both.
FieldErrors check_immutable(const Object& before, const Object& object, json::Path path,
                            const std::string& field);

// Keys of ConfigMaps and Secrets.
kube::Problems validate_data_key(std::string_view key);
FieldErrors check_port_number(const std::string& field, std::int64_t port);
// Of a number that may be absent; `object` is what stands at `path`.
FieldErrors check_not_negative(const Object& object, std::string_view name, std::string_view path);
bool is_ipv4(std::string_view text);
bool is_ipv6(std::string_view text);
bool is_ip(std::string_view text);
FieldErrors check_ip(const std::string& field, const std::string& text);
FieldErrors check_cidr(const std::string& field, const std::string& text);
// metav1.LabelSelector.
FieldErrors check_label_selector(const Object& selector, const std::string& field);

// 0.5 becomes 500m; what cannot be read stays for validation to complain of.
void canonicalize_quantity(Value* quantity);
void canonicalize_quantities(Value* map);
FieldErrors check_quantity(const Value& quantity, const std::string& field);

std::vector<std::string> subdomain_name(std::string_view name, bool is_prefix);
std::vector<std::string> label_name(std::string_view name, bool is_prefix);
std::vector<std::string> service_name(std::string_view name, bool is_prefix);
std::vector<std::string> path_segment_name(std::string_view name, bool is_prefix);

}  // namespace fairway::apiserver::kinds
