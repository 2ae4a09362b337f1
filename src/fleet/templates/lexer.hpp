// Texts and actions of a template, and the words of an action. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/templates/syntax.hpp"

namespace fairway::fleet::templates {

// Between delimiters, or not. Blanks that trim markers take away are gone already.
struct Piece {
  bool is_action = false;
  std::string_view text = {};
  Position at = {};
};
Result<std::vector<Piece>> split_pieces(std::string_view text, Side side);

struct Token {
  enum class Kind : std::uint8_t {
    Word,
    Field,
    Variable,
    Literal,
    Pipe,
    Open,
    Close,
    Declare,
    Assign,
    Comma,
    End
  };
  Kind kind = Kind::End;
  Position at = {};
  std::string text = {};     // of words, fields (without the dot; empty: the dot itself) and variables
  json::Value literal = {};  // of literals
  bool is_after_blank = true;
};
// Ends in End.
Result<std::vector<Token>> split_tokens(const Piece& action);

std::unexpected<Error> syntax_error(Position at, std::string_view what);

}  // namespace fairway::fleet::templates
