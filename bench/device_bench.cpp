// A device's backup and restore beside `cp -a --reflink=auto` and `sync -f`, on XFS, btrfs and ext4, and what
// a boot costs that has nothing to do.
//
//   device_bench [ROUNDS] [FILE-SYSTEM...]
//
// Two kinds of data: one file of 600 MiB with 300 of 20 kB, and 100,000 small files. Ours is everything that
// a boot does: measuring the data, probing for clones, journal, copy, sync, exchange, manifest. Both take
// turns in the same run, each begins with everything synced, and the medians' ratio is printed (goal: 1.1).
// File systems are loop mounts of images in FAIRWAY_BENCH_DISK (the current folder otherwise); one that
// cannot be mounted is "not run".
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/clock.hpp"
#include "device/act.hpp"
#include "device/device.hpp"
#include "device/files.hpp"

namespace fairway::device {
namespace {

namespace fs = std::filesystem;

constexpr double kGoal = 1.1;
constexpr double kPreRunGoal = 20e-3;

int shell(const std::string& command) {
  const int status = std::system(fmt::format("{{ {}; }} >/dev/null 2>&1", command).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

template <class Work>
double seconds(const Work& work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

// Of programs that have ended: on a busy machine the wall clock measures the neighbours.
double processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

void must(const Result<void>& done) {
  if (done) return;
  fmt::print(stderr, "device_bench: {}\n", done.error().describe());
  std::exit(1);
}

void write_file(const fs::path& path, std::size_t bytes, unsigned seed) {
  std::ofstream file(path, std::ios::binary);
  std::string block(64 * 1024, '\0');
  std::uint64_t state = seed * 2654435761ULL + 1;
  while (bytes > 0) {
    for (char& byte : block) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      byte = static_cast<char>(state >> 56);
    }
    const std::size_t part = std::min(bytes, block.size());
    file.write(block.data(), static_cast<std::streamsize>(part));
    bytes -= part;
  }
}

// An image with a file system, mounted for as long as this lives.
class Disk {
 public:
  Disk(const fs::path& folder, const std::string& type)
      : image_(folder / (type + ".img")), place_(folder / type) {
    fs::create_directories(place_);
    const std::string quiet = type == "ext4" ? "-q -F -N 1000000" : type == "xfs" ? "-q -m reflink=1" : "-q";
    is_mounted_ = shell(fmt::format("truncate -s 4G {0} && mkfs.{1} {2} {0} && mount -o loop {0} {3}",
                                    image_.string(), type, quiet, place_.string())) == 0;
  }
  Disk(const Disk&) = delete;
  ~Disk() {
    if (is_mounted_) shell(fmt::format("umount {}", place_.string()));
    std::error_code ignored;
    fs::remove(image_, ignored);
  }
  bool is_mounted() const { return is_mounted_; }
  std::string path() const { return place_.string(); }
  void sync() const { shell(fmt::format("sync -f {}", place_.string())); }

 private:
  fs::path image_;
  fs::path place_;
  bool is_mounted_ = false;
};

struct Times {
  std::vector<double> ours = {};
  std::vector<double> peer = {};
};

class CopyBench {
 public:
  explicit CopyBench(const Disk& disk) : disk_(disk), place_{.root = {disk.path()}} {
    fs::remove_all(disk.path() + "/var");
    fs::create_directories(place_.data());
    fs::create_directories(place_.backups());
  }

  const fs::path data() const { return place_.data(); }

  void run(int rounds, const std::string& what) {
    const std::string copy = place_.in_backups("peer");
    Times backup;
    Times restore;
    for (int round = 0; round < rounds; ++round) {
      for (const bool is_ours : {round % 2 == 0, round % 2 != 0}) {
        clean();
        if (is_ours) {
          backup.ours.push_back(timed(
              [&] { must(actor_.act(MakeBackup{.name = "ours", .manifest = {.deployment_id = "ours"}})); }));
          restore.ours.push_back(timed([&] { must(actor_.act(RestoreBackup{"ours"})); }));
        } else {
          backup.peer.push_back(timed([&] { copy_by_cp(place_.data(), copy); }));
          restore.peer.push_back(timed([&] { copy_by_cp(copy, place_.data_parent() + "/peer"); }));
        }
      }
    }
    report(what + ", backup", backup);
    report(what + ", restore", restore);
  }

 private:
  void clean() {
    for (const std::string& path :
         {place_.in_backups("ours"), place_.in_backups("peer"), place_.data_parent() + "/peer"})
      fs::remove_all(path);
    must(actor_.act(RemoveLeftovers{}));
  }
  template <class Work>
  double timed(const Work& work) {
    disk_.sync();
    return seconds(work);
  }
  void copy_by_cp(const std::string& from, const std::string& to) {
    if (shell(fmt::format("cp -a --reflink=auto {} {} && sync -f {}", from, to, to)) != 0) {
      fmt::print(stderr, "device_bench: cp failed\n");
      std::exit(1);
    }
  }
  static void report(const std::string& what, const Times& times) {
    const double ours = median(times.ours);
    const double peer = median(times.peer);
    fmt::print("{:<44}{:>9.3f} s   cp {:>8.3f} s   ratio {:.2f} ({})\n", what, ours, peer, ours / peer,
               ours / peer <= kGoal ? "within the goal" : "above the goal of 1.1");
    std::fflush(stdout);
  }

  const Disk& disk_;
  Place place_;
  SystemClock clock_ = {};
  Actor actor_{place_, clock_, {}};
};

void bench_copies(const fs::path& folder, const std::string& type, int rounds) {
  const Disk disk(folder, type);
  if (!disk.is_mounted()) {
    fmt::print("{}: not run: an image of it cannot be made and mounted here\n", type);
    return;
  }
  {
    CopyBench bench(disk);
    write_file(bench.data() / "db", std::size_t{600} << 20, 1);
    fs::create_directory(bench.data() / "files");
    for (unsigned i = 0; i < 300; ++i) write_file(bench.data() / "files" / std::to_string(i), 20'000, i + 2);
    bench.run(rounds, type + ", 600 MiB and 300 files");
  }
  CopyBench bench(disk);
  for (unsigned i = 0; i < 100'000; ++i) {
    const fs::path parent = bench.data() / fmt::format("d{:03}", i / 100);
    if (i % 100 == 0) fs::create_directory(parent);
    write_file(parent / std::to_string(i), 200 + i % 1800, i);
  }
  bench.run(rounds, type + ", 100,000 small files");
}

// A device whose data was opened in this boot already.
class IdleDevice {
 public:
  explicit IdleDevice(fs::path root) : root_(std::move(root)) {
    const std::string checksum(64, 'a');
    const fs::path links = root_ / "ostree/boot.1/os" / checksum;
    for (const fs::path& each :
         {root_ / "proc/sys/kernel/random", root_ / "run", root_ / "boot/loader/entries", root_ / "var/lib",
          links, root_ / "ostree/deploy/os/deploy" / (checksum + ".0")})
      fs::create_directories(each);
    fs::create_symlink(fmt::format("../../../deploy/os/deploy/{}.0", checksum), links / "0");
    const std::string argument = fmt::format("ostree=/ostree/boot.1/os/{}/0", checksum);
    std::ofstream(root_ / "proc/cmdline") << argument << "\n";
    std::ofstream(root_ / "proc/sys/kernel/random/boot_id") << "01234567-89ab-cdef-0123-456789abcdef\n";
    std::ofstream(root_ / "run/ostree-booted") << "";
    std::ofstream(root_ / "boot/loader/entries/ostree-1-os.conf")
        << "version 1\noptions " << argument << "\n";
    std::ofstream(root_ / "device.yaml") << "version: 4.14.0\n";
  }
  std::string pre_run(const std::string& fairway) const {
    return fmt::format("{0} device pre-run --root {1} --config {1}/device.yaml", fairway, root_.string());
  }

 private:
  fs::path root_;
};

long count_calls(const std::string& command, const fs::path& folder) {
  const fs::path log = folder / "calls";
  if (shell(fmt::format("strace -f -o {} {}", log.string(), command)) != 0) return -1;
  std::ifstream lines(log);
  return std::count(std::istreambuf_iterator<char>(lines), {}, '\n');
}

void bench_pre_run(const fs::path& folder, const std::string& fairway) {
  constexpr int kRuns = 101;
  const IdleDevice device(folder / "device");
  const std::string command = device.pre_run(fairway);
  if (shell(command) != 0) {
    fmt::print("pre-run: not run: {} failed\n", command);
    return;
  }
  std::vector<double> runs;
  std::vector<double> starts;
  double busy = 0;
  for (int i = 0; i < kRuns; ++i) {
    const double before = processor_seconds();
    runs.push_back(seconds([&] { shell("exec " + command); }));
    busy += processor_seconds() - before;
    starts.push_back(seconds([&] { shell("exec /bin/true"); }));
  }
  fmt::print("{:<44}{:>9.1f} ms  processor time {:.1f} ms; a shell and /bin/true {:.1f} ms; goal {:.0f} ms\n",
             "pre-run with nothing to do", median(runs) * 1e3, busy / kRuns * 1e3, median(starts) * 1e3,
             kPreRunGoal * 1e3);
  const long calls = count_calls(command, folder);
  const long start = count_calls(fairway + " device --help", folder);
  if (calls < 0 || start < 0) {
    fmt::print("system calls: not run: there is no strace\n");
  } else {
    fmt::print("{:<44}{:>9}     {} more than --help, which only starts\n", "its system calls", calls,
               calls - start);
  }
}

int run(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  std::vector<std::string> types(argv + std::min(argc, 2), argv + argc);
  if (types.empty()) types = {"xfs", "btrfs", "ext4"};
  const char* disk = std::getenv("FAIRWAY_BENCH_DISK");
  std::string folder = fs::absolute(disk != nullptr ? disk : ".").string() + "/device-bench-XXXXXX";
  if (rounds < 1 || ::mkdtemp(folder.data()) == nullptr) {
    fmt::print(stderr, "usage: device_bench [ROUNDS] [FILE-SYSTEM...]\n");
    return 2;
  }
  if (::geteuid() == 0) {
    for (const std::string& type : types) bench_copies(folder, type, rounds);
  } else {
    fmt::print("copies: not run: mounts and owners need root\n");
  }
  if (const char* fairway = std::getenv("FAIRWAY"); fairway != nullptr && *fairway != '\0') {
    bench_pre_run(folder, fairway);
  } else {
    fmt::print("pre-run: not run: FAIRWAY does not name a binary\n");
  }
  fs::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace fairway::device

int main(int argc, char** argv) {
  return fairway::device::run(argc, argv);
}
