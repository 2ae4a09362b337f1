// The parsed query: typed, positioned, immutable.
//
// An Expr owns everything it shows: a copy of the text and one arena for names, matchers and lists; views and
// spans in nodes live as long as any copy of the Expr (copies share, and are cheap). Nodes lie in one vector
// in which children always come before their parents and the root is last, so a plain loop visits bottom-up,
// and nothing, destruction included, needs recursion. Spans are bytes [start, end) of the text. parse() in
// promql/parser.hpp makes one, to_string() in promql/printer.hpp writes it in canonical form; == compares
// structure, not positions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "promql/types.hpp"

namespace fairway::promql {

struct Function;  // promql/functions.hpp

using NodeId = std::uint32_t;
using DurationId = std::uint32_t;
inline constexpr std::uint32_t kNoId = 0xffffffff;

struct Span {
  std::uint32_t start = 0;
  std::uint32_t end = 0;
  bool operator==(const Span&) const = default;
};

struct Matcher {
  std::string_view name;
  MatchOp op = MatchOp::Equal;
  std::string_view value;
  Span span = {};
};

// A duration in brackets or after `offset`. Either a constant, or an expression that needs the query's step
// or range: resolve_duration() in promql/durations.hpp gives the value for both.
struct DurationSpec {
  Duration value = Duration::zero();  // meaningful when is_constant()
  DurationId expr = kNoId;            // as written, when it is more than one literal
  bool depends_on_query = false;      // contains step() or range()
  bool invalid = false;  // an expression of constants without a value (overflow, division by zero)

  bool is_constant() const { return !depends_on_query && !invalid; }
  bool is_written() const { return expr != kNoId || value != Duration::zero(); }
};

enum class DurationOp : std::uint8_t {
  Literal,
  Step,
  Range,
  Minus,  // unary; operand in right
  Wrap,   // a literal in parentheses; operand in right
  Add,
  Subtract,
  Multiply,
  Divide,
  Modulo,
  Power,
  MinOf,
  MaxOf,
};

struct DurationNode {
  DurationOp op = DurationOp::Literal;
  double seconds = 0;        // of a literal
  bool is_duration = false;  // a literal written with units
  bool wrapped = false;      // in parentheses
  DurationId left = kNoId;
  DurationId right = kNoId;
  Span span = {};
};

enum class AtKind : std::uint8_t { None, Timestamp, Start, End };

// What follows a selector or a subquery: `@ …` and `offset …`.
struct TimeModifiers {
  AtKind at = AtKind::None;
  std::int64_t at_ms = 0;  // since the epoch, for AtKind::Timestamp
  DurationSpec offset = {};
};

struct NumberLiteral {
  double value = 0;
  bool is_duration = false;  // written with units, printed so
};

struct StringLiteral {
  std::string_view value;
};

struct VectorSelector {
  std::string_view name;              // before the braces; empty when there is none
  std::span<const Matcher> matchers;  // inside the braces, in the order written; `name` is not repeated here
  TimeModifiers time = {};
  bool anchored = false;
  bool smoothed = false;
  bool may_match_all = false;  // the second argument of info()

  // The one metric name that is asked for: before the braces, or by a __name__ equality within; else empty.
  std::string_view metric_name() const;
};

struct MatrixSelector {
  NodeId selector = kNoId;  // a VectorSelector, which also carries offset and @
  DurationSpec range = {};
};

struct Subquery {
  NodeId expr = kNoId;
  DurationSpec range = {};
  DurationSpec step = {};  // not written: the default interval
  TimeModifiers time = {};
};

struct Unary {
  NodeId expr = kNoId;
  bool negative = false;  // otherwise a plus sign
};

struct VectorMatching {
  Cardinality cardinality = Cardinality::OneToOne;
  bool on = false;  // labels are those to match on, not those to ignore
  std::span<const std::string_view> labels = {};
  std::span<const std::string_view> include = {};  // of group_left, group_right
  std::optional<double> fill_left = {};
  std::optional<double> fill_right = {};
  bool fill_both = false;  // written as fill(x): both sides have the same value
};

struct Binary {
  BinaryOp op = BinaryOp::Add;
  bool return_bool = false;
  NodeId left = kNoId;
  NodeId right = kNoId;
  std::optional<VectorMatching> matching = {};  // only between two vectors
};

struct Aggregate {
  AggregateOp op = AggregateOp::Sum;
  bool without = false;
  std::span<const std::string_view> grouping = {};
  NodeId param = kNoId;  // for those that take one
  NodeId expr = kNoId;
};

struct Call {
  const Function* function = nullptr;  // never null in a parsed Expr
  std::span<const NodeId> args = {};
};

struct Paren {
  NodeId expr = kNoId;
};

struct Node {
  using Kind = std::variant<NumberLiteral, StringLiteral, VectorSelector, MatrixSelector, Subquery, Unary,
                            Binary, Aggregate, Call, Paren>;
  Span span;
  ValueType type = ValueType::None;
  Kind kind;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&kind);
  }
};

// Children in the order of the text, but an aggregation's parameter after its operand, as the official walk
// does.
std::size_t child_count(const Node& node);
NodeId child(const Node& node, std::size_t index);

class Expr {
 public:
  struct Tree;  // promql/tree.hpp

  explicit Expr(std::shared_ptr<const Tree> tree) : tree_(std::move(tree)) {}

  std::string_view text() const;
  std::span<const Node> nodes() const;  // children before parents
  const Node& node(NodeId id) const { return nodes()[id]; }
  const Node& root() const { return nodes().back(); }
  NodeId root_id() const { return static_cast<NodeId>(nodes().size() - 1); }
  ValueType type() const { return root().type; }
  const DurationNode& duration(DurationId id) const;
  // The longest path from the root, in nodes; a single literal has depth 1.
  std::size_t depth() const;

  // The node without the parentheses around it.
  NodeId unwrapped(NodeId id) const;

 private:
  std::shared_ptr<const Tree> tree_;
};

// The same structure; positions and spelling (quotes, blanks, 60s for 1m) do not count. NaN equals NaN.
bool operator==(const Expr& left, const Expr& right);

}  // namespace fairway::promql
