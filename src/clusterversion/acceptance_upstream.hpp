// Whether spec.upstream is a URL in the sense of the field's validation: what Go's url.Parse takes.
//
// That is generous (a path alone passes); whether a graph can be fetched from there is another question and
// is asked when it is fetched. Pure.
#pragma once

#include <string_view>

namespace fairway::clusterversion {

bool is_parsable_url(std::string_view text);

}  // namespace fairway::clusterversion
