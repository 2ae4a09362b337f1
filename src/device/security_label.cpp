#include "device/security_label.hpp"

#include <cerrno>
#include <dlfcn.h>
#include <fmt/format.h>
#include <memory>

#include "base/text.hpp"
#include "device/files.hpp"

namespace fairway::device {
namespace {

using Enabled = int (*)();
using Restorecon = int (*)(const char* path, unsigned flags);

template <class F>
F symbol(void* library, const char* name) {
  return reinterpret_cast<F>(::dlsym(library, name));
}

}  // namespace

Result<bool> PolicyLabels::restore(const std::string& path) const {
  FAIRWAY_TRY(const auto policy, stat_if_exists(mounted_ + "/enforce"));
  if (!policy) return false;
  const std::unique_ptr<void, int (*)(void*)> library(::dlopen(library_.c_str(), RTLD_NOW | RTLD_LOCAL),
                                                      &::dlclose);
  const auto enabled = library ? symbol<Enabled>(library.get(), "is_selinux_enabled") : nullptr;
  const auto restorecon = library ? symbol<Restorecon>(library.get(), "selinux_restorecon") : nullptr;
  if (enabled == nullptr || restorecon == nullptr)
    return fail(ErrorCode::Unsupported,
                fmt::format("a policy is loaded, and {} cannot be used to label {}", library_, quoted(path)));
  if (enabled() != 1) return false;
  if (restorecon(path.c_str(), 0) != 0) return system_failure("label", path);
  return true;
}

}  // namespace fairway::device
