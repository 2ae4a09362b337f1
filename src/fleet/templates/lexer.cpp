#include "fleet/templates/lexer.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::fleet::templates {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

struct Delimiters {
  std::string_view left;
  std::string_view right;
};
Delimiters delimiters_of(Side side) {
  return side == Side::Hub ? Delimiters{"{{hub", "hub}}"} : Delimiters{"{{", "}}"};
}

bool is_blank(char c) {
  return kBlanks.contains(c);
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
Position advanced(Position at, std::string_view over) {
  for (const char c : over) {
    if (c == '\n') {
      ++at.line;
      at.column = 1;
    } else {
      ++at.column;
    }
  }
  return at;
}

// The end of the action that starts at `from`, just before its right delimiter; quotes and comments hide it.
std::size_t end_of_action(std::string_view text, std::size_t from, std::string_view right) {
  char quote = '\0';
  for (std::size_t i = from; i < text.size(); ++i) {
    if (quote != '\0') {
      if (text[i] == '\\' && quote != '`') {
        ++i;
      } else if (text[i] == quote) {
        quote = '\0';
      }
      continue;
    }
    if (text.substr(i).starts_with(right)) return i;
    if (text[i] == '"' || text[i] == '`' || text[i] == '\'') quote = text[i];
    if (text.substr(i).starts_with("/*")) {
      const std::size_t end = text.find("*/", i + 2);
      if (end == std::string_view::npos) return std::string_view::npos;
      i = end + 1;
    }
  }
  return std::string_view::npos;
}

// Where the next action of this side begins. To the cluster a hub action is text.
std::size_t find_action(std::string_view text, std::size_t from, Side side) {
  const Delimiters delimiters = delimiters_of(side);
  for (;;) {
    const std::size_t found = text.find(delimiters.left, from);
    if (found == std::string_view::npos || side == Side::Hub || !text.substr(found).starts_with("{{hub"))
      return found;
    const std::size_t end = text.find("hub}}", found);
    if (end == std::string_view::npos) return end;
    from = end + std::string_view("hub}}").size();
  }
}

void trim_end(std::string_view& text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
}

}  // namespace

std::string to_string(Position position) {
  return fmt::format("line {}, column {}", position.line, position.column);
}

std::unexpected<Error> syntax_error(Position at, std::string_view what) {
  return fail(ErrorCode::Invalid, fmt::format("{}: {}", to_string(at), what));
}

Result<std::vector<Piece>> split_pieces(std::string_view text, Side side) {
  const Delimiters delimiters = delimiters_of(side);
  std::vector<Piece> pieces;
  Position at;
  std::size_t done = 0;
  bool trims_start = false;
  const auto add_text = [&](std::string_view part) {
    if (trims_start) {
      const std::size_t first = part.find_first_not_of(kBlanks);
      part.remove_prefix(first == std::string_view::npos ? part.size() : first);
    }
    if (!part.empty()) pieces.push_back({false, part, at});
  };
  for (;;) {
    const std::size_t begin = find_action(text, done, side);
    if (begin == std::string_view::npos) break;
    std::string_view before = text.substr(done, begin - done);
    std::size_t inner = begin + delimiters.left.size();
    const Position action_at = advanced(at, before);
    const bool trims_before = inner + 1 < text.size() && text[inner] == '-' && is_blank(text[inner + 1]);
    if (trims_before) {
      trim_end(before);
      ++inner;
    }
    const std::size_t end = end_of_action(text, inner, delimiters.right);
    if (end == std::string_view::npos)
      return syntax_error(action_at,
                          fmt::format("the action has no end; expected {}", quoted(delimiters.right)));
    add_text(before);
    std::string_view body = text.substr(inner, end - inner);
    trims_start = body.size() >= 2 && body.ends_with('-') && is_blank(body[body.size() - 2]);
    if (trims_start) body.remove_suffix(1);
    const std::string_view trimmed = trim(body);
    const bool is_comment = trimmed.starts_with("/*") && trimmed.ends_with("*/");
    if (!is_comment) pieces.push_back({true, body, advanced(action_at, text.substr(begin, inner - begin))});
    const std::size_t next = end + delimiters.right.size();
    at = advanced(at, text.substr(done, next - done));
    done = next;
  }
  add_text(text.substr(done));
  return pieces;
}

namespace {

class Scanner {
 public:
  explicit Scanner(const Piece& action) : text_(action.text), at_(action.at) {}

  Result<std::vector<Token>> run() {
    for (;;) {
      const bool is_after_blank = skip_blanks() || tokens_.empty();
      if (text_.empty()) break;
      const Position here = at_;
      FAIRWAY_TRY(Token token, next());
      token.at = here;
      token.is_after_blank = is_after_blank;
      tokens_.push_back(std::move(token));
    }
    tokens_.push_back({.kind = Token::Kind::End, .at = at_});
    return std::move(tokens_);
  }

 private:
  bool skip_blanks() {
    const std::size_t first = std::min(text_.find_first_not_of(kBlanks), text_.size());
    take(first);
    return first > 0;
  }

  std::string_view take(std::size_t count) {
    const std::string_view taken = text_.substr(0, count);
    at_ = advanced(at_, taken);
    text_.remove_prefix(count);
    return taken;
  }

  std::string_view take_name() {
    std::size_t end = 0;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    return take(end);
  }

  Result<Token> next() {
    const char c = text_.front();
    if (c == '"' || c == '\'') return quoted_literal(c);
    if (c == '`') return raw_literal();
    if (c == '.' && (text_.size() < 2 || !is_digit(text_[1]))) {
      take(1);
      return Token{.kind = Token::Kind::Field, .text = std::string(take_name())};
    }
    if (c == '$') {
      take(1);
      return Token{.kind = Token::Kind::Variable, .text = "$" + std::string(take_name())};
    }
    if (is_digit(c) || c == '.' || ((c == '-' || c == '+') && text_.size() > 1 && is_digit(text_[1])))
      return number();
    if (is_letter(c)) return word();
    if (text_.starts_with(":=")) {
      take(2);
      return Token{.kind = Token::Kind::Declare};
    }
    take(1);
    switch (c) {
      case '|':
        return Token{.kind = Token::Kind::Pipe};
      case '(':
        return Token{.kind = Token::Kind::Open};
      case ')':
        return Token{.kind = Token::Kind::Close};
      case '=':
        return Token{.kind = Token::Kind::Assign};
      case ',':
        return Token{.kind = Token::Kind::Comma};
      default:
        break;
    }
    return syntax_error(at_, fmt::format("{} is not expected here", quoted(std::string(1, c))));
  }

  static Token literal(json::Value value) {
    return {.kind = Token::Kind::Literal, .literal = std::move(value)};
  }

  Result<Token> word() {
    const std::string name(take_name());
    if (name == "true" || name == "false") return literal(name == "true");
    if (name == "nil") return literal(nullptr);
    return Token{.kind = Token::Kind::Word, .text = name};
  }

  Result<Token> number() {
    const Position here = at_;
    std::size_t end = 1;
    while (end < text_.size() &&
           (is_letter(text_[end]) || is_digit(text_[end]) || text_[end] == '.' ||
            ((text_[end] == '-' || text_[end] == '+') && (text_[end - 1] == 'e' || text_[end - 1] == 'E'))))
      ++end;
    std::string text(take(end));
    if (const auto whole = parse_signed(text.starts_with('+') ? text.substr(1) : text))
      return literal(*whole);
    if (const auto real = parse_double(text)) return literal(*real);
    return syntax_error(here, fmt::format("{} is no number", quoted(text)));
  }

  Result<Token> raw_literal() {
    const std::size_t end = text_.find('`', 1);
    if (end == std::string_view::npos) return syntax_error(at_, "the text has no end; expected a `");
    const std::string_view inner = take(end + 1);
    return literal(json::Value(inner.substr(1, inner.size() - 2)));
  }

  Result<Token> quoted_literal(char quote) {
    const Position here = at_;
    std::string made;
    std::size_t i = 1;
    for (; i < text_.size() && text_[i] != quote; ++i) {
      if (text_[i] != '\\') {
        made += text_[i];
        continue;
      }
      FAIRWAY_TRY(i, unescape(i + 1, made, here));
    }
    if (i >= text_.size())
      return syntax_error(here, fmt::format("the text has no end; expected a {}", quote));
    take(i + 1);
    if (quote == '"') return literal(json::Value(made));
    // A character is its number, as in Go.
    if (made.size() != 1) return syntax_error(here, "a character between single quotes must be one");
    return literal(static_cast<std::int64_t>(static_cast<unsigned char>(made.front())));
  }

  // Of the escape whose letter is at `at`; gives the place of its last character.
  Result<std::size_t> unescape(std::size_t at, std::string& made, Position here) const {
    if (at >= text_.size()) return syntax_error(here, "the text ends in a backslash");
    constexpr std::string_view kLetters = "abfnrtv\\'\"";
    constexpr std::string_view kMeant = "\a\b\f\n\r\t\v\\'\"";
    if (const std::size_t found = kLetters.find(text_[at]); found != std::string_view::npos) {
      made += kMeant[found];
      return at;
    }
    const std::size_t digits = text_[at] == 'x' ? 2 : text_[at] == 'u' ? 4 : text_[at] == 'U' ? 8 : 0;
    std::uint32_t code = 0;
    if (digits == 0 || at + digits >= text_.size())
      return syntax_error(here, fmt::format("\\{} is no escape", text_[at]));
    for (const char c : text_.substr(at + 1, digits)) {
      const std::size_t value = std::string_view("0123456789abcdef").find(to_lower(std::string(1, c)));
      if (value == std::string_view::npos) return syntax_error(here, "an escape needs hexadecimal digits");
      code = code * 16 + static_cast<std::uint32_t>(value);
    }
    append_utf8(made, code, digits == 2);
    return at + digits;
  }

  static void append_utf8(std::string& made, std::uint32_t code, bool is_byte) {
    const auto put = [&](std::uint32_t byte) { made += static_cast<char>(byte); };
    if (is_byte || code < 0x80) return put(code);
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
    if (code < 0x800) {
      put(0xC0 | (code >> 6));
    } else if (code < 0x10000) {
      put(0xE0 | (code >> 12));
      put(0x80 | ((code >> 6) & 0x3F));
    } else {
      put(0xF0 | (code >> 18));
      put(0x80 | ((code >> 12) & 0x3F));
      put(0x80 | ((code >> 6) & 0x3F));
    }
    put(0x80 | (code & 0x3F));
  }

  std::string_view text_;
  Position at_;
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> split_tokens(const Piece& action) {
  return Scanner(action).run();
}

}  // namespace fairway::fleet::templates
