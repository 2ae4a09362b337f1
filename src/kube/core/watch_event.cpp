#include "kube/core/watch_event.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/text.hpp"
#include "kube/core/status.hpp"

namespace fairway::kube {
namespace {

using Type = WatchEvent::Type;

constexpr std::array kTypes{Type::Added, Type::Modified, Type::Deleted, Type::Bookmark};

// What has been decoded is cut off the buffer when it outgrows this, not for every event.
constexpr std::size_t kSlack = 64 * 1024;

}  // namespace

std::string_view to_string(WatchEvent::Type type) {
  switch (type) {
    case Type::Added:
      return "ADDED";
    case Type::Modified:
      return "MODIFIED";
    case Type::Deleted:
      return "DELETED";
    case Type::Bookmark:
      return "BOOKMARK";
  }
  FAIRWAY_CHECK(false, "a watch event type outside its enumeration");
}

void WatchDecoder::feed(std::string_view bytes) {
  if (failure_) return;
  if (start_ == buffer_.size() || start_ > kSlack) {
    buffer_.erase(0, start_);
    scanned_ -= start_;
    start_ = 0;
  }
  buffer_.append(bytes);
}

Result<std::optional<WatchEvent>> WatchDecoder::next() {
  if (failure_) return std::unexpected(*failure_);
  for (;;) {
    const auto newline = buffer_.find('\n', scanned_);
    const std::size_t end = std::min(newline, buffer_.size());
    if (end - start_ > max_line_) {
      return std::unexpected(fail_for_good(
          {ErrorCode::Internal,
           fmt::format("expected watch events of at most {} bytes, found a longer one", max_line_)}));
    }
    if (newline == std::string::npos) {
      scanned_ = buffer_.size();
      return std::nullopt;
    }
    const std::string_view line = trim(std::string_view(buffer_).substr(start_, newline - start_));
    start_ = scanned_ = newline + 1;
    if (line.empty()) continue;
    auto event = decode(line);
    if (!event) return std::unexpected(fail_for_good(std::move(event).error()));
    return *std::move(event);
  }
}

Result<void> WatchDecoder::finish() const {
  if (failure_) return std::unexpected(*failure_);
  if (trim(std::string_view(buffer_).substr(start_)).empty()) return {};
  return fail(ErrorCode::Unavailable,
              "expected a whole watch event, found the end of the response in the middle of one");
}

Result<WatchEvent> WatchDecoder::decode(std::string_view line) const {
  static constexpr std::array<std::string_view, 3> kManagedFields{"object", "metadata", "managedFields"};
  json::ParseLimits limits;
  if (managed_fields_ == ManagedFields::LeftOut) limits.left_out = kManagedFields;
  auto parsed = json::parse_object(line, limits);
  if (!parsed) {
    return fail(ErrorCode::Internal, fmt::format("expected a watch event, found {}", parsed.error().message));
  }
  const std::string type(json::get_string(*parsed, {"type"}).value_or(""));
  json::Value* object = json::find(*parsed, {"object"});
  if (object == nullptr || !object->is_object()) {
    // A Status itself, where an intermediary or an older server sends one without its event.
    if (json::get_string(*parsed, {"kind"}) == "Status") return std::unexpected(error_of_response(500, line));
    return fail(ErrorCode::Internal,
                fmt::format("expected a watch event with an object, found {}", quoted(line)));
  }
  if (type == "ERROR") return std::unexpected(error_of_response(500, json::serialize(*object)));
  const auto* const known = std::ranges::find(kTypes, type, [](Type each) { return to_string(each); });
  if (known == kTypes.end()) {
    return fail(ErrorCode::Internal,
                fmt::format("expected a watch event ADDED, MODIFIED, DELETED, BOOKMARK or ERROR, found {}",
                            quoted(type)));
  }
  return WatchEvent{*known, std::move(object->get_object())};
}

Error WatchDecoder::fail_for_good(Error error) {
  failure_ = error;
  buffer_.clear();
  start_ = scanned_ = 0;
  return error;
}

std::string encode_watch_event(WatchEvent::Type type, std::string_view object_json) {
  return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", to_string(type), object_json);
}

}  // namespace fairway::kube
