#include "base/result.hpp"

#include <cstdio>
#include <cstdlib>

namespace fairway {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::NotFound:
      return "NotFound";
    case ErrorCode::AlreadyExists:
      return "AlreadyExists";
    case ErrorCode::Conflict:
      return "Conflict";
    case ErrorCode::Gone:
      return "Gone";
    case ErrorCode::Invalid:
      return "Invalid";
    case ErrorCode::Forbidden:
      return "Forbidden";
    case ErrorCode::Unavailable:
      return "Unavailable";
    case ErrorCode::Timeout:
      return "Timeout";
    case ErrorCode::Cancelled:
      return "Cancelled";
    case ErrorCode::Unsupported:
      return "Unsupported";
    case ErrorCode::Internal:
      return "Internal";
  }
  FAIRWAY_CHECK(false, "an ErrorCode outside its enumeration");
}

Retry retry_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::Conflict:
      return Retry::Reread;
    case ErrorCode::Gone:
      return Retry::Restart;
    case ErrorCode::Unavailable:
    case ErrorCode::Timeout:
    case ErrorCode::Internal:
      return Retry::Backoff;
    case ErrorCode::NotFound:
    case ErrorCode::AlreadyExists:
    case ErrorCode::Invalid:
    case ErrorCode::Forbidden:
    case ErrorCode::Cancelled:
    case ErrorCode::Unsupported:
      return Retry::Never;
  }
  FAIRWAY_CHECK(false, "an ErrorCode outside its enumeration");
}

std::string Error::describe() const {
  std::string text;
  for (auto place = context.rbegin(); place != context.rend(); ++place) text += *place + ": ";
  return text + message;
}

Error Error::within(std::string place) && {
  context.push_back(std::move(place));
  return std::move(*this);
}

Error Error::within(std::string place) const& {
  Error copy = *this;
  copy.context.push_back(std::move(place));
  return copy;
}

void abort_because(std::string_view reason, const char* file, int line) {
  std::fprintf(stderr, "fairway: impossible state: %.*s (%s:%d)\n", static_cast<int>(reason.size()),
               reason.data(), file, line);
  std::abort();
}

}  // namespace fairway
