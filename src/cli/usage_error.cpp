#include "cli/usage_error.hpp"

#include <fmt/format.h>
#include <vector>

#include "base/text.hpp"
#include "cli/tree.hpp"

namespace fairway::cli {
namespace {

std::vector<std::string> flag_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* level = &command; level != nullptr; level = level->get_parent()) {
    for (const CLI::Option* flag : visible_flags(*level)) names.push_back(flag_name(*flag));
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* child : visible_commands(command)) names.push_back(child->get_name());
  return names;
}

UsageError unknown_flag(const std::string& word, const CLI::App& command) {
  const std::string name = word.substr(0, word.find('='));
  return {fmt::format("unknown flag {}", quoted(name)), nearest(name, flag_names(command))};
}

UsageError unknown_word(const std::string& word, const CLI::App& command, std::string_view program) {
  const std::string line = command_line(command, program);
  if (visible_commands(command).empty()) {
    return {fmt::format("unexpected argument {} for {}", quoted(word), quoted(line)), {}};
  }
  return {fmt::format("unknown command {} for {}", quoted(word), quoted(line)),
          nearest(word, command_names(command))};
}

// CLI11 says "--data: 1 required DIR missing".
UsageError missing_value(const std::string& what, const CLI::App& command) {
  const std::string name = what.substr(0, what.find(':'));
  const CLI::Option* flag = find_flag(command, name);
  if (flag == nullptr) return {what, {}};
  return {fmt::format("flag {} needs a value: {} {}", name, name, value_name(*flag)), {}};
}

}  // namespace

UsageError explain(const CLI::ParseError& error, const CLI::App& root, std::string_view program) {
  const CLI::App& command = chosen_command(root);
  // Commands fall through to the root, so what no command knows is kept there.
  for (const std::string& word : root.remaining(true)) {
    if (word.size() > 1 && word.starts_with('-')) return unknown_flag(word, command);
    return unknown_word(word, command, program);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return missing_value(error.what(), command);
  }
  return {error.what(), {}};
}

void refuse(const std::string& why) {
  throw CLI::ValidationError(why, CLI::ExitCodes::ValidationError);
}

}  // namespace fairway::cli
