// YamlSource: one YAML file on its way to a value, and the findings on the way.
//
// Knows the file's text, so that every finding gets its line; ids are the kind of file and what is wrong with
// it ("block-to"). Numbers stay text: 4.10 is a version. Lives as long as the reading of one file.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "graph/finding.hpp"
#include "graph/source_file.hpp"
#include "json/value.hpp"

namespace fairway::graph {

class YamlSource {
 public:
  using Place = std::initializer_list<std::string_view>;  // keys, as line_of_key takes them

  YamlSource(const SourceFile& file, std::string_view kind, Findings& findings)
      : file_(file), kind_(kind), findings_(findings) {}

  // False, with a finding that refuses, unless it is one YAML mapping.
  bool parse();
  const json::Object& object() const { return object_; }
  const std::string& source() const { return file_.text; }

  const json::Value* find(std::string_view key) const { return object_.if_contains(key); }
  std::optional<std::string> text(std::string_view key) const;
  // The same; anything but text is an error. Null counts as absent.
  std::optional<std::string> optional_text(std::string_view key);
  // A warning for each key that is not one of these, with the nearest that is.
  void check_keys(std::span<const std::string> known);

  // Always false, so that a step can end with it.
  bool refuse(std::string_view key, std::string message, std::string fix);
  bool refuse(std::string_view id, std::string_view key, std::string message, std::string fix);
  void error(std::string_view id, Place place, std::string message, std::string fix);
  void warn(std::string_view id, Place place, std::string message, std::string fix);
  void error_at(std::string_view id, std::size_t line, std::string message, std::string fix);
  bool refuse_at(std::string_view id, std::size_t line, std::string message, std::string fix);

 private:
  Finding& report(Severity severity, std::string_view id, std::size_t line, std::string message,
                  std::string fix);

  const SourceFile& file_;
  std::string_view kind_;
  Findings& findings_;
  json::Object object_;
};

}  // namespace fairway::graph
