// One member of a JSON object, found in its text without reading the others into values. Pure.
#pragma once

#include <string_view>

namespace fairway::json {

// The text of the member's value, within `object`; empty when it has no such member. What is looked through
// must be JSON that was written by us; of anything else an empty text or some part of it is given, never more
// than is there. The key is compared as it is written.
std::string_view member_text(std::string_view object, std::string_view key);

}  // namespace fairway::json
