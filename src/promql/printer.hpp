// to_string(): the canonical form of a query, as Prometheus prints it: parse(to_string(x)) == x.
//
// Where the official printer writes what its own parser reads differently (durations below a millisecond,
// U+FFFD in a string, an infinity before ^), this one keeps the round trip instead; docs/promql.md lists
// those. Without recursion.
#pragma once

#include <string>

#include "promql/ast.hpp"

namespace fairway::promql {

std::string to_string(const Expr& expr);
// One part of a query.
std::string to_string(const Expr& expr, NodeId id);
void append_canonical(std::string& out, const Expr& expr, NodeId id);

}  // namespace fairway::promql
