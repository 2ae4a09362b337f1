// What can be known of a query's result without data: how many series, with which labels, with which values.
//
// One pass bottom-up over the nodes. Every fact is sound: it holds for all data, or it is not stated. Series:
//   - a selector promises nothing, but its equality matchers fix labels ({_id=""} says there is no _id);
//   - an aggregation gives one series a group, so at most one when every label of `by` is fixed (none is,
//   trivially),
//     or when its operand has at most one; topk(1, …), bottomk and limitk likewise, keeping the operand's
//     labels;
//   - a one-to-one operator gives at most as many as either side, group_left as many as the left, group_right
//   as many
//     as the right; an operator with a number keeps the count; `and` and `unless` give part of the left side;
//   - `or` adds those of the right whose signature is not on the left: at most one only when both sides have
//   at most
//     one and their signatures are surely equal, that is, every label that is matched on is fixed to the same
//     value;
//   - label_replace and label_join keep the count (equal label sets are an error) and may fix a label;
//   absent() and
//     vector() give one; other functions keep count and labels, less the name;
//   - a subquery can change its labels from step to step: at most one only when all of them are fixed.
// Values are a set of {0, 1, NaN, anything else}; `0 * x` is 0, or NaN when x can be NaN or infinite.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "promql/ast.hpp"

namespace fairway::promql {

// The labels that a result can have.
class LabelFacts {
 public:
  static LabelFacts none();     // no label at all
  static LabelFacts unknown();  // any labels

  // The value that the label surely has; empty when it is surely missing, nothing when that is open.
  std::optional<std::string> fixed(std::string_view label) const;
  // Every label that can be there is fixed.
  bool all_fixed() const;
  bool is_closed() const { return closed_; }
  // Of a closed set: those that can be there and are not fixed.
  std::vector<std::string> open_labels() const;
  const std::map<std::string, std::optional<std::string>, std::less<>>& known() const { return known_; }

  void fix(std::string_view label, std::string value);
  void loosen(std::string_view label);  // present or not, any value
  void drop(std::string_view label) { fix(label, ""); }
  LabelFacts kept(std::span<const std::string_view> labels) const;
  // What holds whichever of the two it is.
  static LabelFacts either(const LabelFacts& left, const LabelFacts& right);

 private:
  bool closed_ = false;  // no labels but the known ones
  std::map<std::string, std::optional<std::string>, std::less<>> known_;
};

struct ValueFacts {
  bool zero = false;
  bool one = false;
  bool not_a_number = false;
  bool other = false;

  static ValueFacts any() { return {true, true, true, true}; }
  static ValueFacts of(double value);
  ValueFacts operator|(const ValueFacts& more) const;
  ValueFacts operator&(const ValueFacts& both) const;
  bool is_only_zero() const { return zero && !one && !not_a_number && !other; }
  bool is_boolean() const { return !not_a_number && !other; }
  bool operator==(const ValueFacts&) const = default;
};

struct Facts {
  bool at_most_one = false;  // series; always so for scalars
  LabelFacts labels = LabelFacts::unknown();
  ValueFacts values = ValueFacts::any();
};

// One for each node, by its id.
std::vector<Facts> analyze(const Expr& expr);

// Whether two results that each have at most one series have the same signature whenever both are there;
// otherwise the labels that can differ.
struct SignatureComparison {
  bool surely_equal = false;
  std::vector<std::string> can_differ;
};
SignatureComparison compare_signatures(const LabelFacts& left, const LabelFacts& right,
                                       const VectorMatching& matching);

}  // namespace fairway::promql
