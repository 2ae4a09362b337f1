// StreamReader: JSON read piece by piece, as events, for answers that are too large to hold as a value.
//
// Text arrives in pieces of any size; keys and strings are given whole. Depth and the length of a string are
// bounded. Duplicate keys are not looked for: whoever listens decides what they mean. Pure.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.hpp"

namespace fairway::json {

// False stops the reading; feed() then fails with Cancelled.
class StreamEvents {
 public:
  virtual ~StreamEvents() = default;
  virtual bool begin_object() = 0;
  virtual bool end_object() = 0;
  virtual bool begin_array() = 0;
  virtual bool end_array() = 0;
  virtual bool key(std::string_view name) = 0;
  virtual bool string(std::string_view text) = 0;
  virtual bool number(double value) = 0;
  virtual bool other() = 0;  // true, false, null
};

struct StreamLimits {
  std::size_t max_depth = 32;
  std::size_t max_string_bytes = 64 * 1024;
};

class StreamReader {
 public:
  // `events` outlives the reader.
  explicit StreamReader(StreamEvents& events, const StreamLimits& limits = {});
  ~StreamReader();
  StreamReader(const StreamReader&) = delete;
  StreamReader& operator=(const StreamReader&) = delete;

  Result<void> feed(std::string_view piece);
  // No more comes: an error unless the document is complete.
  Result<void> finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fairway::json
