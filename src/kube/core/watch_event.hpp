// Watch events, decoded from the bytes of a watch response as they arrive.
//
//   decoder.feed(bytes);
//   for (;;) {
//     FAIRWAY_TRY(auto event, decoder.next());   // an error ends the watch: the decoder stays failed
//     if (!event) break;                         // more bytes are needed
//   }
//
// One JSON object a line, of bounded length. An ERROR event is returned as the Error it tells of, after all
// events before it: 410 becomes Gone, which means to list again. No I/O; owned by whoever reads the response.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "json/value.hpp"
#include "kube/core/wire.hpp"

namespace fairway::kube {

struct WatchEvent {
  enum class Type { Added, Modified, Deleted, Bookmark };

  Type type;
  json::Object object;
};

std::string_view to_string(WatchEvent::Type type);  // ADDED, MODIFIED, DELETED, BOOKMARK

class WatchDecoder {
 public:
  static constexpr std::size_t kMaxLine = 16 * 1024 * 1024;

  explicit WatchDecoder(std::size_t max_line = kMaxLine, ManagedFields managed_fields = ManagedFields::Kept)
      : max_line_(max_line), managed_fields_(managed_fields) {}

  void feed(std::string_view bytes);
  // The next whole event; nothing when more bytes are needed.
  Result<std::optional<WatchEvent>> next();
  // At the end of the response: an error when it was cut in the middle of an event.
  Result<void> finish() const;

 private:
  Result<WatchEvent> decode(std::string_view line) const;
  Error fail_for_good(Error error);

  std::size_t max_line_;
  ManagedFields managed_fields_;
  std::string buffer_;
  std::size_t start_ = 0;    // of what is not yet decoded
  std::size_t scanned_ = 0;  // up to here there is no newline
  std::optional<Error> failure_;
};

// One line of a watch response, with its newline; for servers.
std::string encode_watch_event(WatchEvent::Type type, std::string_view object_json);

}  // namespace fairway::kube
