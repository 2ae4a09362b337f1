// The PromQL language: bytes as a query, bytes as the choices of a generator of queries, bytes as a regular
// expression. What is accepted prints in a form that reads back as the same; switches only ever allow more;
// the tree is linear in the text; lint and limits take anything that parses; what the judge of regular
// expressions accepts compiles, and the two agree on the empty text.
#include <string_view>

#include "base/text.hpp"
#include "promql/lint.hpp"
#include "promql/parser.hpp"
#include "promql/printer.hpp"
#include "promql/regex.hpp"

#include "fuzzer.hpp"
#include "promql_generator.hpp"

namespace {

using namespace fairway;

// Whether it parsed with everything enabled.
bool check_query(std::string_view text) {
  const auto all = promql::ParseOptions::all_enabled();
  const auto parsed = promql::parse(text, all);
  const auto by_default = promql::parse(text);
  FAIRWAY_CHECK(!by_default || (parsed && *parsed == *by_default),
                "a switch changed what was valid without it");
  if (!parsed) {
    FAIRWAY_CHECK(!parsed.error().message.empty(), "an error without words");
    FAIRWAY_CHECK(parsed.error().span.start <= text.size(), "an error beyond the text");
    return false;
  }
  FAIRWAY_CHECK(parsed->nodes().size() <= text.size() + 1, "more nodes than bytes");
  for (const promql::Node& node : parsed->nodes()) {
    FAIRWAY_CHECK(node.span.start <= node.span.end && node.span.end <= text.size(), "a node beyond the text");
  }
  const std::string printed = promql::to_string(*parsed);
  const auto again = promql::parse(printed, all);
  FAIRWAY_CHECK(again && *again == *parsed,
                "a query changed on its way through its canonical form: " + printed);
  FAIRWAY_CHECK(promql::to_string(*again) == printed, "the canonical form is not stable: " + printed);
  promql::LintOptions options;
  options.parse = all;
  options.history = std::chrono::hours(1);
  (void)promql::lint(text, options);
  return true;
}

void check_pattern(std::string_view pattern) {
  const auto shape = promql::check_regex(pattern);
  if (!shape || shape->size > 2000 || pattern.size() > 256) return;
  const auto regex = promql::Regex::compile(pattern);
  FAIRWAY_CHECK(regex.has_value(), "accepted, but it does not compile: " + std::string(pattern));
  FAIRWAY_CHECK(regex->matches("") == shape->matches_empty,
                "disagreement on the empty text: " + std::string(pattern));
}

}  // namespace

FAIRWAY_FUZZER(promql_parser, text) {
  check_query(text);
  check_pattern(text);
  const std::span choices = fuzz::bytes_of(text);
  check_query(fuzz::QueryGenerator(choices, false).query());
  check_query(fuzz::QueryGenerator(choices, true).query());
}
