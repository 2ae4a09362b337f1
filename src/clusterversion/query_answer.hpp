// QueryAnswer: what an answer to a risk's query means, whoever gave it. Pure.
//
// 1 means that the risk applies, 0 that it does not; everything else is a failure in the words that people
// know. A failure also says whether anyone judged the query: if not, asking again soon makes sense.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clusterversion/query_schedule.hpp"

namespace fairway::clusterversion {

// The result of a query: its type as Prometheus names it, and its values as text.
QueryOutcome judge_result(std::string_view type, const std::vector<std::string>& values);

// Of a Prometheus: the answer to GET /api/v1/query.
QueryOutcome read_query_answer(int status, std::string_view body);

// Not even an answer.
QueryFailure unreachable(std::string_view url, std::string_view error);

}  // namespace fairway::clusterversion
