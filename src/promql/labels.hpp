// Labels: the name of a series. An immutable set of label pairs, sorted by name, without empty values (to
// PromQL a label with an empty value is a label that is not there).
//
// A copy shares the original's bytes, so results of an evaluation cost no copies of the labels that they
// keep. The hash is computed once, over the same bytes as in Prometheus. Thread-safe as any value that never
// changes.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairway::promql {

inline constexpr std::string_view kMetricName = "__name__";
inline constexpr std::string_view kBucketLabel = "le";

struct Label {
  std::string_view name;
  std::string_view value;

  auto operator<=>(const Label&) const = default;
};

class Labels {
 public:
  class Iterator;

  Labels() = default;  // none
  // In any order; the last of several with one name counts, an empty value removes.
  static Labels from(std::vector<std::pair<std::string, std::string>> pairs);
  // Sorted by name, each name once, no empty values: for those who know.
  static Labels from_sorted(std::span<const Label> labels);

  std::string_view get(std::string_view name) const;  // empty when absent
  std::string_view metric_name() const { return get(kMetricName); }
  std::size_t size() const { return rep_ ? rep_->count : 0; }
  bool empty() const { return !rep_; }
  std::uint64_t hash() const { return rep_ ? rep_->hash : kEmptyHash; }
  std::size_t bytes() const { return rep_ ? rep_->encoded.size() : 0; }

  Iterator begin() const;
  Iterator end() const;

  // Without `__name__`, and without the labels of type and unit that describe a metric as its name does.
  Labels without_name() const;
  Labels keep(std::span<const std::string> names) const;     // only those named
  Labels without(std::span<const std::string> names) const;  // all but those named
  // All but those named and the metric name: what `ignoring` compares and `without` leaves.
  Labels drop(std::span<const std::string> names) const;

  // {__name__="up", job="api"}
  std::string to_string() const;
  // up{job="api"}; {} for none.
  std::string to_metric() const;

  bool operator==(const Labels& other) const;
  // By the first pair that differs; a set that is the start of another comes first.
  std::strong_ordering operator<=>(const Labels& other) const;

 private:
  friend class LabelsBuilder;
  struct Rep {
    std::uint64_t hash = 0;
    std::size_t count = 0;
    std::string encoded;  // name, value, name, value, …: each after its length
  };
  static constexpr std::uint64_t kEmptyHash = 0xef46db3751d8e999;  // xxHash64 of nothing

  template <class Keep>
  Labels filtered(Keep keep) const;

  std::shared_ptr<const Rep> rep_;
};

class Labels::Iterator {
 public:
  using value_type = Label;
  using difference_type = std::ptrdiff_t;

  Iterator() = default;
  explicit Iterator(const char* at) : at_(at) {}
  Label operator*() const;
  Iterator& operator++();
  Iterator operator++(int) {
    Iterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Iterator&) const = default;

 private:
  const char* at_ = nullptr;
};

// Changes to a label set, applied at once by labels().
class LabelsBuilder {
 public:
  explicit LabelsBuilder(Labels base = {}) : base_(std::move(base)) {}

  LabelsBuilder& set(std::string_view name, std::string_view value);  // an empty value removes
  LabelsBuilder& remove(std::string_view name) { return set(name, {}); }
  Labels labels() const;

 private:
  Labels base_;
  std::vector<std::pair<std::string, std::string>> changes_;
};

// In double quotes, escaped as in Go.
std::string quote_label_value(std::string_view value);
// [a-zA-Z_][a-zA-Z0-9_]*: need not be quoted.
bool is_plain_label_name(std::string_view name);
// The same, with colons.
bool is_plain_metric_name(std::string_view name);

}  // namespace fairway::promql

template <>
struct std::hash<fairway::promql::Labels> {
  std::size_t operator()(const fairway::promql::Labels& labels) const noexcept { return labels.hash(); }
};
