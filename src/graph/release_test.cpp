#include "graph/release.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairway::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kLine =
    R"({"payload":"r.example.com/rel@sha256:ab","architecture":"amd64","release-metadata":{"kind":"cincinnati-metadata-v0",)"
    R"("version":"4.7.4+build","previous":["4.6.23","4.7.0+x"],"next":["4.8.0"],"metadata":{"url":"https://e.example.com"},"unknown":1}})";

TEST(ReleaseMetadata, ReadsWhatAnImageCarries) {
  const auto list = read_releases(std::string(kLine) + "\n\n");
  ASSERT_TRUE(list) << list.error().describe();
  ASSERT_EQ(list->releases.size(), 1U);
  const Release& release = list->releases.front();
  EXPECT_EQ(release.version.to_string(), "4.7.4+amd64") << "the build part is replaced by the architecture";
  EXPECT_THAT(release.previous, ElementsAre("4.6.23", "4.7.0"));
  EXPECT_THAT(release.next, ElementsAre("4.8.0"));
  EXPECT_EQ(release.metadata.at("url"), "https://e.example.com");
  EXPECT_EQ(release.metadata.at(std::string(key::kArch)), "amd64");
  EXPECT_EQ(release.metadata.at(std::string(key::kManifestRef)), "sha256:ab");
}

TEST(ReleaseMetadata, WritesTheFormThatItReads) {
  const auto list = read_releases(kLine);
  ASSERT_TRUE(list);
  const auto again = read_releases(to_jsonl(list->releases));
  ASSERT_TRUE(again) << again.error().describe();
  EXPECT_EQ(to_jsonl(again->releases), to_jsonl(list->releases));
  EXPECT_EQ(again->releases.front().version, list->releases.front().version);
}

TEST(ReleaseMetadata, Case38_OneArchitecturesPartOfAMultiReleaseIsDropped) {
  ReleaseMetadata metadata{.version = *SemVer::parse("4.11.0")};
  metadata.metadata["release.openshift.io/architecture"] = "multi";
  EXPECT_FALSE(make_release(metadata, "amd64", "r@sha256:1"));
  EXPECT_TRUE(make_release(metadata, "multi", "r@sha256:1"));
}

TEST(ReleaseMetadata, Case36And37_ArchitectureOfAManifestList) {
  EXPECT_EQ(image_architecture(std::vector<std::string>{"amd64", "arm64", "ppc64le", "s390x"}), "multi");
  EXPECT_EQ(image_architecture(std::vector<std::string>{"arm64"}), "arm64");
  EXPECT_EQ(image_architecture({}), std::nullopt);
}

TEST(ReleaseMetadata, Case43_AnotherKindIsPassedOver) {
  const auto list = read_releases(
      R"({"payload":"r@sha256:1","architecture":"amd64","release-metadata":{"kind":"other","version":"4.7.4"}})");
  ASSERT_TRUE(list);
  EXPECT_TRUE(list->releases.empty());
  ASSERT_EQ(list->findings.size(), 1U);
  EXPECT_EQ(list->findings.front().line, 1U);
  const auto metadata = read_release_metadata(R"({"kind":"other","version":"4.7.4"})");
  ASSERT_FALSE(metadata);
  EXPECT_EQ(metadata.error().code, ErrorCode::Unsupported);
}

struct WrongLine {
  const char* name;
  const char* line;
  const char* message;
};

class WrongReleases : public ::testing::TestWithParam<WrongLine> {};

TEST_P(WrongReleases, AreRefusedWithLineAndReason) {
  const auto list = read_releases(std::string(kLine) + "\n" + GetParam().line);
  ASSERT_FALSE(list);
  EXPECT_THAT(list.error().describe(), HasSubstr("line 2"));
  EXPECT_THAT(list.error().describe(), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, WrongReleases,
    ::testing::Values(
        WrongLine{"NotJson", "{", "end"},
        WrongLine{"NoPayload", R"({"architecture":"amd64"})", "\"payload\""},
        WrongLine{"PayloadByTag", R"({"payload":"r.example.com/rel:4.7","architecture":"amd64"})", "digest"},
        WrongLine{"NoArchitecture", R"({"payload":"r@sha256:1"})", "\"architecture\""},
        WrongLine{"OddArchitecture", R"({"payload":"r@sha256:1","architecture":"x86_64"})", "x86_64"},
        WrongLine{"NoMetadata", R"({"payload":"r@sha256:1","architecture":"amd64"})", "release-metadata"},
        WrongLine{
            "VersionNotSemVer",
            R"({"payload":"r@sha256:1","architecture":"amd64","release-metadata":{"kind":"cincinnati-metadata-v0","version":"4.7"}})",
            "4.7"},
        WrongLine{
            "NeighbourNotSemVer",
            R"({"payload":"r@sha256:1","architecture":"amd64","release-metadata":{"kind":"cincinnati-metadata-v0","version":"4.7.1","previous":["x"]}})",
            "previous"},
        WrongLine{
            "MetadataNotText",
            R"({"payload":"r@sha256:1","architecture":"amd64","release-metadata":{"kind":"cincinnati-metadata-v0","version":"4.7.1","metadata":{"a":1}}})",
            "expected text"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace fairway::graph
