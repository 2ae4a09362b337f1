#include "async/file_watch.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "async/event_loop.hpp"
#include "async/task_group.hpp"

namespace fairway::async {
namespace {

namespace fs = std::filesystem;

class FileWatchTest : public ::testing::Test {
 protected:
  FileWatchTest() {
    std::string name = (fs::temp_directory_path() / "fairway-watch-XXXXXX").string();
    root = ::mkdtemp(name.data());
    fs::create_directories(root / "data" / "channels");
  }
  ~FileWatchTest() override { fs::remove_all(root); }

  void write(const fs::path& path, std::string_view text) { std::ofstream(path) << text; }

  // Waits for the watch; the loop blocks until the change has been told.
  bool is_told(FileWatch& watch) { return loop.block_on(watch.wait()).has_value(); }

  std::unique_ptr<FileWatch> watch(const std::vector<std::string>& paths) {
    return *FileWatch::make(loop.executor(), paths);
  }

  EventLoop loop;
  fs::path root;
};

TEST_F(FileWatchTest, TellsOfAFileWrittenBelowAFolderBeforeTheWait) {
  const auto watched = watch({(root / "data").string()});
  write(root / "data" / "channels" / "a.yaml", "x");
  EXPECT_TRUE(is_told(*watched));
}

TEST_F(FileWatchTest, TellsOfANewFolderAndOfARemovedFile) {
  write(root / "data" / "version", "1");
  const auto first = watch({(root / "data").string()});
  fs::create_directory(root / "data" / "raw");
  EXPECT_TRUE(is_told(*first));
  const auto second = watch({(root / "data").string()});
  fs::remove(root / "data" / "version");
  EXPECT_TRUE(is_told(*second));
}

TEST_F(FileWatchTest, TellsOfAFileThatIsRenamedOverTheWatchedOne) {
  write(root / "releases.jsonl", "old");
  const auto watched = watch({(root / "releases.jsonl").string()});
  write(root / "new", "new");
  fs::rename(root / "new", root / "releases.jsonl");
  EXPECT_TRUE(is_told(*watched));
}

TEST_F(FileWatchTest, TellsOfALinkThatIsTurned) {
  fs::create_directories(root / "one");
  fs::create_directories(root / "two");
  fs::create_directory_symlink(root / "one", root / "current");
  const auto watched = watch({(root / "current").string()});
  fs::create_directory_symlink(root / "two", root / "next");
  fs::rename(root / "next", root / "current");
  EXPECT_TRUE(is_told(*watched));
}

TEST_F(FileWatchTest, OtherFilesBesideTheWatchedOneDoNotCount) {
  write(root / "releases.jsonl", "old");
  const auto watched = watch({(root / "releases.jsonl").string()});
  bool told = false;
  TaskGroup tasks(loop.executor());
  struct Waiting {
    static Task<void> until_told(FileWatch& watch, bool& told) {
      FAIRWAY_CO_CHECKED(co_await watch.wait());
      told = true;
      co_return Result<void>{};
    }
    static Task<void> stop(TaskGroup& tasks) {
      co_await tasks.stop();
      co_return Result<void>{};
    }
  };
  tasks.spawn("wait", Waiting::until_told(*watched, told));
  write(root / "something-else", "x");
  loop.run_until_idle();
  EXPECT_FALSE(told);
  write(root / "releases.jsonl", "new");
  loop.run_until([&] { return told; });
  EXPECT_TRUE(loop.block_on(Waiting::stop(tasks)));
}

TEST_F(FileWatchTest, SaysWhichPathCannotBeWatched) {
  const auto watched = FileWatch::make(loop.executor(), std::vector{(root / "no" / "such").string()});
  ASSERT_FALSE(watched);
  EXPECT_NE(watched.error().message.find("cannot watch"), std::string::npos);
}

}  // namespace
}  // namespace fairway::async
