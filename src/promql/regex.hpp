// Regular expressions of matchers and label_replace: Go's syntax, RE2's engine, always fully anchored.
//
// check_regex() accepts exactly what Go's regexp/syntax does (Perl flags) and reports its messages, in one
// linear pass and without compiling: a pattern that would be huge costs nothing to judge. Regex compiles with
// RE2 within a memory budget, rewriting what Go has and this RE2 does not ((?<name>…)), so the two never
// disagree on what is valid; only the budget can refuse. Matching is linear in the text. Immutable and safe
// to share between threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace fairway::promql {

struct RegexShape {
  bool matches_empty = false;
  std::uint64_t size =
      0;  // instructions of the compiled program, estimated as Go does; classes count by their weight
};

// The error is Go's text: "error parsing regexp: missing closing ): `(`".
std::expected<RegexShape, std::string> check_regex(std::string_view pattern);

class Regex {
 public:
  static constexpr std::size_t kDefaultBudget = 256 * 1024 * 1024;

  static Result<Regex> compile(std::string_view pattern, std::size_t budget_bytes = kDefaultBudget);

  bool matches(std::string_view text) const;
  // The text of every group, the whole match first; nothing when it does not match. A group that did not take
  // part is empty, as in Go.
  std::optional<std::vector<std::string_view>> groups(std::string_view text) const;
  // The number of the named group, where the name is given once or more: the last one of that name.
  std::optional<std::size_t> group_number(std::string_view name) const;
  std::size_t group_count() const;

 private:
  struct Compiled;
  explicit Regex(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace fairway::promql
