// The parser's inside: a pushdown automaton with an explicit stack, shared by the parser_*.cpp files.
//
// It alternates between wanting an operand and having one. What is open (parentheses, argument lists, signs,
// left sides) lies on `open_`; an operator or a closing token reduces from there by precedence. The official
// parser is a table of yacc with error productions: which of them reports an unexpected token depends on what
// is open, which `context_` and the open aggregations mirror. The first error ends the parse. Tokens
// are read only when the official tables would read them, because an error of the lexer and one of a rule
// come in that order.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "promql/lexer.hpp"
#include "promql/parser.hpp"
#include "promql/tree.hpp"

namespace fairway::promql {

class Parser {
 public:
  Parser(std::string_view text, const ParseOptions& options);
  std::expected<Expr, ParseError> run();

 private:
  struct Open {
    enum class Kind : std::uint8_t { Paren, Call, Aggregate, Sign, Left };
    Kind kind;
    Token token;  // the parenthesis, name or operator
    std::uint32_t first_arg = 0;
    bool modifier_seen = false;  // by (…) or without (…) before the arguments
  };
  struct ErrorContext {
    std::string_view context;
    std::string_view expected;
  };
  // A duration expression's own stack.
  struct OpenDuration {
    enum class Kind : std::uint8_t { Paren, Sign, Left, FirstOfTwo, SecondOfTwo };
    Kind kind;
    Token token;
    DurationId left = kNoId;
  };

  // Each returns false once an error is recorded.
  bool parse_all();
  bool operand();
  bool after_operand();
  bool open_call(const Token& name);
  bool open_aggregate(const Token& name);
  bool open_arguments();
  bool next_argument();
  bool close_paren();
  bool finish_call();
  bool finish_aggregate();
  bool check_aggregate_arguments(Aggregate& aggregate, Span span, std::span<const NodeId> args);
  bool binary_operator();
  bool binary_modifiers(Binary& binary);
  bool group_modifier(VectorMatching& matching);
  bool fill_modifiers(VectorMatching& matching);
  bool fill_value(std::optional<double>& value);
  bool reduce_above(int next_precedence);
  bool reduce_one();
  bool fold_sign(const Token& sign);
  bool grouping_labels(std::span<const std::string_view>& labels);
  bool grouping_label();

  bool number_literal(const Token& token, double& value, bool& is_duration);
  bool literal_operand(const Token& token);
  bool string_operand(const Token& token);
  bool selector(const Token& name);
  bool braces(VectorSelector& selector, Span& span);
  bool matcher();
  bool add_matcher(std::string_view name, Span name_span, TokenType op, const Token& value);
  std::string_view string_value(const Token& token);

  bool is_postfix(TokenType type) const;
  bool postfix();
  bool bracket();
  bool make_matrix(const Token& open, const Token& close, const DurationSpec& range);
  bool offset();
  bool at();
  bool at_number(double& seconds);
  bool extend_range(bool anchored);
  TimeModifiers* time_of(NodeId id, std::uint32_t*& end);

  bool positive_duration(DurationSpec& spec);
  bool offset_duration(DurationSpec& spec);
  bool signed_offset(const Token& sign, DurationId& result);
  bool duration_expression(DurationId& result, const Token* leading_sign = nullptr);
  bool duration_operand(DurationId& value, bool& complete, std::size_t base);
  bool duration_literal(const Token& token, DurationId& value);
  bool query_duration(const Token& word, DurationId& value);
  bool two_durations(const Token& word, DurationId& value);
  bool close_duration(DurationId& value, std::size_t base, bool& done);
  bool reduce_durations(DurationId& value, std::size_t base, int next_precedence);
  bool make_duration_binary(const Token& op, DurationId left, DurationId right, DurationId& value);
  bool apply_sign(const Token& sign, DurationId operand, DurationId& value);
  bool allow_duration_expression(Span span);
  DurationId wrapped(DurationId id, Span span);
  DurationSpec to_spec(DurationId id);

  bool peek();
  Token take();
  std::string_view text_of(const Token& token) const;
  bool fail(Span span, std::string message, ParseError::Kind kind = ParseError::Kind::Syntax);
  bool fail_too_deep(Span span, std::size_t depth);
  bool fail_syntax();
  bool fail_syntax(std::string_view context, std::string_view expected);
  bool expect(TokenType type);
  bool push(Span span, ValueType type, Node::Kind kind, std::uint32_t depth);
  bool push_open(Open open);
  std::uint32_t depth_of(NodeId id) const { return depths_[id]; }
  Node& node(NodeId id) { return tree_->nodes[id]; }
  DurationId add_duration(DurationNode node);

  const ParseOptions& options_;
  std::shared_ptr<Expr::Tree> tree_;
  Lexer lexer_;
  Token look_ = {};
  bool have_look_ = false;
  NodeId value_ = kNoId;  // the operand at hand
  bool wants_operand_ = true;
  std::uint32_t last_end_ = 0;  // of the last consumed token that can close an expression
  // A usual query is parsed without another allocation than those of its tree.
  alignas(std::max_align_t) std::array<std::byte, 6 * 1024> scratch_;
  std::pmr::monotonic_buffer_resource memory_{scratch_.data(), scratch_.size()};
  std::pmr::vector<Open> open_{&memory_};
  std::pmr::vector<Binary> left_sides_{&memory_};     // of the open operators
  std::pmr::vector<Aggregate> aggregates_{&memory_};  // the open ones
  std::pmr::vector<OpenDuration> open_durations_{&memory_};
  std::pmr::vector<NodeId> args_{&memory_};
  std::pmr::vector<Matcher> matchers_{&memory_};
  std::pmr::vector<std::string_view> labels_{&memory_};
  std::pmr::vector<std::uint32_t> depths_{&memory_};
  const ErrorContext* context_ = nullptr;
  ParseError error_;
  bool done_ = false;
};

// The checks that the official parser makes once the syntax is right. Sets what they decide (cardinalities);
// the first violation, in the official order, or nothing.
std::optional<ParseError> check_types(Expr::Tree& tree);

}  // namespace fairway::promql
