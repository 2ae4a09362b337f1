#include "promql/ast.hpp"

#include <algorithm>
#include <cmath>

#include "promql/tree.hpp"

namespace fairway::promql {

std::string_view VectorSelector::metric_name() const {
  if (!name.empty()) return name;
  for (const Matcher& matcher : matchers) {
    if (matcher.name == "__name__" && matcher.op == MatchOp::Equal) return matcher.value;
  }
  return {};
}

std::size_t child_count(const Node& node) {
  if (const auto* call = node.as<Call>()) return call->args.size();
  if (const auto* aggregate = node.as<Aggregate>()) return aggregate->param == kNoId ? 1 : 2;
  if (node.as<Binary>() != nullptr) return 2;
  const bool leaf = node.as<NumberLiteral>() != nullptr || node.as<StringLiteral>() != nullptr ||
                    node.as<VectorSelector>() != nullptr;
  return leaf ? 0 : 1;
}

NodeId child(const Node& node, std::size_t index) {
  if (const auto* call = node.as<Call>()) return call->args[index];
  if (const auto* aggregate = node.as<Aggregate>()) return index == 0 ? aggregate->expr : aggregate->param;
  if (const auto* binary = node.as<Binary>()) return index == 0 ? binary->left : binary->right;
  if (const auto* matrix = node.as<MatrixSelector>()) return matrix->selector;
  if (const auto* subquery = node.as<Subquery>()) return subquery->expr;
  if (const auto* unary = node.as<Unary>()) return unary->expr;
  if (const auto* paren = node.as<Paren>()) return paren->expr;
  return kNoId;
}

std::string_view Expr::text() const {
  return tree_->text;
}

std::span<const Node> Expr::nodes() const {
  return tree_->nodes;
}

const DurationNode& Expr::duration(DurationId id) const {
  return tree_->durations[id];
}

std::size_t Expr::depth() const {
  return tree_->depth;
}

NodeId Expr::unwrapped(NodeId id) const {
  while (const auto* paren = node(id).as<Paren>()) id = paren->expr;
  return id;
}

namespace {

bool same_number(double left, double right) {
  return (std::isnan(left) && std::isnan(right)) ||
         (left == right && std::signbit(left) == std::signbit(right));
}

bool same_fill(const std::optional<double>& left, const std::optional<double>& right) {
  return left.has_value() == right.has_value() && (!left || same_number(*left, *right));
}

// Compares two trees in lockstep. Both are walked with explicit stacks: they may be as deep as the parser
// allows.
class Comparison {
 public:
  Comparison(const Expr& left, const Expr& right) : left_(left), right_(right) {}

  bool run() {
    pending_.push_back({left_.root_id(), right_.root_id()});
    while (!pending_.empty()) {
      const auto [l, r] = pending_.back();
      pending_.pop_back();
      const Node& a = left_.node(l);
      const Node& b = right_.node(r);
      if (a.type != b.type || a.kind.index() != b.kind.index() || child_count(a) != child_count(b))
        return false;
      if (!same_node(a, b)) return false;
      for (std::size_t i = 0; i < child_count(a); ++i) pending_.push_back({child(a, i), child(b, i)});
    }
    return true;
  }

 private:
  bool same_node(const Node& a, const Node& b) {
    return std::visit(
        [&](const auto& kind) { return same(kind, std::get<std::decay_t<decltype(kind)>>(b.kind)); }, a.kind);
  }

  bool same(const NumberLiteral& a, const NumberLiteral& b) {
    return same_number(a.value, b.value) && a.is_duration == b.is_duration;
  }
  bool same(const StringLiteral& a, const StringLiteral& b) { return a.value == b.value; }
  bool same(const VectorSelector& a, const VectorSelector& b) {
    return a.name == b.name && a.anchored == b.anchored && a.smoothed == b.smoothed && same(a.time, b.time) &&
           same_matchers(a.matchers, b.matchers);
  }
  bool same(const MatrixSelector& a, const MatrixSelector& b) { return same(a.range, b.range); }
  bool same(const Subquery& a, const Subquery& b) {
    return same(a.range, b.range) && same(a.step, b.step) && same(a.time, b.time);
  }
  bool same(const Unary& a, const Unary& b) { return a.negative == b.negative; }
  bool same(const Binary& a, const Binary& b) {
    if (a.op != b.op || a.return_bool != b.return_bool || a.matching.has_value() != b.matching.has_value())
      return false;
    if (!a.matching) return true;
    const VectorMatching& m = *a.matching;
    const VectorMatching& n = *b.matching;
    return m.cardinality == n.cardinality && m.on == n.on && std::ranges::equal(m.labels, n.labels) &&
           std::ranges::equal(m.include, n.include) && same_fill(m.fill_left, n.fill_left) &&
           same_fill(m.fill_right, n.fill_right) && m.fill_both == n.fill_both;
  }
  bool same(const Aggregate& a, const Aggregate& b) {
    return a.op == b.op && a.without == b.without && std::ranges::equal(a.grouping, b.grouping);
  }
  bool same(const Call& a, const Call& b) { return a.function == b.function; }
  bool same(const Paren&, const Paren&) { return true; }

  bool same(const TimeModifiers& a, const TimeModifiers& b) {
    return a.at == b.at && a.at_ms == b.at_ms && same(a.offset, b.offset);
  }

  // Matchers have no order of their own: the canonical form sorts them.
  static bool same_matchers(std::span<const Matcher> a, std::span<const Matcher> b) {
    if (a.size() != b.size()) return false;
    const auto sorted = [](std::span<const Matcher> in) {
      std::vector<std::tuple<std::string_view, MatchOp, std::string_view>> out;
      out.reserve(in.size());
      for (const Matcher& m : in) out.emplace_back(m.name, m.op, m.value);
      std::ranges::sort(out);
      return out;
    };
    return sorted(a) == sorted(b);
  }

  bool same(const DurationSpec& a, const DurationSpec& b) {
    if ((a.expr == kNoId) != (b.expr == kNoId)) return false;
    if (a.expr == kNoId) return a.value == b.value;
    std::vector<std::pair<DurationId, DurationId>> pending = {{a.expr, b.expr}};
    while (!pending.empty()) {
      const auto [l, r] = pending.back();
      pending.pop_back();
      if ((l == kNoId) != (r == kNoId)) return false;
      if (l == kNoId) continue;
      const DurationNode& m = left_.duration(l);
      const DurationNode& n = right_.duration(r);
      if (m.op != n.op || m.wrapped != n.wrapped || m.is_duration != n.is_duration ||
          !same_number(m.seconds, n.seconds)) {
        return false;
      }
      pending.push_back({m.left, n.left});
      pending.push_back({m.right, n.right});
    }
    return true;
  }

  const Expr& left_;
  const Expr& right_;
  std::vector<std::pair<NodeId, NodeId>> pending_;
};

}  // namespace

bool operator==(const Expr& left, const Expr& right) {
  return Comparison(left, right).run();
}

}  // namespace fairway::promql
