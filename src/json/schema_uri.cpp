#include "json/schema_uri.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"

namespace fairway::json {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

bool has_valid_escapes(std::string_view text) {
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    if (at + 2 >= text.size() || !is_hex(text[at + 1]) || !is_hex(text[at + 2])) return false;
  }
  return true;
}

// The rest after `scheme:`; the whole text when it has no scheme; nothing when the text begins with a colon.
std::optional<std::string_view> after_scheme(std::string_view text, bool& has_scheme) {
  has_scheme = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_letter(c)) continue;
    if (is_digit(c) || is_one_of(c, "+-.")) {
      if (i == 0) return text;
      continue;
    }
    if (c != ':') return text;
    if (i == 0) return std::nullopt;
    has_scheme = true;
    return text.substr(i + 1);
  }
  return text;
}

bool is_port(std::string_view text) {
  return text.empty() || (text[0] == ':' && std::ranges::all_of(text.substr(1), is_digit));
}

bool is_host(std::string_view host) {
  if (!has_valid_escapes(host)) return false;
  if (host.starts_with('[')) {
    const auto end = host.rfind(']');
    return end != std::string_view::npos && is_port(host.substr(end + 1));
  }
  const auto colon = host.rfind(':');
  if (colon != std::string_view::npos && !is_port(host.substr(colon))) return false;
  for (std::size_t i = 0; i < host.size(); ++i) {
    const char c = host[i];
    if (c == '%') {
      // Only bytes of non-ASCII names may be escaped in a host.
      if (!is_one_of(host[i + 1], "89abcdefABCDEF")) return false;
    } else if (static_cast<unsigned char>(c) < 0x80 && !is_letter(c) && !is_digit(c) &&
               !is_one_of(c, "-_.~!$&'()*+,;=:[]<>\"")) {
      return false;
    }
  }
  return true;
}

bool is_authority(std::string_view authority) {
  const auto at = authority.rfind('@');
  if (at == std::string_view::npos) return is_host(authority);
  const std::string_view user = authority.substr(0, at);
  const bool valid_user = std::ranges::all_of(
      user, [](char c) { return is_letter(c) || is_digit(c) || is_one_of(c, "-._:~!$&'()*+,;=%@"); });
  return valid_user && has_valid_escapes(user) && is_host(authority.substr(at + 1));
}

bool is_atom_char(char c) {
  return is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80 ||
         is_one_of(c, "!#$%&'*+-/=?^_`{|}~");
}

bool is_dot_atom(std::string_view text) {
  return std::ranges::all_of(split(text, '.'), [](std::string_view word) {
    return !word.empty() && std::ranges::all_of(word, is_atom_char);
  });
}

// A quoted string at the start; the text after it, or nothing when there is none.
std::optional<std::string_view> after_quoted(std::string_view text) {
  if (!text.starts_with('"')) return std::nullopt;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return text.substr(i + 1);
    } else if (text[i] == '\r' || text[i] == '\n') {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

bool is_domain(std::string_view text) {
  if (text.starts_with('[')) {
    return text.ends_with(']') && text.size() > 2 && text.find_first_of("[]\\", 1) == text.size() - 1;
  }
  return is_dot_atom(text);
}

bool is_address(std::string_view text) {
  if (const auto rest = after_quoted(text)) return rest->starts_with('@') && is_domain(rest->substr(1));
  const auto at = text.find('@');
  return at != std::string_view::npos && is_dot_atom(text.substr(0, at)) && is_domain(text.substr(at + 1));
}

bool is_phrase(std::string_view text) {
  while (!text.empty()) {
    if (const auto rest = after_quoted(text)) {
      text = trim(*rest);
      continue;
    }
    const auto end = text.find_first_of(" \t");
    const std::string_view word = text.substr(0, end);
    if (!std::ranges::all_of(word, [](char c) { return is_atom_char(c) || c == '.'; })) return false;
    text = end == std::string_view::npos ? std::string_view{} : trim(text.substr(end));
  }
  return true;
}

}  // namespace

bool is_request_uri(std::string_view text) {
  if (text.empty()) return false;
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }))
    return false;
  if (text == "*") return true;
  bool has_scheme = false;
  const auto found = after_scheme(text, has_scheme);
  if (!found) return false;
  std::string_view rest = found->substr(0, found->find('?'));
  if (!rest.starts_with('/')) return has_scheme;
  if (has_scheme && rest.starts_with("//")) {
    rest.remove_prefix(2);
    const auto slash = rest.find('/');
    if (!is_authority(rest.substr(0, slash))) return false;
    rest = slash == std::string_view::npos ? std::string_view{} : rest.substr(slash);
  }
  return has_valid_escapes(rest);
}

bool is_email(std::string_view text) {
  text = trim(text);
  if (!text.ends_with('>')) return is_address(text);
  const auto open = text.rfind('<');
  if (open == std::string_view::npos) return false;
  return is_phrase(trim(text.substr(0, open))) && is_address(text.substr(open + 1, text.size() - open - 2));
}

}  // namespace fairway::json
