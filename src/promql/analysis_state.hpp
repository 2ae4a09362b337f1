// The pass behind analyze(), shared by the analysis_*.cpp files.
#pragma once

#include <vector>

#include "promql/analysis.hpp"

namespace fairway::promql {

class Analysis {
 public:
  explicit Analysis(const Expr& expr) : expr_(expr) {}
  std::vector<Facts> run();

 private:
  Facts of(const Node& node);
  Facts of(const NumberLiteral& number, const Node& node);
  Facts of(const StringLiteral& text, const Node& node);
  Facts of(const VectorSelector& selector, const Node& node);
  Facts of(const MatrixSelector& matrix, const Node& node);
  Facts of(const Subquery& subquery, const Node& node);
  Facts of(const Unary& unary, const Node& node);
  Facts of(const Binary& binary, const Node& node);
  Facts of(const Aggregate& aggregate, const Node& node);
  Facts of(const Call& call, const Node& node);
  Facts of(const Paren& paren, const Node& node);

  void join_sets(const Binary& binary, const Facts& left, const Facts& right, Facts& facts);
  void match_vectors(const Binary& binary, const Facts& left, const Facts& right, Facts& facts);
  ValueFacts binary_values(const Binary& binary, const Facts& left, const Facts& right, bool left_scalar);
  static ValueFacts aggregate_values(const Aggregate& aggregate, const Facts& operand);

  Facts label_replace(const Call& call);
  Facts label_join(const Call& call);
  Facts absent(const Call& call);
  ValueFacts call_values(const Call& call, const ValueFacts& argument);
  std::optional<std::string_view> text_argument(const Call& call, std::size_t index) const;

  const Expr& expr_;
  std::vector<Facts> facts_;
};

}  // namespace fairway::promql
