// The copier, the digest and the durable files, on a real file system.
#include "device/tree_copy.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "device/files.hpp"
#include "device/space.hpp"
#include "device/tree_digest.hpp"

namespace fairway::device {
namespace {

namespace fs = std::filesystem;

class TreeCopy : public testing::Test {
 protected:
  TreeCopy() {
    std::string name = (fs::temp_directory_path() / "fairway-device-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
    fs::create_directory(folder_ / "from");
  }
  ~TreeCopy() override { fs::remove_all(folder_); }

  void write(const std::string& name, std::string_view text) { std::ofstream(from(name)) << text; }
  std::string from(const std::string& name = "") const { return (folder_ / "from" / name).string(); }
  std::string to(const std::string& name = "") const { return (folder_ / "to" / name).string(); }
  std::string digest(const fs::path& path) { return digest_tree(path.string()).value().text; }
  Result<CopyReport> copy() { return copy_tree((folder_ / "from").string(), (folder_ / "to").string()); }
  static struct stat facts(const std::string& path) { return stat_if_exists(path).value().value(); }

  fs::path folder_;
};

TEST_F(TreeCopy, IsExact) {
  write("a", "text");
  fs::create_directories(from("d/e"));
  write("d/e/b", std::string(100'000, 'x'));
  fs::create_hard_link(from("a"), from("d/second-name"));
  fs::create_symlink("../a", from("d/link"));
  fs::create_symlink("nowhere", from("dangling"));
  ASSERT_EQ(::mkfifo(from("pipe").c_str(), 0640), 0);
  ::chmod(from("a").c_str(), 04711);
  ::chmod(from("d").c_str(), 01750);
  const timespec times[2] = {{1'000'000, 1}, {2'000'000, 123'456'789}};
  ASSERT_EQ(::utimensat(AT_FDCWD, from("d/e/b").c_str(), times, 0), 0);
  ASSERT_EQ(::utimensat(AT_FDCWD, from("d/e").c_str(), times, 0), 0);
  const auto report = copy();
  ASSERT_TRUE(report) << report.error().describe();
  EXPECT_EQ(report->files, 6U);
  EXPECT_EQ(report->directories, 3U);
  EXPECT_EQ(report->special, 1U);
  EXPECT_EQ(report->bytes, 100'004U);
  EXPECT_EQ(digest(folder_ / "to"), digest(folder_ / "from"));
  EXPECT_EQ(facts(to("a")).st_ino, facts(to("d/second-name")).st_ino) << "hard links stay one file";
  EXPECT_EQ(facts(to("a")).st_mode & 07777, 04711U);
  EXPECT_EQ(facts(to("d/e/b")).st_mtim.tv_nsec, 123'456'789);
  EXPECT_EQ(facts(to("d/e")).st_mtim.tv_sec, 2'000'000);
}

TEST_F(TreeCopy, KeepsHoles) {
  write("sparse", "begin");
  ASSERT_EQ(::truncate(from("sparse").c_str(), 64 * 1024 * 1024), 0);
  {
    const int file = ::open(from("sparse").c_str(), O_WRONLY);
    ASSERT_EQ(::pwrite(file, "end", 3, 40 * 1024 * 1024), 3);
    ::close(file);
  }
  const auto report = copy();
  ASSERT_TRUE(report) << report.error().describe();
  EXPECT_EQ(digest(folder_ / "to"), digest(folder_ / "from"));
  EXPECT_LE(facts(to("sparse")).st_blocks, 4096) << "64 MiB of nothing take no 64 MiB";
  EXPECT_EQ(facts(to("sparse")).st_size, 64 * 1024 * 1024);
}

TEST_F(TreeCopy, KeepsAttributesAndLosesInheritedOnes) {
  write("a", "text");
  if (::setxattr(from("a").c_str(), "user.note", "kept", 4, 0) != 0)
    GTEST_SKIP() << "no user attributes here";
  const bool is_root = ::geteuid() == 0;
  if (is_root) {
    ASSERT_EQ(::setxattr(from("a").c_str(), "trusted.note", "t", 1, 0), 0);
    ASSERT_EQ(
        ::setxattr(from("a").c_str(), "security.selinux", "system_u:object_r:container_var_lib_t:s0", 40, 0),
        0);
    ASSERT_EQ(::chown(from("a").c_str(), 4711, 815), 0);
  }
  ASSERT_TRUE(copy());
  EXPECT_EQ(digest(folder_ / "to"), digest(folder_ / "from"));
  char value[8] = {};
  EXPECT_EQ(::getxattr(to("a").c_str(), "user.note", value, sizeof value), 4);
  if (is_root) EXPECT_EQ(facts(to("a")).st_uid, 4711U);
  ASSERT_EQ(::setxattr(to("a").c_str(), "user.note", "else", 4, 0), 0);
  EXPECT_NE(digest(folder_ / "to"), digest(folder_ / "from")) << "the digest sees attributes";
}

TEST_F(TreeCopy, MakesSocketsAndDevicesAnew) {
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  from("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ::close(listener);
  const bool has_device = ::mknod(from("null").c_str(), S_IFCHR | 0666, 0x103) == 0;
  const auto report = copy();
  ASSERT_TRUE(report) << report.error().describe();
  EXPECT_EQ(report->special, has_device ? 2U : 1U);
  EXPECT_TRUE(S_ISSOCK(facts(to("socket")).st_mode));
  EXPECT_EQ(digest(folder_ / "to"), digest(folder_ / "from"));
}

TEST_F(TreeCopy, NoticesAChangeMeanwhile) {
  write("a", "one");
  write("b", "two");
  const auto report =
      copy_tree((folder_ / "from").string(), (folder_ / "to").string(), [&](const CopyReport& so_far) {
        if (so_far.files == 1) write("c", "new");
      });
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::Conflict) << report.error().describe();
}

TEST_F(TreeCopy, WantsAFreePlace) {
  fs::create_directory(folder_ / "to");
  EXPECT_EQ(copy().error().code, ErrorCode::AlreadyExists);
}

TEST_F(TreeCopy, TheDigestSeesEveryDifference) {
  write("a", "text");
  const std::string before = digest(folder_ / "from");
  fs::rename(from("a"), from("b"));
  EXPECT_NE(digest(folder_ / "from"), before);
  fs::rename(from("b"), from("a"));
  ::chmod(from("a").c_str(), 0611);
  EXPECT_NE(digest(folder_ / "from"), before);
}

TEST_F(TreeCopy, SpaceCountsBlocksAndSecondNamesOnce) {
  write("sparse", "x");
  ASSERT_EQ(::truncate(from("sparse").c_str(), std::int64_t{1} << 40), 0);
  write("a", std::string(1024 * 1024, 'x'));
  fs::create_hard_link(from("a"), from("b"));
  const auto size = measure_tree(from(), folder_.string());
  ASSERT_TRUE(size);
  EXPECT_EQ(size->entries, 3U);
  EXPECT_LT(size->allocated, 3U * 1024 * 1024);
  EXPECT_TRUE(check_space(*size, folder_.string(), "create a backup"));
  const auto refused =
      check_space({.allocated = std::uint64_t{1} << 60}, folder_.string(), "create a backup");
  ASSERT_FALSE(refused);
  EXPECT_TRUE(
      refused.error().message.starts_with("not enough disk space in \"" + folder_.string() +
                                          "\" to create a backup: required=1209462790554M available="))
      << refused.error().message;
  EXPECT_EQ(needed_bytes({.entries = 10, .allocated = std::uint64_t{1} << 40, .can_clone = true}),
            10 * 4096 + 16 * 1024 * 1024U);
}

TEST_F(TreeCopy, FilesAreReplacedAndTreesExchanged) {
  const std::string path = (folder_ / "file").string();
  const std::string draft = (folder_ / "draft").string();
  ASSERT_TRUE(replace_file(path, draft, "one", 0600));
  std::ofstream(draft) << "left behind";
  ASSERT_TRUE(replace_file(path, draft, "two", 0600));
  EXPECT_EQ(read_if_exists(path, 100).value(), "two");
  EXPECT_FALSE(fs::exists(draft));
  EXPECT_FALSE(read_if_exists(path, 2));
  EXPECT_FALSE(read_if_exists(folder_.string(), 100)) << "a directory is not absent";
  EXPECT_EQ(read_if_exists(path + "x", 100).value(), std::nullopt);
  fs::create_directory(folder_ / "new");
  std::ofstream(folder_ / "new" / "n") << "";
  write("o", "");
  ASSERT_TRUE(
      put_in_place((folder_ / "new").string(), (folder_ / "from").string(), (folder_ / "spare").string()));
  EXPECT_TRUE(fs::exists(folder_ / "from" / "n"));
  EXPECT_TRUE(fs::exists(folder_ / "new" / "o"));
  ASSERT_TRUE(remove_tree((folder_ / "new").string()));
  EXPECT_FALSE(fs::exists(folder_ / "new"));
  ASSERT_TRUE(
      put_in_place((folder_ / "from").string(), (folder_ / "empty").string(), (folder_ / "spare").string()));
  EXPECT_TRUE(fs::exists(folder_ / "empty" / "n"));
}

}  // namespace
}  // namespace fairway::device
