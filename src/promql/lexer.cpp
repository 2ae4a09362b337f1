#include "promql/lexer.hpp"

#include <algorithm>
#include <array>

namespace fairway::promql {

using enum TokenType;

namespace {

struct Word {
  std::string_view text;
  TokenType type;
};

constexpr std::array<Word, 39> kWords = {{
    {"anchored", Anchored},
    {"and", And},
    {"atan2", Atan2},
    {"avg", Avg},
    {"bool", Bool},
    {"bottomk", Bottomk},
    {"by", By},
    {"count", Count},
    {"count_values", CountValues},
    {"end", End},
    {"fill", Fill},
    {"fill_left", FillLeft},
    {"fill_right", FillRight},
    {"group", Group},
    {"group_left", GroupLeft},
    {"group_right", GroupRight},
    {"ignoring", Ignoring},
    {"inf", Number},
    {"limit_ratio", LimitRatio},
    {"limitk", Limitk},
    {"max", Max},
    {"max_of", MaxOf},
    {"min", Min},
    {"min_of", MinOf},
    {"nan", Number},
    {"offset", Offset},
    {"on", On},
    {"or", Or},
    {"quantile", Quantile},
    {"range", Range},
    {"smoothed", Smoothed},
    {"start", Start},
    {"stddev", Stddev},
    {"stdvar", Stdvar},
    {"step", Step},
    {"sum", Sum},
    {"topk", Topk},
    {"unless", Unless},
    {"without", Without},
}};
static_assert(std::ranges::is_sorted(kWords, {}, &Word::text));
constexpr std::size_t kLongestWord = 12;

bool is_alpha(char32_t c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char32_t c) {
  return c >= '0' && c <= '9';
}

bool is_word(char32_t c) {
  return is_alpha(c) || is_digit(c);
}

bool is_blank(char32_t c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// In lower case within `buffer`; empty when it is too long to be a keyword.
std::string_view lowered(std::string_view word, std::array<char, kLongestWord>& buffer) {
  if (word.size() > kLongestWord) return {};
  std::ranges::transform(word, buffer.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return {buffer.data(), word.size()};
}

// Where the words of each first letter begin in the table; the last entry ends it.
constexpr std::array<std::uint8_t, 27> kFirstLetter = [] {
  std::array<std::uint8_t, 27> out = {};
  for (std::size_t letter = 0, at = 0; letter < 27; ++letter) {
    while (at < kWords.size() && static_cast<std::size_t>(kWords[at].text[0] - 'a') < letter) ++at;
    out[letter] = static_cast<std::uint8_t>(at);
  }
  return out;
}();

const Word* find_word(std::string_view text) {
  std::array<char, kLongestWord> buffer;
  const std::string_view word = lowered(text, buffer);
  if (word.empty() || word[0] < 'a' || word[0] > 'z') return nullptr;
  const auto letter = static_cast<std::size_t>(word[0] - 'a');
  for (std::size_t at = kFirstLetter[letter]; at < kFirstLetter[letter + 1]; ++at) {
    if (kWords[at].text == word) return &kWords[at];
  }
  return nullptr;
}

// The end of input is no character: messages show what Go shows for it.
std::string shown(char32_t rune) {
  return go_quoted_rune(rune == kEndOfText ? kRuneError : rune);
}

}  // namespace

Token Lexer::next() {
  while (mode_ != Mode::Over) {
    const bool found = mode_ == Mode::Duration ? scan_duration()
                       : in_braces_            ? scan_braces()
                                               : scan_statement();
    if (found) return token_;
  }
  if (token_.type != Failure) token_ = {EndOfInput, {start_, at_}};
  return token_;
}

bool Lexer::emit(TokenType type) {
  token_ = {type, {start_, at_}};
  start_ = at_;
  return true;
}

bool Lexer::fail(std::string message) {
  token_ = {Failure, {start_, static_cast<std::uint32_t>(text_.size())}};
  error_ = std::move(message);
  mode_ = Mode::Over;
  return true;
}

char32_t Lexer::next_rune() {
  if (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) < 0x80) {
    width_ = 1;
    return static_cast<char32_t>(text_[at_++]);
  }
  const Rune rune = decode_rune(text_.substr(at_));
  width_ = rune.width;
  at_ += rune.width;
  return rune.width == 0 ? kEndOfText : rune.value;
}

char32_t Lexer::peek_rune() const {
  if (at_ >= text_.size()) return kEndOfText;
  return decode_rune(text_.substr(at_)).value;
}

bool Lexer::sees(std::string_view characters) const {
  return at_ < text_.size() && characters.find(text_[at_]) != std::string_view::npos;
}

bool Lexer::accept(std::string_view characters) {
  if (!sees(characters)) {
    width_ = 0;
    return false;
  }
  ++at_;
  width_ = 1;
  return true;
}

void Lexer::skip_blanks() {
  while (at_ < text_.size() && is_blank(static_cast<unsigned char>(text_[at_]))) ++at_;
  start_ = at_;
}

void Lexer::skip_comment() {
  while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
  start_ = at_;
}

bool Lexer::scan_end() {
  if (open_parens_ != 0) return fail("unclosed left parenthesis");
  if (in_brackets_) return fail("unclosed left bracket");
  mode_ = Mode::Over;
  return emit(EndOfInput);
}

bool Lexer::scan_statement() {
  if (sees("#")) {
    skip_comment();
    return false;
  }
  const char32_t rune = next_rune();
  if (rune == kEndOfText) return scan_end();
  if (is_blank(rune)) {
    skip_blanks();
    return false;
  }
  if (is_digit(rune) || (rune == '.' && is_digit(peek_rune()))) {
    step_back();
    return scan_number_or_duration();
  }
  if (is_alpha(rune) || rune == ':') {
    if (in_brackets_) return scan_in_brackets(rune);
    step_back();
    return scan_word();
  }
  if (rune == '"' || rune == '\'') return scan_string(static_cast<char>(rune));
  if (rune == '`') return scan_raw_string();
  return scan_punctuation(rune);
}

// Letters and colons after the first number in brackets: `step()` and the like, or the colon of a subquery.
bool Lexer::scan_in_brackets(char32_t rune) {
  if (rune == ':') {
    if (had_colon_) return fail("unexpected colon " + shown(rune));
    had_colon_ = true;
    return emit(Colon);
  }
  if (scan_duration_keyword()) return true;
  return fail("unexpected character: " + shown(rune) + ", expected ':'");
}

bool Lexer::scan_punctuation(char32_t rune) {
  switch (rune) {
    case ',':
      return emit(Comma);
    case '(':
      ++open_parens_;
      return emit(LeftParen);
    case ')':
      emit(RightParen);
      if (--open_parens_ < 0) return fail("unexpected right parenthesis " + shown(rune));
      return true;
    case '{':
      in_braces_ = true;
      return emit(LeftBrace);
    case '[':
      if (in_brackets_) return fail("unexpected left bracket " + shown(rune));
      had_colon_ = false;
      in_brackets_ = true;
      mode_ = Mode::Duration;
      emit(LeftBracket);
      skip_blanks();
      return true;
    case ']':
      if (!in_brackets_) return fail("unexpected right bracket " + shown(rune));
      in_brackets_ = false;
      return emit(RightBracket);
    default:
      return scan_operator(rune);
  }
}

bool Lexer::scan_operator(char32_t rune) {
  switch (rune) {
    case '*':
      return emit(Multiply);
    case '/':
      return emit(Divide);
    case '%':
      return emit(Modulo);
    case '+':
      return emit(Add);
    case '-':
      return emit(Subtract);
    case '^':
      return emit(Power);
    case '@':
      return emit(At);
    case '=':
      if (sees("~")) return fail("unexpected character after '=': '~'");
      return emit(accept("=") ? EqualEqual : Equal);
    case '!':
      if (const char32_t after = next_rune(); after != '=')
        return fail("unexpected character after '!': " + shown(after));
      return emit(NotEqual);
    case '<':
      return emit(accept("=") ? LessEqual : accept("/") ? TrimUpper : Less);
    case '>':
      return emit(accept("=") ? GreaterEqual : accept("/") ? TrimLower : Greater);
    default:
      return fail("unexpected character: " + shown(rune));
  }
}

bool Lexer::scan_braces() {
  if (sees("#")) {
    skip_comment();
    return false;
  }
  const char32_t rune = next_rune();
  if (rune == kEndOfText) return fail("unexpected end of input inside braces");
  if (is_blank(rune)) {
    skip_blanks();
    return false;
  }
  if (is_alpha(rune)) {
    while (at_ < text_.size() && is_word(static_cast<unsigned char>(text_[at_]))) ++at_;
    return emit(Identifier);
  }
  switch (rune) {
    case ',':
      return emit(Comma);
    case '"':
    case '\'':
      return scan_string(static_cast<char>(rune));
    case '`':
      return scan_raw_string();
    case '=':
      return emit(accept("~") ? EqualRegex : Equal);
    case '!':
      if (accept("~")) return emit(NotEqualRegex);
      if (accept("=")) return emit(NotEqual);
      return fail("unexpected character after '!' inside braces: " + shown(next_rune()));
    case '{':
      return fail("unexpected left brace " + shown(rune));
    case '}':
      in_braces_ = false;
      return emit(RightBrace);
    default:
      return fail("unexpected character inside braces: " + shown(rune));
  }
}

bool Lexer::scan_duration() {
  const char32_t rune = next_rune();
  switch (rune) {
    case kEndOfText:
      return fail("unexpected end of input in duration expression");
    case ']':
      in_brackets_ = false;
      had_colon_ = false;
      mode_ = Mode::Statements;
      return emit(RightBracket);
    case ':':
      emit(Colon);
      if (!had_duration_) return fail("unexpected colon before duration in duration expression");
      if (had_colon_) return fail("unexpected repeated colon in duration expression");
      had_colon_ = true;
      return true;
    case '(':
    case ')':
    case ',':
      return scan_punctuation(rune);
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
    case '^':
      return scan_operator(rune);
    default:
      break;
  }
  if (is_blank(rune)) {
    skip_blanks();
    return false;
  }
  if (is_digit(rune) || (rune == '.' && is_digit(peek_rune()))) {
    step_back();
    had_duration_ = true;
    mode_ = Mode::Statements;
    return scan_number_or_duration();
  }
  if (scan_duration_keyword()) return true;
  return fail("unexpected character in duration expression: " + shown(rune));
}

bool Lexer::scan_duration_keyword() {
  if (!is_alpha(static_cast<unsigned char>(text_[start_]))) return false;
  while (at_ < text_.size() && is_alpha(static_cast<unsigned char>(text_[at_]))) ++at_;
  const Word* word = find_word(text_.substr(start_, at_ - start_));
  if (word == nullptr || word->type < Step || word->type > MinOf) return false;
  return emit(word->type);
}

bool Lexer::scan_word() {
  while (at_ < text_.size() && (is_word(static_cast<unsigned char>(text_[at_])) || text_[at_] == ':')) ++at_;
  const std::string_view text = text_.substr(start_, at_ - start_);
  if (const Word* word = find_word(text)) {
    const bool fills = word->type >= Fill && word->type <= FillRight;
    return emit(fills && !followed_by_parenthesis() ? Identifier : word->type);
  }
  return emit(text.find(':') == std::string_view::npos ? Identifier : MetricIdentifier);
}

// fill and its kin are words of the language only there, so that they can stay metric names.
bool Lexer::followed_by_parenthesis() const {
  const auto next = text_.find_first_not_of(" \t\r\n", at_);
  return next != std::string_view::npos && text_[next] == '(';
}

}  // namespace fairway::promql
