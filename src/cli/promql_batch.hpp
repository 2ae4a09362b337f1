// fairway promql check --batch: one query a line as a JSON string in, one line of JSON out, fast enough to
// compare parsers on millions of inputs. Syntax only: neither limits nor lint.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "promql/parser.hpp"

namespace fairway::cli {

Result<void> run_batch(std::istream& in, std::ostream& out, const promql::ParseOptions& options);

// The answer to one line, without its newline: {"ok":true,"canon":…,"type":…} or
// {"ok":false,"error":…,"position":…}. The error is the official text with its line and column; the position
// counts bytes from 0.
void append_answer(std::string& out, std::string_view line, const promql::ParseOptions& options);

}  // namespace fairway::cli
