#include "oci/manifest.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oci/testing/archives.hpp"
#include "oci/testing/images.hpp"

namespace fairway::oci {
namespace {

using testing::Flavour;
using ::testing::HasSubstr;

const std::string kDigest = Digest::of("x").text();

std::string descriptor(const std::string& digest = kDigest, const std::string& size = "1") {
  return fmt::format(
      R"({{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip","digest":"{}","size":{}}})", digest,
      size);
}

TEST(Manifest, ReadsBothFlavours) {  // update-service case 45
  const std::string lower = "lower";
  const std::string upper = "upper layer";
  for (const Flavour flavour : {Flavour::Docker, Flavour::Oci}) {
    const auto image = testing::make_image({lower, upper}, flavour);
    for (const std::string& sent_as : {image.media_type, image.media_type + "; charset=utf-8", std::string(),
                                       std::string("application/octet-stream")}) {
      const auto read = parse_manifest(image.text, sent_as);
      ASSERT_TRUE(read) << read.error().describe();
      EXPECT_EQ(read->media_type, image.media_type);
      const auto& manifest = std::get<Manifest>(read->content);
      ASSERT_EQ(manifest.layers.size(), 2U);
      EXPECT_EQ(manifest.layers[0].digest, Digest::of(lower));
      EXPECT_EQ(manifest.layers[1].size, upper.size());
      EXPECT_EQ(layer_format(manifest.layers[0].media_type), LayerFormat::TarGzip);
      EXPECT_TRUE(image.blobs.contains(manifest.config.digest.text()));
    }
    const auto index = testing::make_index({image, testing::make_image({}, flavour, "s390x")}, flavour);
    const auto read = parse_manifest(index.text, index.media_type);
    ASSERT_TRUE(read) << read.error().describe();
    const auto& content = std::get<Index>(read->content);
    ASSERT_EQ(content.manifests.size(), 2U);
    EXPECT_EQ(content.manifests[0].manifest.digest, image.digest());
    EXPECT_EQ(content.manifests[1].platform->to_string(), "linux/s390x");
  }
}

TEST(Manifest, WithoutATypeItsMembersDecide) {
  const auto manifest =
      parse_manifest(fmt::format(R"({{"schemaVersion":2,"config":{0},"layers":[{0}]}})", descriptor()));
  ASSERT_TRUE(manifest) << manifest.error().describe();
  EXPECT_TRUE(std::holds_alternative<Manifest>(manifest->content));
  const auto index = parse_manifest(fmt::format(R"({{"schemaVersion":2,"manifests":[{}]}})", descriptor()));
  ASSERT_TRUE(index) << index.error().describe();
  EXPECT_TRUE(std::holds_alternative<Index>(index->content));
  EXPECT_EQ(std::get<Index>(index->content).manifests[0].platform, std::nullopt);
}

struct BadCase {
  std::string text;
  std::string sent_as;
  ErrorCode code;
  std::string why;
};

TEST(Manifest, SaysWhatIsWrong) {
  const std::string oci = "application/vnd.oci.image.manifest.v1+json";
  const std::string list = "application/vnd.oci.image.index.v1+json";
  const auto with = [](const std::string& members) { return R"({"schemaVersion":2,)" + members + "}"; };
  const std::string image = fmt::format(R"("config":{0},"layers":[{0}])", descriptor());
  std::string many = descriptor();
  for (std::size_t i = 0; i < kMostLayers; ++i) many += "," + descriptor();
  const std::vector<BadCase> cases = {
      {"", "", ErrorCode::Invalid, "manifest"},
      {"[]", "", ErrorCode::Invalid, "object"},
      {R"({"schemaVersion":1,"name":"x","fsLayers":[]})", "", ErrorCode::Unsupported, "schema 1"},
      {with(image), "application/vnd.docker.distribution.manifest.v1+prettyjws", ErrorCode::Unsupported,
       "schema 1"},
      {"{" + image + "}", "", ErrorCode::Invalid, "schemaVersion"},
      {R"({"schemaVersion":3,)" + image + "}", "", ErrorCode::Invalid, "schemaVersion"},
      {with(R"("a":1)"), "", ErrorCode::Invalid, "neither"},
      {with(image + R"(,"manifests":[])"), "", ErrorCode::Invalid, "both"},
      {with(image + R"(,"mediaType":"application/json")"), "", ErrorCode::Unsupported, "application/json"},
      {with(image + R"(,"mediaType":")" + list + R"(")"), "", ErrorCode::Invalid, "otherwise"},
      {with(image), list, ErrorCode::Invalid, "was sent as"},
      {with(R"("manifests":[])"), oci, ErrorCode::Invalid, "was sent as"},
      {with(image + R"(,"mediaType":7)"), "", ErrorCode::Invalid, "mediaType"},
      {with(R"("layers":[])"), "", ErrorCode::Invalid, "the config"},
      {with(R"("config":7,"layers":[])"), "", ErrorCode::Invalid, "the config"},
      {with(fmt::format(R"("config":{},"layers":{{}})", descriptor())), "", ErrorCode::Invalid, "layers"},
      {with(fmt::format(R"("config":{},"layers":[7])", descriptor())), "", ErrorCode::Invalid, "layer 0"},
      {with(fmt::format(R"("config":{},"layers":[{}])", descriptor(), descriptor("sha256:1"))), "",
       ErrorCode::Invalid, "layer 0"},
      {with(fmt::format(R"("config":{},"layers":[{}])", descriptor(), descriptor(kDigest, "-1"))), "",
       ErrorCode::Invalid, "size"},
      {with(fmt::format(R"("config":{},"layers":[{}])", descriptor(), descriptor(kDigest, "1e30"))), "",
       ErrorCode::Invalid, "size"},
      {with(fmt::format(R"("config":{},"layers":[{}])", descriptor(), many)), "", ErrorCode::Invalid,
       "10000"},
      {with(R"("manifests":[{"digest":"x"}])"), "", ErrorCode::Invalid, "manifest 0"},
      {std::string(kMostManifestBytes + 1, ' '), "", ErrorCode::Invalid, "at most"},
  };
  for (const BadCase& each : cases) {
    const auto read = parse_manifest(each.text, each.sent_as);
    const std::string shown = each.text.substr(0, 200);
    ASSERT_FALSE(read) << shown;
    EXPECT_EQ(read.error().code, each.code) << shown;
    EXPECT_THAT(read.error().describe(), HasSubstr(each.why)) << shown;
  }
}

TEST(Manifest, LayerFormats) {
  EXPECT_EQ(layer_format("application/vnd.oci.image.layer.v1.tar"), LayerFormat::Tar);
  EXPECT_EQ(layer_format("application/vnd.oci.image.layer.v1.tar+gzip"), LayerFormat::TarGzip);
  EXPECT_EQ(layer_format("application/vnd.oci.image.layer.v1.tar+zstd"), LayerFormat::TarZstd);
  EXPECT_EQ(layer_format("application/vnd.docker.image.rootfs.diff.tar.gzip"), LayerFormat::TarGzip);
  EXPECT_EQ(layer_format("application/vnd.docker.image.rootfs.foreign.diff.tar.gzip"), LayerFormat::TarGzip);
  EXPECT_EQ(layer_format("application/vnd.docker.image.rootfs.diff.tar"), LayerFormat::Tar);
  for (const char* other :
       {"", "application/vnd.dev.cosign.simplesigning.v1+json", "application/json",
        "application/vnd.oci.image.layer.v1.tar+gzip+encrypted", "application/vnd.in-toto+json"}) {
    ASSERT_FALSE(layer_format(other)) << other;
    EXPECT_EQ(layer_format(other).error().code, ErrorCode::Unsupported);
  }
}

TEST(Manifest, PlatformsOfConfigs) {
  EXPECT_EQ(parse_platform(R"({"architecture":"arm64","os":"linux","variant":"v8"})")->to_string(),
            "linux/arm64/v8");
  EXPECT_EQ(parse_platform(R"({"architecture":"amd64"})")->architecture, "amd64");
  EXPECT_FALSE(parse_platform(R"({"os":"linux"})"));
  EXPECT_FALSE(parse_platform("x"));
  EXPECT_FALSE(parse_platform(R"({"architecture":7})"));
}

TEST(Manifest, APlatformIsServedByOneThatHasAllItAsksFor) {
  const Platform offered{"linux", "arm64", "v8"};
  EXPECT_TRUE((Platform{"linux", "arm64", ""}).is_served_by(offered));
  EXPECT_TRUE((Platform{"", "arm64", "v8"}).is_served_by(offered));
  EXPECT_FALSE((Platform{"linux", "arm64", "v7"}).is_served_by(offered));
  EXPECT_FALSE((Platform{"windows", "arm64", ""}).is_served_by(offered));
}

TEST(Manifest, AttestationsAreNoImages) {
  auto attestation = testing::make_image({}, Flavour::Oci, "unknown");
  const auto index = testing::make_index({testing::make_image({}), attestation});
  const auto read = parse_manifest(index.text);
  ASSERT_TRUE(read);
  const auto images = images_of(std::get<Index>(read->content));
  ASSERT_EQ(images.size(), 1U);
  EXPECT_EQ(images[0].platform->architecture, "amd64");
}

}  // namespace
}  // namespace fairway::oci
