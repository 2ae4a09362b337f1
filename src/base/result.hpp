// Result and Error: how every module reports failure.
//
// Exceptions do not cross a module boundary; a function that can fail returns Result<T>. An error's code is
// chosen by what the caller does next, its message says what was expected, what was found and what to do, and
// its context names the places it passed through, innermost first. Whether to try again is decided in one
// place: retry_of(code).
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairway {

enum class ErrorCode {
  NotFound,
  AlreadyExists,
  Conflict,     // what was read has changed since: read again, decide again
  Gone,         // the past that was asked for is no longer kept: start over from now
  Invalid,      // the input is wrong and stays wrong
  Forbidden,    // not allowed, or not known who asks
  Unavailable,  // the peer cannot answer now
  Timeout,
  Cancelled,    // we stopped it ourselves
  Unsupported,  // well-formed, but not something we do
  Internal,     // a defect of ours or of the peer
};

std::string_view to_string(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message;
  std::vector<std::string> context = {};
  std::optional<std::chrono::milliseconds> retry_after = std::nullopt;  // as the peer asked for

  // "while reading 'a.yaml': line 3: expected a mapping, found a list"
  std::string describe() const;
  // The same error, with one more place it passed through.
  Error within(std::string place) &&;
  Error within(std::string place) const&;

  bool operator==(const Error&) const = default;
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

// What to do about an error, as a total function of its code.
enum class Retry {
  Never,    // the same call gives the same answer
  Reread,   // read the current state and decide again, at once
  Restart,  // list again from now, at once
  Backoff,  // the same call later, with growing pauses
};

Retry retry_of(ErrorCode code);

// Impossible states end the process, in release builds too. Input from outside never reaches this.
[[noreturn]] void abort_because(std::string_view reason, const char* file, int line);

}  // namespace fairway

#define FAIRWAY_CHECK(condition, reason)                      \
  do {                                                        \
    if (!(condition)) [[unlikely]]                            \
      ::fairway::abort_because((reason), __FILE__, __LINE__); \
  } while (false)

#define FAIRWAY_CONCAT_INNER(a, b) a##b
#define FAIRWAY_CONCAT(a, b) FAIRWAY_CONCAT_INNER(a, b)

// FAIRWAY_TRY(auto value, expression): the value, or return the error to the caller.
#define FAIRWAY_TRY(declaration, ...) \
  FAIRWAY_TRY_IMPL(return, FAIRWAY_CONCAT(fairway_result_, __COUNTER__), declaration, __VA_ARGS__)
// The same inside a coroutine.
#define FAIRWAY_CO_TRY(declaration, ...) \
  FAIRWAY_TRY_IMPL(co_return, FAIRWAY_CONCAT(fairway_result_, __COUNTER__), declaration, __VA_ARGS__)
#define FAIRWAY_TRY_IMPL(leave, name, declaration, ...) \
  auto name = (__VA_ARGS__);                            \
  if (!name) [[unlikely]]                               \
    leave std::unexpected(std::move(name).error());     \
  declaration = *std::move(name)

// FAIRWAY_CHECKED(expression): for Result<void>.
#define FAIRWAY_CHECKED(...) \
  FAIRWAY_CHECKED_IMPL(return, FAIRWAY_CONCAT(fairway_result_, __COUNTER__), __VA_ARGS__)
#define FAIRWAY_CO_CHECKED(...) \
  FAIRWAY_CHECKED_IMPL(co_return, FAIRWAY_CONCAT(fairway_result_, __COUNTER__), __VA_ARGS__)
#define FAIRWAY_CHECKED_IMPL(leave, name, ...)       \
  if (auto name = (__VA_ARGS__); !name) [[unlikely]] \
  leave std::unexpected(std::move(name).error())
