// Frame: the value of an expression at every step of the evaluation, as a dense table: a row a series, a cell
// a step. A cell without a sample holds the stale marker (see sample.hpp). An instant query has one step.
//
// A frame counts its cells against the Budget as long as it lives.
#pragma once

#include <array>
#include <span>
#include <unordered_map>
#include <vector>

#include "promql/budget.hpp"
#include "promql/labels.hpp"
#include "promql/sample.hpp"

namespace fairway::promql {

// The times at which an expression is evaluated.
struct Steps {
  Millis start = 0;
  Millis interval = 1;  // above zero
  std::size_t count = 1;

  Millis at(std::size_t step) const { return start + static_cast<Millis>(step) * interval; }
  Millis last() const { return at(count - 1); }
  bool is_instant() const { return count == 1; }
};

inline double absent_cell() {
  return stale_marker();
}
inline bool is_present(double cell) {
  return !is_stale(cell);
}

class Frame {
 public:
  struct Row {
    Labels labels;
    bool drop_name = false;  // at the end, when names are dropped late
  };

  Frame(Budget& budget, std::size_t steps) : budget_(&budget), steps_(steps) {}
  Frame(Frame&& other) noexcept;
  Frame& operator=(Frame&& other) noexcept;
  ~Frame();

  // The cells of the new row, all absent; valid until the next row.
  Result<std::span<double>> add(Row row);
  void reserve(std::size_t rows);

  std::size_t rows() const { return rows_.size(); }
  std::size_t steps() const { return steps_; }
  bool empty() const { return rows_.empty(); }
  Row& row(std::size_t index) { return rows_[index]; }
  const Row& row(std::size_t index) const { return rows_[index]; }
  std::span<double> cells(std::size_t row) { return {cells_.data() + row * steps_, steps_}; }
  std::span<const double> cells(std::size_t row) const { return {cells_.data() + row * steps_, steps_}; }
  double cell(std::size_t row, std::size_t step) const { return cells_[row * steps_ + step]; }
  std::span<double> all_cells() { return cells_; }

  void remove_empty_rows();
  // Puts the rows into this order, which names each at most once; those not named are removed.
  void arrange(std::span<const std::size_t> order);
  Frame copy_rows(std::size_t at_most, Budget& budget) const;

 private:
  Budget* budget_;
  std::size_t steps_;
  std::size_t charged_ = 0;
  std::vector<Row> rows_;
  std::vector<double> cells_;
};

// A frame whose rows are found by their labels, for operations that compute the labels of their results.
class KeyedFrame {
 public:
  KeyedFrame(Budget& budget, std::size_t steps) : budget_(budget), frame_(budget, steps) {}

  Result<std::size_t> row(const Labels& labels, bool drop_name);
  // An error when there is a sample already: two series of a result cannot have the same labels.
  Result<void> set(std::size_t row, std::size_t step, double value);
  Frame& frame() { return frame_; }
  Frame take() &&;  // without empty rows

 private:
  Budget& budget_;
  Frame frame_;
  std::array<std::unordered_map<Labels, std::size_t>, 2>
      index_;  // by whether the name is still to be dropped
};

// "vector cannot contain metrics with the same labelset"
Error same_labelset();
// Rows with equal labels become one; an error when they have a sample at the same step.
Result<Frame> merge_equal_rows(Frame frame, Budget& budget);
bool has_equal_rows(const Frame& frame);

}  // namespace fairway::promql
