#include "oci/credentials.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "base/text.hpp"
#include "json/value.hpp"

namespace fairway::oci {
namespace {

constexpr std::size_t kMostBytes = 4 * 1024 * 1024;

// "https://index.docker.io/v1/" → "docker.io"; "Quay.io/ns" → "quay.io/ns".
std::string path_of(std::string_view key) {
  if (const auto scheme = key.find("://"); scheme != std::string_view::npos) key.remove_prefix(scheme + 3);
  while (key.ends_with('/')) key.remove_suffix(1);
  for (const std::string_view ending : {"/v1", "/v2"}) {
    if (key.ends_with(ending)) key.remove_suffix(ending.size());
  }
  const auto slash = key.find('/');
  std::string host = to_lower(key.substr(0, slash));
  if (host == "index.docker.io" || host == "registry-1.docker.io") host = "docker.io";
  return slash == std::string_view::npos ? host : host + std::string(key.substr(slash));
}

bool is_plain_key(std::string_view key) {
  return path_of(key) == key;
}

bool is_header_text(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

std::unexpected<Error> broken(std::string_view key, std::string_view why) {
  return fail(ErrorCode::Invalid, fmt::format("the credentials entry {}: {}", quoted(key), why));
}

Result<std::string> text_member(std::string_view key, const json::Object& entry, std::string_view name) {
  const json::Value* value = json::find(entry, {name});
  if (value == nullptr || value->is_null()) return std::string();
  if (!value->is_string()) {
    return broken(key,
                  fmt::format("expected {} to be a string, found {}", quoted(name), json::a_kind(*value)));
  }
  return std::string(json::view(value->get_string()));
}

// base64 of user:password; docker pads the password with zero bytes.
Result<void> read_auth(std::string_view key, const std::string& auth, Credential& into) {
  const auto decoded = decode_base64(auth);
  if (!decoded) return broken(key, "expected \"auth\" to be base64 of user:password, and it is not base64");
  const auto colon = decoded->find(':');
  if (colon == std::string::npos || colon == 0)
    return broken(
        key, "expected \"auth\" to be base64 of user:password, and there is no user before a colon in it");
  into.username = decoded->substr(0, colon);
  into.password = decoded->substr(colon + 1);
  into.password.resize(into.password.find_last_not_of('\0') + 1);
  return {};
}

Result<Credential> read_entry(std::string_view key, const json::Value& value) {
  if (!value.is_object())
    return broken(key, fmt::format("expected an object with \"auth\", found {}", json::a_kind(value)));
  const json::Object& entry = value.get_object();
  Credential credential{.entry = std::string(key)};
  FAIRWAY_TRY(const std::string auth, text_member(key, entry, "auth"));
  FAIRWAY_TRY(credential.username, text_member(key, entry, "username"));
  FAIRWAY_TRY(credential.password, text_member(key, entry, "password"));
  FAIRWAY_TRY(credential.identity_token, text_member(key, entry, "identitytoken"));
  if (!auth.empty()) FAIRWAY_CHECKED(read_auth(key, auth, credential));
  if (credential.username.empty() && !credential.password.empty())
    return broken(key, "there is a password and no user name");
  if (!is_header_text(credential.username) || !is_header_text(credential.password) ||
      !is_header_text(credential.identity_token)) {
    return broken(key, "there are control characters in it");
  }
  return credential;
}

bool is_empty(const Credential& credential) {
  return credential.username.empty() && credential.identity_token.empty();
}

}  // namespace

Result<Credentials> Credentials::parse(std::string_view text) {
  auto parsed = json::parse_object(text, {.max_depth = 32, .max_bytes = kMostBytes});
  if (!parsed) {
    // What the parser quotes may be part of a secret: only the place is passed on.
    return fail(
        ErrorCode::Invalid,
        "expected credentials as JSON, as docker login and podman login write them ({\"auths\": {…}}); "
        "the text is not a JSON object");
  }
  const json::Value* auths = json::find(*parsed, {"auths"});
  if (auths != nullptr && !auths->is_object()) {
    return fail(ErrorCode::Invalid, fmt::format("expected \"auths\" to be an object of registries, found {}",
                                                json::a_kind(*auths)));
  }
  const bool is_config = auths != nullptr || parsed->contains("credsStore") ||
                         parsed->contains("credHelpers") || parsed->contains("HttpHeaders");
  Credentials credentials;
  if (is_config && auths == nullptr) return credentials;
  const json::Object& entries = is_config ? auths->get_object() : *parsed;
  for (const auto& [name, value] : entries) {
    const std::string_view key{name.data(), name.size()};
    FAIRWAY_TRY(Credential credential, read_entry(key, value));
    if (is_empty(credential)) continue;
    const std::string path = path_of(key);
    if (path.empty()) return broken(key, "expected the name of a registry");
    // Of two spellings of one registry, the plain one was written on purpose.
    if (is_plain_key(key) || !credentials.by_path_.contains(path))
      credentials.by_path_.insert_or_assign(path, std::move(credential));
  }
  return credentials;
}

void Credentials::add(std::string_view key, std::string username, std::string password) {
  by_path_.insert_or_assign(path_of(key), Credential{.entry = std::string(key),
                                                     .username = std::move(username),
                                                     .password = std::move(password)});
}

const Credential* Credentials::find(std::string_view authority, std::string_view repository) const {
  std::string path = path_of(authority);
  const std::size_t shortest = path.size();
  if (!repository.empty()) path.append("/").append(repository);
  for (;;) {
    if (const auto found = by_path_.find(path); found != by_path_.end()) return &found->second;
    if (path.size() == shortest) return nullptr;
    path.resize(path.rfind('/'));
  }
}

}  // namespace fairway::oci
