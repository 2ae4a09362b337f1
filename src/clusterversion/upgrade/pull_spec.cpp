#include "clusterversion/upgrade/pull_spec.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace fairway::clusterversion::upgrade {
namespace {

constexpr std::size_t kLongestTag = 128;
constexpr std::size_t kShortestHash = 32;

bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
bool is_word(char c) {
  return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Lower-case words, joined by . _ __ or any number of dashes.
bool is_path_part(std::string_view text) {
  if (text.empty() || !is_lower_or_digit(text.front()) || !is_lower_or_digit(text.back())) return false;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_lower_or_digit(text[end])) ++end;
    at = end;
    while (end < text.size() && !is_lower_or_digit(text[end])) ++end;
    const std::string_view between = text.substr(at, end - at);
    const bool is_dashes = between.find_first_not_of('-') == std::string_view::npos;
    if (!is_dashes && between != "." && between != "_" && between != "__") return false;
    at = end;
  }
  return true;
}

bool is_host(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon != std::string_view::npos && !is_digits(text.substr(colon + 1))) return false;
  const std::string_view name = text.substr(0, colon);
  return !name.empty() &&
         std::ranges::all_of(name, [](char c) { return is_word(c) || c == '.' || c == '-'; });
}

bool is_name(std::string_view text) {
  auto parts = split(text, '/');
  const bool has_host = parts.size() > 1 && (parts.front().find_first_of(".:") != std::string_view::npos ||
                                             parts.front() == "localhost");
  if (has_host) {
    if (!is_host(parts.front())) return false;
    parts.erase(parts.begin());
  }
  return std::ranges::all_of(parts, is_path_part);
}

bool is_tag(std::string_view text) {
  return !text.empty() && text.size() <= kLongestTag && is_word(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_word(c) || c == '.' || c == '-'; });
}

bool is_digest(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view hash = text.substr(colon + 1);
  return hash.size() >= kShortestHash && hash.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

Result<PullSpec> parse_pull_spec(std::string_view text) {
  const auto malformed = [] { return fail(ErrorCode::Invalid, "invalid reference format"); };
  PullSpec spec;
  std::string_view rest = text;
  if (const auto at = rest.find('@'); at != std::string_view::npos) {
    spec.digest = std::string(rest.substr(at + 1));
    if (!is_digest(spec.digest)) return malformed();
    rest = rest.substr(0, at);
  }
  const auto colon = rest.rfind(':');
  if (colon != std::string_view::npos && rest.find('/', colon) == std::string_view::npos) {
    spec.tag = std::string(rest.substr(colon + 1));
    if (!is_tag(spec.tag)) return malformed();
    rest = rest.substr(0, colon);
  }
  if (rest.empty()) return fail(ErrorCode::Invalid, "no registry or repository specified");
  if (!is_name(rest)) return malformed();
  spec.name = std::string(rest);
  return spec;
}

}  // namespace fairway::clusterversion::upgrade
