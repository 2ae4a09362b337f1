#include "promql/explain.hpp"

#include <fmt/format.h>
#include <map>

#include "promql/printer.hpp"
#include "promql/result_format.hpp"

namespace fairway::promql {
namespace {

// Remembers what each node gave. A node below a subquery is computed at many steps; its last one is kept.
class Recorder final : public EvalObserver {
 public:
  explicit Recorder(std::size_t max_series) : max_series_(max_series) {}

  void saw_value(NodeId id, const Steps& steps, const Frame& frame) override {
    ExplainedNode& node = nodes_[id];
    node = {};
    node.is_evaluated = true;
    const std::size_t last = steps.count - 1;
    for (std::size_t row = 0; row < frame.rows(); ++row) {
      const double cell = frame.cell(row, last);
      if (!is_present(cell)) continue;
      ++node.series_count;
      if (node.series.size() >= max_series_) continue;
      node.series.push_back({frame.row(row).labels, {{steps.at(last), cell}}});
    }
  }

  void saw_range(NodeId id, std::size_t series, std::size_t samples) override {
    ExplainedNode& node = nodes_[id];
    node = {};
    node.is_evaluated = true;
    node.series_count = series;
    node.sample_count = samples;
  }

  // As deep as the query nests, which the evaluator bounds and this is only called after it.
  ExplainedNode tree(const Expr& expr, NodeId id) {
    ExplainedNode node = std::move(nodes_[id]);
    node.expr = to_string(expr, id);
    node.type = expr.node(id).type;
    if (!expr.node(id).as<MatrixSelector>()) {
      for (std::size_t i = 0; i < child_count(expr.node(id)); ++i) {
        node.children.push_back(tree(expr, child(expr.node(id), i)));
      }
    }
    return node;
  }

 private:
  std::size_t max_series_;
  std::map<NodeId, ExplainedNode> nodes_;
};

std::string value_line(const ExplainedNode& node, const ResultSeries& series) {
  const std::string value = format_value(series.samples.front().value);
  return node.type == ValueType::Scalar ? value : fmt::format("{} {}", series.labels.to_metric(), value);
}

void append_text(std::string& text, const ExplainedNode& node, std::size_t depth) {
  const std::string indent(depth * 2, ' ');
  text += fmt::format("{}{}\n", indent, node.expr);
  if (node.type == ValueType::Matrix && node.is_evaluated) {
    text += fmt::format("{}  => {} samples of {} series\n", indent, node.sample_count, node.series_count);
  } else if (node.is_evaluated && node.series_count == 0) {
    text += fmt::format("{}  => no series\n", indent);
  }
  for (const ResultSeries& series : node.series)
    text += fmt::format("{}  => {}\n", indent, value_line(node, series));
  if (node.series.size() < node.series_count && node.type != ValueType::Matrix) {
    text += fmt::format("{}  => and {} more\n", indent, node.series_count - node.series.size());
  }
  for (const ExplainedNode& child : node.children) append_text(text, child, depth + 1);
}

}  // namespace

Explanation explain(const Expr& expr, const Source& source, Millis at, const ExplainOptions& options) {
  Recorder recorder(options.max_series);
  EvalOptions eval = options.eval;
  eval.observer = &recorder;
  Explanation explanation{evaluate_instant(expr, source, at, eval), {}};
  if (expr.depth() <= eval.limits.max_depth) explanation.tree = recorder.tree(expr, expr.root_id());
  return explanation;
}

std::string to_text(const ExplainedNode& tree) {
  std::string text;
  append_text(text, tree, 0);
  return text;
}

json::Object to_json(const ExplainedNode& tree) {
  json::Object object{{"expr", tree.expr}, {"type", to_string(tree.type)}};
  if (tree.is_evaluated) {
    object["seriesCount"] = tree.series_count;
    if (tree.type == ValueType::Matrix) object["sampleCount"] = tree.sample_count;
    json::Array series;
    for (const ResultSeries& one : tree.series) {
      series.push_back(
          json::Object{{"metric", to_json(one.labels)}, {"value", to_json(one.samples.front())}});
    }
    if (tree.type != ValueType::Matrix) object["series"] = std::move(series);
  }
  json::Array children;
  for (const ExplainedNode& child : tree.children) children.push_back(to_json(child));
  if (!children.empty()) object["children"] = std::move(children);
  return object;
}

}  // namespace fairway::promql
