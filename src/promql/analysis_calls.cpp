// What functions make of their arguments' facts.
#include <algorithm>
#include <array>

#include "promql/analysis_state.hpp"
#include "promql/functions.hpp"
#include "promql/regex.hpp"

namespace fairway::promql {
namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::optional<std::string_view> Analysis::text_argument(const Call& call, std::size_t index) const {
  const auto* text = expr_.node(expr_.unwrapped(call.args[index])).as<StringLiteral>();
  if (text == nullptr) return std::nullopt;
  return text->value;
}

Facts Analysis::of(const Call& call, const Node& node) {
  const std::string_view name = call.function->name;
  if (node.type == ValueType::Scalar) {
    Facts facts = {true, LabelFacts::none(), ValueFacts::any()};
    if (name == "scalar") {
      facts.values = facts_[call.args[0]].values;
      facts.values.not_a_number = true;  // without exactly one series
    }
    if (name == "pi") facts.values = {.other = true};
    return facts;
  }
  if (name == "label_replace") return label_replace(call);
  if (name == "label_join") return label_join(call);
  if (is_one_of(name, {"absent", "absent_over_time"})) return absent(call);
  if (name == "vector") return {true, LabelFacts::none(), facts_[call.args[0]].values};
  if (call.args.empty()) return {true, LabelFacts::none(), ValueFacts::any()};  // hour() and its kin
  // All others follow the series of their vector or matrix.
  const auto operand = std::ranges::find_if(call.args, [&](NodeId id) {
    return expr_.node(id).type == ValueType::Vector || expr_.node(id).type == ValueType::Matrix;
  });
  Facts facts = facts_[*operand];
  facts.values = call_values(call, facts.values);
  if (name == "histogram_quantiles") return {false, LabelFacts::unknown(), ValueFacts::any()};
  if (name == "info") return {facts.at_most_one, LabelFacts::unknown(), facts.values};
  if (is_one_of(name, {"histogram_quantile", "histogram_fraction"})) facts.labels.drop("le");
  const bool keeps_name = name.starts_with("sort") || is_one_of(name, {"last_over_time", "first_over_time"});
  if (!keeps_name) facts.labels.drop("__name__");
  return facts;
}

ValueFacts Analysis::call_values(const Call& call, const ValueFacts& argument) {
  const std::string_view name = call.function->name;
  const bool keeps = name.starts_with("sort") || is_one_of(name, {"info", "max_over_time", "min_over_time",
                                                                  "last_over_time", "first_over_time"});
  if (keeps) return argument;
  if (name == "present_over_time") return {.one = true};
  if (name == "count_over_time") return {.one = true, .other = true};
  if (is_one_of(name, {"abs", "ceil", "floor", "sgn", "sqrt"}) ||
      (name == "round" && call.args.size() == 1)) {
    return argument.is_boolean() ? argument : ValueFacts::any();
  }
  return ValueFacts::any();
}

// Sets a label from another one. Where the source is fixed, so is the outcome.
Facts Analysis::label_replace(const Call& call) {
  Facts facts = facts_[call.args[0]];
  const auto target = text_argument(call, 1);
  const auto replacement = text_argument(call, 2);
  const auto source = text_argument(call, 3);
  const auto pattern = text_argument(call, 4);
  if (!target || !replacement || !source || !pattern)
    return {facts.at_most_one, LabelFacts::unknown(), facts.values};
  const auto before = source->empty() ? std::optional<std::string>("") : facts.labels.fixed(*source);
  const bool constant = replacement->find('$') == std::string_view::npos;
  const auto regex = Regex::compile(*pattern, 1024 * 1024);
  if (!before || !constant || !regex) {
    facts.labels.loosen(*target);
  } else if (regex->matches(*before)) {
    facts.labels.fix(*target, std::string(*replacement));
  }
  return facts;
}

Facts Analysis::label_join(const Call& call) {
  Facts facts = facts_[call.args[0]];
  const auto target = text_argument(call, 1);
  const auto separator = text_argument(call, 2);
  if (!target || !separator) return {facts.at_most_one, LabelFacts::unknown(), facts.values};
  std::optional<std::string> joined = "";
  for (std::size_t i = 3; i < call.args.size() && joined; ++i) {
    const auto source = text_argument(call, i);
    const auto value = source ? facts.labels.fixed(*source) : std::nullopt;
    if (!value) {
      joined.reset();
      break;
    }
    if (i > 3) joined->append(*separator);
    joined->append(*value);
  }
  if (joined) {
    facts.labels.fix(*target, *joined);
  } else {
    facts.labels.loosen(*target);
  }
  return facts;
}

// One series with value 1, labelled by the selector's equality matchers, or none.
Facts Analysis::absent(const Call& call) {
  Facts facts = {true, LabelFacts::none(), {.one = true}};
  NodeId id = expr_.unwrapped(call.args[0]);
  if (const auto* matrix = expr_.node(id).as<MatrixSelector>()) id = matrix->selector;
  const auto* selector = expr_.node(id).as<VectorSelector>();
  if (selector == nullptr) return facts;
  // A label with several matchers is left out of the result: whether this one is, stays open.
  for (const Matcher& matcher : selector->matchers) {
    if (matcher.name == "__name__") continue;
    const auto uses = std::ranges::count(selector->matchers, matcher.name, &Matcher::name);
    if (uses > 1) {
      facts.labels.loosen(matcher.name);
    } else if (matcher.op == MatchOp::Equal) {
      facts.labels.fix(matcher.name, std::string(matcher.value));
    }
  }
  return facts;
}

}  // namespace fairway::promql
