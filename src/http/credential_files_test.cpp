#include "http/credential_files.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace fairway::http {
namespace {

class CredentialFiles : public ::testing::Test {
 protected:
  CredentialFiles() {
    std::string pattern = ::testing::TempDir() + "credential_files_XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~CredentialFiles() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& text) const {
    const std::string path = folder_ / "file";
    std::ofstream(path) << text;
    return path;
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(CredentialFiles, ATokenIsReadEachTimeWithoutTheBlanksAroundIt) {
  Headers headers;
  ASSERT_TRUE(add_bearer_token(headers, file("first\n")));
  EXPECT_EQ(headers.find("Authorization"), "Bearer first");
  Headers renewed;
  ASSERT_TRUE(add_bearer_token(renewed, file(" second \n")));
  EXPECT_EQ(renewed.find("Authorization"), "Bearer second");
  Headers none;
  ASSERT_TRUE(add_bearer_token(none, ""));
  EXPECT_FALSE(none.find("Authorization"));
  EXPECT_FALSE(add_bearer_token(none, "/there/is/no/such/file"));
}

TEST_F(CredentialFiles, OnlyTlsNeedsAContextAndAWrongFileIsNamed) {
  const Url plain{"http", "127.0.0.1", 1, "/", ""};
  const Url secure{"https", "127.0.0.1", 1, "/", ""};
  EXPECT_EQ(tls_for(plain, "/there/is/no/such/file").value(), nullptr);
  EXPECT_NE(tls_for(secure, "").value(), nullptr);
  const std::string path = file("no certificate");
  const auto wrong = tls_for(secure, path);
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(wrong.error().describe().contains(path)) << wrong.error().describe();
  EXPECT_FALSE(tls_for(secure, "/there/is/no/such/file"));
}

}  // namespace
}  // namespace fairway::http
