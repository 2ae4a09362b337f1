// Queries that were written for one cluster, asked of a store that holds the samples of many.
//
// Graph data says `_id=""`: in a cluster that matches its own series, which have no such label. In an
// aggregating store every series carries its cluster's id, the same text matches nothing, and every cluster
// would be unknown. Only these matchers change; the rest of the text stays as it is written. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fairway::promql {

// `_id=""` becomes `_id!=""`: the series of all clusters, which the query tells apart by (_id).
Result<std::string> for_all_clusters(std::string_view query);
// `_id=""` becomes `_id="ID"`.
Result<std::string> for_cluster(std::string_view query, std::string_view id);

}  // namespace fairway::promql
