// The syntax tree of a template, and the parser that gives it. Pure.
//
// As Go's text/template without define, template and block: texts, actions, pipelines, variables, if, with,
// range, break and continue. Errors name line and column.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "fleet/templates/templates.hpp"
#include "json/value.hpp"

namespace fairway::fleet::templates {

struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
};
std::string to_string(Position position);  // line 2, column 7

struct Pipeline;

// A word of a command: a value, a field of the dot, a variable, a function, or a pipeline in parentheses;
// each with the fields that follow it.
struct Operand {
  enum class Kind : std::uint8_t { Literal, Dot, Variable, Function, Group };
  Kind kind = Kind::Literal;
  Position at = {};
  json::Value literal = {};
  std::string name = {};                       // of the variable, with its $, or of the function
  std::vector<std::string> fields = {};        // .a.b
  std::shared_ptr<const Pipeline> group = {};  // in parentheses
};

struct Command {
  std::vector<Operand> words = {};
};

struct Pipeline {
  Position at = {};
  std::vector<std::string> variables = {};  // that it sets; two in a range
  bool declares = false;                    // := rather than =
  std::vector<Command> commands = {};
};

struct Node {
  enum class Kind : std::uint8_t { Text, Action, If, With, Range, Break, Continue };
  Kind kind = Kind::Text;
  Position at = {};
  std::string text = {};
  Pipeline pipeline = {};
  std::vector<Node> body = {};
  std::vector<Node> otherwise = {};  // else
};

Result<std::vector<Node>> parse(std::string_view text, Side side, const Limits& limits);

}  // namespace fairway::fleet::templates
