#include "cli/help.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <ostream>
#include <utility>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/tree.hpp"

namespace fairway::cli {
namespace {

using Row = std::pair<std::string, std::string>;

std::string indented(std::string_view text, std::size_t blanks) {
  std::string result;
  for (std::string_view line : split(text, '\n')) {
    result += line.empty() ? "\n" : fmt::format("{:{}}{}\n", "", blanks, line);
  }
  return result;
}

// Two columns; further lines of the right one stand below its first.
std::string table(const std::vector<Row>& rows) {
  std::size_t width = 0;
  for (const auto& [left, right] : rows) width = std::max(width, left.size());
  std::string text;
  for (const auto& [left, right] : rows) {
    const auto lines = split(right, '\n');
    text += fmt::format("  {:{}}   {}\n", left, width, lines.front());
    for (std::size_t i = 1; i < lines.size(); ++i) text += fmt::format("  {:{}}   {}\n", "", width, lines[i]);
  }
  return text;
}

// Tables below headings, both in the order of their first row.
class Sections {
 public:
  void add(const std::string& heading, Row row) {
    auto found = std::ranges::find(sections_, heading, [](const auto& entry) { return entry.first; });
    if (found == sections_.end()) found = sections_.insert(found, {heading, {}});
    found->second.push_back(std::move(row));
  }
  std::string text() const {
    std::string text;
    for (const auto& [heading, rows] : sections_) text += fmt::format("\n{}:\n{}", heading, table(rows));
    return text;
  }

 private:
  std::vector<std::pair<std::string, std::vector<Row>>> sections_;
};

std::string commands_text(const CLI::App& command) {
  Sections sections;
  for (const CLI::App* child : visible_commands(command))
    sections.add(child->get_group(), {child->get_name(), summary(*child)});
  return sections.text();
}

Row option_row(const CLI::Option& flag) {
  const std::string short_name =
      flag.get_snames().empty() ? "    " : fmt::format("-{}, ", flag.get_snames().front());
  std::string left = short_name + flag_name(flag);
  if (takes_value(flag)) left += " " + value_name(flag);
  std::string right = flag.get_description();
  if (!flag.get_default_str().empty()) right += fmt::format(" (default {})", flag.get_default_str());
  return {std::move(left), std::move(right)};
}

std::string options_text(const CLI::App& command) {
  Sections sections;
  for (const CLI::Option* flag : visible_flags(command)) {
    if (flag != command.get_help_ptr()) sections.add(flag->get_group(), option_row(*flag));
  }
  return sections.text();
}

std::string usage_text(const CLI::App& command, std::string_view program) {
  const std::string line = command_line(command, program);
  const bool has_commands = !visible_commands(command).empty();
  std::string text = "\nUsage:\n";
  if (has_commands) text += fmt::format("  {} COMMAND [options]\n", line);
  const bool does_nothing_itself = options_text(command).empty();
  if (has_commands && does_nothing_itself) return text;
  text += "  " + line;
  for (const CLI::Option* option : positionals(command)) {
    const std::string name = option->get_name(true);
    const std::string word = is_repeatable(*option) ? name + "..." : name;
    text += option->get_required() ? " " + word : fmt::format(" [{}]", word);
  }
  return text + " [options]\n";
}

std::string arguments_text(const CLI::App& command) {
  std::vector<Row> rows;
  for (const CLI::Option* option : positionals(command)) {
    if (!option->get_description().empty())
      rows.emplace_back(option->get_name(true), option->get_description());
  }
  return rows.empty() ? "" : "\nArguments:\n" + table(rows);
}

std::string pointers_text(const CLI::App& command, std::string_view program) {
  std::string text = "\n";
  if (!visible_commands(command).empty()) {
    text += fmt::format("Use \"{} <command> --help\" for more information about a given command.\n",
                        command_line(command, program));
  }
  return text +
         fmt::format(
             "Use \"{} options\" for a list of global command-line options (applies to all commands).\n",
             program);
}

}  // namespace

std::string help_text(const CLI::App& command, std::string_view program) {
  std::string text = command.get_description() + "\n";
  text += commands_text(command);
  if (const std::string examples = command.get_footer(); !examples.empty()) {
    text += "\nExamples:\n" + indented(replace_all(examples, "fairway ", std::string(program) + " "), 2);
  }
  text += arguments_text(command);
  if (command.get_parent() != nullptr) text += options_text(command);
  return text + usage_text(command, program) + pointers_text(command, program);
}

std::string global_options_text(const CLI::App& root, std::string_view program) {
  std::vector<Row> rows;
  for (const CLI::Option* flag : visible_flags(root)) rows.push_back(option_row(*flag));
  return fmt::format("These options can be passed to any command of {}:\n\n{}", program, table(rows));
}

void add_help(CLI::App& root, Invocation& invocation) {
  CLI::App& help = *root.add_subcommand("help", "Help about any command");
  help.group(kOtherCommands);
  auto words = std::make_shared<std::vector<std::string>>();
  help.add_option("COMMAND", *words)->type_name("COMMAND");
  help.callback([&root, &invocation, words] {
    invocation.action = [&root, &invocation, words]() -> Result<void> {
      const CLI::App* command = &root;
      for (const std::string& word : *words) {
        const CLI::App* child = find_command(*command, word);
        if (child == nullptr) {
          return fail(ErrorCode::Invalid, fmt::format("unknown command {} for {}", quoted(word),
                                                      quoted(command_line(*command, invocation.program))));
        }
        command = child;
      }
      invocation.out << help_text(*command, invocation.program);
      return {};
    };
  });
}

void add_options(CLI::App& root, Invocation& invocation) {
  CLI::App& options = *root.add_subcommand("options", "List the options that every command takes");
  options.group(kHidden);
  options.callback([&root, &invocation] {
    invocation.action = [&root, &invocation]() -> Result<void> {
      invocation.out << global_options_text(root, invocation.program);
      return {};
    };
  });
}

}  // namespace fairway::cli
