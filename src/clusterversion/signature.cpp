#include "clusterversion/signature.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

#include "base/text.hpp"
#include "json/value.hpp"

namespace fairway::clusterversion {
namespace {

constexpr std::string_view kType = "atomic container signature";
constexpr std::string_view kStatusPrefix = "[GNUPG:] ";
constexpr std::string_view kArmorBegin = "-----BEGIN PGP PUBLIC KEY BLOCK-----";
constexpr std::string_view kArmorEnd = "-----END PGP PUBLIC KEY BLOCK-----";

std::unexpected<Error> invalid(std::string message) {
  return fail(ErrorCode::Invalid, std::move(message));
}

std::optional<std::string_view> meaning_of(std::string_view keyword) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kMeanings = {{
      {"BADSIG", "the signature is wrong: the signed text was changed"},
      {"EXPSIG", "the signature has expired"},
      {"EXPKEYSIG", "the key that signed has expired"},
      {"KEYEXPIRED", "the key that signed has expired"},
      {"REVKEYSIG", "the key that signed was revoked"},
      {"NO_PUBKEY", "the key that signed is not in the keyring"},
      {"ERRSIG", "the signature cannot be checked"},
  }};
  const auto found =
      std::ranges::find(kMeanings, keyword, &std::pair<std::string_view, std::string_view>::first);
  if (found == kMeanings.end()) return std::nullopt;
  return found->second;
}

struct StatusCount {
  int good = 0;
  int valid = 0;
  std::optional<std::string_view> objection = {};
};

StatusCount count(std::string_view status) {
  StatusCount counted;
  for (std::string_view line : split(status, '\n')) {
    if (!line.starts_with(kStatusPrefix)) continue;
    line.remove_prefix(kStatusPrefix.size());
    const std::string_view keyword = line.substr(0, line.find_first_of(" \r"));
    if (keyword == "GOODSIG") ++counted.good;
    if (keyword == "VALIDSIG") ++counted.valid;
    // NO_PUBKEY follows ERRSIG and says more.
    if (const auto meaning = meaning_of(keyword); meaning && (!counted.objection || keyword == "NO_PUBKEY"))
      counted.objection = meaning;
  }
  return counted;
}

// The base64 lines of one block: behind the headers and their empty line, before the checksum.
Result<std::string> decode_block(std::string_view block) {
  std::string base64;
  bool is_in_headers = true;
  for (const std::string_view raw : split(block, '\n')) {
    const std::string_view line = trim(raw);
    if (is_in_headers && line.find(':') != std::string_view::npos) continue;
    if (is_in_headers && line.empty()) continue;
    is_in_headers = false;
    if (line.starts_with('=')) break;
    base64 += line;
  }
  auto bytes = decode_base64(base64);
  if (!bytes || bytes->empty())
    return invalid("expected base64 in the armour of a public key block, found something else");
  return *std::move(bytes);
}

}  // namespace

std::string signature_path(std::string_view digest, std::size_t number) {
  return fmt::format("{}/signature-{}", replace_all(digest, ":", "="), number);
}

Result<void> check_signed_text(std::string_view text, std::string_view digest) {
  auto parsed = json::parse_object(text);
  if (!parsed) return std::unexpected(std::move(parsed).error().within("in the signed text"));
  const auto type = json::get_string(*parsed, {"critical", "type"}).value_or("");
  if (type != kType)
    return invalid(fmt::format("expected a signature of the type {}, found {}", quoted(kType), quoted(type)));
  if (json::get_string(*parsed, {"critical", "identity", "docker-reference"}).value_or("").empty())
    return invalid("expected critical.identity.docker-reference in the signed text, found none");
  const auto found = json::get_string(*parsed, {"critical", "image", "docker-manifest-digest"}).value_or("");
  if (found != digest)
    return invalid(fmt::format("expected a signature of {}, found one of {}", quoted(digest), quoted(found)));
  return {};
}

Result<void> judge_gpgv(int exit_code, std::string_view status) {
  const StatusCount counted = count(status);
  if (counted.objection) return invalid(std::string(*counted.objection));
  if (exit_code == 0 && counted.good == 1 && counted.valid == 1) return {};
  if (exit_code == 0 && counted.good > 1) return invalid("expected one signature, found several");
  return invalid("expected an OpenPGP message with a signature, found something else");
}

Result<std::string> dearmor_keyring(std::string_view text) {
  std::size_t begin = text.find(kArmorBegin);
  if (begin == std::string_view::npos) return std::string(text);
  std::string keys;
  for (; begin != std::string_view::npos; begin = text.find(kArmorBegin, begin)) {
    begin += kArmorBegin.size();
    const std::size_t end = text.find(kArmorEnd, begin);
    if (end == std::string_view::npos)
      return invalid(fmt::format("expected {}, found the end", quoted(kArmorEnd)));
    FAIRWAY_TRY(const std::string block, decode_block(text.substr(begin, end - begin)));
    keys += block;
    begin = end;
  }
  return keys;
}

}  // namespace fairway::clusterversion
