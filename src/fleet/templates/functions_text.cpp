#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "fleet/templates/functions.hpp"
#include "fleet/templates/printf.hpp"
#include "fleet/templates/values.hpp"

namespace fairway::fleet::templates {
namespace {

using Answer = Result<json::Value>;

char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return upper(c); });
  return text;
}

std::string title(std::string text) {
  bool is_start = true;
  for (char& c : text) {
    if (is_start) c = upper(c);
    is_start = c == ' ' || c == '\t' || c == '-' || c == '_';
  }
  return text;
}

std::string trimmed(std::string_view text, std::string_view set, bool at_start, bool at_end) {
  while (at_start && !text.empty() && set.contains(text.front())) text.remove_prefix(1);
  while (at_end && !text.empty() && set.contains(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::string quoted_text(std::string_view text) {
  return json::serialize(json::Value(text));
}

Answer repeat(const Call& call) {
  FAIRWAY_TRY(const std::int64_t count, whole_at(call, 0));
  const std::string text = text_at(call, 1);
  if (count <= 0 || text.empty()) return json::Value("");
  if (static_cast<std::size_t>(count) > call.session.settings().limits.max_output / text.size())
    return fail(ErrorCode::Invalid, "the text would be too long");
  std::string made;
  for (std::int64_t i = 0; i < count; ++i) made += text;
  return json::Value(made);
}

// substr from to text; a negative end is the end of the text.
Answer substr(const Call& call) {
  FAIRWAY_TRY(std::int64_t from, whole_at(call, 0));
  FAIRWAY_TRY(std::int64_t to, whole_at(call, 1));
  const std::string text = text_at(call, 2);
  const auto size = static_cast<std::int64_t>(text.size());
  from = std::clamp<std::int64_t>(from, 0, size);
  to = to < 0 || to > size ? size : std::max(from, to);
  return json::Value(
      std::string_view(text).substr(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)));
}

// A negative length keeps the end.
Answer trunc(const Call& call) {
  FAIRWAY_TRY(const std::int64_t length, whole_at(call, 0));
  const std::string text = text_at(call, 1);
  const std::size_t keep = std::min(text.size(), static_cast<std::size_t>(length < 0 ? -length : length));
  return json::Value(length < 0 ? text.substr(text.size() - keep) : text.substr(0, keep));
}

Answer all_texts(const Call& call, std::string_view between, std::string (*as)(std::string_view)) {
  std::string made;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (call.arguments[i].is_null() && !between.empty()) continue;
    if (i > 0) made += between;
    made += as(text_at(call, i));
  }
  return json::Value(made);
}

// Go's Print puts a blank between two values of which neither is a text.
Answer print(const Call& call) {
  std::string made;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (i > 0 && !call.arguments[i].is_string() && !call.arguments[i - 1].is_string()) made += ' ';
    made += text_at(call, i);
  }
  return json::Value(made);
}

Answer case_of(const Call& call, char between) {
  std::string made;
  bool was_lower = false;
  for (const char c : text_at(call, 0)) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    if (c == ' ' || c == '-' || c == '_') {
      if (!made.empty() && made.back() != between) made += between;
    } else {
      if (is_upper && was_lower) made += between;
      made += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
    }
    was_lower = !is_upper && c != ' ' && c != '-' && c != '_';
  }
  return json::Value(made);
}

constexpr FunctionEntry kTextFunctions[] = {
    {"upper", [](const Call& call) -> Answer { return json::Value(upper(text_at(call, 0))); }, 1, 1},
    {"lower", [](const Call& call) -> Answer { return json::Value(to_lower(text_at(call, 0))); }, 1, 1},
    {"title", [](const Call& call) -> Answer { return json::Value(title(text_at(call, 0))); }, 1, 1},
    {"trim", [](const Call& call) -> Answer { return json::Value(trim(text_at(call, 0))); }, 1, 1},
    {"trimAll",
     [](const Call& call) -> Answer {
       return json::Value(trimmed(text_at(call, 1), text_at(call, 0), true, true));
     },
     2, 2},
    {"trimPrefix",
     [](const Call& call) -> Answer {
       const std::string text = text_at(call, 1);
       const std::string part = text_at(call, 0);
       return json::Value(text.starts_with(part) ? text.substr(part.size()) : text);
     },
     2, 2},
    {"trimSuffix",
     [](const Call& call) -> Answer {
       const std::string text = text_at(call, 1);
       const std::string part = text_at(call, 0);
       return json::Value(text.ends_with(part) ? text.substr(0, text.size() - part.size()) : text);
     },
     2, 2},
    {"nospace",
     [](const Call& call) -> Answer {
       std::string text = text_at(call, 0);
       std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
       return json::Value(text);
     },
     1, 1},
    {"contains",
     [](const Call& call) -> Answer { return json::Value(text_at(call, 1).contains(text_at(call, 0))); }, 2,
     2},
    {"hasPrefix",
     [](const Call& call) -> Answer { return json::Value(text_at(call, 1).starts_with(text_at(call, 0))); },
     2, 2},
    {"hasSuffix",
     [](const Call& call) -> Answer { return json::Value(text_at(call, 1).ends_with(text_at(call, 0))); }, 2,
     2},
    {"replace",
     [](const Call& call) -> Answer {
       const std::string from = text_at(call, 0);
       const std::string text = text_at(call, 2);
       if (from.empty()) return json::Value(text);
       const std::string to = text_at(call, 1);
       if (to.size() > 64 && text.size() > call.session.settings().limits.max_output / to.size())
         return fail(ErrorCode::Invalid, "the text would be too long");
       return json::Value(replace_all(text, from, to));
     },
     3, 3},
    {"quote",
     [](const Call& call) {
       return all_texts(call, " ", [](std::string_view text) { return quoted_text(text); });
     },
     0, kAnyNumber},
    {"squote",
     [](const Call& call) {
       return all_texts(call, " ", [](std::string_view text) { return fmt::format("'{}'", text); });
     },
     0, kAnyNumber},
    {"cat",
     [](const Call& call) {
       return all_texts(call, " ", [](std::string_view text) { return std::string(text); });
     },
     0, kAnyNumber},
    {"print", print, 0, kAnyNumber},
    {"println",
     [](const Call& call) -> Answer {
       FAIRWAY_TRY(const json::Value line,
                   all_texts(call, " ", [](std::string_view text) { return std::string(text); }));
       return json::Value(to_text(line) + "\n");
     },
     0, kAnyNumber},
    {"printf",
     [](const Call& call) -> Answer {
       FAIRWAY_TRY(std::string text, formatted(text_at(call, 0), call.arguments.subspan(1),
                                               call.session.settings().limits.max_output));
       return json::Value(text);
     },
     1, kAnyNumber},
    {"repeat", repeat, 2, 2},
    {"substr", substr, 3, 3},
    {"trunc", trunc, 2, 2},
    {"snakecase", [](const Call& call) { return case_of(call, '_'); }, 1, 1},
    {"kebabcase", [](const Call& call) { return case_of(call, '-'); }, 1, 1},
    {"toString", [](const Call& call) -> Answer { return json::Value(text_at(call, 0)); }, 1, 1},
    {"urlquery", [](const Call& call) -> Answer { return json::Value(percent_encode(text_at(call, 0))); }, 1,
     1},
};

}  // namespace

std::span<const FunctionEntry> text_functions() {
  return kTextFunctions;
}

}  // namespace fairway::fleet::templates
