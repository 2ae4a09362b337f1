// Operators between two vectors: which series belong together, and what the result is called.
#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

#include "promql/evaluation.hpp"

namespace fairway::promql {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// Series match when they have the same signature: the labels that the operator compares.
struct Signatures {
  std::vector<std::size_t> left;
  std::vector<std::size_t> right;
  std::size_t count = 0;
};

Signatures sign(const VectorMatching& matching, const Frame& left, const Frame& right) {
  const Grouping grouping(matching.on, matching.labels);
  Signatures signatures;
  std::unordered_map<std::string, std::size_t> index;
  std::string key;
  const auto sign_rows = [&](const Frame& frame, std::vector<std::size_t>& into) {
    into.reserve(frame.rows());
    for (std::size_t i = 0; i < frame.rows(); ++i) {
      key.clear();
      grouping.append_key(frame.row(i).labels, key);
      into.push_back(index.try_emplace(key, index.size()).first->second);
    }
  };
  sign_rows(left, signatures.left);
  sign_rows(right, signatures.right);
  signatures.count = index.size();
  return signatures;
}

// The signatures that have a sample at one step.
void mark_present(const Frame& frame, const std::vector<std::size_t>& signatures, std::size_t step,
                  std::vector<bool>& present) {
  std::fill(present.begin(), present.end(), false);
  for (std::size_t row = 0; row < frame.rows(); ++row) {
    if (is_present(frame.cell(row, step))) present[signatures[row]] = true;
  }
}

// Computes `left op right` step by step. The "one" side has at most one series a signature at a step; for
// group_right it is the left one, and the sides change places.
class Join {
 public:
  Join(Evaluation& run, const Node& node, const Binary& binary, const Frame& left, const Frame& right)
      : run_(run),
        node_(node),
        binary_(binary),
        matching_(*binary.matching),
        grouping_(matching_.on, matching_.labels),
        swapped_(matching_.cardinality == Cardinality::OneToMany),
        many_(swapped_ ? right : left),
        one_(swapped_ ? left : right),
        signatures_(swapped_ ? sign(matching_, right, left) : sign(matching_, left, right)),
        result_(run.budget, left.steps()),
        cached_(many_.rows()),
        one_of_(signatures_.count),
        matched_(signatures_.count) {}

  Result<Frame> run() {
    for (std::size_t step = 0; step < many_.steps(); ++step) FAIRWAY_CHECKED(run_step(step));
    return std::move(result_).take();
  }

 private:
  struct Cached {
    std::size_t one = kNone - 1;  // the other side's row that `row` was made for
    std::size_t row = kNone;
  };
  struct Pair {
    std::size_t many = kNone;  // kNone: filled in
    std::size_t one = kNone;
    std::size_t signature = 0;
  };

  // Prometheus counts sides after group_right has made them change places, and so do we.
  const std::optional<double>& fill_for_one() const { return matching_.fill_right; }
  const std::optional<double>& fill_for_many() const { return matching_.fill_left; }

  static bool has_samples(const Frame& frame, std::size_t step) {
    for (std::size_t row = 0; row < frame.rows(); ++row) {
      if (is_present(frame.cell(row, step))) return true;
    }
    return false;
  }

  Result<void> run_step(std::size_t step) {
    FAIRWAY_CHECKED(run_.budget.work(many_.rows() + one_.rows()));
    const bool is_filled = matching_.fill_left || matching_.fill_right;
    const bool many_there = has_samples(many_, step);
    const bool one_there = has_samples(one_, step);
    if ((!many_there && !one_there) || (!is_filled && (!many_there || !one_there))) return {};
    FAIRWAY_CHECKED(index_one_side(step));
    std::fill(matched_.begin(), matched_.end(), false);
    for (std::size_t row = 0; row < many_.rows(); ++row) {
      if (!is_present(many_.cell(row, step))) continue;
      const Pair pair{row, one_of_[signatures_.left[row]], signatures_.left[row]};
      if (pair.one == kNone && !fill_for_one()) continue;
      FAIRWAY_CHECKED(combine(pair, step));
    }
    if (!fill_for_many()) return {};
    for (std::size_t row = 0; row < one_.rows(); ++row) {
      const std::size_t signature = signatures_.right[row];
      if (!is_present(one_.cell(row, step)) || matched_[signature]) continue;
      FAIRWAY_CHECKED(combine({kNone, row, signature}, step));
    }
    return {};
  }

  Result<void> index_one_side(std::size_t step) {
    std::fill(one_of_.begin(), one_of_.end(), kNone);
    for (std::size_t row = 0; row < one_.rows(); ++row) {
      if (!is_present(one_.cell(row, step))) continue;
      std::size_t& known = one_of_[signatures_.right[row]];
      if (known != kNone) return std::unexpected(duplicate(row, known));
      known = row;
    }
    return {};
  }

  Error duplicate(std::size_t row, std::size_t known) const {
    const Labels& labels = one_.row(row).labels;
    return {ErrorCode::Invalid,
            fmt::format(
                "found duplicate series for the match group {} on the {} hand-side of the operation: [{}, "
                "{}];many-to-many matching not allowed: matching labels must be unique on one side",
                grouping_.labels(labels).to_string(), swapped_ ? "left" : "right", labels.to_string(),
                one_.row(known).labels.to_string())};
  }

  Result<void> combine(const Pair& pair, std::size_t step) {
    const double many = pair.many == kNone ? *fill_for_many() : many_.cell(pair.many, step);
    const double one = pair.one == kNone ? *fill_for_one() : one_.cell(pair.one, step);
    const Outcome outcome = swapped_ ? apply(binary_.op, one, many) : apply(binary_.op, many, one);
    if (binary_.op == BinaryOp::TrimLower || binary_.op == BinaryOp::TrimUpper) {
      run_.annotations.incompatible_types(to_string(binary_.op), node_.span);
      return {};
    }
    FAIRWAY_TRY(const std::size_t row, result_row(pair));
    FAIRWAY_CHECKED(check_unique(pair, row, step));
    if (binary_.return_bool) return result_.set(row, step, outcome.keep ? 1 : 0);
    return outcome.keep ? result_.set(row, step, outcome.value) : Result<void>{};
  }

  Result<void> check_unique(const Pair& pair, std::size_t row, std::size_t step) {
    if (matching_.cardinality == Cardinality::OneToOne) {
      if (matched_[pair.signature]) {
        return fail(
            ErrorCode::Invalid,
            "multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)");
      }
    } else {
      if (row >= last_match_.size()) last_match_.resize(row + 1, {kNone, kNone});
      if (last_match_[row] == std::pair{step, pair.signature}) {
        return fail(ErrorCode::Invalid,
                    "multiple matches for labels: grouping labels must ensure unique matches");
      }
      last_match_[row] = {step, pair.signature};
    }
    matched_[pair.signature] = true;
    return {};
  }

  Result<std::size_t> result_row(const Pair& pair) {
    if (pair.many != kNone && cached_[pair.many].one == pair.one) return cached_[pair.many].row;
    const Labels many =
        pair.many == kNone ? grouping_.labels(one_.row(pair.one).labels) : many_.row(pair.many).labels;
    const Labels one = pair.one == kNone ? grouping_.labels(many) : one_.row(pair.one).labels;
    FAIRWAY_TRY(const std::size_t row, result_.row(result_labels(many, one), binary_.return_bool));
    if (pair.many != kNone) cached_[pair.many] = {pair.one, row};
    return row;
  }

  Labels result_labels(const Labels& many, const Labels& one) const {
    Labels labels = many;
    if (changes_meaning(binary_.op)) labels = labels.without_name();
    if (matching_.cardinality == Cardinality::OneToOne) {
      labels = matching_.on ? labels.keep(grouping_.names()) : labels.without(grouping_.names());
    }
    if (!matching_.include.empty()) {
      LabelsBuilder builder(labels);
      for (const std::string_view name : matching_.include) builder.set(name, one.get(name));
      labels = builder.labels();
    }
    return binary_.return_bool && run_.drops_names_now() ? labels.without_name() : labels;
  }

  Evaluation& run_;
  const Node& node_;
  const Binary& binary_;
  const VectorMatching& matching_;
  const Grouping grouping_;
  const bool swapped_;
  const Frame& many_;
  const Frame& one_;
  const Signatures signatures_;  // left: of the many, right: of the one
  KeyedFrame result_;
  std::vector<Cached> cached_;                                   // by row of the many
  std::vector<std::size_t> one_of_;                              // by signature, at this step
  std::vector<bool> matched_;                                    // by signature, at this step
  std::vector<std::pair<std::size_t, std::size_t>> last_match_;  // by result row: step and signature
};

Result<Frame> unite(Evaluation& run, const Frame& left, const Frame& right, const Signatures& signatures) {
  KeyedFrame result(run.budget, left.steps());
  std::vector<bool> present(signatures.count);
  const auto copy = [&](const Frame& from, std::size_t row, std::size_t step) -> Result<void> {
    FAIRWAY_TRY(const std::size_t into, result.row(from.row(row).labels, from.row(row).drop_name));
    return result.set(into, step, from.cell(row, step));
  };
  for (std::size_t step = 0; step < left.steps(); ++step) {
    mark_present(left, signatures.left, step, present);
    for (std::size_t row = 0; row < left.rows(); ++row) {
      if (is_present(left.cell(row, step))) FAIRWAY_CHECKED(copy(left, row, step));
    }
    for (std::size_t row = 0; row < right.rows(); ++row) {
      if (is_present(right.cell(row, step)) && !present[signatures.right[row]]) {
        FAIRWAY_CHECKED(copy(right, row, step));
      }
    }
    FAIRWAY_CHECKED(run.budget.work(left.rows() + right.rows()));
  }
  return std::move(result).take();
}

// `and` keeps what has a match on the right, `unless` what has none.
Result<Frame> filter(Evaluation& run, Frame left, const Frame& right, const Signatures& signatures,
                     bool keep_matched) {
  std::vector<bool> present(signatures.count);
  for (std::size_t step = 0; step < left.steps(); ++step) {
    mark_present(right, signatures.right, step, present);
    for (std::size_t row = 0; row < left.rows(); ++row) {
      if (present[signatures.left[row]] != keep_matched) left.cells(row)[step] = absent_cell();
    }
    FAIRWAY_CHECKED(run.budget.work(left.rows() + right.rows()));
  }
  left.remove_empty_rows();
  return left;
}

}  // namespace

Result<Frame> match_vectors(Evaluation& run, const Node& node, const Binary& binary, const Frame& left,
                            const Frame& right) {
  return Join(run, node, binary, left, right).run();
}

Result<Frame> combine_sets(Evaluation& run, const Binary& binary, Frame left, Frame right) {
  if (binary.op == BinaryOp::Or) {
    if (right.empty()) return left;
    if (left.empty()) return right;
  }
  const Signatures signatures = sign(*binary.matching, left, right);
  if (binary.op == BinaryOp::Or) return unite(run, left, right, signatures);
  return filter(run, std::move(left), right, signatures, binary.op == BinaryOp::And);
}

}  // namespace fairway::promql
