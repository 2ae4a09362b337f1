#include "oci/challenge.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::oci {
namespace {

constexpr std::size_t kLongestHeader = 64 * 1024;

bool is_token_char(char c) {
  const bool is_alnum = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return is_alnum || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_token68_char(char c) {
  return is_token_char(c) || c == '/';
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Result<std::vector<Challenge>> challenges() {
    std::vector<Challenge> all;
    skip_separators();
    while (!at_end()) {
      FAIRWAY_TRY(Challenge challenge, challenge_here());
      all.push_back(std::move(challenge));
      skip_separators();
    }
    return all;
  }

 private:
  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }
  void skip_separators() {
    while (peek() == ' ' || peek() == '\t' || peek() == ',') ++at_;
  }

  std::string_view word(bool (*is_part)(char)) {
    const std::size_t start = at_;
    while (!at_end() && is_part(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  std::unexpected<Error> bad(std::string_view expected) const {
    return fail(ErrorCode::Invalid,
                fmt::format("expected {} at offset {} of the challenge {}", expected, at_, quoted(text_)));
  }

  Result<Challenge> challenge_here() {
    Challenge challenge{.scheme = to_lower(word(is_token_char))};
    if (challenge.scheme.empty()) return bad("the name of an authentication scheme");
    if (!at_end() && peek() != ' ' && peek() != '\t' && peek() != ',') return bad("a blank after the scheme");
    skip_blanks();
    if (take_token68(challenge)) return challenge;
    while (!at_end()) {
      const std::size_t start = at_;
      skip_separators();
      const std::string_view name = word(is_token_char);
      skip_blanks();
      if (name.empty() || peek() != '=') {
        at_ = start;  // the next challenge, or the end
        break;
      }
      ++at_;
      skip_blanks();
      FAIRWAY_TRY(std::string value, value_here());
      challenge.parameters.emplace_back(to_lower(name), std::move(value));
      skip_blanks();
      if (!at_end() && peek() != ',') return bad("a comma between parameters");
    }
    return challenge;
  }

  // base64 text, which ends in '=' signs or has none; a parameter has something behind its '='.
  bool take_token68(Challenge& challenge) {
    const std::size_t start = at_;
    const std::string_view base = word(is_token68_char);
    std::size_t end = at_;
    while (end < text_.size() && text_[end] == '=') ++end;
    std::size_t next = end;
    while (next < text_.size() && (text_[next] == ' ' || text_[next] == '\t')) ++next;
    const bool is_alone = next == text_.size() || text_[next] == ',';
    if (base.empty() || !is_alone) {
      at_ = start;
      return false;
    }
    challenge.token68 = std::string(text_.substr(start, end - start));
    at_ = end;
    return true;
  }

  Result<std::string> value_here() {
    if (peek() != '"') {
      const std::string_view value = word(is_token_char);
      if (value.empty()) return bad("a value");
      return std::string(value);
    }
    ++at_;
    std::string value;
    while (!at_end() && peek() != '"') {
      if (peek() == '\\') ++at_;
      if (at_end()) break;
      value += text_[at_++];
    }
    if (at_end()) return bad("the closing quote");
    ++at_;
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::string_view> Challenge::get(std::string_view name) const {
  const auto found = std::ranges::find(parameters, name, &std::pair<std::string, std::string>::first);
  if (found == parameters.end()) return std::nullopt;
  return found->second;
}

Result<std::vector<Challenge>> parse_challenges(std::string_view header) {
  if (header.size() > kLongestHeader) return fail(ErrorCode::Invalid, "the challenge is longer than 64 KiB");
  return Scanner(header).challenges();
}

const Challenge* find_challenge(const std::vector<Challenge>& challenges, std::string_view scheme) {
  const auto found = std::ranges::find(challenges, scheme, &Challenge::scheme);
  return found == challenges.end() ? nullptr : &*found;
}

}  // namespace fairway::oci
