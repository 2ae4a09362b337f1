#include "oci/reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairway::oci {
namespace {

using ::testing::HasSubstr;

const std::string kDigest = Digest::of("x").text();

struct ReferenceCase {
  std::string text;
  std::string host;
  std::optional<std::uint16_t> port;
  bool is_plain;
  std::string repository;
  std::string tag;
  bool has_digest;
};

TEST(Reference, ReadsEveryForm) {
  const std::vector<ReferenceCase> cases = {
      {"quay.io/openshift-release-dev/ocp-release:4.7.4-x86_64",
       "quay.io",
       {},
       false,
       "openshift-release-dev/ocp-release",
       "4.7.4-x86_64",
       false},
      {"quay.io/a/b", "quay.io", {}, false, "a/b", "", false},
      {"quay.io/a", "quay.io", {}, false, "a", "", false},
      {"quay.io/a@" + kDigest, "quay.io", {}, false, "a", "", true},
      {"quay.io/a/b/c/d:v1@" + kDigest, "quay.io", {}, false, "a/b/c/d", "v1", true},
      {"localhost:5000/a:b", "localhost", 5000, false, "a", "b", false},
      {"http://127.0.0.1:5000/ns/repo:t", "127.0.0.1", 5000, true, "ns/repo", "t", false},
      {"https://Quay.IO/a", "quay.io", {}, false, "a", "", false},
      {"[::1]:5000/a/b:t", "::1", 5000, false, "a/b", "t", false},
      {"http://[2001:DB8::1]/a", "2001:db8::1", {}, true, "a", "", false},
      {"r/a__b.c-d---e_f/x0", "r", {}, false, "a__b.c-d---e_f/x0", "", false},
      {"docker.io/nginx:1", "docker.io", {}, false, "library/nginx", "1", false},
  };
  for (const ReferenceCase& each : cases) {
    const auto read = Reference::parse(each.text);
    ASSERT_TRUE(read) << each.text << ": " << read.error().describe();
    EXPECT_EQ(read->registry, (RegistryHost{each.host, each.port, each.is_plain})) << each.text;
    EXPECT_EQ(read->repository, each.repository) << each.text;
    EXPECT_EQ(read->tag, each.tag) << each.text;
    EXPECT_EQ(read->digest.has_value(), each.has_digest) << each.text;
    EXPECT_EQ(Reference::parse(read->to_string()), *read) << each.text << " does not read back";
  }
}

TEST(Reference, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "repository is missing"},
      {"quay.io", "repository is missing"},
      {"quay.io/", "not a repository"},
      {"quay.io//a", "not a repository"},
      {"quay.io/A", "lower-case"},
      {"quay.io/a..b", "not a repository"},
      {"quay.io/a___b", "not a repository"},
      {"quay.io/a-", "not a repository"},
      {"quay.io/a/../b", "not a repository"},
      {"quay.io/a?b=c", "not a repository"},
      {"quay.io/a b", "not a repository"},
      {"quay.io/a:", "not a tag"},
      {"quay.io/a:-x", "not a tag"},
      {"quay.io/a:x/y", "not a tag"},
      {"quay.io/a:" + std::string(129, 'x'), "not a tag"},
      {"quay.io/a@sha256:123", "expected a digest"},
      {"quay.io:0/a", "the port"},
      {"quay.io:99999/a", "the port"},
      {"quay.io:/a", "the port"},
      {"[::1/a", "bracket"},
      {"[::1]5000/a", "port is expected"},
      {"[nonsense]/a", "IPv6"},
      {"user@quay.io/a", "not a host name"},
      {"ftp://quay.io/a", "neither http nor https"},
      {"oci://quay.io/a", "neither http nor https"},
      {"/a", "not a host name"},
      {"quay.io/" + std::string(256, 'a'), "not a repository"},
  };
  for (const auto& [text, why] : cases) {
    const auto read = Reference::parse(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::Invalid) << text;
    EXPECT_THAT(read.error().describe(), HasSubstr(why)) << text;
  }
}

TEST(Reference, APayloadHasNoScheme) {
  const auto reference = *Reference::parse("http://[::1]:5000/ns/repo:4.7");
  EXPECT_EQ(payload_of(reference.registry, reference.repository, Digest::of("x")),
            "[::1]:5000/ns/repo@" + kDigest);
}

TEST(Reference, TheHostKnowsWhereToAsk) {
  EXPECT_EQ(RegistryHost::parse("quay.io")->url("/v2/").origin(), "https://quay.io:443");
  EXPECT_EQ(RegistryHost::parse("http://localhost")->url("/v2/").origin(), "http://localhost:80");
  EXPECT_EQ(RegistryHost::parse("http://localhost:5000/")->url("/v2/").origin(), "http://localhost:5000");
  EXPECT_EQ(RegistryHost::parse("docker.io")->url("/v2/").host, "registry-1.docker.io");
  EXPECT_EQ(RegistryHost::parse("docker.io")->authority(), "docker.io");
  EXPECT_FALSE(RegistryHost::parse("quay.io/ns"));
  EXPECT_FALSE(RegistryHost::parse(""));
}

}  // namespace
}  // namespace fairway::oci
