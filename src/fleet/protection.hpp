// How values are protected on their way from a hub to a cluster: the key that both read, and the ciphers made
// of it.
//
// As Open Cluster Management has it: Secret policy-encryption-key in the cluster's namespace on the hub holds
// the key and, after a rotation, the previous one; the child policy says the initialization vector in an
// annotation. The agent reads with either key, so that a rotation needs no moment at which all change. No
// error shows a key or a value.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "fleet/templates/templates.hpp"
#include "json/value.hpp"
#include "kube/core/resource_type.hpp"

namespace fairway::fleet {

inline constexpr std::string_view kEncryptionSecret = "policy-encryption-key";
inline constexpr std::string_view kLastRotated = "policy.open-cluster-management.io/last-rotated";
inline const kube::ResourceType kSecrets{.kind = {"", "v1", "Secret"}, .resource = "secrets"};

struct EncryptionKeys {
  std::string key;
  std::string previous = {};  // empty: there is none

  static Result<EncryptionKeys> from(const json::Object& secret);
  bool operator==(const EncryptionKeys&) const = default;
};

// With a new key.
json::Object new_encryption_secret(const std::string& cluster, WallTime now);

std::string new_vector();
// Of a policy's annotation; nothing where it has none that can be used.
std::optional<std::string> vector_of(const json::Object& policy);

templates::Cipher encryption_with(EncryptionKeys keys, std::string vector);
// `vector`: as vector_of() gives it.
templates::Cipher decryption_with(EncryptionKeys keys, std::optional<std::string> vector);
// Of which nothing comes but this error.
templates::Cipher impossible(Error error);

}  // namespace fairway::fleet
