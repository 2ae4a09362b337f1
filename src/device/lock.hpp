// Lock: one operation at a time on a device. The lock is the kernel's and ends with the process, however that
// ends; the file only says who has it.
#pragma once

#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "device/files.hpp"

namespace fairway::device {

class OperationLock {
 public:
  // Unavailable, naming the holder, when it is not free within `wait`.
  static Result<OperationLock> take(const std::string& path, const std::string& verb, const Clock& clock,
                                    Duration wait);

 private:
  explicit OperationLock(Descriptor file) : file_(std::move(file)) {}
  Descriptor file_;
};

}  // namespace fairway::device
