#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <re2/re2.h>

#include "base/text.hpp"
#include "fleet/templates/functions.hpp"

namespace fairway::fleet::templates {
namespace {

using Answer = Result<json::Value>;

constexpr std::size_t kLongestPattern = 4096;
constexpr std::int64_t kPatternMemory = 1 << 20;
// What one step pays for: instructions of a program times bytes of a text, and instructions that are made.
constexpr std::size_t kWorkOfAStep = 16 * 1024;
constexpr std::size_t kMadeInAStep = 16;

std::string_view to_view(re2::StringPiece piece) {
  return {piece.data(), piece.size()};
}

class Regex {
 public:
  static Result<Regex> made(const Call& call) {
    const std::string pattern = text_at(call, 0);
    if (pattern.size() > kLongestPattern)
      return fail(ErrorCode::Invalid, fmt::format("the regular expression has {} bytes; at most {} are read",
                                                  pattern.size(), kLongestPattern));
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(kPatternMemory);
    auto program = std::make_unique<re2::RE2>(pattern, options);
    if (!program->ok())
      return fail(ErrorCode::Invalid, fmt::format("{} is no regular expression: {}", quoted(pattern),
                                                  std::string_view(program->error())));
    FAIRWAY_CHECKED(call.session.charge(1 + size_of(*program) / kMadeInAStep));
    return Regex(std::move(program), call.session);
  }

  // The groups of a match, the whole one first. A group that took no part has no data.
  using Groups = std::vector<re2::StringPiece>;

  // The first match from `from` on; nothing where there is none. Each may read all of the text that is left.
  Result<std::optional<Groups>> match(std::string_view text, std::size_t from, bool wants_groups) const {
    FAIRWAY_CHECKED(session_->charge(1 + (text.size() - from) * size_of(*program_) / kWorkOfAStep));
    Groups groups(wants_groups ? static_cast<std::size_t>(program_->NumberOfCapturingGroups()) + 1 : 1);
    if (!program_->Match(re2::StringPiece(text.data(), text.size()), from, text.size(), re2::RE2::UNANCHORED,
                         groups.data(), static_cast<int>(groups.size())))
      return std::nullopt;
    return groups;
  }

  // As Go counts them: none overlaps another, and none is empty right after another.
  Result<std::vector<Groups>> all(std::string_view text, std::int64_t most, bool wants_groups = false) const {
    std::vector<Groups> made;
    std::optional<std::size_t> last_end;
    for (std::size_t at = 0; at <= text.size() && (most < 0 || std::cmp_less(made.size(), most));) {
      FAIRWAY_TRY(std::optional<Groups> found, match(text, at, wants_groups));
      if (!found) break;
      const auto start = static_cast<std::size_t>(found->front().data() - text.data());
      const std::size_t end = start + found->front().size();
      const bool is_at_once = end == at;
      const bool is_repeated = is_at_once && last_end == start;
      at = is_at_once ? at + width_at(text, at) : end;
      last_end = end;
      if (!is_repeated) made.push_back(*std::move(found));
    }
    return made;
  }

  // $1, $name, ${name} and $$ in the text that takes the place of a match; a group that is not there is
  // empty.
  void expand(std::string_view wish, const Groups& groups, std::string& into) const {
    while (!wish.empty()) {
      const std::size_t dollar = std::min(wish.find('$'), wish.size());
      into += wish.substr(0, dollar);
      wish.remove_prefix(dollar);
      if (wish.empty()) return;
      if (wish.starts_with("$$")) {
        into += '$';
        wish.remove_prefix(2);
        continue;
      }
      const Reference found = reference_in(wish);
      if (found.size == 0) {
        into += '$';
        wish.remove_prefix(1);
        continue;
      }
      if (const auto index = group_of(found.name); index && *index < groups.size())
        into += to_view(groups[*index]);
      wish.remove_prefix(found.size);
    }
  }

 private:
  Regex(std::unique_ptr<re2::RE2> program, Session& session)
      : program_(std::move(program)), session_(&session) {}

  static std::size_t size_of(const re2::RE2& program) {
    return static_cast<std::size_t>(std::max(1, program.ProgramSize()));
  }

  // Of the letter there, so that no match begins within one.
  static std::size_t width_at(std::string_view text, std::size_t at) {
    std::size_t width = 1;
    while (at + width < text.size() && (static_cast<unsigned char>(text[at + width]) & 0xc0) == 0x80) ++width;
    return width;
  }

  static bool is_of_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  struct Reference {
    std::string_view name = {};
    std::size_t size = 0;  // with its dollar; zero: it is none
  };
  static Reference reference_in(std::string_view wish) {
    const bool has_brace = wish.substr(1).starts_with('{');
    const std::size_t start = has_brace ? 2 : 1;
    std::size_t end = start;
    while (end < wish.size() && is_of_name(wish[end])) ++end;
    if (end == start) return {};
    if (has_brace && (end == wish.size() || wish[end] != '}')) return {};
    return {.name = wish.substr(start, end - start), .size = has_brace ? end + 1 : end};
  }

  std::optional<std::size_t> group_of(std::string_view name) const {
    const bool is_number = std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; }) &&
                           (name.size() == 1 || name.front() != '0');
    if (is_number) {
      const auto number = parse_signed(name);
      return number ? std::optional(static_cast<std::size_t>(*number)) : std::nullopt;
    }
    const auto& names = program_->NamedCapturingGroups();
    const auto found = names.find(std::string(name));
    if (found == names.end()) return std::nullopt;
    return static_cast<std::size_t>(found->second);
  }

  std::unique_ptr<re2::RE2> program_;
  Session* session_;
};

Answer regex_match(const Call& call) {
  FAIRWAY_TRY(const Regex regex, Regex::made(call));
  FAIRWAY_TRY(const auto found, regex.match(text_at(call, 1), 0, false));
  return json::Value(found.has_value());
}

Answer regex_find(const Call& call) {
  FAIRWAY_TRY(const Regex regex, Regex::made(call));
  const std::string text = text_at(call, 1);
  FAIRWAY_TRY(const auto found, regex.match(text, 0, false));
  return json::Value(found ? to_view(found->front()) : std::string_view());
}

// regexFindAll regex text most; a negative number has no limit.
Answer regex_find_all(const Call& call) {
  FAIRWAY_TRY(const Regex regex, Regex::made(call));
  FAIRWAY_TRY(const std::int64_t most, whole_at(call, 2));
  const std::string text = text_at(call, 1);
  FAIRWAY_TRY(const auto found, regex.all(text, most));
  json::Array made;
  for (const Regex::Groups& each : found) made.emplace_back(to_view(each.front()));
  return json::Value(std::move(made));
}

Answer replaced(const Call& call, bool expands) {
  FAIRWAY_TRY(const Regex regex, Regex::made(call));
  const std::string text = text_at(call, 1);
  const std::string wish = text_at(call, 2);
  FAIRWAY_TRY(const auto found, regex.all(text, -1, expands && wish.contains('$')));
  std::string made;
  std::size_t copied = 0;
  for (const Regex::Groups& each : found) {
    const auto start = static_cast<std::size_t>(each.front().data() - text.data());
    const std::size_t before = made.size();
    made.append(text, copied, start - copied);
    if (expands) {
      regex.expand(wish, each, made);
    } else {
      made += wish;
    }
    copied = start + each.front().size();
    FAIRWAY_CHECKED(call.session.charge(0, made.size() - before));
  }
  made.append(text, copied);
  return json::Value(made);
}

// regexSplit regex text most, as Go's Split: at most so many parts, the last with all the rest.
Answer regex_split(const Call& call) {
  FAIRWAY_TRY(const Regex regex, Regex::made(call));
  FAIRWAY_TRY(const std::int64_t most, whole_at(call, 2));
  const std::string text = text_at(call, 1);
  json::Array made;
  if (most == 0) return json::Value(std::move(made));
  if (text.empty() && !text_at(call, 0).empty()) return json::Value(json::Array{json::Value("")});
  FAIRWAY_TRY(const auto found, regex.all(text, most));
  std::size_t start = 0;
  std::size_t end = 0;
  for (const Regex::Groups& each : found) {
    if (most > 0 && std::cmp_equal(made.size(), most - 1)) break;
    end = static_cast<std::size_t>(each.front().data() - text.data());
    const std::size_t next = end + each.front().size();
    if (next != 0) made.emplace_back(std::string_view(text).substr(start, end - start));
    start = next;
  }
  if (end != text.size()) made.emplace_back(std::string_view(text).substr(start));
  return json::Value(std::move(made));
}

Answer quoted_meta(const Call& call) {
  std::string made;
  for (const char c : text_at(call, 0)) {
    if (std::string_view("\\.+*?()|[]{}^$").contains(c)) made += '\\';
    made += c;
  }
  return json::Value(made);
}

constexpr Function kReplace = [](const Call& call) { return replaced(call, true); };
constexpr Function kReplaceLiteral = [](const Call& call) { return replaced(call, false); };

constexpr FunctionEntry kRegexFunctions[] = {
    {"regexMatch", regex_match, 2, 2},
    {"mustRegexMatch", regex_match, 2, 2},
    {"regexFind", regex_find, 2, 2},
    {"mustRegexFind", regex_find, 2, 2},
    {"regexFindAll", regex_find_all, 3, 3},
    {"mustRegexFindAll", regex_find_all, 3, 3},
    {"regexReplaceAll", kReplace, 3, 3},
    {"mustRegexReplaceAll", kReplace, 3, 3},
    {"regexReplaceAllLiteral", kReplaceLiteral, 3, 3},
    {"mustRegexReplaceAllLiteral", kReplaceLiteral, 3, 3},
    {"regexSplit", regex_split, 3, 3},
    {"mustRegexSplit", regex_split, 3, 3},
    {"regexQuoteMeta", quoted_meta, 1, 1},
};

}  // namespace

std::span<const FunctionEntry> regex_functions() {
  return kRegexFunctions;
}

}  // namespace fairway::fleet::templates
