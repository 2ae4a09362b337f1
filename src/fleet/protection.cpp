#include "fleet/protection.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "fleet/templates/hub.hpp"
#include "http/crypto.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet {
namespace {

// Nothing: there is no such key. An empty text: what is there is none.
std::optional<std::string> key_in(const json::Object& secret, std::string_view name) {
  const auto text = json::get_string(secret, {"data", name});
  if (!text || text->empty()) return std::nullopt;
  auto bytes = decode_base64(*text);
  return bytes && bytes->size() == http::kAesKeySize ? std::move(bytes) : std::string();
}

// A wrong key gives, once in a few hundred times, bytes that seem right; hardly ever are they a text.
std::optional<std::string> opened(const std::string& key, const std::string& vector, std::string_view bytes) {
  if (key.empty()) return std::nullopt;
  auto text = http::decrypt_aes256_cbc(key, vector, bytes);
  if (!text || !is_valid_utf8(*text)) return std::nullopt;
  return *std::move(text);
}

}  // namespace

Result<EncryptionKeys> EncryptionKeys::from(const json::Object& secret) {
  const auto key = key_in(secret, "key");
  if (!key || key->empty())
    return fail(ErrorCode::Invalid,
                fmt::format("Secret {} on the hub has no key of {} bytes in data.key; delete it, and the hub "
                            "makes a new one when it next writes the policy",
                            kube::key_of(secret).to_string(), http::kAesKeySize));
  return EncryptionKeys{.key = *key, .previous = key_in(secret, "previousKey").value_or("")};
}

json::Object new_encryption_secret(const std::string& cluster, WallTime now) {
  json::Object made{{"apiVersion", "v1"}, {"kind", "Secret"}, {"type", "Opaque"}};
  json::Object& metadata = json::ensure_object(made, {"metadata"});
  metadata["name"] = kEncryptionSecret;
  metadata["namespace"] = cluster;
  json::ensure_object(metadata, {"annotations"})[kLastRotated] = format_rfc3339(now);
  json::ensure_object(made, {"data"})["key"] = encode_base64(http::random_bytes(http::kAesKeySize));
  return made;
}

std::string new_vector() {
  return http::random_bytes(http::kAesBlockSize);
}

std::optional<std::string> vector_of(const json::Object& policy) {
  const auto text = kube::annotation(policy, templates::kEncryptionVector);
  auto bytes = text ? decode_base64(*text) : std::nullopt;
  return bytes && bytes->size() == http::kAesBlockSize ? std::move(bytes) : std::nullopt;
}

templates::Cipher encryption_with(EncryptionKeys keys, std::string vector) {
  return [keys = std::move(keys), vector = std::move(vector)](std::string_view text) {
    return http::encrypt_aes256_cbc(keys.key, vector, text);
  };
}

templates::Cipher decryption_with(EncryptionKeys keys, std::optional<std::string> vector) {
  if (!vector)
    return impossible(
        {ErrorCode::Invalid,
         fmt::format("the policy has encrypted values, but no annotation {} with {} bytes in base64 to "
                     "decrypt them; let the hub make it anew from its root policy",
                     templates::kEncryptionVector, http::kAesBlockSize)});
  return
      [keys = std::move(keys), vector = *std::move(vector)](std::string_view bytes) -> Result<std::string> {
        for (const std::string& key : {keys.key, keys.previous})
          if (auto text = opened(key, vector, bytes)) return *std::move(text);
        return fail(
            ErrorCode::Invalid,
            fmt::format("the value was encrypted with neither key nor previousKey of Secret {} on the hub; "
                        "let the hub write the policy anew: change annotation "
                        "policy.open-cluster-management.io/trigger-update of its root policy",
                        kEncryptionSecret));
      };
}

templates::Cipher impossible(Error error) {
  return
      [error = std::move(error)](std::string_view) -> Result<std::string> { return std::unexpected(error); };
}

}  // namespace fairway::fleet
