#include "json/stream.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <fmt/format.h>
#include <string>

namespace fairway::json {
namespace {

namespace bj = boost::json;
using boost::system::error_code;

// Boost.JSON's callbacks, with the parts of a key or string put together.
class Listener {
 public:
  constexpr static std::size_t max_object_size = std::size_t(-1);
  constexpr static std::size_t max_array_size = std::size_t(-1);
  constexpr static std::size_t max_key_size = std::size_t(-1);
  constexpr static std::size_t max_string_size = std::size_t(-1);
  using Part = bj::string_view;

  Listener(StreamEvents& events, std::size_t max_string_bytes)
      : events_(events), max_string_bytes_(max_string_bytes) {}

  bool was_stopped() const { return was_stopped_; }
  bool is_too_long() const { return is_too_long_; }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code& error) { return checked(events_.begin_object(), error); }
  bool on_object_end(std::size_t, error_code& error) { return checked(events_.end_object(), error); }
  bool on_array_begin(error_code& error) { return checked(events_.begin_array(), error); }
  bool on_array_end(std::size_t, error_code& error) { return checked(events_.end_array(), error); }
  bool on_key_part(Part part, std::size_t, error_code& error) { return append(part, error); }
  bool on_key(Part part, std::size_t, error_code& error) {
    return append(part, error) && checked(events_.key(taken()), error);
  }
  bool on_string_part(Part part, std::size_t, error_code& error) { return append(part, error); }
  bool on_string(Part part, std::size_t, error_code& error) {
    return append(part, error) && checked(events_.string(taken()), error);
  }
  bool on_number_part(Part, error_code&) { return true; }
  bool on_int64(std::int64_t number, Part, error_code& error) {
    return checked(events_.number(static_cast<double>(number)), error);
  }
  bool on_uint64(std::uint64_t number, Part, error_code& error) {
    return checked(events_.number(static_cast<double>(number)), error);
  }
  bool on_double(double number, Part, error_code& error) { return checked(events_.number(number), error); }
  bool on_bool(bool, error_code& error) { return checked(events_.other(), error); }
  bool on_null(error_code& error) { return checked(events_.other(), error); }
  bool on_comment_part(Part, error_code&) { return true; }
  bool on_comment(Part, error_code&) { return true; }

 private:
  bool checked(bool goes_on, error_code& error) {
    if (goes_on) return true;
    was_stopped_ = true;
    error = bj::make_error_code(bj::error::syntax);
    return false;
  }
  bool append(Part part, error_code& error) {
    if (text_.size() + part.size() > max_string_bytes_) {
      is_too_long_ = true;
      error = bj::make_error_code(bj::error::string_too_large);
      return false;
    }
    text_.append(part.data(), part.size());
    return true;
  }
  std::string_view taken() {
    std::swap(text_, given_);
    text_.clear();
    return given_;
  }

  StreamEvents& events_;
  std::size_t max_string_bytes_;
  std::string text_;
  std::string given_;
  bool was_stopped_ = false;
  bool is_too_long_ = false;
};

bj::parse_options options_for(const StreamLimits& limits) {
  bj::parse_options options;
  options.max_depth = limits.max_depth;
  return options;
}

}  // namespace

struct StreamReader::Impl {
  Impl(StreamEvents& events, const StreamLimits& limits)
      : parser(options_for(limits), events, limits.max_string_bytes) {}

  Result<void> checked(const error_code& error) const {
    if (!error) return {};
    if (parser.handler().was_stopped()) return fail(ErrorCode::Cancelled, "reading was stopped");
    if (parser.handler().is_too_long())
      return fail(ErrorCode::Invalid, "the JSON has a string that is too long");
    if (error == bj::error::incomplete) return fail(ErrorCode::Invalid, "the JSON ends in the middle");
    return fail(ErrorCode::Invalid, fmt::format("byte {}: not JSON: {}", seen, error.message()));
  }

  bj::basic_parser<Listener> parser;
  std::size_t seen = 0;
};

StreamReader::StreamReader(StreamEvents& events, const StreamLimits& limits)
    : impl_(std::make_unique<Impl>(events, limits)) {}
StreamReader::~StreamReader() = default;

Result<void> StreamReader::feed(std::string_view piece) {
  error_code error;
  const std::size_t used = impl_->parser.write_some(true, piece.data(), piece.size(), error);
  impl_->seen += used;
  FAIRWAY_CHECKED(impl_->checked(error));
  // After the document only blanks may follow, and the parser takes those.
  if (used < piece.size())
    return fail(ErrorCode::Invalid, fmt::format("byte {}: text follows the JSON document", impl_->seen));
  return {};
}

Result<void> StreamReader::finish() {
  error_code error;
  impl_->parser.write_some(false, nullptr, 0, error);
  return impl_->checked(error);
}

}  // namespace fairway::json
