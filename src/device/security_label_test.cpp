#include "device/security_label.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "device/files.hpp"

namespace fairway::device {
namespace {

namespace fs = std::filesystem;

class PolicyLabelsTest : public testing::Test {
 protected:
  PolicyLabelsTest() {
    std::string name = (fs::temp_directory_path() / "fairway-labels-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
    std::ofstream(folder_ / "enforce") << "1";
    fake_logs_to(log());
  }
  ~PolicyLabelsTest() override {
    fake_logs_to("");
    fs::remove_all(folder_);
  }
  // The fake library's only setting; without a log it refuses. No other thread runs here.
  static void fake_logs_to(const std::string& path) {
    ::setenv("FAKE_SELINUX_LOG", path.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  }
  std::string log() const { return (folder_ / "log").string(); }

  fs::path folder_;
};

TEST_F(PolicyLabelsTest, LabelsTheDirectoryItself) {
  const auto done = PolicyLabels(FAKE_SELINUX, folder_.string()).restore("/var/lib/app.bak");
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_TRUE(*done);
  EXPECT_EQ(read_if_exists(log(), 100).value(), "/var/lib/app.bak 0\n") << "0: not what is in it";
}

TEST_F(PolicyLabelsTest, WithoutAPolicyNothingIsDone) {
  fs::remove(folder_ / "enforce");
  EXPECT_FALSE(PolicyLabels(FAKE_SELINUX, folder_.string()).restore("/x").value());
  EXPECT_FALSE(PolicyLabels("there is no such library", folder_.string()).restore("/x").value());
  EXPECT_FALSE(fs::exists(log()));
}

TEST_F(PolicyLabelsTest, APolicyWithoutItsLibraryIsAnError) {
  EXPECT_EQ(PolicyLabels("there is no such library", folder_.string()).restore("/x").error().code,
            ErrorCode::Unsupported);
  fake_logs_to("");
  EXPECT_FALSE(PolicyLabels(FAKE_SELINUX, folder_.string()).restore("/x")) << "what it refuses is an error";
}

}  // namespace
}  // namespace fairway::device
