#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <unordered_set>
#include <vector>

#include "base/text.hpp"
#include "json/position.hpp"
#include "json/value.hpp"

namespace fairway::json {
namespace {

namespace bj = boost::json;
using boost::system::error_code;

// Builds a value as Boost.JSON's own parser does and counts the members that it met. An object keeps one of
// two equal keys, so a count that differs from the value's tells of a duplicate; only then is the text read
// again with the keys tracked, to name the one.
template <bool kTrackKeys>
class Builder {
 public:
  constexpr static std::size_t max_object_size = Object::max_size();
  constexpr static std::size_t max_array_size = Array::max_size();
  constexpr static std::size_t max_key_size = String::max_size();
  constexpr static std::size_t max_string_size = String::max_size();

  using Part = bj::string_view;

  explicit Builder(Storage storage) : stack_({}, room_, sizeof room_) { stack_.reset(std::move(storage)); }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) {
    if constexpr (kTrackKeys) keys_.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t size, error_code&) {
    members_ += size;
    stack_.push_object(size);
    if constexpr (kTrackKeys) keys_.pop_back();
    return true;
  }
  bool on_array_begin(error_code&) { return true; }
  bool on_array_end(std::size_t size, error_code&) { return stack_.push_array(size), true; }
  bool on_key_part(Part part, std::size_t, error_code&) {
    if constexpr (kTrackKeys) key_.append(part.data(), part.size());
    return stack_.push_chars(part), true;
  }
  bool on_key(Part part, std::size_t, error_code& error) {
    stack_.push_key(part);
    if constexpr (kTrackKeys) {
      key_.append(part.data(), part.size());
      if (!keys_.back().insert(key_).second) {
        error = bj::make_error_code(bj::error::syntax);
        return false;
      }
      key_.clear();
    }
    return true;
  }
  bool on_string_part(Part part, std::size_t, error_code&) { return stack_.push_chars(part), true; }
  bool on_string(Part part, std::size_t, error_code&) { return stack_.push_string(part), true; }
  bool on_number_part(Part, error_code&) { return true; }
  bool on_int64(std::int64_t number, Part, error_code&) { return stack_.push_int64(number), true; }
  bool on_uint64(std::uint64_t number, Part, error_code&) { return stack_.push_uint64(number), true; }
  // The parser's own double may be off in its last digits; what was written is read again exactly. (All of
  // the text is given to the parser at once, so `written` is the whole number.)
  bool on_double(double rough, Part written, error_code& error) {
    double number = 0;
    const auto [end, problem] = std::from_chars(written.data(), written.data() + written.size(), number);
    const bool vanishes = std::abs(rough) < 1;  // out of range for being too small: it stays zero
    if (problem != std::errc{} && !vanishes) {
      error = bj::make_error_code(bj::error::exponent_overflow);
      return false;
    }
    return stack_.push_double(number), true;
  }
  bool on_bool(bool value, error_code&) { return stack_.push_bool(value), true; }
  bool on_null(error_code&) { return stack_.push_null(), true; }
  bool on_comment_part(Part, error_code&) { return true; }
  bool on_comment(Part, error_code&) { return true; }

  Value release() { return stack_.release(); }
  std::size_t members() const { return members_; }
  const std::string& key() const { return key_; }

 private:
  unsigned char room_[4096];  // for the values of most documents while they are put together
  bj::value_stack stack_;
  std::size_t members_ = 0;
  std::string key_;
  std::vector<std::unordered_set<std::string>> keys_;
};

// The same without one member, and all that is below it.
class SkippingBuilder : public Builder<false> {
 public:
  SkippingBuilder(Storage storage, std::span<const std::string_view> path)
      : Builder(std::move(storage)), path_(path) {}

  bool on_object_begin(error_code& error) {
    if (is_skipping_) return ++inside_, true;
    ++depth_;
    return Builder::on_object_begin(error);
  }
  bool on_object_end(std::size_t size, error_code& error) {
    if (is_skipping_) return leave();
    const std::size_t skipped = depth_ == path_.size() ? std::exchange(skipped_, 0) : 0;
    --depth_;
    matched_ = std::min(matched_, depth_);
    return Builder::on_object_end(size - skipped, error);
  }
  bool on_array_begin(error_code& error) {
    return is_skipping_ ? (++inside_, true) : Builder::on_array_begin(error);
  }
  bool on_array_end(std::size_t size, error_code& error) {
    return is_skipping_ ? leave() : Builder::on_array_end(size, error);
  }
  bool on_key_part(Part part, std::size_t size, error_code& error) {
    return is_skipping_ || Builder::on_key_part(part, size, error);
  }
  bool on_key(Part part, std::size_t size, error_code& error) {
    if (is_skipping_) return true;
    if (matched_ + 1 >= depth_ && depth_ <= path_.size()) {
      const bool is_match = part.size() == size && std::string_view(part) == path_[depth_ - 1];
      matched_ = is_match ? depth_ : depth_ - 1;
      if (matched_ == path_.size()) {
        ++skipped_;
        return is_skipping_ = true;
      }
    }
    return Builder::on_key(part, size, error);
  }
  bool on_string_part(Part part, std::size_t size, error_code& error) {
    return is_skipping_ || Builder::on_string_part(part, size, error);
  }
  bool on_string(Part part, std::size_t size, error_code& error) {
    return is_skipping_ ? pass() : Builder::on_string(part, size, error);
  }
  bool on_int64(std::int64_t number, Part part, error_code& error) {
    return is_skipping_ ? pass() : Builder::on_int64(number, part, error);
  }
  bool on_uint64(std::uint64_t number, Part part, error_code& error) {
    return is_skipping_ ? pass() : Builder::on_uint64(number, part, error);
  }
  bool on_double(double number, Part part, error_code& error) {
    return is_skipping_ ? pass() : Builder::on_double(number, part, error);
  }
  bool on_bool(bool value, error_code& error) {
    return is_skipping_ ? pass() : Builder::on_bool(value, error);
  }
  bool on_null(error_code& error) { return is_skipping_ ? pass() : Builder::on_null(error); }

 private:
  // A value within what is skipped, or all of it.
  bool pass() {
    if (inside_ == 0) is_skipping_ = false;
    return true;
  }
  bool leave() {
    --inside_;
    return pass();
  }

  std::span<const std::string_view> path_;
  std::size_t depth_ = 0;    // objects that are open
  std::size_t matched_ = 0;  // of them, from the outside, those whose present key is the path's
  std::size_t skipped_ = 0;  // of the object that the member is in
  std::size_t inside_ = 0;   // objects and lists that are open in what is skipped
  bool is_skipping_ = false;
};

std::size_t count_members(const Value& value) {
  std::size_t count = 0;
  if (const Object* object = value.if_object()) {
    count = object->size();
    for (const auto& member : *object) count += count_members(member.value());
  } else if (const Array* array = value.if_array()) {
    for (const Value& element : *array) count += count_members(element);
  }
  return count;
}

// Of the text that is closed by the quote before `end`. Within a text a quote follows an odd number of
// backslashes, so the first that does not is where it opens.
std::size_t opening_quote(std::string_view text, std::size_t end) {
  for (std::size_t at = text.rfind('"', end - 2); at != std::string_view::npos;
       at = text.rfind('"', at - 1)) {
    const auto other = at == 0 ? std::string_view::npos : text.find_last_not_of('\\', at - 1);
    const std::size_t backslashes = at - (other == std::string_view::npos ? 0 : other + 1);
    if (backslashes % 2 == 0) return at;
  }
  return 0;
}

std::string explain(const error_code& error, std::string_view text, std::size_t at,
                    const ParseLimits& limits) {
  const std::string where = position(text, at);
  if (error == bj::error::incomplete) {
    return fmt::format("expected more JSON, found the end of the text at {}", where);
  }
  if (error == bj::error::extra_data) {
    return fmt::format("expected nothing after the first JSON value, found {} at {}",
                       quoted(text.substr(at, 16)), where);
  }
  if (error == bj::error::too_deep) {
    return fmt::format("expected JSON nested at most {} deep, found more at {}", limits.max_depth, where);
  }
  if (error == bj::error::exponent_overflow) {
    return fmt::format("expected a number that a 64-bit float can hold, found a larger one before {}", where);
  }
  if (error == bj::error::syntax) {
    return fmt::format("expected JSON, found {} at {}", quoted(text.substr(at, 16)), where);
  }
  return fmt::format("expected JSON, found {} at {}", error.message(), where);
}

}  // namespace

namespace {

template <class Handler, class... Arguments>
Result<Value> parse_with(std::string_view text, const ParseLimits& limits, Arguments&&... arguments) {
  bj::parse_options options;
  options.max_depth = limits.max_depth;
  bj::basic_parser<Handler> parser(options, std::forward<Arguments>(arguments)...);
  error_code error;
  const std::size_t used = parser.write_some(false, text.data(), text.size(), error);
  if (!error && used < text.size()) error = bj::error::extra_data;
  if (error) return fail(ErrorCode::Invalid, explain(error, text, used, limits));

  Value value = parser.handler().release();
  if (count_members(value) == parser.handler().members()) return value;
  bj::basic_parser<Builder<true>> tracking(options, Storage());
  const std::size_t key_end = tracking.write_some(false, text.data(), text.size(), error);
  return fail(ErrorCode::Invalid,
              fmt::format("the key {} stands twice in one object, the second time at {}: keep one",
                          quoted(tracking.handler().key()), position(text, opening_quote(text, key_end))));
}

}  // namespace

Result<Value> parse(std::string_view text, const ParseLimits& limits, Storage storage) {
  if (text.size() > limits.max_bytes) {
    return fail(ErrorCode::Invalid,
                fmt::format("expected at most {} bytes of JSON, found {}", limits.max_bytes, text.size()));
  }
  if (limits.left_out.empty()) return parse_with<Builder<false>>(text, limits, std::move(storage));
  return parse_with<SkippingBuilder>(text, limits, std::move(storage), limits.left_out);
}

Result<Object> parse_object(std::string_view text, const ParseLimits& limits, Storage storage) {
  FAIRWAY_TRY(Value value, parse(text, limits, std::move(storage)));
  if (!value.is_object()) {
    return fail(ErrorCode::Invalid, fmt::format("expected a JSON object, found {}", a_kind(value)));
  }
  return std::move(value.get_object());
}

}  // namespace fairway::json
