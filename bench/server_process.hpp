// The API server as a process of its own, for benchmarks: the real binary, which FAIRWAY names, with durable
// storage in a folder that goes with it.
#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>

namespace fairway::bench {

class ServerProcess {
 public:
  // Listens on a free port when it returns; ends the program when that fails.
  ServerProcess();
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  std::string kubeconfig() const;
  pid_t pid() const { return pid_; }

 private:
  std::filesystem::path folder_;
  pid_t pid_ = -1;
};

double resident_mib(pid_t pid);
// Of all its threads since it began.
double processor_seconds(pid_t pid);

}  // namespace fairway::bench
