#include "http/prepared_request.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <span>

#include "base/text.hpp"

namespace fairway::http {
namespace {

constexpr std::size_t kMaxFields = 128;
constexpr std::uint32_t kMaxSizeDigits = 16;

enum : std::uint8_t { kToken = 1, kTarget = 2, kValue = 4 };

// RFC 9110 5.6.2 and 5.5, RFC 3986; in targets and values also what is not ASCII.
constexpr std::array<std::uint8_t, 256> kClasses = [] {
  std::array<std::uint8_t, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    const auto at = static_cast<std::size_t>(c);
    const bool is_alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_alphanumeric || std::string_view("!#$%&'*+-.^_`|~").contains(static_cast<char>(c)))
      classes[at] |= kToken;
    if (c > ' ' && c != 0x7f) classes[at] |= kTarget;
    if ((c >= ' ' && c != 0x7f) || c == '\t') classes[at] |= kValue;
  }
  return classes;
}();

bool is_all(std::string_view text, std::uint8_t of_class) {
  return std::ranges::all_of(
      text, [of_class](char c) { return (kClasses[static_cast<unsigned char>(c)] & of_class) != 0; });
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Where the path begins in http://host:port/path, or npos.
std::size_t end_of_authority(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!equals_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
    const std::size_t end = std::min(target.find_first_of("/?", scheme.size()), target.size());
    return end == scheme.size() ? std::string_view::npos : end;
  }
  return std::string_view::npos;
}

}  // namespace

void RequestParser::reset() {
  std::vector<Field> fields = std::move(fields_);
  fields.clear();
  *this = RequestParser(limits_);
  fields_ = std::move(fields);
}

bool RequestParser::refuse(int status, std::string_view message) {
  stage_ = Stage::Refused;
  refusal_ = {status, message};
  return false;
}

RequestParser::Span RequestParser::span_of(std::string_view part) const {
  return {static_cast<std::uint32_t>(part.data() - base_), static_cast<std::uint32_t>(part.size())};
}

RequestParser::Outcome RequestParser::feed(std::string_view bytes) {
  base_ = bytes.data();
  while (stage_ <= Stage::Fields && next_line(bytes)) {
  }
  while (is_in_body() && skip_body(bytes)) {
  }
  if (stage_ == Stage::Refused) return Outcome::Refusal;
  return stage_ == Stage::Done ? Outcome::Request : Outcome::NeedMore;
}

// One line of the header; false when there is no whole one yet or the request is refused.
bool RequestParser::next_line(std::string_view bytes) {
  // Whoever speaks TLS or nonsense is told so at once, not when the time for a header is over.
  if (stage_ == Stage::Line && line_begin_ < bytes.size() && bytes[line_begin_] != '\r' &&
      !is_all(bytes.substr(line_begin_, 1), kToken))
    return refuse(400, "the request line is malformed: expected METHOD TARGET HTTP/1.1");
  const std::size_t end = bytes.find('\n', scanned_);
  scanned_ = end == std::string_view::npos ? bytes.size() : end + 1;
  if (scanned_ > limits_.max_header_bytes) {
    return stage_ == Stage::Line && line_begin_ == 0
               ? refuse(414, "the request line is longer than the server accepts")
               : refuse(431, "the request header is larger than the server accepts");
  }
  if (end == std::string_view::npos) return false;
  if (end == line_begin_ || bytes[end - 1] != '\r')
    return refuse(400, "a line of the request header does not end in CRLF");
  const std::string_view line = bytes.substr(line_begin_, end - 1 - line_begin_);
  line_begin_ = scanned_;
  if (stage_ == Stage::Line) return line.empty() || request_line(line);
  return line.empty() ? end_header() : field_line(line);
}

bool RequestParser::request_line(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last)
    return refuse(400, "the request line is malformed: expected METHOD TARGET HTTP/1.1");
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (method.empty() || !is_all(method, kToken)) return refuse(400, "the request's method is malformed");
  if (target.empty() || !is_all(target, kTarget)) return refuse(400, "the request's target is malformed");
  if (!version(line.substr(last + 1))) return false;
  method_ = span_of(method);
  target_ = span_of(target);
  stage_ = Stage::Fields;
  return split_target(target);
}

bool RequestParser::version(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.size() != 8 || !text.starts_with("HTTP/") || !is_digit(text[5]) || text[6] != '.' ||
      !is_digit(text[7]))
    return refuse(400, "the request line is malformed: expected METHOD TARGET HTTP/1.1");
  if (text[5] != '1') return refuse(505, "only HTTP/1.1 and HTTP/1.0 are spoken here");
  is_http10_ = text[7] == '0';
  return true;
}

bool RequestParser::split_target(std::string_view target) {
  const std::string_view method(base_ + method_.begin, method_.size);
  std::string_view rest = target;
  if (target.front() != '/') {
    const std::size_t path = end_of_authority(target);
    const bool is_other_form =
        path == std::string_view::npos && (method == "CONNECT" || (method == "OPTIONS" && target == "*"));
    if (path == std::string_view::npos && !is_other_form)
      return refuse(400, "the request's target is neither a path nor an http URL");
    if (!is_other_form) rest = target.substr(path);
  }
  const std::size_t question = rest.find('?');
  path_ = span_of(rest.substr(0, question));
  if (question != std::string_view::npos) query_ = span_of(rest.substr(question + 1));
  return true;
}

bool RequestParser::field_line(std::string_view line) {
  if (line.front() == ' ' || line.front() == '\t') return refuse(400, "a header line is folded");
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return refuse(400, "a header line has no colon");
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = without_blanks(line.substr(colon + 1));
  if (name.empty() || !is_all(name, kToken)) return refuse(400, "a header's name is malformed");
  if (!is_all(value, kValue)) return refuse(400, "a header's value has control characters");
  if (fields_.size() == kMaxFields) return refuse(431, "the request has too many header lines");
  fields_.push_back({span_of(name), span_of(value)});
  return known_field(name, value);
}

// What decides where the request ends and what becomes of the connection.
bool RequestParser::known_field(std::string_view name, std::string_view value) {
  switch (name.size()) {
    case 4:
      if (equals_ignoring_case(name, "host") && ++hosts_ > 1)
        return refuse(400, "there are two Host headers");
      return true;
    case 6:
      if (!equals_ignoring_case(name, "expect")) return true;
      if (!equals_ignoring_case(value, "100-continue"))
        return refuse(417, "the only expectation that can be met is 100-continue");
      expects_continue_ = true;
      return true;
    case 10:
      return !equals_ignoring_case(name, "connection") || connection(value);
    case 14:
      return !equals_ignoring_case(name, "content-length") || content_length(value);
    case 17:
      if (!equals_ignoring_case(name, "transfer-encoding")) return true;
      if (is_chunked_) return refuse(400, "the body is chunked twice");
      if (!equals_ignoring_case(value, "chunked"))
        return refuse(501, "the only transfer coding that is understood is chunked");
      is_chunked_ = true;
      return true;
    default:
      return true;
  }
}

bool RequestParser::connection(std::string_view value) {
  while (!value.empty()) {
    const std::size_t comma = std::min(value.find(','), value.size());
    const std::string_view option = without_blanks(value.substr(0, comma));
    asks_close_ = asks_close_ || equals_ignoring_case(option, "close");
    asks_keep_alive_ = asks_keep_alive_ || equals_ignoring_case(option, "keep-alive");
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
  return true;
}

bool RequestParser::content_length(std::string_view value) {
  const bool is_number =
      !value.empty() && std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number) return refuse(400, "the Content-Length is not a number");
  const auto length = parse_unsigned(value);
  if (!length) return refuse(413, "the request body is larger than the server accepts");
  if (length_ && *length_ != *length) return refuse(400, "there are two different Content-Lengths");
  length_ = length;
  return true;
}

bool RequestParser::end_header() {
  if (hosts_ == 0 && !is_http10_) return refuse(400, "the Host header is missing");
  if (is_chunked_ && length_) return refuse(400, "the body has a Content-Length and is chunked");
  if (is_chunked_ && is_http10_) return refuse(400, "a body cannot be chunked in HTTP/1.0");
  if (length_.value_or(0) > limits_.max_body_bytes)
    return refuse(413, "the request body is larger than the server accepts");
  keeps_alive_ = !asks_close_ && (!is_http10_ || asks_keep_alive_);
  expects_continue_ = expects_continue_ && !is_http10_;
  header_bytes_ = position_ = scanned_;
  body_left_ = length_.value_or(0);
  stage_ = is_chunked_ ? Stage::ChunkSize : body_left_ > 0 ? Stage::Length : Stage::Done;
  return false;
}

// A run of bytes of the body; false when there are no more, or nothing is left to skip.
bool RequestParser::skip_body(std::string_view bytes) {
  if (position_ >= bytes.size()) return false;
  if (stage_ == Stage::Length || stage_ == Stage::ChunkBytes) return skip_length(bytes);
  if (++body_bytes_ > limits_.max_body_bytes)
    return refuse(413, "the request body is larger than the server accepts");
  return chunk_byte(bytes[position_++]);
}

bool RequestParser::skip_length(std::string_view bytes) {
  const std::uint64_t count = std::min<std::uint64_t>(body_left_, bytes.size() - position_);
  body_left_ -= count;
  position_ += static_cast<std::size_t>(count);
  if (body_left_ == 0) stage_ = stage_ == Stage::Length ? Stage::Done : Stage::ChunkEnd;
  return true;
}

bool RequestParser::chunk_byte(char c) {
  const auto expect = [&](char expected, Stage next) {
    if (c != expected) return refuse(400, "the chunks of the body are malformed");
    stage_ = next;
    return true;
  };
  switch (stage_) {
    case Stage::ChunkSize:
      return chunk_size_byte(c);
    case Stage::ChunkExtension:
    case Stage::TrailerLine:
      if (c == '\r') stage_ = stage_ == Stage::TrailerLine ? Stage::TrailerLineEnd : Stage::ChunkSizeEnd;
      if (c == '\n' || c == '\0') return refuse(400, "the chunks of the body are malformed");
      return true;
    case Stage::ChunkSizeEnd:
      size_digits_ = 0;
      return expect('\n', body_left_ > 0 ? Stage::ChunkBytes : Stage::Trailer);
    case Stage::ChunkEnd:
      return expect('\r', Stage::ChunkEndLine);
    case Stage::ChunkEndLine:
      return expect('\n', Stage::ChunkSize);
    case Stage::Trailer:
      if (c == '\n') return refuse(400, "the chunks of the body are malformed");
      stage_ = c == '\r' ? Stage::TrailersEnd : Stage::TrailerLine;
      return true;
    case Stage::TrailerLineEnd:
      return expect('\n', Stage::Trailer);
    default:
      return expect('\n', Stage::Done);
  }
}

bool RequestParser::chunk_size_byte(char c) {
  const bool is_digit = c >= '0' && c <= '9';
  const char lower = static_cast<char>(c | 0x20);
  if (is_digit || (lower >= 'a' && lower <= 'f')) {
    const int digit = is_digit ? c - '0' : lower - 'a' + 10;
    body_left_ = (size_digits_ == 0 ? 0 : body_left_ * 16) + static_cast<std::uint64_t>(digit);
    if (++size_digits_ > kMaxSizeDigits || body_left_ > limits_.max_body_bytes)
      return refuse(413, "the request body is larger than the server accepts");
    return true;
  }
  if (size_digits_ == 0 || (c != '\r' && c != ';' && c != ' ' && c != '\t'))
    return refuse(400, "the chunks of the body are malformed");
  body_bytes_ += body_left_;
  stage_ = c == '\r' ? Stage::ChunkSizeEnd : Stage::ChunkExtension;
  return true;
}

std::string PeerAddress::to_string() const {
  static constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  const bool is_v4 = std::ranges::equal(kMapped, std::span(bytes).first<12>());
  char text[INET6_ADDRSTRLEN] = {};
  const char* done = is_v4 ? ::inet_ntop(AF_INET, &bytes[12], text, sizeof text)
                           : ::inet_ntop(AF_INET6, bytes.data(), text, sizeof text);
  return done == nullptr ? std::string() : std::string(done);
}

RequestView::RequestView(const RequestParser& parser, std::string_view bytes, const PeerAddress& its_peer)
    : method(parser.method().in(bytes)),
      target(parser.target().in(bytes)),
      path(parser.path().in(bytes)),
      query(parser.query().in(bytes)),
      peer(its_peer),
      parser_(parser),
      bytes_(bytes) {
  // http://host and http://host?query name the root.
  if (path.empty()) path = "/";
}

const RequestParser::Field* RequestView::find(std::string_view name) const {
  for (const RequestParser::Field& field : parser_.fields())
    if (field.name.size == name.size() && equals_ignoring_case(field.name.in(bytes_), name)) return &field;
  return nullptr;
}

std::string_view RequestView::header(std::string_view name) const {
  const RequestParser::Field* field = find(name);
  return field == nullptr ? std::string_view() : field->value.in(bytes_);
}

bool RequestView::has_header(std::string_view name) const {
  return find(name) != nullptr;
}

std::string RequestView::joined(std::string_view name) const {
  std::string all;
  const char* separator = "";
  for (const RequestParser::Field& field : parser_.fields()) {
    if (!equals_ignoring_case(field.name.in(bytes_), name)) continue;
    all.append(separator).append(field.value.in(bytes_));
    separator = ", ";
  }
  return all;
}

}  // namespace fairway::http
