#include "clusterversion/acceptance_upstream.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace fairway::clusterversion {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

bool has_good_escapes(std::string_view text) {
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    if (at + 2 >= text.size() || !is_hex_digit(text[at + 1]) || !is_hex_digit(text[at + 2])) return false;
  }
  return true;
}

// In a host's name only bytes beyond ASCII are escaped.
bool escapes_ascii(std::string_view text) {
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    if (text[at + 1] < '8') return true;
  }
  return false;
}

// Takes "scheme:" off the front where there is one; false for a colon that nothing stands before.
bool take_scheme(std::string_view& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_letter(c)) continue;
    if (is_digit(c) || c == '+' || c == '-' || c == '.') {
      if (i == 0) return true;
      continue;
    }
    if (c != ':') return true;
    if (i == 0) return false;
    text.remove_prefix(i + 1);
    return true;
  }
  return true;
}

bool is_port(std::string_view text) {  // with its colon; may be empty behind it
  return text.empty() || (text.front() == ':' && std::ranges::all_of(text.substr(1), is_digit));
}

bool is_host_character(char c) {
  constexpr std::string_view kAllowed = "-_.~!$&'()*+,;=:[]<>\"%";
  return is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80 ||
         kAllowed.find(c) != std::string_view::npos;
}

bool is_user_character(char c) {
  constexpr std::string_view kAllowed = "-._:~!$&'()*+,;=%@";
  return is_letter(c) || is_digit(c) || kAllowed.find(c) != std::string_view::npos;
}

bool is_authority(std::string_view text) {
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    const std::string_view user = text.substr(0, at);
    if (!std::ranges::all_of(user, is_user_character) || !has_good_escapes(user)) return false;
    text.remove_prefix(at + 1);
  }
  if (!std::ranges::all_of(text, is_host_character)) return false;
  if (text.starts_with('[')) {
    const std::size_t end = text.rfind(']');
    return end != std::string_view::npos && is_port(text.substr(end + 1));
  }
  if (!has_good_escapes(text) || escapes_ascii(text)) return false;
  const std::size_t colon = text.rfind(':');
  return colon == std::string_view::npos || is_port(text.substr(colon));
}

}  // namespace

bool is_parsable_url(std::string_view text) {
  if (std::ranges::any_of(text, is_control)) return false;
  if (const std::size_t hash = text.find('#'); hash != std::string_view::npos) {
    if (!has_good_escapes(text.substr(hash + 1))) return false;
    text = text.substr(0, hash);
  }
  const std::size_t whole = text.size();
  if (!take_scheme(text)) return false;
  const bool has_scheme = text.size() != whole;
  text = text.substr(0, text.find('?'));  // a query is kept as it stands and not looked into
  if (!text.starts_with('/')) {
    if (has_scheme) return true;  // opaque, as in mailto:
    const std::string_view first = text.substr(0, text.find('/'));
    return first.find(':') == std::string_view::npos && has_good_escapes(text);
  }
  if (text.starts_with("//") && (has_scheme || !text.starts_with("///"))) {
    text.remove_prefix(2);
    const std::size_t path = std::min(text.find('/'), text.size());
    if (!is_authority(text.substr(0, path))) return false;
    text.remove_prefix(path);
  }
  return has_good_escapes(text);
}

}  // namespace fairway::clusterversion
