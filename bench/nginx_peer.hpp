// NginxPeer: a real nginx that serves files, to measure our servers beside. One worker, kept connections,
// sendfile, open files cached, no access log: as fast as its operators make it.
//
//   FAIRWAY_TRY(auto nginx, bench::NginxPeer::start({{"graph.json", bytes}}, 0));
//   GET http://127.0.0.1:{nginx->port()}/graph.json
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <sys/types.h>

#include "base/result.hpp"

namespace fairway::bench {

class NginxPeer {
 public:
  // Name → bytes, in a folder of its own that goes away with the peer; pinned to one core. A file beside it
  // with .gz at its end is what a client gets that accepts gzip.
  static Result<std::unique_ptr<NginxPeer>> start(const std::map<std::string, std::string>& files, int core);
  ~NginxPeer();
  NginxPeer(const NginxPeer&) = delete;
  NginxPeer& operator=(const NginxPeer&) = delete;

  std::uint16_t port() const { return port_; }
  pid_t pid() const { return worker_; }  // of the worker, which does the work
  void stop();

 private:
  explicit NginxPeer(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Result<void> launch(int core);
  std::string configuration() const;

  std::filesystem::path folder_;
  std::uint16_t port_ = 0;
  pid_t master_ = -1;
  pid_t worker_ = -1;
};

// The processor time that all threads of a process have had.
double cpu_seconds(pid_t process);

}  // namespace fairway::bench
