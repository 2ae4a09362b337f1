#include "apiserver/tokens_csv.hpp"

#include <fmt/format.h>

namespace fairway::apiserver {
namespace {

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {}

  Result<std::vector<CsvRow>> rows() {
    std::vector<CsvRow> rows;
    while (at_ < text_.size()) {
      if (skip_line_end()) continue;
      CsvRow row{line_, {}};
      for (bool has_more = true; has_more;) {
        FAIRWAY_TRY(std::string field, peek() == '"' ? quoted_field() : plain_field());
        row.fields.push_back(std::move(field));
        has_more = peek() == ',';
        if (has_more) ++at_;
      }
      if (at_ < text_.size() && !skip_line_end()) {
        return fail(ErrorCode::Invalid,
                    fmt::format("line {}: expected a comma after the closing quote", line_));
      }
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool skip_line_end() {
    if (text_.substr(at_).starts_with("\r\n")) ++at_;
    if (peek() != '\n' || at_ >= text_.size()) return false;
    ++at_;
    ++line_;
    return true;
  }

  Result<std::string> plain_field() {
    const std::size_t end = std::min(text_.find_first_of(",\n", at_), text_.size());
    std::string field(text_.substr(at_, end - at_));
    if (end < text_.size() && text_[end] == '\n' && field.ends_with('\r')) field.pop_back();
    if (field.find('"') != std::string::npos) {
      return fail(
          ErrorCode::Invalid,
          fmt::format(
              "line {}: found a quote inside a field that is not quoted: put the whole field in quotes "
              "and double the quote",
              line_));
    }
    at_ = end;
    return field;
  }

  Result<std::string> quoted_field() {
    const std::size_t first_line = line_;
    std::string field;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        if (text_.substr(at_ + 1).starts_with('"')) {
          ++at_;
        } else {
          ++at_;
          return field;
        }
      }
      if (text_[at_] == '\n') ++line_;
      field += text_[at_];
    }
    return fail(ErrorCode::Invalid,
                fmt::format("line {}: the quoted field has no closing quote", first_line));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Result<std::vector<CsvRow>> parse_csv(std::string_view text) {
  return CsvReader(text).rows();
}

std::optional<std::string> decode_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit_of(text[i]);
    const int low = digit_of(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

}  // namespace fairway::apiserver
