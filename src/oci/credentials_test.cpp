#include "oci/credentials.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"

namespace fairway::oci {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string auth(std::string_view user_and_password) {
  return encode_base64(user_and_password);
}

std::string config(const std::string& entries) {
  return R"({"auths":{)" + entries + "}}";
}

std::string user_for(const Credentials& credentials, std::string_view host, std::string_view repository) {
  const Credential* found = credentials.find(host, repository);
  return found == nullptr ? "(none)" : found->username;
}

TEST(Credentials, LongestPathFirst) {  // update-service case 46
  const auto read = Credentials::parse(config(
      fmt::format(R"("quay.io":{{"auth":"{}"}},"quay.io/ns":{{"auth":"{}"}},"quay.io/ns/repo":{{"auth":"{}"}},
                     "other.io:5000":{{"auth":"{}"}})",
                  auth("host:1"), auth("ns:2"), auth("repo:3"), auth("port:4"))));
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(user_for(*read, "quay.io", "ns/repo"), "repo");
  EXPECT_EQ(user_for(*read, "quay.io", "ns/repo/deeper"), "repo");
  EXPECT_EQ(user_for(*read, "quay.io", "ns/other"), "ns");
  EXPECT_EQ(user_for(*read, "quay.io", "nsx/repo"), "host");
  EXPECT_EQ(user_for(*read, "quay.io", ""), "host");
  EXPECT_EQ(user_for(*read, "QUAY.io", "x"), "host");
  EXPECT_EQ(user_for(*read, "other.io:5000", "x"), "port");
  EXPECT_EQ(user_for(*read, "other.io", "x"), "(none)");
  EXPECT_EQ(user_for(*read, "evil-quay.io", "ns/repo"), "(none)");
  EXPECT_EQ(user_for(*read, "io", "x"), "(none)");
}

TEST(Credentials, KeysMayBeWrittenAsUrls) {
  for (const std::string key : {"https://quay.io", "https://quay.io/", "https://quay.io/v1/",
                                "http://quay.io/v2", "quay.io/v1/", "Quay.IO"}) {
    const auto read = Credentials::parse(config(fmt::format(R"("{}":{{"auth":"{}"}})", key, auth("u:p"))));
    ASSERT_TRUE(read) << key;
    ASSERT_NE(read->find("quay.io", "a/b"), nullptr) << key;
    EXPECT_EQ(read->find("quay.io", "a/b")->entry, key) << "messages call it as it was written";
  }
  const auto hub = Credentials::parse(
      config(fmt::format(R"("https://index.docker.io/v1/":{{"auth":"{}"}})", auth("u:p"))));
  EXPECT_NE(hub->find("docker.io", "library/nginx"), nullptr);
}

TEST(Credentials, ThePlainSpellingOfAKeyWins) {
  for (const std::string_view order :
       {R"("quay.io":{{"auth":"{0}"}},"https://quay.io/v1/":{{"auth":"{1}"}})",
        R"("https://quay.io/v1/":{{"auth":"{1}"}},"quay.io":{{"auth":"{0}"}})"}) {
    const auto read =
        Credentials::parse(config(fmt::format(fmt::runtime(order), auth("plain:1"), auth("url:2"))));
    EXPECT_EQ(user_for(*read, "quay.io", "x"), "plain");
  }
}

TEST(Credentials, EveryFormOfAnEntry) {
  const auto read = Credentials::parse(
      config(fmt::format(R"("a":{{"auth":"{}"}},"b":{{"username":"u","password":"p"}},
        "c":{{"auth":"{}","identitytoken":"t"}},"d":{{"identitytoken":"t"}},"e":{{}},"f":{{"auth":"{}"}},
        "g":{{"auth":""}})",
                         auth("u:p:with:colons"), auth("<token>:"), auth(std::string("u:p\0\0", 5)))));
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(*read->find("a", ""), (Credential{"a", "u", "p:with:colons", ""}));
  EXPECT_EQ(*read->find("b", ""), (Credential{"b", "u", "p", ""}));
  EXPECT_EQ(*read->find("c", ""), (Credential{"c", "<token>", "", "t"}));
  EXPECT_EQ(*read->find("d", ""), (Credential{"d", "", "", "t"}));
  EXPECT_EQ(read->find("e", ""), nullptr) << "docker writes this when a credential helper has the secret";
  EXPECT_EQ(read->find("f", "")->password, "p");
  EXPECT_EQ(read->find("g", ""), nullptr);
}

TEST(Credentials, TheOlderFileHasItsEntriesAtTheTop) {
  const auto read =
      Credentials::parse(fmt::format(R"({{"https://quay.io":{{"auth":"{}","email":"x"}}}})", auth("u:p")));
  ASSERT_TRUE(read);
  EXPECT_EQ(user_for(*read, "quay.io", "a"), "u");
  EXPECT_EQ(Credentials::parse("{}")->size(), 0U);
  EXPECT_EQ(Credentials::parse(R"({"credsStore":"pass"})")->size(), 0U);
}

TEST(Credentials, AnErrorNamesTheEntryAndNeverTheSecret) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"("quay.io/x":{"auth":"hunter2hunter2!"})", "quay.io/x"},
      {fmt::format(R"("quay.io/x":{{"auth":"{}"}})", auth("hunter2")), "quay.io/x"},
      {fmt::format(R"("quay.io/x":{{"auth":"{}"}})", auth(":hunter2")), "quay.io/x"},
      {fmt::format(R"("quay.io/x":{{"auth":"{}"}})", auth("u:hunter2\r\nX: y")), "control characters"},
      {R"("quay.io/x":{"auth":["hunter2"]})", "quay.io/x"},
      {R"("quay.io/x":"hunter2")", "quay.io/x"},
      {R"("quay.io/x":{"password":"hunter2"})", "no user name"},
      {R"("":{"username":"u","password":"hunter2"})", "name of a registry"},
  };
  for (const auto& [entries, why] : cases) {
    const auto read = Credentials::parse(config(entries));
    ASSERT_FALSE(read) << entries;
    EXPECT_THAT(read.error().describe(), HasSubstr(why)) << entries;
    EXPECT_THAT(read.error().describe(), Not(HasSubstr("hunter2"))) << entries;
  }
  for (const std::string text :
       {"", "hunter2", R"(["hunter2"])", R"({"auths":{"quay.io":{"auth":"hunter2})", R"({"auths":[]})"}) {
    const auto read = Credentials::parse(text);
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().describe(), Not(HasSubstr("hunter2")));
  }
}

TEST(Credentials, GivenByThemselves) {
  Credentials credentials;
  credentials.add("quay.io", "u", "p");
  EXPECT_EQ(user_for(credentials, "quay.io", "a/b"), "u");
}

}  // namespace
}  // namespace fairway::oci
