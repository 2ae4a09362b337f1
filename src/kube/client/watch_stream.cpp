#include "kube/client/watch_stream.hpp"

namespace fairway::kube {

Task<std::optional<WatchEvent>> WatchStream::next() {
  for (;;) {
    FAIRWAY_CO_TRY(auto event, decoder_.next());
    if (event) co_return event;
    FAIRWAY_CO_TRY(const std::string bytes, co_await response_->read(read_timeout_));
    if (bytes.empty()) {
      FAIRWAY_CO_CHECKED(decoder_.finish());
      co_return std::nullopt;
    }
    decoder_.feed(bytes);
  }
}

}  // namespace fairway::kube
