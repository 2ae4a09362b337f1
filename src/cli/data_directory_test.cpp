#include "cli/data_directory.hpp"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>

namespace fairway::cli {
namespace {

Environment environment(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

class DefaultDataDirectory : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = std::filesystem::temp_directory_path() / "fairway-test-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(directory_);
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(directory_);
  }

  std::filesystem::path directory_;
  std::filesystem::path before_;
};

TEST_F(DefaultDataDirectory, FollowsTheXdgRules) {
  EXPECT_EQ(default_data_directory(environment({{"XDG_DATA_HOME", "/x"}, {"HOME", "/h"}})), "/x/fairway");
  EXPECT_EQ(default_data_directory(environment({{"HOME", "/h"}})), "/h/.local/share/fairway");
  EXPECT_EQ(default_data_directory(environment({})), "fairway-data");
}

TEST_F(DefaultDataDirectory, ALocalOneComesFirst) {
  std::filesystem::create_directory("fairway-data");
  EXPECT_EQ(default_data_directory(environment({{"XDG_DATA_HOME", "/x"}})), "fairway-data");
}

}  // namespace
}  // namespace fairway::cli
