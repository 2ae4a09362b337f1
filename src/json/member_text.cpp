#include "json/member_text.hpp"

#include <algorithm>
#include <array>

namespace fairway::json {
namespace {

// The bytes that a skipped value is read by.
constexpr auto kMarks = [] {
  std::array<bool, 256> marks{};
  for (const char each : std::string_view("\"{[,}]")) marks[static_cast<unsigned char>(each)] = true;
  return marks;
}();

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool is_at_end() const { return at_ >= text_.size(); }
  std::size_t at() const { return at_; }
  std::string_view since(std::size_t start) const { return text_.substr(start, at_ - start); }
  void skip_spaces() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  bool take(char wanted) {
    skip_spaces();
    if (is_at_end() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  // With its quotes.
  void skip_string() {
    for (++at_; at_ < text_.size(); at_ += 2) {
      while (!is_at_end() && text_[at_] != '"' && text_[at_] != '\\') ++at_;
      if (is_at_end()) return;
      if (text_[at_] == '"') {
        ++at_;
        return;
      }
    }
    at_ = text_.size();
  }
  void skip_value() {
    skip_spaces();
    std::size_t depth = 0;
    do {
      while (!is_at_end() && !kMarks[static_cast<unsigned char>(text_[at_])]) ++at_;
      if (is_at_end()) return;
      switch (text_[at_]) {
        case '"':
          skip_string();
          continue;
        case '{':
        case '[':
          ++depth;
          break;
        default:
          if (depth == 0) return;  // the end of a number or a word
          if (text_[at_] != ',') --depth;
      }
      ++at_;
    } while (depth > 0);
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string_view member_text(std::string_view object, std::string_view key) {
  Cursor cursor(object);
  if (!cursor.take('{')) return {};
  do {
    cursor.skip_spaces();
    if (cursor.is_at_end() || object[cursor.at()] != '"') return {};
    const std::size_t name = cursor.at();
    cursor.skip_string();
    const std::string_view found = cursor.since(name);
    if (!cursor.take(':')) return {};
    cursor.skip_spaces();
    const std::size_t value = cursor.at();
    cursor.skip_value();
    if (found.size() == key.size() + 2 && found.substr(1, key.size()) == key) return cursor.since(value);
  } while (cursor.take(','));
  return {};
}

}  // namespace fairway::json
