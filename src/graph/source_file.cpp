#include "graph/source_file.hpp"

#include "base/text.hpp"

namespace fairway::graph {
namespace {

std::string_view without_dash(std::string_view line) {
  line = trim(line);
  while (line.starts_with("- ")) line = trim(line.substr(2));
  return line;
}

std::string_view unquoted(std::string_view text) {
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front()) {
    return text.substr(1, text.size() - 2);
  }
  return text;
}

bool has_key(std::string_view line, std::string_view key) {
  return line.starts_with(key) && line.substr(key.size()).starts_with(':');
}

}  // namespace

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string_view extension(std::string_view path) {
  const std::string_view name = file_name(path);
  const auto dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view{} : name.substr(dot);
}

std::size_t line_of_key(std::string_view text, std::initializer_list<std::string_view> path) {
  std::size_t number = 0;
  const auto* wanted = path.begin();
  for (std::string_view line : split(text, '\n')) {
    ++number;
    const bool is_first = wanted == path.begin();
    if (!has_key(is_first ? line : without_dash(line), *wanted)) continue;
    if (++wanted == path.end()) return number;
  }
  return 0;
}

std::size_t line_of_item(std::string_view text, std::string_view item) {
  std::size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    const std::string_view trimmed = trim(line);
    if (!trimmed.starts_with("- ")) continue;
    std::string_view value = trim(trimmed.substr(2));
    if (const auto comment = value.find(" #"); comment != std::string_view::npos)
      value = trim(value.substr(0, comment));
    if (unquoted(value) == item) return number;
  }
  return 0;
}

}  // namespace fairway::graph
