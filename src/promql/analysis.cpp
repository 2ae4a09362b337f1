#include "promql/analysis.hpp"

#include <algorithm>
#include <set>

#include "promql/analysis_state.hpp"

namespace fairway::promql {

LabelFacts LabelFacts::none() {
  LabelFacts facts;
  facts.closed_ = true;
  return facts;
}

LabelFacts LabelFacts::unknown() {
  return {};
}

std::optional<std::string> LabelFacts::fixed(std::string_view label) const {
  const auto found = known_.find(label);
  if (found != known_.end()) return found->second;
  if (closed_) return "";
  return std::nullopt;
}

bool LabelFacts::all_fixed() const {
  return closed_ && std::ranges::all_of(known_, [](const auto& entry) { return entry.second.has_value(); });
}

std::vector<std::string> LabelFacts::open_labels() const {
  std::vector<std::string> out;
  for (const auto& [label, value] : known_) {
    if (!value) out.push_back(label);
  }
  return out;
}

void LabelFacts::fix(std::string_view label, std::string value) {
  known_.insert_or_assign(std::string(label), std::move(value));
}

void LabelFacts::loosen(std::string_view label) {
  known_.insert_or_assign(std::string(label), std::nullopt);
}

LabelFacts LabelFacts::kept(std::span<const std::string_view> labels) const {
  LabelFacts out = none();
  for (const std::string_view label : labels) out.known_.insert_or_assign(std::string(label), fixed(label));
  return out;
}

LabelFacts LabelFacts::either(const LabelFacts& left, const LabelFacts& right) {
  LabelFacts out;
  out.closed_ = left.closed_ && right.closed_;
  for (const LabelFacts* side : {&left, &right}) {
    for (const auto& [label, value] : side->known_) {
      const auto a = left.fixed(label);
      const auto b = right.fixed(label);
      out.known_.insert_or_assign(label, a && b && *a == *b ? a : std::nullopt);
    }
  }
  return out;
}

SignatureComparison compare_signatures(const LabelFacts& left, const LabelFacts& right,
                                       const VectorMatching& matching) {
  SignatureComparison out;
  std::set<std::string> compared;
  if (matching.on) {
    for (const std::string_view label : matching.labels) compared.emplace(label);
  } else {
    for (const auto& [label, value] : left.known()) compared.insert(label);
    for (const auto& [label, value] : right.known()) compared.insert(label);
    for (const std::string_view label : matching.labels) compared.erase(std::string(label));
    compared.erase("__name__");
  }
  for (const std::string& label : compared) {
    const auto a = left.fixed(label);
    const auto b = right.fixed(label);
    if (!a || !b || *a != *b) out.can_differ.push_back(label);
  }
  out.surely_equal = out.can_differ.empty() && (matching.on || (left.is_closed() && right.is_closed()));
  return out;
}

std::vector<Facts> analyze(const Expr& expr) {
  return Analysis(expr).run();
}

Facts Analysis::of(const Node& node) {
  return std::visit([&](const auto& kind) { return of(kind, node); }, node.kind);
}

std::vector<Facts> Analysis::run() {
  facts_.reserve(expr_.nodes().size());
  for (const Node& node : expr_.nodes()) facts_.push_back(of(node));
  return std::move(facts_);
}

Facts Analysis::of(const NumberLiteral& number, const Node&) {
  return {true, LabelFacts::none(), ValueFacts::of(number.value)};
}

Facts Analysis::of(const StringLiteral&, const Node&) {
  return {true, LabelFacts::none(), ValueFacts::any()};
}

Facts Analysis::of(const VectorSelector& selector, const Node&) {
  Facts facts;
  if (!selector.name.empty()) facts.labels.fix("__name__", std::string(selector.name));
  for (const Matcher& matcher : selector.matchers) {
    const bool plain = matcher.value.find_first_of("\\.+*?()[]{}^$|") == std::string_view::npos;
    if (matcher.op == MatchOp::Equal || (matcher.op == MatchOp::Regex && plain)) {
      facts.labels.fix(matcher.name, std::string(matcher.value));
    }
  }
  return facts;
}

Facts Analysis::of(const MatrixSelector& matrix, const Node&) {
  return facts_[matrix.selector];
}

Facts Analysis::of(const Subquery& subquery, const Node&) {
  Facts facts = facts_[subquery.expr];
  facts.at_most_one = facts.at_most_one && facts.labels.all_fixed();
  return facts;
}

Facts Analysis::of(const Paren& paren, const Node&) {
  return facts_[paren.expr];
}

Facts Analysis::of(const Unary& unary, const Node&) {
  Facts facts = facts_[unary.expr];
  if (unary.negative) {
    facts.labels.drop("__name__");
    const ValueFacts before = facts.values;
    facts.values.one = before.other;  // of -1
    facts.values.other = before.one || before.other;
  }
  return facts;
}

Facts Analysis::of(const Aggregate& aggregate, const Node&) {
  const Facts& operand = facts_[aggregate.expr];
  LabelFacts groups = aggregate.without ? operand.labels : operand.labels.kept(aggregate.grouping);
  if (aggregate.without) {
    groups.drop("__name__");
    for (const std::string_view label : aggregate.grouping) groups.drop(label);
  }
  const bool one_group = operand.at_most_one || groups.all_fixed();
  Facts facts;
  facts.values = aggregate_values(aggregate, operand);
  switch (aggregate.op) {
    case AggregateOp::Topk:
    case AggregateOp::Bottomk:
    case AggregateOp::Limitk: {
      const auto* count = expr_.node(expr_.unwrapped(aggregate.param)).as<NumberLiteral>();
      facts.labels = operand.labels;
      facts.at_most_one = operand.at_most_one || (one_group && count != nullptr && count->value < 2);
      return facts;
    }
    case AggregateOp::LimitRatio:
      facts.labels = operand.labels;
      facts.at_most_one = operand.at_most_one;
      return facts;
    case AggregateOp::CountValues:
      facts.labels = groups;
      if (const auto* label = expr_.node(expr_.unwrapped(aggregate.param)).as<StringLiteral>()) {
        facts.labels.loosen(label->value);
      } else {
        facts.labels = LabelFacts::unknown();
      }
      facts.at_most_one = operand.at_most_one;
      return facts;
    default:
      facts.labels = groups;
      facts.at_most_one = one_group;
      return facts;
  }
}

Facts Analysis::of(const Binary& binary, const Node& node) {
  const Facts& left = facts_[binary.left];
  const Facts& right = facts_[binary.right];
  const bool left_scalar = expr_.node(binary.left).type == ValueType::Scalar;
  const bool right_scalar = expr_.node(binary.right).type == ValueType::Scalar;
  Facts facts;
  facts.values = binary_values(binary, left, right, left_scalar);
  if (node.type == ValueType::Scalar) {
    facts.at_most_one = true;
    facts.labels = LabelFacts::none();
    return facts;
  }
  const bool keeps_name = is_set(binary.op) || (is_comparison(binary.op) && !binary.return_bool);
  if (left_scalar || right_scalar) {
    const Facts& vector = left_scalar ? right : left;
    facts.at_most_one = vector.at_most_one;
    facts.labels = vector.labels;
    if (!keeps_name) facts.labels.drop("__name__");
    return facts;
  }
  if (is_set(binary.op)) {
    join_sets(binary, left, right, facts);
  } else {
    match_vectors(binary, left, right, facts);
    if (!keeps_name) facts.labels.drop("__name__");
  }
  return facts;
}

void Analysis::join_sets(const Binary& binary, const Facts& left, const Facts& right, Facts& facts) {
  if (binary.op != BinaryOp::Or) {
    facts.at_most_one = left.at_most_one;
    facts.labels = left.labels;
    return;
  }
  facts.labels = LabelFacts::either(left.labels, right.labels);
  facts.at_most_one = left.at_most_one && right.at_most_one &&
                      compare_signatures(left.labels, right.labels, *binary.matching).surely_equal;
}

void Analysis::match_vectors(const Binary& binary, const Facts& left, const Facts& right, Facts& facts) {
  const VectorMatching& matching = *binary.matching;
  const bool fills = matching.fill_left || matching.fill_right;
  if (matching.cardinality == Cardinality::OneToOne) {
    // The labels of the result are the signature; that of the right side is equal.
    facts.labels = matching.on ? left.labels.kept(matching.labels) : left.labels;
    for (const std::string_view label : matching.on ? matching.labels : std::span<const std::string_view>()) {
      if (const auto value = right.labels.fixed(label)) facts.labels.fix(label, *value);
    }
    if (!matching.on) {
      for (const std::string_view label : matching.labels) facts.labels.drop(label);
    }
    facts.at_most_one = left.at_most_one || right.at_most_one || facts.labels.all_fixed();
  } else {
    const bool many_left = matching.cardinality == Cardinality::ManyToOne;
    facts.labels = many_left ? left.labels : right.labels;
    for (const std::string_view label : matching.include) {
      const auto value = (many_left ? right : left).labels.fixed(label);
      if (value) {
        facts.labels.fix(label, *value);
      } else {
        facts.labels.loosen(label);
      }
    }
    facts.at_most_one = many_left ? left.at_most_one : right.at_most_one;
  }
  if (fills) {
    facts.at_most_one = false;
    facts.labels = LabelFacts::unknown();
  }
}

}  // namespace fairway::promql
