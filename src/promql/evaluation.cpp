#include "promql/evaluation.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "promql/durations.hpp"

namespace fairway::promql {
namespace {

// An @ farther away than this sees no samples, and sums of a few such times still fit.
constexpr Millis kFarthest = 1'000'000'000'000'000;

Result<Frame> evaluate_unary(Evaluation& run, const Unary& unary, const Steps& steps) {
  FAIRWAY_TRY(Frame frame, evaluate_node(run, unary.expr, steps));
  if (!unary.negative) return frame;
  for (double& cell : frame.all_cells()) {
    if (is_present(cell)) cell = -cell;
  }
  return drop_names(run, std::move(frame));
}

Result<Frame> dispatch(Evaluation& run, const Node& node, const Steps& steps) {
  if (const auto* number = node.as<NumberLiteral>()) return single_row(run, steps, number->value);
  if (const auto* selector = node.as<VectorSelector>()) return evaluate_selector(run, *selector, steps);
  if (const auto* unary = node.as<Unary>()) return evaluate_unary(run, *unary, steps);
  if (const auto* binary = node.as<Binary>()) return evaluate_binary(run, node, *binary, steps);
  if (const auto* aggregate = node.as<Aggregate>()) return evaluate_aggregate(run, *aggregate, steps);
  if (const auto* call = node.as<Call>()) return evaluate_call(run, *call, steps);
  if (const auto* paren = node.as<Paren>()) return evaluate_node(run, paren->expr, steps);
  return fail(ErrorCode::Internal,
              fmt::format("a {} stands where a value is computed", to_string(node.type)));
}

}  // namespace

std::string_view Evaluation::text_argument(const Call& call, std::size_t index) const {
  const auto* literal = argument(call, index).as<StringLiteral>();
  FAIRWAY_CHECK(literal, "the parser lets a text argument be something else than a literal");
  return literal->value;
}

Result<Frame> evaluate_node(Evaluation& run, NodeId id, const Steps& steps) {
  FAIRWAY_CHECKED(run.budget.work(1));
  FAIRWAY_TRY(Frame frame, dispatch(run, run.node(id), steps));
  if (run.options.observer) run.options.observer->saw_value(id, steps, frame);
  return frame;
}

Result<std::vector<double>> evaluate_scalar(Evaluation& run, NodeId id, const Steps& steps) {
  FAIRWAY_TRY(const Frame frame, evaluate_node(run, id, steps));
  const auto cells = frame.cells(0);
  return std::vector<double>(cells.begin(), cells.end());
}

Result<Millis> resolve_millis(const Evaluation& run, const DurationSpec& duration, bool is_offset) {
  const QueryTimes query{std::chrono::milliseconds(run.times.step),
                         std::chrono::milliseconds(run.times.end - run.times.start)};
  FAIRWAY_TRY(const Duration length, resolve_duration(run.expr, duration, query, !is_offset));
  return std::chrono::duration_cast<std::chrono::milliseconds>(length).count();
}

Result<LookTimes> look_times(const Evaluation& run, const TimeModifiers& modifiers) {
  LookTimes look;
  FAIRWAY_TRY(look.offset, resolve_millis(run, modifiers.offset, true));
  switch (modifiers.at) {
    case AtKind::None:
      break;
    case AtKind::Timestamp:
      look.fixed = std::clamp<Millis>(modifiers.at_ms, -kFarthest, kFarthest);
      break;
    case AtKind::Start:
      look.fixed = run.times.start;
      break;
    case AtKind::End:
      look.fixed = run.times.end;
      break;
  }
  return look;
}

Result<Frame> drop_names(Evaluation& run, Frame frame) {
  bool differ = false;
  std::string_view first = frame.empty() ? std::string_view{} : frame.row(0).labels.metric_name();
  const std::string name(first);
  for (std::size_t i = 0; i < frame.rows(); ++i) {
    Frame::Row& row = frame.row(i);
    row.drop_name = true;
    if (!run.drops_names_now()) continue;
    differ = differ || row.labels.metric_name() != name;
    row.labels = row.labels.without_name();
    FAIRWAY_CHECKED(run.budget.take_labels(row.labels.bytes()));
  }
  // Rows of one metric differ in other labels and still do.
  return differ ? merge_equal_rows(std::move(frame), run.budget) : Result<Frame>(std::move(frame));
}

Result<Frame> single_row(Evaluation& run, const Steps& steps, double value) {
  Frame frame(run.budget, steps.count);
  FAIRWAY_TRY(const auto cells, frame.add({}));
  std::fill(cells.begin(), cells.end(), value);
  return frame;
}

Labels labels_of_absent(const Evaluation& run, const Node& argument) {
  const auto* selector = argument.as<VectorSelector>();
  if (const auto* matrix = argument.as<MatrixSelector>()) {
    selector = run.node(matrix->selector).as<VectorSelector>();
  }
  if (!selector) return {};
  LabelsBuilder builder;
  std::vector<std::string_view> seen;
  for (const Matcher& matcher : selector->matchers) {
    if (matcher.name == kMetricName) continue;
    const bool again = std::find(seen.begin(), seen.end(), matcher.name) != seen.end();
    if (matcher.op == MatchOp::Equal && !again) {
      builder.set(matcher.name, matcher.value);
      seen.push_back(matcher.name);
    } else {
      builder.remove(matcher.name);
    }
  }
  return builder.labels();
}

Grouping::Grouping(bool by, std::span<const std::string_view> names)
    : by_(by), names_(names.begin(), names.end()) {
  std::sort(names_.begin(), names_.end());
}

void Grouping::append_key(const Labels& labels, std::string& key) const {
  const auto append = [&](std::string_view text) {
    const std::size_t size = text.size();
    key.append(reinterpret_cast<const char*>(&size), sizeof size);
    key += text;
  };
  if (by_) {
    for (const std::string& name : names_) append(labels.get(name));
    return;
  }
  for (const Label label : labels) {
    if (label.name == kMetricName || std::binary_search(names_.begin(), names_.end(), label.name)) continue;
    append(label.name);
    append(label.value);
  }
}

}  // namespace fairway::promql
