#include "cli/complete.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "cli/tree.hpp"

namespace fairway::cli {
namespace {

// cobra's ShellCompDirective values.
constexpr int kDirectiveDefault = 0;
constexpr int kDirectiveNoFiles = 4;
constexpr int kDirectiveDirectories = 16;

// Where the finished words have led.
struct Position {
  const CLI::App* command;
  std::vector<const CLI::Option*> used = {};
  std::vector<std::string> arguments = {};    // positional ones, of the command
  const CLI::Option* waiting_flag = nullptr;  // takes the next word
  bool is_after_dashes = false;               // behind "--" nothing is a flag or a command
};

void take_word(Position& position, const std::string& word) {
  if (position.waiting_flag != nullptr) {
    position.waiting_flag = nullptr;
    return;
  }
  if (!position.is_after_dashes && word == "--") {
    position.is_after_dashes = true;
    return;
  }
  if (!position.is_after_dashes && word.starts_with('-')) {
    const auto equals = word.find('=');
    const CLI::Option* flag = find_flag(*position.command, word.substr(0, equals));
    if (flag == nullptr) return;
    position.used.push_back(flag);
    if (takes_value(*flag) && equals == std::string::npos) position.waiting_flag = flag;
    return;
  }
  const CLI::App* child = position.is_after_dashes ? nullptr : find_command(*position.command, word);
  if (child != nullptr) {
    position.command = child;
    position.arguments.clear();
  } else {
    position.arguments.push_back(word);
  }
}

void add_candidate(Completion& completion, std::string_view start, std::string word,
                   std::string description) {
  if (word.starts_with(start)) completion.candidates.push_back({std::move(word), std::move(description)});
}

Completion complete_value(const CLI::Option& option, std::string_view start, const std::string& prefix) {
  Completion completion;
  for (const std::string& choice : value_choices(option)) {
    if (choice.starts_with(start)) completion.candidates.push_back({prefix + choice});
  }
  const std::string name = value_name(option);
  if (name == "FILE") completion.files = FileCompletion::Files;
  if (name == "DIR") completion.files = FileCompletion::Directories;
  return completion;
}

Completion complete_flags(const Position& position, std::string_view start) {
  Completion completion;
  for (const CLI::App* level = position.command; level != nullptr; level = level->get_parent()) {
    for (const CLI::Option* flag : visible_flags(*level)) {
      if (level != position.command && flag == level->get_help_ptr()) continue;  // each level has its own
      if (std::ranges::find(position.used, flag) != position.used.end() && !is_repeatable(*flag)) continue;
      // A command and the one above it may both have it; the nearer one is meant.
      if (find_flag(*position.command, flag_name(*flag)) != flag) continue;
      const std::string description = flag->get_description();
      add_candidate(completion, start, flag_name(*flag), description.substr(0, description.find('\n')));
    }
  }
  return completion;
}

void add_commands(Completion& completion, const CLI::App& parent, std::string_view start) {
  for (const CLI::App* child : visible_commands(parent)) {
    add_candidate(completion, start, child->get_name(), summary(*child));
  }
}

// The arguments of `help` are commands.
Completion complete_help(const Position& position, const CLI::App& root, std::string_view start) {
  const CLI::App* command = &root;
  for (const std::string& word : position.arguments) {
    command = find_command(*command, word);
    if (command == nullptr) return {};
  }
  Completion completion;
  add_commands(completion, *command, start);
  return completion;
}

Completion complete_word(const Position& position, const CLI::App& root, std::string_view start) {
  if (position.command->get_name() == "help") return complete_help(position, root, start);
  Completion completion;
  const auto wanted = positionals(*position.command);
  if (position.arguments.size() < wanted.size()) {
    completion = complete_value(*wanted[position.arguments.size()], start, "");
  }
  if (position.is_after_dashes || !position.arguments.empty()) return completion;
  add_commands(completion, *position.command, start);
  return completion;
}

}  // namespace

std::string Completion::to_text() const {
  std::string text;
  for (const Candidate& candidate : candidates) {
    text += candidate.word;
    if (!candidate.description.empty()) text += "\t" + candidate.description;
    text += '\n';
  }
  const int directive = files == FileCompletion::Files         ? kDirectiveDefault
                        : files == FileCompletion::Directories ? kDirectiveDirectories
                                                               : kDirectiveNoFiles;
  return text + fmt::format(":{}\n", directive);
}

Completion complete(const CLI::App& root, std::span<const std::string> words) {
  if (words.empty()) return {};
  Position position{.command = &root};
  for (const std::string& word : words.first(words.size() - 1)) take_word(position, word);
  const std::string& last = words.back();
  if (position.waiting_flag != nullptr) return complete_value(*position.waiting_flag, last, "");
  if (position.is_after_dashes || !last.starts_with('-')) return complete_word(position, root, last);
  const auto equals = last.find('=');
  if (equals == std::string::npos) return complete_flags(position, last);
  const CLI::Option* flag = find_flag(*position.command, last.substr(0, equals));
  if (flag == nullptr || !takes_value(*flag)) return {};
  return complete_value(*flag, std::string_view(last).substr(equals + 1), last.substr(0, equals + 1));
}

}  // namespace fairway::cli
