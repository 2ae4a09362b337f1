// printf as Go's: %s %q %d %v %t %f %g %e %x %X %c %%, with flags, width and precision. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "json/value.hpp"

namespace fairway::fleet::templates {

// What does not fit its verb is shown as Go shows it: %!d(string=x).
Result<std::string> formatted(std::string_view format, std::span<const json::Value> arguments,
                              std::size_t max_bytes);

}  // namespace fairway::fleet::templates
