// Runs a program and cuts its power, or lets one of its changes fail, at the k-th system call that changes a
// file.
//
//   device_cut [--barriers] [--kill-at K | --fail-at K --errno N] [--count FILE] -- PROGRAM ARGUMENT...
//
// With --barriers only calls that make something durable count: where what was not synced is lost, a cut
// anywhere between two of them leaves what a cut at the second one leaves.
//
// The program is the real one, unchanged: a seccomp filter hands every such call of it and of its children to
// this process before it happens, which lets it go on, answers with an error, or kills them all. Exit code:
// the program's; 137 when it was killed; 125 when this cannot be done here. FILE gets the number of calls
// that were seen.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr int kCannot = 125;

// Calls that change a file system whatever their arguments are.
constexpr long kAlways[] = {
    SYS_renameat2,    SYS_renameat,     SYS_unlinkat,        SYS_mkdirat,  SYS_symlinkat, SYS_linkat,
    SYS_mknodat,      SYS_fchmod,       SYS_fchmodat,        SYS_fchown,   SYS_fchownat,  SYS_fsetxattr,
    SYS_lsetxattr,    SYS_setxattr,     SYS_utimensat,       SYS_truncate, SYS_ftruncate, SYS_fallocate,
    SYS_fsync,        SYS_fdatasync,    SYS_syncfs,          SYS_sync,     SYS_pwrite64,  SYS_sendfile,
    SYS_fremovexattr, SYS_lremovexattr, SYS_copy_file_range,
#ifdef __x86_64__
    SYS_rename,       SYS_unlink,       SYS_rmdir,           SYS_mkdir,    SYS_symlink,   SYS_link,
    SYS_mknod,        SYS_chmod,        SYS_chown,           SYS_lchown,   SYS_creat,
#endif
};

class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, nr));
    for (const long call : kAlways) notify_if_equal(call);
    // Creating, emptying: by the flags. Writing: to anything but the standard streams. Cloning: one request.
    when(SYS_openat, [&] { notify_if_any_bit(2, O_CREAT | O_TRUNC); });
#ifdef __x86_64__
    when(SYS_open, [&] { notify_if_any_bit(1, O_CREAT | O_TRUNC); });
#endif
    when(SYS_write, [&] { notify_if_above(0, 2); });
    when(SYS_writev, [&] { notify_if_above(0, 2); });
    when(SYS_ioctl, [&] { notify_if_argument(1, FICLONE); });
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }

  sock_fprog program() { return {static_cast<unsigned short>(code_.size()), code_.data()}; }

 private:
  void add(unsigned short code, unsigned value, unsigned char yes = 0, unsigned char no = 0) {
    code_.push_back({code, yes, no, value});
  }
  void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset)); }
  void load_argument(int number) {
    load(offsetof(seccomp_data, args) + 8 * static_cast<std::size_t>(number));  // the lower half
  }
  void notify_if_equal(long value) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(value), 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
  }
  void notify_if_any_bit(int argument, unsigned bits) {
    load_argument(argument);
    add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
  }
  void notify_if_above(int argument, unsigned limit) {
    load_argument(argument);
    add(BPF_JMP | BPF_JGT | BPF_K, limit, 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
  }
  void notify_if_argument(int argument, unsigned long value) {
    load_argument(argument);
    notify_if_equal(static_cast<long>(value));
  }
  template <class F>
  void when(long call, F body) {
    const std::size_t jump = code_.size();
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 0);
    body();
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code_[jump].jf = static_cast<unsigned char>(code_.size() - jump - 1);
  }

  std::vector<sock_filter> code_ = {};
};

bool is_barrier(int call) {
  return call == SYS_fsync || call == SYS_fdatasync || call == SYS_syncfs || call == SYS_sync;
}

struct Options {
  bool only_barriers = false;
  unsigned long kill_at = 0;
  unsigned long fail_at = 0;
  int error = ENOSPC;
  std::string count_file = {};
  std::vector<char*> command = {};
};

[[noreturn]] void cannot(const char* what) {
  std::perror(what);
  std::exit(kCannot);
}

void send_descriptor(int channel, int descriptor) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{.msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  if (::sendmsg(channel, &message, 0) != 1) _exit(kCannot);
}

int receive_descriptor(int channel) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{.msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  if (::recvmsg(channel, &message, MSG_CMSG_CLOEXEC) != 1) return -1;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr) return -1;
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return descriptor;
}

[[noreturn]] void become(const Options& options, int channel) {
  ::setpgid(0, 0);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) _exit(kCannot);
  Filter filter;
  sock_fprog program = filter.program();
  const long listener =
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
  if (listener < 0) _exit(kCannot);
  send_descriptor(channel, static_cast<int>(listener));
  ::execvp(options.command.front(), options.command.data());
  _exit(kCannot);
}

// Answers each call until the last process with the filter has ended; gives how many there were.
unsigned long supervise(const Options& options, int listener, pid_t child) {
  unsigned long count = 0;
  while (true) {
    pollfd waiting{.fd = listener, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, -1) < 0 && errno == EINTR) continue;
    if ((waiting.revents & POLLIN) == 0) return count;
    seccomp_notif call{};
    if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) {
      if (errno == ENOENT || errno == EINTR) continue;
      return count;
    }
    const bool counts = !options.only_barriers || is_barrier(call.data.nr);
    if (counts) ++count;
    if (counts && count == options.kill_at) {
      ::kill(-child, SIGKILL);
      return count;
    }
    seccomp_notif_resp answer{.id = call.id, .val = 0, .error = 0, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    if (counts && count == options.fail_at) {
      answer.flags = 0;
      answer.error = -options.error;
    }
    ::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  }
}

Options read_options(int argc, char** argv) {
  Options options;
  int at = 1;
  for (; at < argc && std::strcmp(argv[at], "--") != 0; at += 2) {
    const std::string name = argv[at];
    if (name == "--barriers") {
      options.only_barriers = true;
      --at;
      continue;
    }
    if (at + 1 >= argc) break;
    if (name == "--kill-at") options.kill_at = std::strtoul(argv[at + 1], nullptr, 10);
    if (name == "--fail-at") options.fail_at = std::strtoul(argv[at + 1], nullptr, 10);
    if (name == "--errno") options.error = std::atoi(argv[at + 1]);
    if (name == "--count") options.count_file = argv[at + 1];
  }
  for (++at; at < argc; ++at) options.command.push_back(argv[at]);
  if (options.command.empty()) {
    std::fputs("device_cut: expected -- PROGRAM\n", stderr);
    std::exit(kCannot);
  }
  options.command.push_back(nullptr);
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = read_options(argc, argv);
  int channel[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0) cannot("socketpair");
  const pid_t child = ::fork();
  if (child < 0) cannot("fork");
  if (child == 0) become(options, channel[1]);
  ::close(channel[1]);
  const int listener = receive_descriptor(channel[0]);
  unsigned long count = 0;
  if (listener >= 0) count = supervise(options, listener, child);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (listener < 0) return kCannot;
  if (!options.count_file.empty()) std::ofstream(options.count_file) << count << "\n";
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
