#include "promql/printer.hpp"

#include <algorithm>
#include <cmath>

#include "promql/durations.hpp"
#include "promql/functions.hpp"
#include "promql/go_text.hpp"

namespace fairway::promql {
namespace {

// A label name of the classic form needs no quotes.
bool is_classic_label(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  return std::ranges::all_of(name, [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  });
}

class Printer {
 public:
  Printer(const Expr& expr, std::string& out) : expr_(expr), out_(out) {}

  void print(NodeId root) {
    pending_.reserve(32);
    pending_.push_back({root, 0});
    while (!pending_.empty()) {
      const auto [id, stage] = pending_.back();
      pending_.back().stage++;
      // Each stage writes what stands before the next child and asks for that child; kNoId ends the node.
      const NodeId next =
          std::visit([&](const auto& kind) { return write(kind, stage); }, expr_.node(id).kind);
      if (next == kNoId) {
        pending_.pop_back();
      } else {
        pending_.push_back({next, 0});
      }
    }
  }

 private:
  struct Pending {
    NodeId id;
    std::size_t stage;
  };

  NodeId write(const NumberLiteral& number, std::size_t) {
    write_number(number.value, number.is_duration);
    return kNoId;
  }

  NodeId write(const StringLiteral& text, std::size_t) {
    append_quoted(out_, text.value);
    return kNoId;
  }

  NodeId write(const VectorSelector& selector, std::size_t) {
    write_selector(selector);
    write_at(selector.time);
    write_extension(selector);
    write_offset(selector.time);
    return kNoId;
  }

  NodeId write(const MatrixSelector& matrix, std::size_t) {
    const auto& selector = *expr_.node(matrix.selector).as<VectorSelector>();
    write_selector(selector);
    out_.push_back('[');
    write_duration(matrix.range);
    out_.push_back(']');
    write_extension(selector);
    write_at(selector.time);
    write_offset(selector.time);
    return kNoId;
  }

  NodeId write(const Subquery& subquery, std::size_t stage) {
    if (stage == 0) return subquery.expr;
    out_.push_back('[');
    write_duration(subquery.range);
    out_.push_back(':');
    if (subquery.step.is_written()) write_duration(subquery.step);
    out_.push_back(']');
    write_at(subquery.time);
    write_offset(subquery.time);
    return kNoId;
  }

  NodeId write(const Unary& unary, std::size_t stage) {
    if (stage > 0) return kNoId;
    out_.push_back(unary.negative ? '-' : '+');
    return unary.expr;
  }

  NodeId write(const Binary& binary, std::size_t stage) {
    if (stage == 0) {
      const auto* number = expr_.node(binary.left).as<NumberLiteral>();
      if (binary.op != BinaryOp::Power || number == nullptr || !std::isinf(number->value)) return binary.left;
      out_.append("Inf");  // a sign would take the power with it
    }
    if (stage == 2 || (stage == 1 && starts_with_bare_infinity(binary))) return kNoId;
    if (is_duration_operator(binary.op)) end_offset();
    out_.push_back(' ');
    out_.append(to_string(binary.op));
    if (binary.return_bool) out_.append(" bool");
    if (binary.matching) write_matching(*binary.matching);
    out_.push_back(' ');
    return binary.right;
  }

  bool starts_with_bare_infinity(const Binary& binary) const {
    const auto* number = expr_.node(binary.left).as<NumberLiteral>();
    return binary.op == BinaryOp::Power && number != nullptr && std::isinf(number->value);
  }

  NodeId write(const Aggregate& aggregate, std::size_t stage) {
    const bool has_param = aggregate.param != kNoId;
    if (stage == 0) {
      out_.append(to_string(aggregate.op));
      if (aggregate.without || !aggregate.grouping.empty()) {
        out_.append(aggregate.without ? " without (" : " by (");
        write_labels(aggregate.grouping);
        out_.append(") ");
      }
      out_.push_back('(');
      return has_param ? aggregate.param : aggregate.expr;
    }
    if (stage == 1 && has_param) {
      out_.append(", ");
      return aggregate.expr;
    }
    out_.push_back(')');
    return kNoId;
  }

  NodeId write(const Call& call, std::size_t stage) {
    if (stage == 0) {
      out_.append(call.function->name);
      out_.push_back('(');
    }
    if (stage == call.args.size()) {
      out_.push_back(')');
      return kNoId;
    }
    if (stage > 0) out_.append(", ");
    return call.args[stage];
  }

  NodeId write(const Paren& paren, std::size_t stage) {
    out_.push_back(stage == 0 ? '(' : ')');
    return stage == 0 ? paren.expr : kNoId;
  }

  void write_labels(std::span<const std::string_view> labels) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (i > 0) out_.append(", ");
      write_label(out_, labels[i]);
    }
  }

  static void write_label(std::string& out, std::string_view name) {
    if (is_classic_label(name)) {
      out.append(name);
    } else {
      append_quoted(out, name);
    }
  }

  void write_matching(const VectorMatching& matching) {
    const bool grouped =
        matching.cardinality == Cardinality::ManyToOne || matching.cardinality == Cardinality::OneToMany;
    if (matching.on || !matching.labels.empty() || grouped) {
      out_.append(matching.on ? " on (" : " ignoring (");
      write_labels(matching.labels);
      out_.push_back(')');
    }
    if (grouped) {
      out_.append(matching.cardinality == Cardinality::ManyToOne ? " group_left (" : " group_right (");
      write_labels(matching.include);
      out_.push_back(')');
    }
    const auto fill = [&](std::string_view word, const std::optional<double>& value) {
      if (!value) return;
      out_.append(word);
      append_float_compact(out_, *value);
      out_.push_back(')');
    };
    if (matching.fill_both) return fill(" fill (", matching.fill_left);
    fill(" fill_left (", matching.fill_left);
    fill(" fill_right (", matching.fill_right);
  }

  void write_selector(const VectorSelector& selector) {
    out_.append(selector.name);
    if (selector.matchers.empty()) {
      if (selector.name.empty()) out_.append("{}");
      return;
    }
    out_.push_back('{');
    if (selector.matchers.size() == 1) {
      write_matcher(out_, selector.matchers[0]);
    } else {
      std::vector<std::string> written(selector.matchers.size());
      for (std::size_t i = 0; i < written.size(); ++i) write_matcher(written[i], selector.matchers[i]);
      std::ranges::sort(written);
      for (std::size_t i = 0; i < written.size(); ++i) {
        if (i > 0) out_.push_back(',');
        out_.append(written[i]);
      }
    }
    out_.push_back('}');
  }

  static void write_matcher(std::string& out, const Matcher& matcher) {
    write_label(out, matcher.name);
    out.append(to_string(matcher.op));
    append_quoted(out, matcher.value);
  }

  void write_extension(const VectorSelector& selector) {
    if (selector.anchored) out_.append(" anchored");
    if (selector.smoothed) out_.append(" smoothed");
  }

  void write_at(const TimeModifiers& time) {
    if (time.at == AtKind::Start) out_.append(" @ start()");
    if (time.at == AtKind::End) out_.append(" @ end()");
    if (time.at == AtKind::Timestamp) {
      out_.append(" @ ");
      append_fixed3(out_, static_cast<double>(time.at_ms) / 1000.0);
    }
  }

  void write_offset(const TimeModifiers& time) {
    if (!time.offset.is_written()) return;
    out_.append(" offset ");
    const std::size_t begin = out_.size();
    write_duration(time.offset);
    if (out_[begin] == '(') {
      offset_begin_ = begin;
      offset_end_ = out_.size();
    }
  }

  static bool is_duration_operator(BinaryOp op) { return op >= BinaryOp::Add && op != BinaryOp::Atan2; }

  // After `offset (…)` an arithmetic operator would go on with the duration; behind a sign the parenthesis
  // ends it.
  void end_offset() {
    if (offset_end_ != out_.size()) return;
    out_.insert(offset_begin_, 1, '+');
    offset_end_ = 0;
  }

  void write_number(double value, bool is_duration) {
    if (!is_duration) return append_float(out_, value);
    if (std::signbit(value)) out_.push_back('-');
    append_prometheus_duration(out_, to_duration(std::abs(value)));
  }

  void write_duration(const DurationSpec& spec) {
    if (spec.expr != kNoId) return write_duration_expression(spec.expr);
    if (spec.value == kNotANumber) {
      out_.append("NaN");
    } else if (spec.value % std::chrono::milliseconds(1) != Duration::zero()) {
      append_float(out_, static_cast<double>(spec.value.count()) / 1e9);
    } else {
      if (spec.value < Duration::zero()) out_.push_back('-');
      append_prometheus_duration(out_, spec.value < Duration::zero() ? -spec.value : spec.value);
    }
  }

  void write_duration_expression(DurationId root) {
    std::vector<Pending> pending = {{root, 0}};
    while (!pending.empty()) {
      const auto [id, stage] = pending.back();
      pending.back().stage++;
      const DurationId next = write_duration_stage(expr_.duration(id), stage);
      if (next == kNoId) {
        pending.pop_back();
      } else {
        pending.push_back({next, 0});
      }
    }
  }

  DurationId write_duration_stage(const DurationNode& node, std::size_t stage) {
    const bool of_two = node.op == DurationOp::MinOf || node.op == DurationOp::MaxOf;
    const std::size_t operands = node.left != kNoId ? 2 : node.right != kNoId ? 1 : 0;
    if (stage == 0) {
      if (node.wrapped) out_.push_back('(');
      if (node.op == DurationOp::Literal) write_number(node.seconds, node.is_duration);
      if (node.op == DurationOp::Step) out_.append("step()");
      if (node.op == DurationOp::Range) out_.append("range()");
      if (node.op == DurationOp::Minus) out_.push_back('-');
      if (of_two) out_.append(node.op == DurationOp::MinOf ? "min_of(" : "max_of(");
      if (operands > 0) return operands == 2 ? node.left : node.right;
    }
    if (stage == 1 && operands == 2) {
      out_.append(
          of_two ? ", "
                 : kOperators[static_cast<std::size_t>(node.op) - static_cast<std::size_t>(DurationOp::Add)]);
      return node.right;
    }
    if (of_two) out_.push_back(')');
    if (node.wrapped) out_.push_back(')');
    return kNoId;
  }

  static constexpr std::array<std::string_view, 6> kOperators = {" + ", " - ", " * ", " / ", " % ", " ^ "};

  const Expr& expr_;
  std::string& out_;
  std::size_t offset_begin_ = 0;  // of the last offset in parentheses
  std::size_t offset_end_ = 0;
  std::vector<Pending> pending_;
};

}  // namespace

void append_canonical(std::string& out, const Expr& expr, NodeId id) {
  Printer(expr, out).print(id);
}

std::string to_string(const Expr& expr, NodeId id) {
  std::string out;
  out.reserve(expr.text().size() + 16);
  append_canonical(out, expr, id);
  return out;
}

std::string to_string(const Expr& expr) {
  return to_string(expr, expr.root_id());
}

}  // namespace fairway::promql
