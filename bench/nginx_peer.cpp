#include "nginx_peer.hpp"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store_bench_socket.hpp"

namespace fairway::bench {
namespace {

namespace fs = std::filesystem;

void pause_a_little() {
  ::usleep(10'000);  // a real process is waited for: NOLINT(clock)
}

void pin_to(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(static_cast<std::size_t>(core), &cores);
  ::sched_setaffinity(0, sizeof cores, &cores);
}

std::string read_all(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

Result<std::unique_ptr<NginxPeer>> NginxPeer::start(const std::map<std::string, std::string>& files,
                                                    int core) {
  std::string pattern = (fs::temp_directory_path() / "nginx-peer-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    return fail(ErrorCode::Unavailable, "cannot make a temporary folder");
  std::unique_ptr<NginxPeer> peer(new NginxPeer(pattern));
  fs::permissions(peer->folder_, fs::perms(0755));
  fs::create_directory(peer->folder_ / "files");
  for (const auto& [name, bytes] : files)
    std::ofstream(peer->folder_ / "files" / name, std::ios::binary) << bytes;
  peer->port_ = free_port();
  std::ofstream(peer->folder_ / "nginx.conf") << peer->configuration();
  FAIRWAY_CHECKED(peer->launch(core));
  return peer;
}

std::string NginxPeer::configuration() const {
  return fmt::format(R"(
daemon off;
{2}
worker_processes 1;
error_log {0}/error.log;
pid {0}/nginx.pid;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  sendfile on;
  tcp_nopush on;
  gzip_static on;
  keepalive_requests 1000000000;
  open_file_cache max=1000 inactive=1h;
  open_file_cache_valid 1h;
  default_type application/json;
  client_body_temp_path {0}/body;
  proxy_temp_path {0}/proxy;
  fastcgi_temp_path {0}/fastcgi;
  uwsgi_temp_path {0}/uwsgi;
  scgi_temp_path {0}/scgi;
  server {{
    listen 127.0.0.1:{1};
    root {0}/files;
  }}
}}
)",
                     folder_.string(), port_, ::geteuid() == 0 ? "user root;" : "");
}

Result<void> NginxPeer::launch(int core) {
  const std::string configuration_file = folder_ / "nginx.conf";
  master_ = ::fork();
  if (master_ == 0) {
    pin_to(core);
    const int null = ::open("/dev/null", O_WRONLY);
    ::dup2(null, STDERR_FILENO);
    ::execlp("nginx", "nginx", "-c", configuration_file.c_str(), nullptr);
    ::execl("/usr/sbin/nginx", "nginx", "-c", configuration_file.c_str(), nullptr);
    ::_exit(127);
  }
  for (int i = 0; i < 500; ++i) {
    if (::waitpid(master_, nullptr, WNOHANG) == master_) {
      master_ = -1;
      return fail(ErrorCode::Unavailable,
                  fmt::format("nginx ended at once: {}", read_all(folder_ / "error.log")));
    }
    const std::string children = read_all(fmt::format("/proc/{0}/task/{0}/children", master_));
    if (!children.empty() && Connection::open(port_)) {
      worker_ = static_cast<pid_t>(std::strtol(children.c_str(), nullptr, 10));
      return {};
    }
    pause_a_little();
  }
  return fail(ErrorCode::Timeout, "nginx did not begin to listen within five seconds");
}

NginxPeer::~NginxPeer() {
  stop();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void NginxPeer::stop() {
  if (master_ < 0) return;
  ::kill(master_, SIGTERM);
  ::waitpid(master_, nullptr, 0);
  master_ = -1;
}

double cpu_seconds(pid_t process) {
  double nanoseconds = 0;
  std::error_code ignored;
  for (const auto& task : fs::directory_iterator(fmt::format("/proc/{}/task", process), ignored)) {
    std::ifstream file(task.path() / "schedstat");
    double running = 0;
    file >> running;
    nanoseconds += running;
  }
  return nanoseconds / 1e9;
}

}  // namespace fairway::bench
