#include "updateservice/signatures.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fairway::updateservice {
namespace {

constexpr std::size_t kMostNameBytes = 255;

bool is_hex(std::string_view text) {
  return !text.empty() && text.size() <= kMostNameBytes && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  });
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kMostNameBytes && text.front() != '.' &&
         std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
                  c == '_' || c == '.';
         });
}

std::unexpected<Problem> wrong(std::string_view expected, std::string_view found) {
  return std::unexpected(invalid_parameters(fmt::format("expected {}, found '{}'", expected, found)));
}

}  // namespace

std::string SignatureName::file() const {
  return fmt::format("{}/{}/{}", algorithm, digest, name);
}

Judged<SignatureName> parse_signature_path(std::string_view path) {
  const std::size_t slash = path.find('/');
  const std::string_view image = path.substr(0, slash);
  const std::string_view name = slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
  const std::size_t equals = image.find('=');
  if (equals == std::string_view::npos || image.find('=', equals + 1) != std::string_view::npos)
    return wrong("ALGORITHM=DIGEST", image);
  const std::string_view algorithm = image.substr(0, equals);
  const std::string_view digest = image.substr(equals + 1);
  if (algorithm != "sha256" && algorithm != "sha") return wrong("the algorithm sha256 or sha", algorithm);
  if (!is_hex(digest)) return wrong("a digest of hexadecimal digits", digest);
  if (!is_name(name)) return wrong("a signature's name such as signature-1", name);
  return SignatureName{std::string(algorithm), std::string(digest), std::string(name)};
}

}  // namespace fairway::updateservice
