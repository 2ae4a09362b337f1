// The official parser's checks of a syntactically right tree, in its order, without recursion.
#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

#include "promql/functions.hpp"
#include "promql/go_text.hpp"
#include "promql/parser_state.hpp"
#include "promql/regex.hpp"

namespace fairway::promql {
namespace {

class Checker {
 public:
  explicit Checker(Expr::Tree& tree) : tree_(tree) {}

  std::optional<ParseError> run() {
    pending_.reserve(32);
    enter(static_cast<NodeId>(tree_.nodes.size() - 1));
    while (!pending_.empty() && !error_) {
      Visit& visit = pending_.back();
      const NodeId id = visit.id;
      const Node& node = tree_.nodes[id];
      if (visit.next > 0) check_child(node, visit.next - 1);
      if (error_) break;
      if (visit.next < child_count(node)) {
        enter(child(node, visit.next++));
        continue;
      }
      leave(id);
      pending_.pop_back();
    }
    return error_;
  }

 private:
  struct Visit {
    NodeId id;
    std::size_t next;
  };

  void enter(NodeId id) {
    Node& node = tree_.nodes[id];
    if (const auto* selector = std::get_if<VectorSelector>(&node.kind)) {
      check_selector(node, *selector);
      return;
    }
    if (const auto* call = node.as<Call>()) check_call(node, *call);
    // Literals have nothing to check.
    if (!error_ && child_count(node) > 0) pending_.push_back({id, 0});
  }

  void fail(Span span, std::string message) { error_ = ParseError{span, std::move(message)}; }

  void check_selector(const Node& node, const VectorSelector& selector) {
    if (!selector.name.empty()) {
      for (const Matcher& matcher : selector.matchers) {
        if (matcher.name != "__name__") continue;
        return fail(node.span, "metric name must not be set twice: " + go_quoted(selector.name) + " or " +
                                   go_quoted(matcher.value));
      }
      return;
    }
    if (selector.may_match_all) return;
    const bool selective =
        std::ranges::any_of(selector.matchers, [](const Matcher& m) { return !accepts_empty(m); });
    if (!selective) fail(node.span, "vector selector must contain at least one non-empty matcher");
  }

  static bool accepts_empty(const Matcher& matcher) {
    switch (matcher.op) {
      case MatchOp::Equal:
        return matcher.value.empty();
      case MatchOp::NotEqual:
        return !matcher.value.empty();
      default:
        break;
    }
    const auto shape = check_regex(matcher.value);
    return (shape && shape->matches_empty) == (matcher.op == MatchOp::Regex);
  }

  void check_call(const Node& node, const Call& call) {
    const Function& function = *call.function;
    const auto count = static_cast<int>(call.args.size());
    const auto types = static_cast<int>(function.arg_types.size());
    const auto refuse = [&](std::string_view how, int wanted) {
      fail(node.span, fmt::format("expected {}{} argument(s) in call to {}, got {}", how, wanted,
                                  go_quoted(function.name), count));
    };
    if (function.variadic == 0) {
      if (count != types) refuse("", types);
    } else if (count < types - 1) {
      refuse("at least ", types - 1);
    } else if (function.variadic > 0 && count > types - 1 + function.variadic) {
      refuse("at most ", types - 1 + function.variadic);
    }
    if (!error_ && function.name == "info" && count > 1) check_info(node, call);
  }

  void check_info(const Node& node, const Call& call) {
    Node& second = tree_.nodes[call.args[1]];
    if (second.type != ValueType::Vector) {
      return fail(node.span, fmt::format("expected type instant vector in call to function \"info\", got {}",
                                         documented(second.type)));
    }
    auto* selector = std::get_if<VectorSelector>(&second.kind);
    if (selector == nullptr) return fail(second.span, "expected label selectors only");
    if (!selector->name.empty()) {
      return fail(second.span, "expected label selectors only, got vector selector instead");
    }
    selector->may_match_all = true;
  }

  void expect_type(NodeId id, ValueType wanted, std::string_view where) {
    const Node& node = tree_.nodes[id];
    if (node.type == wanted) return;
    fail(node.span,
         fmt::format("expected type {} in {}, got {}", documented(wanted), where, documented(node.type)));
  }

  // After the child `index` of `node` was found right in itself.
  void check_child(const Node& node, std::size_t index) {
    if (const auto* aggregate = node.as<Aggregate>()) {
      if (index == 0) return expect_type(aggregate->expr, ValueType::Vector, "aggregation expression");
      const bool text = aggregate->op == AggregateOp::CountValues;
      return expect_type(aggregate->param, text ? ValueType::String : ValueType::Scalar,
                         "aggregation parameter");
    }
    if (const auto* call = node.as<Call>()) {
      const auto types = call->function->arg_types;
      const ValueType wanted = types[std::min(index, types.size() - 1)];
      if (tree_.nodes[call->args[index]].type == wanted) return;
      expect_type(call->args[index], wanted, "call to function " + go_quoted(call->function->name));
    }
  }

  void leave(NodeId id) {
    Node& node = tree_.nodes[id];
    if (const auto* unary = node.as<Unary>()) {
      const ValueType type = tree_.nodes[unary->expr].type;
      if (type != ValueType::Scalar && type != ValueType::Vector) {
        fail(node.span,
             "unary expression only allowed on expressions of type scalar or instant vector, got " +
                 go_quoted(documented(type)));
      }
    } else if (const auto* subquery = node.as<Subquery>()) {
      const ValueType type = tree_.nodes[subquery->expr].type;
      if (type != ValueType::Vector) {
        fail(node.span,
             fmt::format("subquery is only allowed on instant vector, got {} instead", to_string(type)));
      }
    } else if (auto* binary = std::get_if<Binary>(&node.kind)) {
      check_binary(node, *binary);
    }
  }

  // The operator with its modifiers, blanks trimmed.
  Span operator_span(const Binary& binary) const {
    const auto blank = [&](std::uint32_t at) {
      return std::string_view(" \t\r\n").find(tree_.text[at]) != std::string_view::npos;
    };
    Span span = {tree_.nodes[binary.left].span.end, tree_.nodes[binary.right].span.start - 1};
    while (span.start < tree_.text.size() && blank(span.start)) ++span.start;
    while (span.end > span.start && blank(span.end)) --span.end;
    return span;
  }

  void check_binary(const Node& node, Binary& binary) {
    const Node& left = tree_.nodes[binary.left];
    const Node& right = tree_.nodes[binary.right];
    const bool scalars = left.type == ValueType::Scalar && right.type == ValueType::Scalar;
    if (binary.return_bool && !is_comparison(binary.op)) {
      return fail(operator_span(binary), "bool modifier can only be used on comparison operators");
    }
    if (is_comparison(binary.op) && !binary.return_bool && scalars) {
      return fail(operator_span(binary), "comparisons between scalars must use BOOL modifier");
    }
    VectorMatching& matching = *binary.matching;
    if (is_set(binary.op) && matching.cardinality == Cardinality::OneToOne) {
      matching.cardinality = Cardinality::ManyToMany;
    }
    if (const auto label = repeated_label(matching)) {
      return fail(operator_span(binary),
                  "label " + go_quoted(*label) + " must not occur in ON and GROUP clause at once");
    }
    for (const Node* side : {&left, &right}) {
      if (side->type == ValueType::Scalar || side->type == ValueType::Vector) continue;
      return fail(side->span, "binary expression must contain only scalar and instant vector types");
    }
    check_matching(node, binary, left.type == ValueType::Vector && right.type == ValueType::Vector);
  }

  void check_matching(const Node& node, Binary& binary, bool vectors) {
    const VectorMatching& matching = *binary.matching;
    const bool fills = matching.fill_left || matching.fill_right;
    if (!vectors) {
      if (!matching.labels.empty())
        return fail(node.span, "vector matching only allowed between instant vectors");
      if (fills) return fail(node.span, "filling in missing series only allowed between instant vectors");
      binary.matching.reset();
      if (is_set(binary.op)) {
        fail(node.span, fmt::format("set operator {} not allowed in binary scalar expression",
                                    go_quoted(to_string(binary.op))));
      }
    } else if (is_set(binary.op)) {
      if (matching.cardinality != Cardinality::ManyToMany) {
        return fail(node.span,
                    fmt::format("no grouping allowed for {} operation", go_quoted(to_string(binary.op))));
      }
      if (fills) return fail(node.span, "filling in missing series not allowed for set operators");
    }
  }

  // The first label of on (…) that group_left (…) names too.
  static std::optional<std::string_view> repeated_label(const VectorMatching& matching) {
    if (!matching.on || matching.include.empty()) return std::nullopt;
    const std::unordered_set<std::string_view> include(matching.include.begin(), matching.include.end());
    for (const std::string_view label : matching.labels) {
      if (include.contains(label)) return label;
    }
    return std::nullopt;
  }

  Expr::Tree& tree_;
  std::vector<Visit> pending_;
  std::optional<ParseError> error_;
};

}  // namespace

std::optional<ParseError> check_types(Expr::Tree& tree) {
  return Checker(tree).run();
}

}  // namespace fairway::promql
