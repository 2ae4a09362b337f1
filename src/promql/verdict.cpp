#include "promql/verdict.hpp"

#include <fmt/format.h>

namespace fairway::promql {
namespace {

Verdict unknown(std::string reason) {
  return {Verdict::Kind::Unknown, std::move(reason)};
}

}  // namespace

std::string_view to_string(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::Applies:
      return "applies";
    case Verdict::Kind::DoesNotApply:
      return "does not apply";
    case Verdict::Kind::Unknown:
      break;
  }
  return "unknown";
}

Verdict judge(const QueryResult& result) {
  if (result.type != ValueType::Vector) {
    return unknown(fmt::format("expected the query to answer with an instant vector, but it is a {}",
                               documented(result.type)));
  }
  if (result.series.size() != 1) {
    return unknown(fmt::format("expected exactly one sample, found {}", result.series.size()));
  }
  const double value = result.series.front().samples.front().value;
  if (value == 1) return {Verdict::Kind::Applies};
  if (value == 0) return {Verdict::Kind::DoesNotApply};
  return unknown(fmt::format("expected the value 0 or 1, found {}", format_value(value)));
}

Verdict judge(const Result<QueryResult>& result) {
  return result ? judge(*result) : unknown(result.error().describe());
}

}  // namespace fairway::promql
