#include "cli/config_file.hpp"

#include <fmt/format.h>
#include <vector>

#include "async/files.hpp"
#include "base/text.hpp"
#include "cli/usage_error.hpp"
#include "json/value.hpp"
#include "json/yaml.hpp"

namespace fairway::cli {
namespace {

constexpr const char* kFlag = "--config";

[[noreturn]] void refuse_file(const std::string& path, std::string_view why) {
  refuse(fmt::format("{} {}: {}", kFlag, path, why));
}

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (name != "help" && name != "config") names.push_back(name);
    }
  }
  return names;
}

// A scalar as it would stand on the command line; nothing for what cannot stand there.
std::optional<std::string> word_of(const json::Value& value) {
  if (value.is_string()) return std::string(json::view(value.get_string()));
  if (value.is_bool()) return value.get_bool() ? "true" : "false";
  if (value.is_number()) return json::serialize(value);
  return std::nullopt;
}

std::vector<std::string> words_of(const std::string& path, std::string_view key, const json::Value& value) {
  std::vector<std::string> words;
  const auto add = [&](const json::Value& item) {
    auto word = word_of(item);
    if (!word)
      refuse_file(path, fmt::format("{}: expected a text, a number, true, false or a list of these", key));
    words.push_back(*std::move(word));
  };
  if (value.is_array()) {
    for (const json::Value& item : value.get_array()) add(item);
  } else {
    add(value);
  }
  return words;
}

}  // namespace

void add_config_option(CLI::App& command, std::string& path) {
  command
      .add_option(kFlag, path,
                  "Flags of this command in a YAML file, without their dashes; flags given here win")
      ->type_name("FILE");
}

void apply_config_file(CLI::App& command, const std::string& path) {
  if (path.empty()) return;
  const auto text = read_file(path);
  if (!text) refuse_file(path, text.error().describe());
  const auto value = json::parse_yaml(*text, {.numbers_as_text = true});
  if (!value) refuse_file(path, value.error().describe());
  if (value->is_null()) return;
  if (!value->is_object()) refuse_file(path, "expected keys and values");
  const std::vector<std::string> known = flags_of(command);
  for (const auto& [key, given] : value->get_object()) {
    const std::string name(key);
    if (std::ranges::find(known, name) == known.end()) {
      const auto near = nearest(name, known);
      refuse_file(path, fmt::format("there is no setting {}{}", quoted(name),
                                    near ? fmt::format("; did you mean {}?", *near) : ""));
    }
    CLI::Option* option = command.get_option("--" + name);
    if (option->count() > 0) continue;
    try {
      for (std::string& word : words_of(path, name, given)) option->add_result(std::move(word));
      option->run_callback();
    } catch (const CLI::ParseError& error) {
      refuse_file(path, error.what());
    }
  }
}

}  // namespace fairway::cli
