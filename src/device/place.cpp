#include "device/place.hpp"

#include <sys/stat.h>
#include <unistd.h>

namespace fairway::device {

Result<void> check_may_change(const Place& place) {
  if (::geteuid() == 0) return {};
  struct stat facts{};
  const bool is_own = !place.root.prefix.empty() && ::stat(place.root.prefix.c_str(), &facts) == 0 &&
                      facts.st_uid == ::geteuid();
  if (is_own) return {};
  return fail(ErrorCode::Forbidden, "command requires root privileges");
}

}  // namespace fairway::device
