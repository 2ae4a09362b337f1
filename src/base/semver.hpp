// SemVer 2.0: parsing, precedence, a total order, and ranges.
//
// Versions are kept as they were written apart from their parts; `4.10` is not a version (three numbers are
// required) and numbers never lose digits. compare_precedence() is the order of the standard, which ignores
// build metadata; operator<=> adds the build text as a last key, so that sorting is deterministic.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace fairway {

class SemVer {
 public:
  std::uint64_t major = 0;
  std::uint64_t minor = 0;
  std::uint64_t patch = 0;
  std::vector<std::string> prerelease = {};  // dot-separated identifiers
  std::string build = {};                    // without the plus sign

  static Result<SemVer> parse(std::string_view text);

  std::string to_string() const;
  bool is_prerelease() const { return !prerelease.empty(); }

  std::strong_ordering compare_precedence(const SemVer& other) const;
  std::strong_ordering operator<=>(const SemVer& other) const;
  bool operator==(const SemVer& other) const = default;
};

// A set of versions: alternatives joined by `||`, each a list of conditions joined by blanks or commas.
// Conditions: `=1.2.3` `!=` `<` `<=` `>` `>=`, `^1.2.3`, `~1.2.3`, `1.2.x`, `1.2`, `*`, `1.2.3 - 2.3.4`.
// A pre-release is inside a range when its precedence is (no special rule: 4.2.0-rc.1 is below 4.2.0).
class SemVerRange {
 public:
  static Result<SemVerRange> parse(std::string_view text);
  bool contains(const SemVer& version) const;

 private:
  enum class Op { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
  struct Condition {
    Op op;
    SemVer bound;
  };
  struct Partial;

  static Result<Partial> parse_partial(std::string_view text);
  static Result<void> add_condition(std::string_view text, std::vector<Condition>& into);
  static bool holds(const Condition& condition, const SemVer& version);

  std::vector<std::vector<Condition>> alternatives_;
};

}  // namespace fairway
