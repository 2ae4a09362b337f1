#include "cloud/fingerprint.hpp"

#include <fmt/format.h>

namespace fairway::cloud {

std::string fingerprint_text(std::string_view text) {
  return fmt::format("{:016x}", fingerprint(text));
}

}  // namespace fairway::cloud
