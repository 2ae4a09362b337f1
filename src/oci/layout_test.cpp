#include "oci/layout.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/event_loop.hpp"
#include "async/files.hpp"
#include "oci/image.hpp"
#include "oci/testing/archives.hpp"
#include "oci/testing/images.hpp"

namespace fairway::oci {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

const std::vector<PackedFile> kFiles = {{"manifests/b.yaml", "b"}, {"manifests/a.yaml", "a"}};
const Platform kPlatform{.os = "linux", .architecture = "amd64"};

class LayoutTest : public ::testing::Test {
 protected:
  LayoutTest() {
    std::string name = ::testing::TempDir() + "layout-XXXXXX";
    folder = ::mkdtemp(name.data());
  }
  ~LayoutTest() override { std::filesystem::remove_all(folder); }

  Result<std::map<std::string, std::string>> read(const Digest& digest) {
    LayoutTransport transport(folder, pool);
    Registry registry(transport, loop.clock(), {.registry = *RegistryHost::parse("registry.example")});
    auto image = loop.block_on(open_image(registry, "ns/repo", digest, kPlatform));
    if (!image) return std::unexpected(image.error());
    return loop.block_on(
        extract_files({registry, pool}, *std::move(image), {"manifests/a.yaml", "manifests/b.yaml"}));
  }

  async::EventLoop loop;
  async::WorkerPool pool{"layout-test", 1};
  std::string folder;
};

TEST_F(LayoutTest, WhatIsPackedIsRead) {
  const auto image = pack_image("v1", kFiles, kPlatform);
  ASSERT_TRUE(image);
  EXPECT_FALSE(is_layout(folder));
  ASSERT_TRUE(write_layout(folder, {&*image, 1}));
  EXPECT_TRUE(has_in_layout(folder, image->digest()));
  EXPECT_FALSE(has_in_layout(folder, Digest::of("something else")));
  const auto files = read(image->digest());
  ASSERT_TRUE(files) << files.error().describe();
  EXPECT_THAT(*files, ElementsAre(Pair("manifests/a.yaml", "a"), Pair("manifests/b.yaml", "b")));
}

// A digest is signed once and for all: what is packed must not depend on the machine, nor on the day.
TEST_F(LayoutTest, TheDigestFollowsFromTheFiles) {
  const auto image = pack_image("v1", kFiles, kPlatform);
  ASSERT_TRUE(image);
  EXPECT_EQ(image->digest().text(),
            "sha256:938e02af0ae7e889f4e3f20f26abb73976fd7f5f70f2d4d28763b68c15cd1330");
  EXPECT_NE(pack_image("v1", std::span(kFiles).first(1), kPlatform)->digest(), image->digest());
  EXPECT_EQ(pack_image("v2", kFiles, kPlatform)->digest(), image->digest()) << "a tag is no part of it";
}

// As other tools write them: compressed layers, an index for several platforms.
TEST_F(LayoutTest, ReadsWhatOthersWrite) {
  const auto image = [](const std::string& architecture) {
    return testing::make_image({testing::make_tar({{"manifests/a.yaml", architecture}})},
                               testing::Flavour::Oci, architecture);
  };
  const testing::TestImage index = testing::make_index({image("arm64"), image("amd64")});
  testing::write_layout(folder, index, "v1");
  const auto files = read(index.digest());
  ASSERT_TRUE(files) << files.error().describe();
  EXPECT_THAT(*files, ElementsAre(Pair("manifests/a.yaml", "amd64")));
}

TEST_F(LayoutTest, RefusesWhatIsNotThereAndWhatWasChanged) {
  const auto image = pack_image("v1", kFiles, kPlatform);
  ASSERT_TRUE(write_layout(folder, {&*image, 1}));
  EXPECT_EQ(read(Digest::of("something else")).error().code, ErrorCode::NotFound);
  const std::string layer = folder + "/blobs/sha256/" + std::string(Digest::of(image->blobs.back()).hex());
  std::string changed = image->blobs.back();
  changed[600] = 'x';
  ASSERT_TRUE(replace_file(layer, changed));
  EXPECT_THAT(read(image->digest()).error().describe(), HasSubstr("not what was asked for"));
}

}  // namespace
}  // namespace fairway::oci
