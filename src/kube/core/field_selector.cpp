#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

#include "base/text.hpp"
#include "kube/core/selector.hpp"

namespace fairway::kube {
namespace {

// At commas, but not at those behind a backslash.
std::vector<std::string_view> split_terms(std::string_view text) {
  std::vector<std::string_view> terms;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  terms.push_back(text.substr(start));
  return terms;
}

Result<std::string> unescape(std::string_view text) {
  std::string value;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ',' || c == '=') {
      // Kubernetes prints the character's number.
      return fail(ErrorCode::Invalid, fmt::format("invalid field selector: unescaped character in value: {}",
                                                  static_cast<int>(c)));
    }
    if (c != '\\') {
      value += c;
      continue;
    }
    const std::string_view rest = text.substr(i + 1);
    const std::size_t length = rest.empty() ? 0 : std::max<std::size_t>(utf8_length(rest), 1);
    if (length == 0 || std::string_view("\\,=").find(rest.front()) == std::string_view::npos) {
      return fail(ErrorCode::Invalid, fmt::format("invalid field selector: invalid escape sequence: \\{}",
                                                  rest.substr(0, length)));
    }
    value += rest.front();
    ++i;
  }
  return value;
}

std::string escape(std::string_view value) {
  std::string text;
  for (char c : value) {
    if (c == '\\' || c == ',' || c == '=') text += '\\';
    text += c;
  }
  return text;
}

std::string text_of(const FieldSelector::Term& term) {
  return fmt::format("{}{}{}", term.field, term.equals ? "=" : "!=", escape(term.value));
}

// The value at a dotted path; null when any step is missing.
const json::Value* find_field(const json::Object& object, std::string_view path) {
  const json::Object* here = &object;
  for (;;) {
    const auto dot = path.find('.');
    const json::Value* found = here->if_contains(path.substr(0, dot));
    if (found == nullptr || dot == std::string_view::npos) return found;
    here = found->if_object();
    if (here == nullptr) return nullptr;
    path.remove_prefix(dot + 1);
  }
}

bool has_text(const json::Value* value, std::string_view text) {
  if (value == nullptr || value->is_null()) return text.empty();
  if (const json::String* string = value->if_string()) return json::view(*string) == text;
  if (const bool* boolean = value->if_bool()) return text == (*boolean ? "true" : "false");
  const std::int64_t* integer = value->if_int64();
  if (integer == nullptr) return false;
  std::array<char, 24> digits;
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), *integer);
  return text == std::string_view(digits.data(), written.ptr);
}

}  // namespace

Result<FieldSelector> FieldSelector::parse(std::string_view text) {
  FieldSelector selector;
  for (std::string_view part : split_terms(text)) {
    if (part.empty()) continue;
    // The first operator splits: nothing is escaped on its left. Where one could start is '=' or "!=".
    const auto equal = part.find('=');
    if (equal == std::string_view::npos) {
      return fail(ErrorCode::Invalid,
                  fmt::format("invalid selector: '{}'; can't understand '{}'", text, part));
    }
    const bool is_unequal = equal > 0 && part[equal - 1] == '!';
    std::string_view value = part.substr(equal + 1);
    if (!is_unequal && value.starts_with('=')) value.remove_prefix(1);
    FAIRWAY_TRY(std::string unescaped, unescape(value));
    selector.terms_.push_back(
        {std::string(part.substr(0, is_unequal ? equal - 1 : equal)), !is_unequal, std::move(unescaped)});
  }
  // By the canonical text, because "a==b" and "a=b" are the same term.
  std::ranges::sort(selector.terms_, {}, text_of);
  return selector;
}

bool FieldSelector::matches(const json::Object& object) const {
  return std::ranges::all_of(terms_, [&](const Term& term) {
    return has_text(find_field(object, term.field), term.value) == term.equals;
  });
}

std::optional<std::string_view> FieldSelector::required_value(std::string_view field) const {
  const auto found =
      std::ranges::find_if(terms_, [&](const Term& term) { return term.equals && term.field == field; });
  return found == terms_.end() ? std::nullopt : std::optional<std::string_view>(found->value);
}

std::string FieldSelector::to_string() const {
  std::string text;
  for (const Term& term : terms_) {
    if (!text.empty()) text += ',';
    text += text_of(term);
  }
  return text;
}

}  // namespace fairway::kube
