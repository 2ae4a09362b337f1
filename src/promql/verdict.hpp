// Verdict: what the result of a risk's query says about a cluster. A risk applies when the query answers with
// exactly one sample of value 1, and does not when that value is 0. Everything else, errors and NaN included,
// means that nobody can tell; and what cannot be told never recommends an update.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "promql/evaluator.hpp"

namespace fairway::promql {

struct Verdict {
  enum class Kind { Applies, DoesNotApply, Unknown };
  Kind kind = Kind::Unknown;
  std::string reason = {};  // of Unknown

  bool operator==(const Verdict&) const = default;
};

std::string_view to_string(Verdict::Kind kind);  // "applies", "does not apply", "unknown"

Verdict judge(const QueryResult& result);
Verdict judge(const Result<QueryResult>& result);

}  // namespace fairway::promql
