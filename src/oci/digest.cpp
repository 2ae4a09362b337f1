#include "oci/digest.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "http/crypto.hpp"

namespace fairway::oci {
namespace {

constexpr std::string_view kAlgorithm = "sha256:";
constexpr std::size_t kHexDigits = 64;

bool is_lower_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

}  // namespace

Result<Digest> Digest::parse(std::string_view text) {
  if (!text.starts_with(kAlgorithm) || text.size() != kAlgorithm.size() + kHexDigits ||
      !std::ranges::all_of(text.substr(kAlgorithm.size()), is_lower_hex)) {
    return fail(
        ErrorCode::Invalid,
        fmt::format("expected a digest of the form sha256:<64 lower-case hexadecimal digits>, found {}",
                    quoted(text)));
  }
  return Digest(std::string(text));
}

Digest Digest::of(std::string_view bytes) {
  return Digest(std::string(kAlgorithm) + encode_hex(http::sha256(bytes)));
}

std::string_view Digest::hex() const {
  return std::string_view(text_).substr(kAlgorithm.size());
}

}  // namespace fairway::oci
