// The platform whose load balancers are meant: one option of the ingress operator and of `fairway ingress`.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace fairway::cli {

void add_platform_option(CLI::App& command, std::string& into);

}  // namespace fairway::cli
