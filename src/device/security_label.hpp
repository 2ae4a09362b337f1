// PolicyLabels: the labels that a loaded SELinux policy has for paths, as restorecon gives them. Copies keep
// the labels of what they are copies of; this is for the backup folder itself, which nothing is copied to.
//
// libselinux is loaded when it is needed and not linked: a device without SELinux need not have it.
#pragma once

#include <string>

#include "base/result.hpp"

namespace fairway::device {

class PolicyLabels {
 public:
  explicit PolicyLabels(std::string library = "libselinux.so.1", std::string mounted = "/sys/fs/selinux")
      : library_(std::move(library)), mounted_(std::move(mounted)) {}

  // The directory itself, not what is in it. False when no policy is loaded.
  Result<bool> restore(const std::string& path) const;

 private:
  std::string library_;
  std::string mounted_;
};

}  // namespace fairway::device
