#include "server_process.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <signal.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.hpp"

namespace fairway::bench {
namespace {

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "{}\n", why);
  std::exit(1);
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

ServerProcess::ServerProcess() {
  const char* binary = std::getenv("FAIRWAY");
  if (binary == nullptr) give_up("expected the binary's name in FAIRWAY");
  std::string name = (std::filesystem::temp_directory_path() / "fairway-bench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) give_up("no temporary folder could be made");
  folder_ = name;
  const std::filesystem::path kubeconfig = folder_ / "kubeconfig";
  pid_ = ::fork();
  if (pid_ == 0) {
    const int null = ::open("/dev/null", O_WRONLY);
    ::dup2(null, STDERR_FILENO);
    ::dup2(null, STDOUT_FILENO);
    ::execl(binary, "fairway", "apiserver", "--listen", "127.0.0.1:0", "--data", (folder_ / "data").c_str(),
            "--write-kubeconfig", kubeconfig.c_str(), nullptr);
    ::_exit(127);
  }
  while (!std::filesystem::exists(kubeconfig) || std::filesystem::file_size(kubeconfig) == 0) {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_) give_up("the server ended at once");
    ::usleep(1000);  // measures a real process from outside: NOLINT(clock)
  }
}

ServerProcess::~ServerProcess() {
  ::kill(pid_, SIGTERM);
  ::waitpid(pid_, nullptr, 0);
  std::filesystem::remove_all(folder_);
}

std::string ServerProcess::kubeconfig() const {
  return read_file(folder_ / "kubeconfig");
}

double resident_mib(pid_t pid) {
  const std::string status = read_file(fmt::format("/proc/{}/status", pid));
  const auto at = status.find("VmRSS:");
  return static_cast<double>(*parse_unsigned(split_words(status.substr(at + 6))[0])) / 1024;
}

double processor_seconds(pid_t pid) {
  const std::string stat = read_file(fmt::format("/proc/{}/stat", pid));
  // The name, in brackets, may have blanks; the times are the twelfth and thirteenth word after it.
  const auto words = split_words(std::string_view(stat).substr(stat.rfind(')') + 1));
  const auto ticks = *parse_unsigned(words[11]) + *parse_unsigned(words[12]);
  return static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace fairway::bench
