// Question: what a client asks for, read from the query of its request.
//
// Form-urlencoded, as the reference reads it: '+' is a blank, the last of a repeated name counts, what is
// wrongly escaped stands for itself. Reading allocates only for what is escaped or long. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "updateservice/problem.hpp"

namespace fairway::updateservice {

inline constexpr std::string_view kDefaultArch = "amd64";

// Nothing when it is absent; empty when it stands there without a value.
std::optional<std::string> parameter(std::string_view query, std::string_view name);
// All values of a repeatable parameter, in order.
std::vector<std::string> parameters(std::string_view query, std::string_view name);

// "channel, id,,channel" → channel, id.
std::set<std::string> parse_mandatory(std::string_view list);

struct GraphQuestion {
  std::string channel;
  std::string arch;
  std::optional<std::string> id = {};
};

// First all mandatory names, then the values.
Judged<GraphQuestion> read_graph_question(std::string_view query, const std::set<std::string>& mandatory);

// For endpoints of our own: the value, or which one is missing.
Judged<std::string> required_parameter(std::string_view query, std::string_view name);
// An architecture's name as the protocol allows it; the default when absent.
Judged<std::string> read_arch(std::string_view query);
Judged<std::string> checked_channel(std::string name);

}  // namespace fairway::updateservice
