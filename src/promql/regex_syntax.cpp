#include "promql/regex_syntax.hpp"

#include <algorithm>

#include "promql/go_text.hpp"

namespace fairway::promql {
namespace {

constexpr std::uint32_t kMaxHeight = 1000;
constexpr std::uint64_t kMaxSize = (128U << 20U) / 40;  // Go: 128 MB of 40-byte instructions
constexpr std::uint64_t kMaxRepeats = 1000;

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 40U;
  return a != 0 && b > kHuge / a ? kHuge : a * b;
}

// Plain alternatives of literals, which Prometheus does not even parse.
bool is_plain(std::string_view pattern) {
  return pattern.find_first_of("\\.+*?()[]{}^$") == std::string_view::npos;
}

bool plain_matches_empty(std::string_view pattern) {
  return pattern.empty() || pattern.front() == '|' || pattern.back() == '|' ||
         pattern.find("||") != std::string_view::npos;
}

}  // namespace

std::expected<RegexShape, std::string> check_regex(std::string_view pattern) {
  if (is_plain(pattern)) return RegexShape{plain_matches_empty(pattern), pattern.size()};
  return RegexSyntax(pattern).run();
}

std::expected<RegexShape, std::string> RegexSyntax::run() {
  while (!at_end()) {
    if (!step()) return std::unexpected(error_);
  }
  if (groups_.size() > 1) {
    fail("missing closing )", pattern_);
    return std::unexpected(error_);
  }
  const Facts whole = finish(groups_.back());
  if (!check(whole)) return std::unexpected(error_);
  return RegexShape{whole.empty, whole.size};
}

bool RegexSyntax::fail(std::string_view code, std::string_view excerpt) {
  error_ = "error parsing regexp: ";
  error_.append(code).append(": `").append(excerpt).append("`");
  return false;
}

bool RegexSyntax::check(const Facts& facts) {
  if (facts.height > kMaxHeight) return fail("expression nests too deeply", pattern_);
  if (facts.size > kMaxSize) return fail("expression too large", pattern_);
  return true;
}

bool RegexSyntax::step() {
  const std::size_t repetition_before = last_repetition_;
  last_repetition_ = std::string_view::npos;
  switch (pattern_[at_]) {
    case '(':
      return group_open();
    case ')':
      return group_close();
    case '|':
      ++at_;
      next_alternative();
      return true;
    case '*':
    case '+':
    case '?':
    case '{':
      last_repetition_ = repetition_before;
      return repetition();
    case '[':
      return character_class();
    case '\\':
      return escape();
    case '^':
    case '$':
      ++at_;
      add({});
      return true;
    case '.':
      ++at_;
      add({.empty = false});
      return true;
    default:
      return literal();
  }
}

bool RegexSyntax::literal() {
  const Rune rune = decode_rune(rest());
  if (rune.value == kRuneError && rune.width == 1) return fail("invalid UTF-8", rest());
  at_ += rune.width;
  add({.empty = false}, true);
  return true;
}

// Expressions join a sequence one behind: a repetition that follows takes only the last one.
void RegexSyntax::add(Facts facts, bool is_literal) {
  flush_last();
  Group& group = groups_.back();
  group.last = facts;
  group.has_last = true;
  group.last_is_literal = is_literal;
}

void RegexSyntax::flush_last() {
  Group& group = groups_.back();
  if (!group.has_last) return;
  group.sequence.empty = (group.sequence_count == 0 || group.sequence.empty) && group.last.empty;
  group.sequence.height = std::max(group.sequence_count == 0 ? 0U : group.sequence.height, group.last.height);
  group.sequence.size = (group.sequence_count == 0 ? 0 : group.sequence.size) + group.last.size;
  group.sequence.repeats =
      std::max(group.sequence_count == 0 ? 0 : group.sequence.repeats, group.last.repeats);
  // A run of literals is one expression.
  const bool continues = group.last_is_literal && group.sequence_count > 0;
  if (!continues || group.sequence_count == 0) ++group.sequence_count;
  group.has_last = false;
}

RegexSyntax::Facts RegexSyntax::joined(const Group& group) {
  if (group.sequence_count == 0) return {};
  Facts facts = group.sequence;
  if (group.sequence_count > 1) ++facts.height;
  return facts;
}

void RegexSyntax::next_alternative() {
  flush_last();
  Group& group = groups_.back();
  const Facts facts = joined(group);
  Facts& all = group.alternatives;
  if (group.alternative_count == 0) {
    all = facts;
  } else {
    all.empty = all.empty || facts.empty;
    all.height = std::max(all.height, facts.height);
    all.size += facts.size + 1;
    all.repeats = std::max(all.repeats, facts.repeats);
  }
  ++group.alternative_count;
  group.sequence = {};
  group.sequence_count = 0;
}

RegexSyntax::Facts RegexSyntax::finish(Group& group) {
  next_alternative();
  Facts facts = group.alternatives;
  if (group.alternative_count > 1) ++facts.height;
  return facts;
}

bool RegexSyntax::group_open() {
  if (rest().starts_with("(?")) return group_flags();
  ++at_;
  groups_.push_back({.capturing = true});
  return true;
}

// (?P<name>…), (?<name>…), (?flags) and (?flags:…).
bool RegexSyntax::group_flags() {
  if (rest().starts_with("(?P<")) return named_group(at_ + 4);
  if (rest().starts_with("(?<")) return named_group(at_ + 3);
  const std::size_t begin = at_;
  std::size_t at = begin + 2;
  bool negative = false;
  bool flag_seen = false;
  for (; at < pattern_.size();) {
    const Rune rune = decode_rune(pattern_.substr(at));
    if (rune.value == kRuneError && rune.width == 1) return fail("invalid UTF-8", pattern_.substr(at));
    const char c = rune.width == 1 ? pattern_[at] : '\0';
    at += rune.width;
    if (c == 'i' || c == 'm' || c == 's' || c == 'U') {
      flag_seen = true;
    } else if (c == '-' && !negative) {
      negative = true;
      flag_seen = false;
    } else if ((c == ':' || c == ')') && !(negative && !flag_seen)) {
      at_ = at;
      if (c == ':') groups_.push_back({});
      return true;
    } else {
      return fail("invalid or unsupported Perl syntax", pattern_.substr(begin, at - begin));
    }
  }
  return fail("missing closing )", pattern_);
}

bool RegexSyntax::valid_name(std::string_view name) const {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return c == '_' || is_letter_or_digit(c); });
}

bool RegexSyntax::named_group(std::size_t name_at) {
  const std::size_t end = pattern_.find('>', name_at);
  if (end == std::string_view::npos) return fail("invalid named capture", rest());
  const std::string_view name = pattern_.substr(name_at, end - name_at);
  if (!valid_name(name)) return fail("invalid named capture", pattern_.substr(at_, end + 1 - at_));
  at_ = end + 1;
  groups_.push_back({.capturing = true});
  return true;
}

bool RegexSyntax::group_close() {
  if (groups_.size() == 1) return fail("unexpected )", pattern_);
  Group& group = groups_.back();
  Facts facts = finish(group);
  if (group.capturing) {
    ++facts.height;
    facts.size += 2;
  }
  groups_.pop_back();
  ++at_;
  if (!check(facts)) return false;
  add(facts);
  return true;
}

bool RegexSyntax::repetition() {
  const std::size_t begin = at_;
  int least = 0;
  int most = -1;
  const char c = pattern_[at_];
  if (c == '{') {
    bool is_count = false;
    if (!counted(begin, least, most, is_count)) return false;
    if (!is_count) {
      last_repetition_ = std::string_view::npos;
      return literal();
    }
  } else {
    ++at_;
    least = c == '+' ? 1 : 0;
    most = c == '?' ? 1 : -1;
  }
  if (rest().starts_with('?')) ++at_;  // lazy
  if (last_repetition_ != std::string_view::npos) {
    return fail("invalid nested repetition operator",
                pattern_.substr(last_repetition_, at_ - last_repetition_));
  }
  last_repetition_ = begin;
  return apply_repetition(begin, least, most);
}

// {n}, {n,} or {n,m}; anything else is a literal brace.
bool RegexSyntax::counted(std::size_t begin, int& least, int& most, bool& is_count) {
  std::size_t at = begin + 1;
  const auto number = [&](int& value) {
    const std::size_t first = at;
    long long total = 0;
    while (at < pattern_.size() && pattern_[at] >= '0' && pattern_[at] <= '9') {
      total = std::min(total * 10 + (pattern_[at] - '0'), 100'000'000LL);
      ++at;
    }
    if (at == first || (at - first >= 2 && pattern_[first] == '0')) return false;
    value = total >= 100'000'000LL ? -1 : static_cast<int>(total);
    return true;
  };
  bool out_of_range = false;
  if (!number(least)) return true;
  most = least;
  if (at < pattern_.size() && pattern_[at] == ',') {
    ++at;
    if (at < pattern_.size() && pattern_[at] == '}') {
      most = -1;
    } else {
      if (!number(most)) return true;
      out_of_range = most < 0;
    }
  }
  if (at >= pattern_.size() || pattern_[at] != '}') return true;
  is_count = true;
  at_ = at + 1;
  const int limit = static_cast<int>(kMaxRepeats);
  if (out_of_range || least < 0 || least > limit || most > limit || (most >= 0 && least > most)) {
    return fail("invalid repeat count", pattern_.substr(begin, at_ - begin));
  }
  return true;
}

bool RegexSyntax::apply_repetition(std::size_t begin, int least, int most) {
  Group& group = groups_.back();
  const std::string_view excerpt = pattern_.substr(begin, at_ - begin);
  if (!group.has_last) return fail("missing argument to repetition operator", excerpt);
  Facts& facts = group.last;
  const bool is_count = pattern_[begin] == '{';
  const std::uint64_t size = facts.size;
  if (is_count) {
    const auto times = static_cast<std::uint64_t>(most < 0 ? least : most);
    const std::uint64_t product = saturating_product(times, std::max<std::uint64_t>(facts.repeats, 1));
    if ((least >= 2 || most >= 2) && product > kMaxRepeats) return fail("invalid repeat count", excerpt);
    facts.repeats = product;
    if (most < 0) {
      facts.size = least == 0 ? size + 2 : saturating_product(times, size) + 1;
    } else {
      facts.size = saturating_product(times, size) + static_cast<std::uint64_t>(most - least);
    }
  } else {
    facts.size = size + (pattern_[begin] == '*' ? 2 : 1);
  }
  facts.empty = facts.empty || least == 0;
  facts.size = std::max<std::uint64_t>(facts.size, 1);
  ++facts.height;
  group.last_is_literal = false;
  return check(facts);
}

}  // namespace fairway::promql
