#include "clusterversion/cluster_id.hpp"

#include <fmt/format.h>
#include <optional>

#include "base/text.hpp"
#include "promql/go_text.hpp"

namespace fairway::clusterversion {
namespace {

constexpr std::string_view kUrnPrefix = "urn:uuid:";
constexpr std::size_t kDigits = 32;
constexpr std::size_t kHyphenated = 36;
constexpr std::array<std::size_t, 4> kHyphens = {8, 13, 18, 23};

std::unexpected<Error> malformed() {
  return fail(ErrorCode::Invalid, "invalid UUID format");
}

std::optional<std::uint8_t> hex_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<std::uint8_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint8_t>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<std::uint8_t>(c - 'A' + 10);
  return std::nullopt;
}

Result<Uuid> parse_digits(std::string_view digits) {
  Uuid uuid;
  for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
    const auto high = hex_value(digits[2 * i]);
    const auto low = hex_value(digits[2 * i + 1]);
    if (!high || !low) return malformed();
    uuid.bytes[i] = static_cast<std::uint8_t>(*high << 4 | *low);
  }
  return uuid;
}

}  // namespace

bool Uuid::is_rfc4122() const {
  return (bytes[8] & 0xc0) == 0x80;
}

int Uuid::version() const {
  return bytes[6] >> 4;
}

std::string Uuid::to_string() const {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", bytes[i]);
  }
  return text;
}

Result<Uuid> parse_uuid(std::string_view text) {
  if (text.size() == kDigits) return parse_digits(text);
  if (text.size() == kHyphenated + kUrnPrefix.size()) {
    const std::string_view prefix = text.substr(0, kUrnPrefix.size());
    if (!equals_ignoring_case(prefix, kUrnPrefix))
      return fail(ErrorCode::Invalid, "invalid urn prefix: " + promql::go_quoted(prefix));
    text.remove_prefix(kUrnPrefix.size());
  } else if (text.size() == kHyphenated + 2) {
    if (text.front() != '{' || text.back() != '}') return malformed();
    text = text.substr(1, kHyphenated);
  } else if (text.size() != kHyphenated) {
    return fail(ErrorCode::Invalid, fmt::format("invalid UUID length: {}", text.size()));
  }
  for (const std::size_t at : kHyphens) {
    if (text[at] != '-') return malformed();
  }
  const std::string digits = replace_all(text, "-", "");
  return digits.size() == kDigits ? parse_digits(digits) : malformed();
}

}  // namespace fairway::clusterversion
