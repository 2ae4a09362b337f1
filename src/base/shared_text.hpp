// Text: an immutable string with many readers. A stored object, the lists and the watch events that show it
// share one copy of its bytes.
#pragma once

#include <memory>
#include <string>
#include <utility>

namespace fairway {

using Text = std::shared_ptr<const std::string>;

inline Text share(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

}  // namespace fairway
