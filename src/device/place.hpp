// Place: where a device's files are: the settings' paths below a root.
#pragma once

#include <string>
#include <string_view>

#include "device/files.hpp"
#include "device/names.hpp"
#include "device/settings.hpp"

namespace fairway::device {

struct Place {
  Root root = {};
  Settings settings = {};

  std::string data() const { return root.real(settings.data); }
  std::string data_parent() const { return root.real(settings.data_parent()); }
  std::string backups() const { return root.real(settings.backups); }
  std::string in_data(std::string_view name) const { return data() + "/" + std::string(name); }
  std::string in_backups(std::string_view name) const { return backups() + "/" + std::string(name); }
};

// Files of a device have many owners, so root alone may change them. Below another root that belongs to the
// user, such as a simulated device, they are the user's own.
Result<void> check_may_change(const Place& place);

}  // namespace fairway::device
