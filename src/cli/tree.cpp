#include "cli/tree.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::cli {

const CLI::App& chosen_command(const CLI::App& root) {
  const CLI::App* command = &root;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().back();
  return *command;
}

std::string command_line(const CLI::App& command, std::string_view program) {
  if (command.get_parent() == nullptr) return std::string(program);
  return fmt::format("{} {}", command_line(*command.get_parent(), program), command.get_name());
}

std::vector<const CLI::App*> visible_commands(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* child) { return !child->get_group().empty(); });
}

std::vector<const CLI::Option*> visible_flags(const CLI::App& command) {
  return command.get_options(
      [](const CLI::Option* option) { return option->nonpositional() && !option->get_group().empty(); });
}

std::vector<const CLI::Option*> positionals(const CLI::App& command) {
  return command.get_options(
      [](const CLI::Option* option) { return option->get_positional() && !option->get_group().empty(); });
}

const CLI::App* find_command(const CLI::App& parent, std::string_view name) {
  const auto children =
      parent.get_subcommands([&](const CLI::App* child) { return child->get_name() == name; });
  return children.empty() ? nullptr : children.front();
}

const CLI::Option* find_flag(const CLI::App& command, std::string_view name) {
  for (const CLI::App* level = &command; level != nullptr; level = level->get_parent()) {
    if (const auto* option = level->get_option_no_throw(std::string(name))) return option;
  }
  return nullptr;
}

std::string flag_name(const CLI::Option& flag) {
  if (!flag.get_lnames().empty()) return "--" + flag.get_lnames().front();
  if (!flag.get_snames().empty()) return "-" + flag.get_snames().front();
  return flag.get_single_name();
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

bool is_repeatable(const CLI::Option& option) {
  return option.get_expected_max() > 1;
}

std::string value_name(const CLI::Option& option) {
  return takes_value(option) ? option.get_type_name() : "";
}

std::vector<std::string> value_choices(const CLI::Option& option) {
  const std::string name = value_name(option);
  if (name.find('|') == std::string::npos) return {};
  std::vector<std::string> choices;
  for (std::string_view choice : split(name, '|')) choices.emplace_back(choice);
  return choices;
}

std::string summary(const CLI::App& command) {
  const std::string text = command.get_description();
  return text.substr(0, text.find('\n'));
}

}  // namespace fairway::cli
