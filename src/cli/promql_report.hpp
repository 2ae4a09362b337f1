// How findings are shown: for people with the line and a caret under the place, for programs as JSON.
#pragma once

#include <string>
#include <string_view>

#include "cli/promql_sources.hpp"
#include "json/value.hpp"
#include "promql/lint.hpp"

namespace fairway::cli {

// "query: ok, …", or each finding with its line, a caret and the fix.
std::string report_text(const QuerySource& source, const promql::LintReport& report);
json::Object report_json(const QuerySource& source, const promql::LintReport& report);

// The line that holds the span's start, and a second one that marks it: ^~~~.
std::string excerpt(std::string_view text, promql::Span span);

}  // namespace fairway::cli
