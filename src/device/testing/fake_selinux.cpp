// A libselinux for tests: a policy is always loaded, and what is labelled is written down.
#include <cstdlib>
#include <fstream>

extern "C" {

int is_selinux_enabled() {
  return 1;
}

int selinux_restorecon(const char* path, unsigned flags) {
  const char* log = std::getenv("FAKE_SELINUX_LOG");
  if (log == nullptr || *log == '\0') return -1;
  std::ofstream(log, std::ios::app) << path << " " << flags << "\n";
  return 0;
}
}
