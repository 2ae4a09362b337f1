#include "fleet/templates/encrypted.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::fleet::templates {
namespace {

bool is_base64(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
}

// How far the base64 at the start goes, its padding included.
std::size_t length_of_base64(std::string_view text) {
  auto end = static_cast<std::size_t>(std::ranges::find_if(text, [](char c) { return !is_base64(c); }) -
                                      text.begin());
  for (int i = 0; i < 2 && end < text.size() && text[end] == '='; ++i) ++end;
  return end;
}

Result<std::string> one_decrypted(std::string_view base64, const Cipher& decrypt) {
  const auto bytes = decode_base64(base64);
  if (base64.empty() || !bytes)
    return fail(ErrorCode::Invalid,
                fmt::format("what follows {} is no base64; it must stay as protect on the hub made it",
                            kEncryptedPrefix));
  FAIRWAY_TRY(std::string text, decrypt(*bytes));
  if (!is_valid_utf8(text)) return fail(ErrorCode::Invalid, "what is encrypted is no text");
  return text;
}

bool is_encrypted(std::string_view text) {
  return text.contains(kEncryptedPrefix);
}

}  // namespace

Result<std::string> decrypted(std::string_view text, const Cipher& decrypt) {
  std::string made;
  for (;;) {
    const std::size_t at = text.find(kEncryptedPrefix);
    made += text.substr(0, at);
    if (at == std::string_view::npos) return made;
    text.remove_prefix(at + kEncryptedPrefix.size());
    const std::size_t length = length_of_base64(text);
    FAIRWAY_TRY(const std::string plain, one_decrypted(text.substr(0, length), decrypt));
    made += plain;
    text.remove_prefix(length);
  }
}

bool has_encrypted(const json::Value& value) {
  if (value.is_string()) return is_encrypted(json::view(value.get_string()));
  if (value.is_array()) return std::ranges::any_of(value.get_array(), has_encrypted);
  return value.is_object() && std::ranges::any_of(value.get_object(), [](const auto& each) {
           return is_encrypted(std::string_view(each.key())) || has_encrypted(each.value());
         });
}

Result<void> check_encrypted(const json::Value& value, const Cipher& decrypt) {
  if (value.is_string()) {
    const auto found = decrypted(json::view(value.get_string()), decrypt);
    if (!found) return std::unexpected(found.error());
  }
  if (value.is_array()) {
    for (const json::Value& each : value.get_array()) FAIRWAY_CHECKED(check_encrypted(each, decrypt));
  }
  if (value.is_object()) {
    for (const auto& each : value.get_object()) {
      const auto found = decrypted(std::string_view(each.key()), decrypt);
      if (!found) return std::unexpected(found.error());
      FAIRWAY_CHECKED(check_encrypted(each.value(), decrypt));
    }
  }
  return {};
}

}  // namespace fairway::fleet::templates
