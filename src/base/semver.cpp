#include "base/semver.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "base/text.hpp"

namespace fairway {
namespace {

constexpr std::size_t kMaxLength = 256;

bool is_identifier(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  });
}

bool is_numeric(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool has_leading_zero(std::string_view text) {
  return text.size() > 1 && text.front() == '0';
}

std::unexpected<Error> not_a_version(std::string_view text, std::string_view why) {
  return fail(ErrorCode::Invalid,
              fmt::format("expected a version like 4.10.3 or 4.11.0-rc.1, found {}: {}", quoted(text), why));
}

Result<std::uint64_t> parse_number(std::string_view whole, std::string_view part) {
  if (!is_numeric(part)) return not_a_version(whole, fmt::format("{} is not a number", quoted(part)));
  if (has_leading_zero(part)) return not_a_version(whole, fmt::format("{} has a leading zero", quoted(part)));
  const auto number = parse_unsigned(part);
  if (!number) return not_a_version(whole, fmt::format("{} is too large", quoted(part)));
  return *number;
}

// Numeric identifiers of any length: the longer one is larger, equal lengths compare as text.
std::strong_ordering compare_identifiers(std::string_view left, std::string_view right) {
  const bool left_numeric = is_numeric(left);
  const bool right_numeric = is_numeric(right);
  if (left_numeric != right_numeric)
    return left_numeric ? std::strong_ordering::less : std::strong_ordering::greater;
  if (left_numeric && left.size() != right.size()) return left.size() <=> right.size();
  return left.compare(right) <=> 0;
}

}  // namespace

Result<SemVer> SemVer::parse(std::string_view text) {
  if (text.size() > kMaxLength) return not_a_version(text.substr(0, 32), "it is longer than 256 characters");
  SemVer version;
  std::string_view rest = text;
  if (const auto plus = rest.find('+'); plus != std::string_view::npos) {
    version.build = std::string(rest.substr(plus + 1));
    rest = rest.substr(0, plus);
    for (std::string_view part : split(version.build, '.')) {
      if (!is_identifier(part)) return not_a_version(text, "the build metadata after '+' is malformed");
    }
  }
  if (const auto dash = rest.find('-'); dash != std::string_view::npos) {
    for (std::string_view part : split(rest.substr(dash + 1), '.')) {
      if (!is_identifier(part)) return not_a_version(text, "the pre-release after '-' is malformed");
      if (is_numeric(part) && has_leading_zero(part)) {
        return not_a_version(text, fmt::format("pre-release number {} has a leading zero", quoted(part)));
      }
      version.prerelease.emplace_back(part);
    }
    rest = rest.substr(0, dash);
  }
  const auto numbers = split(rest, '.');
  if (numbers.size() != 3) return not_a_version(text, "three numbers separated by dots are required");
  FAIRWAY_TRY(version.major, parse_number(text, numbers[0]));
  FAIRWAY_TRY(version.minor, parse_number(text, numbers[1]));
  FAIRWAY_TRY(version.patch, parse_number(text, numbers[2]));
  return version;
}

std::string SemVer::to_string() const {
  std::string text = fmt::format("{}.{}.{}", major, minor, patch);
  if (!prerelease.empty()) text += "-" + join(prerelease, ".");
  if (!build.empty()) text += "+" + build;
  return text;
}

std::strong_ordering SemVer::compare_precedence(const SemVer& other) const {
  if (auto order = major <=> other.major; order != 0) return order;
  if (auto order = minor <=> other.minor; order != 0) return order;
  if (auto order = patch <=> other.patch; order != 0) return order;
  if (prerelease.empty() != other.prerelease.empty()) {
    return prerelease.empty() ? std::strong_ordering::greater : std::strong_ordering::less;
  }
  const std::size_t common = std::min(prerelease.size(), other.prerelease.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (auto order = compare_identifiers(prerelease[i], other.prerelease[i]); order != 0) return order;
  }
  return prerelease.size() <=> other.prerelease.size();
}

std::strong_ordering SemVer::operator<=>(const SemVer& other) const {
  if (auto order = compare_precedence(other); order != 0) return order;
  return build.compare(other.build) <=> 0;
}

// A version of which trailing numbers may be missing or wildcards.
struct SemVerRange::Partial {
  SemVer low;
  int numbers = 0;  // how many of the three are given

  // The first version above every version that the partial stands for.
  std::optional<SemVer> above(int kept) const {
    SemVer next;
    std::array<std::uint64_t, 3> parts{low.major, low.minor, low.patch};
    if (kept == 0) return std::nullopt;
    auto& last = parts[static_cast<std::size_t>(kept - 1)];
    if (last == std::numeric_limits<std::uint64_t>::max()) return std::nullopt;
    ++last;
    for (auto i = static_cast<std::size_t>(kept); i < 3; ++i) parts[i] = 0;
    next.major = parts[0];
    next.minor = parts[1];
    next.patch = parts[2];
    next.prerelease = {"0"};  // the lowest pre-release: 1.3.0-rc.1 is not inside 1.2.x
    return next;
  }
};

Result<SemVerRange::Partial> SemVerRange::parse_partial(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  const auto end_of_numbers = text.find_first_of("-+");
  const auto parts = split(text.substr(0, end_of_numbers), '.');
  const auto is_wildcard = [](std::string_view part) { return part == "x" || part == "X" || part == "*"; };
  const bool is_complete = parts.size() == 3 && std::ranges::none_of(parts, is_wildcard);
  Partial partial;
  if (is_complete) {
    FAIRWAY_TRY(partial.low, SemVer::parse(text));
    partial.numbers = 3;
    return partial;
  }
  if (end_of_numbers != std::string_view::npos) {
    return not_a_version(text, "a pre-release needs all three numbers before it");
  }
  if (parts.size() > 3) return not_a_version(text, "at most three numbers separated by dots are allowed");
  std::array<std::uint64_t*, 3> numbers{&partial.low.major, &partial.low.minor, &partial.low.patch};
  for (std::size_t i = 0; i < parts.size() && !is_wildcard(parts[i]); ++i, ++partial.numbers) {
    FAIRWAY_TRY(*numbers[i], parse_number(text, parts[i]));
  }
  for (auto i = static_cast<std::size_t>(partial.numbers); i < parts.size(); ++i) {
    if (!is_wildcard(parts[i])) return not_a_version(text, "a number cannot follow a wildcard");
  }
  return partial;
}

Result<void> SemVerRange::add_condition(std::string_view text, std::vector<Condition>& into) {
  constexpr std::array<std::string_view, 9> kOperators{"!=", ">=", "<=", "==", "=", ">", "<", "^", "~"};
  std::string_view op;
  for (std::string_view candidate : kOperators) {
    if (text.starts_with(candidate)) {
      op = candidate;
      break;
    }
  }
  text.remove_prefix(op.size());
  FAIRWAY_TRY(const Partial partial, parse_partial(trim(text)));
  const auto between = [&](std::optional<SemVer> above) {
    if (partial.numbers > 0) into.push_back({Op::GreaterEqual, partial.low});
    if (above) into.push_back({Op::Less, *std::move(above)});
  };
  const bool whole = partial.numbers == 3;
  if (op == "^") {
    int kept = std::min(partial.numbers, 1);
    if (partial.low.major == 0 && partial.numbers > 1) kept = partial.low.minor == 0 ? partial.numbers : 2;
    between(partial.above(kept));
  } else if (op == "~") {
    between(partial.above(std::min(partial.numbers, 2)));
  } else if (op.empty() || op == "=" || op == "==") {
    if (whole) {
      into.push_back({Op::Equal, partial.low});
    } else {
      between(partial.above(partial.numbers));
    }
  } else if (op == "!=") {
    if (!whole) return fail(ErrorCode::Invalid, "expected a whole version after '!=', for example !=4.10.3");
    into.push_back({Op::NotEqual, partial.low});
  } else if (op == ">=" || op == "<") {
    into.push_back({op == "<" ? Op::Less : Op::GreaterEqual, partial.low});
  } else if (whole) {
    into.push_back({op == ">" ? Op::Greater : Op::LessEqual, partial.low});
  } else if (auto above = partial.above(partial.numbers)) {
    into.push_back({op == ">" ? Op::GreaterEqual : Op::Less, *std::move(above)});
  } else if (op == ">") {
    into.push_back({Op::Less, SemVer{.prerelease = {"0"}}});  // nothing is above every version
  }
  return {};
}

Result<SemVerRange> SemVerRange::parse(std::string_view text) {
  if (text.size() > 4096)
    return fail(ErrorCode::Invalid, "expected a version range of at most 4096 characters");
  SemVerRange range;
  const auto in_range = [&](Error error) {
    return std::move(error).within(fmt::format("range {}", quoted(text)));
  };
  for (std::string_view rest = text;;) {
    const auto bars = rest.find("||");
    auto words = split_words(rest.substr(0, bars), " \t,");
    std::vector<Condition> conditions;
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::string condition(words[i]);
      const bool is_hyphen = i + 2 < words.size() && words[i + 1] == "-";
      if (is_hyphen) {
        if (auto added = add_condition(fmt::format(">={}", words[i]), conditions); !added) {
          return std::unexpected(in_range(std::move(added).error()));
        }
        condition = fmt::format("<={}", words[i + 2]);
        i += 2;
      } else if (condition.find_first_not_of("<>=!^~") == std::string::npos && i + 1 < words.size()) {
        condition += words[++i];  // "> 1.2.3" is written with a blank as often as without
      }
      if (auto added = add_condition(condition, conditions); !added) {
        return std::unexpected(in_range(std::move(added).error()));
      }
    }
    if (words.empty())
      return fail(ErrorCode::Invalid, fmt::format("expected a condition in range {}", quoted(text)));
    range.alternatives_.push_back(std::move(conditions));
    if (bars == std::string_view::npos) return range;
    rest.remove_prefix(bars + 2);
  }
}

bool SemVerRange::holds(const Condition& condition, const SemVer& version) {
  const auto order = version.compare_precedence(condition.bound);
  switch (condition.op) {
    case Op::Equal:
      return order == 0;
    case Op::NotEqual:
      return order != 0;
    case Op::Less:
      return order < 0;
    case Op::LessEqual:
      return order <= 0;
    case Op::Greater:
      return order > 0;
    case Op::GreaterEqual:
      return order >= 0;
  }
  FAIRWAY_CHECK(false, "a range operator outside its enumeration");
}

bool SemVerRange::contains(const SemVer& version) const {
  return std::ranges::any_of(alternatives_, [&](const auto& conditions) {
    return std::ranges::all_of(conditions,
                               [&](const Condition& condition) { return holds(condition, version); });
  });
}

}  // namespace fairway
