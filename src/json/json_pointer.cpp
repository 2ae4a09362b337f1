#include "json/json_pointer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <ranges>

#include "base/text.hpp"

namespace fairway::json {
namespace {

Result<std::string> unescape(std::string_view token, std::string_view whole) {
  std::string result;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      result += token[i];
      continue;
    }
    const char code = ++i < token.size() ? token[i] : '\0';
    if (code != '0' && code != '1') {
      return fail(
          ErrorCode::Invalid,
          fmt::format("expected a JSON pointer in which '~' is followed by 0 or 1, found {}: write ~0 for "
                      "a tilde and ~1 for a slash",
                      quoted(whole)));
    }
    result += code == '0' ? '~' : '/';
  }
  return result;
}

}  // namespace

std::optional<std::size_t> parse_array_index(std::string_view token) {
  if (token.empty() || token.front() < '0' || token.front() > '9') return std::nullopt;
  if (token.size() > 1 && token.front() == '0') return std::nullopt;
  return parse_unsigned(token);
}

Result<Pointer> Pointer::parse(std::string_view text) {
  if (text.empty()) return Pointer();
  if (text.front() != '/') {
    return fail(
        ErrorCode::Invalid,
        fmt::format("expected a JSON pointer that is empty or starts with '/', found {}", quoted(text)));
  }
  Pointer pointer;
  for (std::string_view token : split(text.substr(1), '/')) {
    FAIRWAY_TRY(std::string unescaped, unescape(token, text));
    pointer.tokens_.push_back(std::move(unescaped));
  }
  return pointer;
}

std::string Pointer::to_string() const {
  std::string text;
  for (const std::string& token : tokens_) {
    text += '/';
    for (char c : token) {
      if (c == '~') {
        text += "~0";
      } else if (c == '/') {
        text += "~1";
      } else {
        text += c;
      }
    }
  }
  return text;
}

Pointer Pointer::parent() const {
  FAIRWAY_CHECK(!is_root(), "the whole document has no parent");
  return Pointer({tokens_.begin(), tokens_.end() - 1});
}

bool Pointer::contains(const Pointer& other) const {
  return tokens_.size() <= other.tokens_.size() &&
         std::ranges::equal(tokens_, other.tokens_ | std::views::take(tokens_.size()));
}

const Value* Pointer::find(const Value& document) const {
  const Value* here = &document;
  for (const std::string& token : tokens_) {
    if (const Object* object = here->if_object()) {
      here = object->if_contains(token);
    } else if (const Array* array = here->if_array()) {
      const auto index = parse_array_index(token);
      here = index ? array->if_contains(*index) : nullptr;
    } else {
      here = nullptr;
    }
    if (here == nullptr) return nullptr;
  }
  return here;
}

Value* Pointer::find(Value& document) const {
  return const_cast<Value*>(find(std::as_const(document)));
}

}  // namespace fairway::json
