#include <array>
#include <fmt/format.h>
#include <optional>

#include "base/text.hpp"
#include "fleet/templates/lexer.hpp"
#include "fleet/templates/syntax.hpp"

namespace fairway::fleet::templates {
namespace {

constexpr std::array<std::string_view, 8> kKeywords = {"if",   "else",  "end",      "range",
                                                       "with", "break", "continue", "define"};

bool is_keyword(std::string_view word) {
  for (const std::string_view each : kKeywords)
    if (each == word) return true;
  return word == "template" || word == "block";
}

// The words of one action.
class ActionParser {
 public:
  ActionParser(std::vector<Token> tokens, const Limits& limits)
      : tokens_(std::move(tokens)), limits_(limits) {}

  // The keyword that the action starts with, which is taken; empty: a pipeline.
  std::string take_keyword() {
    if (peek().kind != Token::Kind::Word || !is_keyword(peek().text)) return "";
    return tokens_[at_++].text;
  }
  Position position() const { return peek().at; }
  bool is_at_end() const { return peek().kind == Token::Kind::End; }

  Result<void> expect_end() {
    if (!is_at_end()) return syntax_error(position(), "the end of the action is expected here");
    return {};
  }

  Result<Pipeline> pipeline(bool in_range) {
    if (++depth_ > limits_.max_depth) return syntax_error(position(), "parentheses are nested too deeply");
    Pipeline made{.at = position()};
    FAIRWAY_CHECKED(variables(made, in_range));
    for (;;) {
      FAIRWAY_TRY(Command command, this->command());
      if (!made.commands.empty() && command.words.front().kind == Operand::Kind::Literal)
        return syntax_error(command.words.front().at, "a value cannot take the result of a pipeline");
      made.commands.push_back(std::move(command));
      if (peek().kind != Token::Kind::Pipe) break;
      ++at_;
    }
    --depth_;
    return made;
  }

 private:
  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }

  // $x := …, $x = …, and in a range $i, $x := ….
  Result<void> variables(Pipeline& into, bool in_range) {
    if (peek().kind != Token::Kind::Variable) return {};
    std::size_t length = 1;
    if (in_range && peek(1).kind == Token::Kind::Comma && peek(2).kind == Token::Kind::Variable) length = 3;
    const Token::Kind sign = peek(length).kind;
    if (sign != Token::Kind::Declare && sign != Token::Kind::Assign) return {};
    for (std::size_t i = 0; i < length; i += 2) {
      if (peek(i).text == "$") return syntax_error(peek(i).at, "a variable needs a name");
      into.variables.push_back(peek(i).text);
    }
    into.declares = sign == Token::Kind::Declare;
    at_ += length + 1;
    return {};
  }

  Result<Command> command() {
    Command made;
    for (;;) {
      const Token::Kind kind = peek().kind;
      if (kind == Token::Kind::End || kind == Token::Kind::Pipe || kind == Token::Kind::Close) break;
      FAIRWAY_TRY(Operand word, operand());
      made.words.push_back(std::move(word));
    }
    if (made.words.empty()) return syntax_error(position(), "a value or a function is expected here");
    return made;
  }

  Result<Operand> operand() {
    const Token token = tokens_[at_++];
    Operand made{.at = token.at, .literal = token.literal, .name = token.text};
    switch (token.kind) {
      case Token::Kind::Literal:
        break;
      case Token::Kind::Word:
        if (is_keyword(token.text))
          return syntax_error(token.at, fmt::format("{} is not expected here", quoted(token.text)));
        made.kind = Operand::Kind::Function;
        break;
      case Token::Kind::Variable:
        made.kind = Operand::Kind::Variable;
        break;
      case Token::Kind::Field:
        made.kind = Operand::Kind::Dot;
        if (!token.text.empty()) made.fields.push_back(token.text);
        break;
      case Token::Kind::Open: {
        made.kind = Operand::Kind::Group;
        FAIRWAY_TRY(Pipeline inner, pipeline(false));
        if (peek().kind != Token::Kind::Close) return syntax_error(position(), "a ) is expected here");
        ++at_;
        made.group = std::make_shared<const Pipeline>(std::move(inner));
        break;
      }
      default:
        return syntax_error(token.at, "a value is expected here");
    }
    while (peek().kind == Token::Kind::Field && !peek().is_after_blank) {
      if (peek().text.empty() || made.kind == Operand::Kind::Literal || made.kind == Operand::Kind::Function)
        return syntax_error(position(), "the name of a field is expected after the dot");
      made.fields.push_back(tokens_[at_++].text);
    }
    return made;
  }

  std::vector<Token> tokens_;
  const Limits& limits_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
};

// Texts and actions, nested as if, with and range say.
class Parser {
 public:
  Parser(std::vector<Piece> pieces, const Limits& limits) : pieces_(std::move(pieces)), limits_(limits) {}

  Result<std::vector<Node>> run() {
    Stop stop;
    FAIRWAY_TRY(std::vector<Node> nodes, list(stop));
    if (stop.kind != Stop::Kind::None)
      return syntax_error(stop.at, "there is nothing to end or to continue with else here");
    return nodes;
  }

 private:
  // What ended a list of nodes.
  struct Stop {
    enum class Kind : std::uint8_t { None, End, Else };
    Kind kind = Kind::None;
    Position at = {};
    std::optional<ActionParser> rest = {};  // of an else: "if …", or nothing
  };

  Result<std::vector<Node>> list(Stop& stop) {
    if (++depth_ > limits_.max_depth) return syntax_error(last_, "actions are nested too deeply");
    std::vector<Node> nodes;
    while (next_ < pieces_.size()) {
      const Piece& piece = pieces_[next_++];
      last_ = piece.at;
      if (!piece.is_action) {
        nodes.push_back({.kind = Node::Kind::Text, .at = piece.at, .text = std::string(piece.text)});
        continue;
      }
      FAIRWAY_TRY(auto tokens, split_tokens(piece));
      ActionParser action(std::move(tokens), limits_);
      const std::string keyword = action.take_keyword();
      if (keyword == "end" || keyword == "else") {
        stop.kind = keyword == "end" ? Stop::Kind::End : Stop::Kind::Else;
        stop.at = piece.at;
        if (keyword == "end") FAIRWAY_CHECKED(action.expect_end());
        stop.rest.emplace(std::move(action));
        break;
      }
      FAIRWAY_TRY(Node node, one(keyword, action, piece.at));
      nodes.push_back(std::move(node));
    }
    --depth_;
    return nodes;
  }

  Result<Node> one(const std::string& keyword, ActionParser& action, Position at) {
    Node node{.kind = Node::Kind::Action, .at = at};
    if (keyword == "break" || keyword == "continue") {
      if (loops_ == 0) return syntax_error(at, fmt::format("{} is only possible within a range", keyword));
      node.kind = keyword == "break" ? Node::Kind::Break : Node::Kind::Continue;
      FAIRWAY_CHECKED(action.expect_end());
      return node;
    }
    if (keyword.empty()) {
      if (action.is_at_end()) return syntax_error(at, "an action needs something to do");
      FAIRWAY_TRY(node.pipeline, action.pipeline(false));
      FAIRWAY_CHECKED(action.expect_end());
      return node;
    }
    return block(keyword, action, at);
  }

  Result<Node> block(const std::string& keyword, ActionParser& action, Position at) {
    Node node{.at = at};
    if (keyword == "if") {
      node.kind = Node::Kind::If;
    } else if (keyword == "with") {
      node.kind = Node::Kind::With;
    } else if (keyword == "range") {
      node.kind = Node::Kind::Range;
    } else {
      return syntax_error(at, fmt::format("{} is not supported in policies", quoted(keyword)));
    }
    const bool is_range = node.kind == Node::Kind::Range;
    FAIRWAY_TRY(node.pipeline, action.pipeline(is_range));
    FAIRWAY_CHECKED(action.expect_end());
    loops_ += is_range;
    Stop stop;
    FAIRWAY_TRY(node.body, list(stop));
    loops_ -= is_range;
    if (stop.kind == Stop::Kind::Else) FAIRWAY_CHECKED(add_else(node, stop));
    if (stop.kind == Stop::Kind::None) return syntax_error(at, fmt::format("{} has no end", quoted(keyword)));
    return node;
  }

  Result<void> add_else(Node& node, Stop& stop) {
    ActionParser rest = *std::move(stop.rest);
    const Position at = stop.at;
    const std::string keyword = rest.take_keyword();
    if (keyword == "if" || keyword == "with") {  // its end is the end of all
      if (++depth_ > limits_.max_depth) return syntax_error(at, "actions are nested too deeply");
      FAIRWAY_TRY(Node inner, block(keyword, rest, at));
      --depth_;
      node.otherwise.push_back(std::move(inner));
      return {};
    }
    if (!keyword.empty()) return syntax_error(at, "else can be followed by if alone");
    FAIRWAY_CHECKED(rest.expect_end());
    Stop last;
    FAIRWAY_TRY(node.otherwise, list(last));
    if (last.kind != Stop::Kind::End) return syntax_error(at, "an else must be followed by one end");
    return {};
  }

  std::vector<Piece> pieces_;
  const Limits& limits_;
  std::size_t next_ = 0;
  std::size_t depth_ = 0;
  int loops_ = 0;
  Position last_;
};

}  // namespace

Result<std::vector<Node>> parse(std::string_view text, Side side, const Limits& limits) {
  FAIRWAY_TRY(auto pieces, split_pieces(text, side));
  return Parser(std::move(pieces), limits).run();
}

}  // namespace fairway::fleet::templates
