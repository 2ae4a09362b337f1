// ConfigMap, Secret, ServiceAccount.
#include <algorithm>

#include "apiserver/kinds_support.hpp"
#include "apiserver/kinds_table.hpp"
#include "base/text.hpp"
#include "json/value.hpp"
#include "kube/core/object.hpp"

namespace fairway::apiserver::kinds {
namespace {

constexpr std::size_t kMaxDataBytes = 1024 * 1024;
constexpr std::string_view kFrozen = "field is immutable when `immutable` is set";
constexpr std::string_view kAccountName = "kubernetes.io/service-account.name";

std::size_t decoded_size(std::string_view base64) {
  const std::size_t padding = base64.ends_with("==") ? 2 : base64.ends_with('=') ? 1 : 0;
  return base64.size() / 4 * 3 - std::min(padding, base64.size() / 4 * 3);
}

// Base64 may come in lines; it is kept in one piece.
void join_lines(Object& object, std::string_view field) {
  Value* map = object.if_contains(field);
  if (map == nullptr || !map->is_object()) return;
  for (auto& [key, value] : map->get_object()) {
    if (!value.is_string()) continue;
    const std::string_view text = json::view(value.get_string());
    if (text.find_first_of("\r\n") == std::string_view::npos) continue;
    if (const auto bytes = decode_base64(text)) value = encode_base64(*bytes);
  }
}

FieldErrors check_keys(const Object& map, const std::string& field) {
  FieldErrors errors;
  for (const auto& [key, value] : map) {
    append(errors, invalid_because(json::key_path(field, key), key, validate_data_key(key)));
  }
  return errors;
}

std::size_t size_of(const Object& map, bool is_base64) {
  std::size_t size = 0;
  for (const auto& [key, value] : map) {
    if (!value.is_string()) continue;
    const std::string_view text = json::view(value.get_string());
    size += is_base64 ? decoded_size(text) : text.size();
  }
  return size;
}

FieldErrors check_frozen(const Object& before, const Object& object,
                         std::initializer_list<std::string_view> fields) {
  FieldErrors errors;
  if (!json::get_bool(before, {"immutable"}).value_or(false)) return errors;
  if (!json::get_bool(object, {"immutable"}).value_or(false)) {
    errors.push_back(FieldError::forbidden("immutable", std::string(kFrozen)));
  }
  for (const std::string_view field : fields) {
    if (!json::same_value(object_at(before, {field}), object_at(object, {field}))) {
      errors.push_back(FieldError::forbidden(std::string(field), std::string(kFrozen)));
    }
  }
  return errors;
}

void default_config_map(Object& object) {
  join_lines(object, "binaryData");
}

FieldErrors validate_config_map(const Object& object) {
  const Object& data = object_at(object, {"data"});
  const Object& binary = object_at(object, {"binaryData"});
  FieldErrors errors = check_keys(data, "data");
  for (const auto& [key, value] : data) {
    if (!binary.contains(key)) continue;
    errors.push_back(FieldError::invalid(json::key_path("data", key), Value(key),
                                         "duplicate of key present in binaryData"));
  }
  append(errors, check_keys(binary, "binaryData"));
  if (size_of(data, false) + size_of(binary, true) > kMaxDataBytes) {
    errors.push_back(FieldError::too_long("", kMaxDataBytes));
  }
  return errors;
}

FieldErrors validate_config_map_update(const Object& before, const Object& object) {
  return check_frozen(before, object, {"data", "binaryData"});
}

void default_secret(Object& object) {
  join_lines(object, "data");
  const Value* plain = object.if_contains("stringData");
  if (plain == nullptr) return;
  if (const Object* texts = plain->if_object()) {
    const Object copy = *texts;
    Object& data = json::ensure_object(object, {"data"});
    for (const auto& [key, value] : copy) {
      if (value.is_string()) data[key] = encode_base64(json::view(value.get_string()));
    }
  }
  json::remove(object, "stringData");
}

FieldErrors require_keys(const Object& data, std::initializer_list<std::string_view> keys) {
  FieldErrors errors;
  for (const std::string_view key : keys) {
    if (!data.contains(key)) errors.push_back(FieldError::required(json::key_path("data", key)));
  }
  return errors;
}

FieldErrors check_docker_config(const Object& data, std::string_view key) {
  if (!data.contains(key)) return require_keys(data, {key});
  const auto bytes = decode_base64(json::get_string(data, {key}).value_or(""));
  const auto parsed = json::parse_object(bytes.value_or(""));
  if (parsed) return {};
  return {FieldError::invalid(json::key_path("data", key), Value("<secret contents redacted>"),
                              parsed.error().message)};
}

FieldErrors check_secret_type(const Object& object, const Object& data) {
  const std::string type = json::text_at(object, {"type"});
  if (type == "kubernetes.io/service-account-token") {
    if (!kube::annotation(object, kAccountName).value_or("").empty()) return {};
    return {FieldError::required(json::key_path("metadata.annotations", kAccountName))};
  }
  if (type == "kubernetes.io/dockercfg") return check_docker_config(data, ".dockercfg");
  if (type == "kubernetes.io/dockerconfigjson") return check_docker_config(data, ".dockerconfigjson");
  if (type == "kubernetes.io/basic-auth") {
    if (data.contains("username") || data.contains("password")) return {};
    return require_keys(data, {"username", "password"});
  }
  if (type == "kubernetes.io/ssh-auth") {
    if (!json::get_string(data, {"ssh-privatekey"}).value_or("").empty()) return {};
    return {FieldError::required("data[ssh-privatekey]")};
  }
  if (type == "kubernetes.io/tls") return require_keys(data, {"tls.crt", "tls.key"});
  return {};
}

FieldErrors validate_secret(const Object& object) {
  const Object& data = object_at(object, {"data"});
  FieldErrors errors = check_keys(data, "data");
  if (size_of(data, true) > kMaxDataBytes) errors.push_back(FieldError::too_long("data", kMaxDataBytes));
  append(errors, check_secret_type(object, data));
  return errors;
}

FieldErrors validate_secret_update(const Object& before, const Object& object) {
  FieldErrors errors = check_immutable(before, object, {"type"}, "type");
  append(errors, check_frozen(before, object, {"data"}));
  return errors;
}

// Of references to secrets only the name is kept.
FieldErrors prepare_account(Object& object) {
  if (Array* secrets = find_array(object, {"secrets"})) {
    for (Value& secret : *secrets) {
      if (secret.is_object()) secret = Object{{"name", json::text_at(secret.get_object(), {"name"})}};
    }
  }
  return {};
}

}  // namespace

const KindRules& config_map_rules() {
  static const KindRules kRules{.name_problems = subdomain_name,
                                .default_fields = default_config_map,
                                .validate = validate_config_map,
                                .validate_update = validate_config_map_update};
  return kRules;
}

const KindRules& secret_rules() {
  static const KindRules kRules{.name_problems = subdomain_name,
                                .default_fields = default_secret,
                                .validate = validate_secret,
                                .validate_update = validate_secret_update};
  return kRules;
}

const KindRules& service_account_rules() {
  static const KindRules kRules{
      .name_problems = subdomain_name,
      .prepare_create = [](Object& object, const KindContext&) { return prepare_account(object); },
      .prepare_update = [](const Object&, Object& object,
                           const KindContext&) { return prepare_account(object); }};
  return kRules;
}

}  // namespace fairway::apiserver::kinds
