// The service's description of itself: api/updateservice/openapi.json with the paths of this installation and
// the parameters that it insists on.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace fairway::updateservice {

std::string openapi_document(std::string_view prefix, const std::set<std::string>& mandatory);

}  // namespace fairway::updateservice
