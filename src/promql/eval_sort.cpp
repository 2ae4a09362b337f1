#include <algorithm>
#include <numeric>

#include "base/text.hpp"
#include "promql/evaluation.hpp"

namespace fairway::promql {
namespace {

// The next run of digits, or of anything else.
std::string_view take_chunk(std::string_view& text) {
  const bool digits = is_digit(text.front());
  const auto end = std::find_if(text.begin(), text.end(), [&](char c) { return is_digit(c) != digits; });
  const std::string_view chunk(text.begin(), end);
  text.remove_prefix(chunk.size());
  return chunk;
}

std::strong_ordering compare_numbers(std::string_view left, std::string_view right) {
  left.remove_prefix(std::min(left.find_first_not_of('0'), left.size()));
  right.remove_prefix(std::min(right.find_first_not_of('0'), right.size()));
  if (left.size() != right.size()) return left.size() <=> right.size();
  return left <=> right;
}

// As people sort: node2 before node10.
std::strong_ordering compare_naturally(std::string_view left, std::string_view right) {
  while (!left.empty() && !right.empty()) {
    const std::string_view l = take_chunk(left);
    const std::string_view r = take_chunk(right);
    const bool numbers = is_digit(l.front()) && is_digit(r.front());
    if (const auto order = numbers ? compare_numbers(l, r) : l <=> r; order != 0) return order;
  }
  return left.size() <=> right.size();
}

template <class Less>
void sort_rows(Frame& frame, Less less) {
  std::vector<std::size_t> order(frame.rows());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), less);
  frame.arrange(order);
}

}  // namespace

// A range query's result is sorted by labels at the end: there, order means nothing.
Result<Frame> evaluate_sort(Evaluation& run, const Call& call, const Steps& steps, bool descending) {
  FAIRWAY_TRY(Frame frame, evaluate_node(run, call.args[0], steps));
  if (!steps.is_instant()) return frame;
  sort_rows(frame, [&](std::size_t left, std::size_t right) {
    const double l = frame.cell(left, 0);
    const double r = frame.cell(right, 0);
    if (std::isnan(l) || std::isnan(r)) return !std::isnan(l) && std::isnan(r);  // last, either way
    return descending ? l > r : l < r;
  });
  return frame;
}

Result<Frame> evaluate_sort_by_label(Evaluation& run, const Call& call, const Steps& steps, bool descending) {
  FAIRWAY_TRY(Frame frame, evaluate_node(run, call.args[0], steps));
  if (!steps.is_instant()) return frame;
  std::vector<std::string_view> names;
  for (std::size_t i = 1; i < call.args.size(); ++i) names.push_back(run.text_argument(call, i));
  sort_rows(frame, [&](std::size_t left, std::size_t right) {
    const Labels& l = frame.row(left).labels;
    const Labels& r = frame.row(right).labels;
    auto order = std::strong_ordering::equal;
    for (const std::string_view name : names) {
      order = compare_naturally(l.get(name), r.get(name));
      if (order != 0) break;
    }
    if (order == 0) order = l <=> r;
    return descending ? order > 0 : order < 0;
  });
  return frame;
}

}  // namespace fairway::promql
