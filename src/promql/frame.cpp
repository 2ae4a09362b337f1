#include "promql/frame.hpp"

#include <algorithm>
#include <unordered_set>

namespace fairway::promql {

Frame::Frame(Frame&& other) noexcept
    : budget_(other.budget_),
      steps_(other.steps_),
      charged_(std::exchange(other.charged_, 0)),
      rows_(std::move(other.rows_)),
      cells_(std::move(other.cells_)) {}

Frame& Frame::operator=(Frame&& other) noexcept {
  if (this == &other) return *this;
  budget_->release_samples(charged_);
  budget_ = other.budget_;
  steps_ = other.steps_;
  charged_ = std::exchange(other.charged_, 0);
  rows_ = std::move(other.rows_);
  cells_ = std::move(other.cells_);
  return *this;
}

Frame::~Frame() {
  budget_->release_samples(charged_);
}

Result<std::span<double>> Frame::add(Row row) {
  charged_ += steps_;
  FAIRWAY_CHECKED(budget_->take_samples(steps_));
  rows_.push_back(std::move(row));
  cells_.resize(cells_.size() + steps_, absent_cell());
  return cells(rows_.size() - 1);
}

void Frame::reserve(std::size_t rows) {
  rows = std::min(rows, budget_->limits().max_samples / std::max<std::size_t>(steps_, 1) + 1);
  rows_.reserve(rows);
  cells_.reserve(rows * steps_);
}

void Frame::remove_empty_rows() {
  std::vector<std::size_t> kept;
  kept.reserve(rows());
  for (std::size_t i = 0; i < rows(); ++i) {
    const auto row = cells(i);
    if (std::any_of(row.begin(), row.end(), is_present)) kept.push_back(i);
  }
  if (kept.size() != rows()) arrange(kept);
}

void Frame::arrange(std::span<const std::size_t> order) {
  std::vector<Row> rows;
  std::vector<double> values;
  rows.reserve(order.size());
  values.reserve(order.size() * steps_);
  for (const std::size_t index : order) {
    rows.push_back(std::move(rows_[index]));
    const auto row = cells(index);
    values.insert(values.end(), row.begin(), row.end());
  }
  const std::size_t freed = charged_ - values.size();
  rows_ = std::move(rows);
  cells_ = std::move(values);
  charged_ -= freed;
  budget_->release_samples(freed);
}

Frame Frame::copy_rows(std::size_t at_most, Budget& budget) const {
  Frame copy(budget, steps_);
  for (std::size_t i = 0; i < std::min(at_most, rows()); ++i) {
    copy.rows_.push_back(rows_[i]);
    const auto row = cells(i);
    copy.cells_.insert(copy.cells_.end(), row.begin(), row.end());
  }
  return copy;
}

Result<std::size_t> KeyedFrame::row(const Labels& labels, bool drop_name) {
  const auto [found, is_new] = index_[drop_name ? 1 : 0].try_emplace(labels, frame_.rows());
  if (is_new) {
    FAIRWAY_CHECKED(budget_.take_labels(labels.bytes()));
    FAIRWAY_CHECKED(frame_.add({labels, drop_name}));
  }
  return found->second;
}

Result<void> KeyedFrame::set(std::size_t row, std::size_t step, double value) {
  double& cell = frame_.cells(row)[step];
  if (is_present(cell)) return std::unexpected(same_labelset());
  cell = value;
  return {};
}

Frame KeyedFrame::take() && {
  frame_.remove_empty_rows();
  return std::move(frame_);
}

Error same_labelset() {
  return {ErrorCode::Invalid, "vector cannot contain metrics with the same labelset"};
}

bool has_equal_rows(const Frame& frame) {
  std::unordered_set<Labels> seen;
  seen.reserve(frame.rows());
  for (std::size_t i = 0; i < frame.rows(); ++i) {
    if (!seen.insert(frame.row(i).labels).second) return true;
  }
  return false;
}

Result<Frame> merge_equal_rows(Frame frame, Budget& budget) {
  if (!has_equal_rows(frame)) return frame;
  KeyedFrame merged(budget, frame.steps());
  for (std::size_t i = 0; i < frame.rows(); ++i) {
    FAIRWAY_TRY(const std::size_t row, merged.row(frame.row(i).labels, frame.row(i).drop_name));
    for (std::size_t step = 0; step < frame.steps(); ++step) {
      if (is_present(frame.cell(i, step))) FAIRWAY_CHECKED(merged.set(row, step, frame.cell(i, step)));
    }
  }
  return std::move(merged).take();
}

}  // namespace fairway::promql
