// The lexer: one token at a time, exactly as the official one cuts them.
//
// What a character means depends on where it stands: inside braces there are no keywords, inside brackets a
// colon is not part of a name. The state is four flags and a counter. Tokens are spans of the text, which
// must outlive the lexer; nothing is allocated but the message of an error, after which the input is over.
// Comments are skipped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "promql/ast.hpp"
#include "promql/go_text.hpp"

namespace fairway::promql {

enum class TokenType : std::uint8_t {
  EndOfInput,
  Failure,
  Equal,  // =
  Colon,
  Comma,
  Duration,
  Identifier,
  MetricIdentifier,  // with a colon
  LeftBrace,
  RightBrace,
  LeftBracket,
  RightBracket,
  LeftParen,
  RightParen,
  Number,
  String,
  // Operators; the binary ones stand in the order of BinaryOp.
  Or,
  And,
  Unless,
  EqualEqual,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  TrimUpper,
  TrimLower,
  Add,
  Subtract,
  Multiply,
  Divide,
  Modulo,
  Atan2,
  Power,
  EqualRegex,
  NotEqualRegex,
  At,
  // Aggregators, in the order of AggregateOp.
  Sum,
  Avg,
  Count,
  Min,
  Max,
  Group,
  Stddev,
  Stdvar,
  Topk,
  Bottomk,
  CountValues,
  Quantile,
  Limitk,
  LimitRatio,
  // Keywords.
  Bool,
  By,
  GroupLeft,
  GroupRight,
  Fill,
  FillLeft,
  FillRight,
  Ignoring,
  Offset,
  Smoothed,
  Anchored,
  On,
  Without,
  // Words with a meaning before a parenthesis only.
  Start,
  End,
  Step,
  Range,
  MaxOf,
  MinOf,
};

// Stands for the character after the last one.
inline constexpr char32_t kEndOfText = 0xffffffff;

struct Token {
  TokenType type = TokenType::EndOfInput;
  Span span = {};
};

bool is_binary_operator(TokenType type);
BinaryOp to_binary_op(TokenType type);  // for binary operators only
bool is_aggregator(TokenType type);
AggregateOp to_aggregate_op(TokenType type);  // for aggregators only
bool is_metric_name(TokenType type);          // may stand as a metric's name
bool is_label_name(TokenType type);           // may stand as a label's name in by (…), on (…)
bool is_callable(TokenType type);             // may stand before the arguments of a function

// How the official messages name a token: `identifier "foo"`, `<op:==>`, `end of input`.
std::string describe_token(const Token& token, std::string_view text);

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  // After a Failure or the end, the same again.
  Token next();
  const std::string& error() const { return error_; }

 private:
  enum class Mode : std::uint8_t { Statements, Duration, Over };

  // One step of the scan; nothing is found when it only skipped blanks or a comment.
  bool scan_statement();
  bool scan_braces();
  bool scan_duration();
  bool scan_operator(char32_t rune);
  bool scan_punctuation(char32_t rune);
  bool scan_in_brackets(char32_t rune);
  bool scan_string(char quote);
  bool scan_raw_string();
  bool scan_escape(char32_t quote);
  bool scan_number_or_duration();
  bool scan_number();
  bool scan_number_part(std::string_view digits, bool& had_dot, bool& had_exponent, bool& valid);
  bool scan_rest_of_duration();
  bool scan_duration_keyword();
  bool scan_word();
  bool scan_end();
  void skip_comment();
  void skip_blanks();

  bool emit(TokenType type);
  bool fail(std::string message);
  char32_t next_rune();
  char32_t peek_rune() const;
  void step_back() { at_ -= width_; }
  bool accept(std::string_view characters);
  bool sees(std::string_view characters) const;
  bool followed_by_parenthesis() const;

  std::string_view text_;
  std::uint32_t at_ = 0;
  std::uint32_t start_ = 0;
  std::uint32_t width_ = 0;  // of the rune read last
  Mode mode_ = Mode::Statements;
  bool in_braces_ = false;
  bool in_brackets_ = false;
  bool had_colon_ = false;
  bool had_duration_ = false;
  std::int64_t open_parens_ = 0;
  Token token_ = {};
  std::string error_;
};

}  // namespace fairway::promql
