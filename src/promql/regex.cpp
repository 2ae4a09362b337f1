#include "promql/regex.hpp"

#include <fmt/format.h>
#include <map>
#include <re2/re2.h>

#include "base/text.hpp"

namespace fairway::promql {

struct Regex::Compiled {
  Compiled(const std::string& source, const RE2::Options& options) : re(source, options) {}

  RE2 re;
  std::map<std::string, int> names;
};

namespace {

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

// Go 1.22 also writes a named group (?<name>…); RE2 of 2022 knows (?P<name>…) only. The pattern is valid, so
// an escaped character, a class and \Q…\E are the only places where the same characters mean something else.
std::string with_old_group_names(std::string_view pattern) {
  std::string out;
  bool in_class = false;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const char c = pattern[at];
    if (c == '\\' && at + 1 < pattern.size()) {
      const std::size_t end = pattern[at + 1] == 'Q' && !in_class ? pattern.find("\\E", at) : at + 2;
      const std::size_t stop = end == std::string_view::npos ? pattern.size() : end;
      out.append(pattern.substr(at, stop - at));
      at = stop - 1;
      continue;
    }
    if (in_class) {
      in_class = c != ']';
    } else if (c == '[') {
      in_class = true;
      out.push_back(c);
      if (pattern.substr(at + 1).starts_with('^')) out.push_back(pattern[++at]);
      if (pattern.substr(at + 1).starts_with(']')) out.push_back(pattern[++at]);
      continue;
    } else if (pattern.substr(at).starts_with("(?<")) {
      out.append("(?P");
      ++at;
      continue;
    }
    // [[:alpha:]]: the inner bracket does not end the class.
    if (in_class && pattern.substr(at).starts_with("[:")) {
      const std::size_t end = pattern.find(":]", at + 2);
      if (end != std::string_view::npos) {
        out.append(pattern.substr(at, end + 2 - at));
        at = end + 1;
        continue;
      }
    }
    out.push_back(c);
  }
  return out;
}

}  // namespace

Result<Regex> Regex::compile(std::string_view pattern, std::size_t budget_bytes) {
  if (const auto shape = check_regex(pattern); !shape) return fail(ErrorCode::Invalid, shape.error());
  RE2::Options options;
  options.set_dot_nl(true);
  options.set_log_errors(false);
  options.set_max_mem(static_cast<std::int64_t>(budget_bytes));
  // A literal that is not UTF-8 is valid in Go's matcher of plain alternatives.
  if (!is_valid_utf8(pattern)) options.set_encoding(RE2::Options::EncodingLatin1);
  const bool renames = pattern.find("(?<") != std::string_view::npos;
  const std::string source = renames ? with_old_group_names(pattern) : std::string(pattern);
  auto compiled = std::make_shared<Compiled>(source, options);
  if (!compiled->re.ok()) {
    return fail(
        ErrorCode::Unsupported,
        fmt::format("expected a regular expression that compiles within {} bytes, found {} ({}): simplify it",
                    budget_bytes, quoted(pattern), compiled->re.error()));
  }
  compiled->names = compiled->re.NamedCapturingGroups();
  return Regex(std::move(compiled));
}

bool Regex::matches(std::string_view text) const {
  return RE2::FullMatch(piece(text), compiled_->re);
}

std::size_t Regex::group_count() const {
  return static_cast<std::size_t>(compiled_->re.NumberOfCapturingGroups());
}

std::optional<std::size_t> Regex::group_number(std::string_view name) const {
  const auto found = compiled_->names.find(std::string(name));
  if (found == compiled_->names.end()) return std::nullopt;
  return static_cast<std::size_t>(found->second);
}

std::optional<std::vector<std::string_view>> Regex::groups(std::string_view text) const {
  const std::size_t count = group_count() + 1;
  std::vector<re2::StringPiece> found(count);
  if (!compiled_->re.Match(piece(text), 0, text.size(), RE2::ANCHOR_BOTH, found.data(),
                           static_cast<int>(count))) {
    return std::nullopt;
  }
  std::vector<std::string_view> out;
  out.reserve(count);
  for (const re2::StringPiece& group : found) {
    out.push_back(group.data() == nullptr ? std::string_view()
                                          : std::string_view(group.data(), group.size()));
  }
  return out;
}

}  // namespace fairway::promql
