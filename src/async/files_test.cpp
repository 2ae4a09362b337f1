#include "async/files.hpp"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace fairway {
namespace {

namespace fs = std::filesystem;

class FilesTest : public ::testing::Test {
 protected:
  FilesTest() : before_(fs::current_path()) {
    std::string name = (fs::temp_directory_path() / "fairway-files-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    fs::current_path(folder_);
  }
  ~FilesTest() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }

  fs::path before_;
  fs::path folder_;
};

TEST_F(FilesTest, ANameAloneIsInTheCurrentFolder) {
  ASSERT_TRUE(replace_file("name", "one"));
  ASSERT_TRUE(replace_file("name", "two"));
  EXPECT_EQ(*read_file("name"), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "nothing is left beside it";
}

TEST_F(FilesTest, AFileIsReplacedForItsOwnerOnly) {
  ASSERT_TRUE(replace_file((folder_ / "secret").string(), "text"));
  const auto allowed = fs::status(folder_ / "secret").permissions();
  EXPECT_EQ(allowed & (fs::perms::group_all | fs::perms::others_all), fs::perms::none);
}

TEST_F(FilesTest, ASymbolicLinkStays) {
  ASSERT_TRUE(replace_file("target", "old"));
  fs::create_symlink("target", "link");
  ASSERT_TRUE(replace_file("link", "new"));
  EXPECT_TRUE(fs::is_symlink("link"));
  EXPECT_EQ(*read_file("target"), "new");
}

TEST_F(FilesTest, FailuresTellWhatToDoNext) {
  EXPECT_EQ(read_file("none").error().code, ErrorCode::NotFound);
  ASSERT_TRUE(replace_file("large", "12345"));
  EXPECT_EQ(read_file("large", 4).error().code, ErrorCode::Invalid);
  EXPECT_FALSE(replace_file("no/such/folder/file", "x"));
}

}  // namespace
}  // namespace fairway
