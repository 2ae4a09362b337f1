#include "oci/image.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "oci/testing/archives.hpp"
#include "oci/testing/fake_registry.hpp"

namespace fairway::oci {
namespace {

using ::testing::ElementsAre;
using testing::Flavour;
using ::testing::HasSubstr;
using testing::make_image;
using testing::make_index;
using testing::make_tar;
using ::testing::Pair;
using testing::Served;
using testing::TarEntry;

using Intercepted = std::optional<Result<Served>>;
using Layers = std::vector<std::vector<TarEntry>>;

const std::string kMetadata = "release-manifests/release-metadata";

// On the real loop, because layers are decoded by real threads; nothing here waits for time.
class ImageTest : public ::testing::Test {
 protected:
  template <class T>
  Result<T> run(Task<T> task) {
    return loop.block_on(std::move(task));
  }

  Image put(const Layers& layers, Flavour flavour = Flavour::Oci) {
    std::vector<std::string> archives;
    for (const auto& entries : layers) archives.push_back(make_tar(entries));
    fake.put("ns/repo", "t", make_image(archives, flavour));
    return *run(open_image(registry, "ns/repo", "t"));
  }

  Result<std::optional<FoundFile>> find(const Image& image) {
    return run(find_in_layers(access(), image, kMetadata,
                              [](const std::string& bytes) { return bytes.starts_with("good"); }));
  }

  std::map<std::string, std::string> tree(const Image& image, Selection selection = {}) {
    std::map<std::string, std::string> files;
    const auto done = run(extract_tree(access(), image, std::move(selection), [&](ImageFile file) {
      EXPECT_TRUE(files.emplace(file.path, file.bytes).second) << "each file once: " << file.path;
      return Result<void>{};
    }));
    EXPECT_TRUE(done) << done.error().describe();
    return files;
  }

  LayerAccess access() { return {registry, pool}; }

  async::EventLoop loop;
  async::WorkerPool pool{"oci-test", 2};
  testing::FakeRegistry fake{loop.clock()};
  Registry registry{fake, loop.clock(), {.registry = *RegistryHost::parse("registry.example:5000")}};
};

TEST_F(ImageTest, ALoneManifestIsTheImage) {
  const Image image = put({{{"a", "1"}}}, Flavour::Docker);
  EXPECT_EQ(image.manifest.layers.size(), 1U);
  EXPECT_TRUE(image.platforms.empty());
  EXPECT_EQ(run(registry.platform_of("ns/repo", image.manifest))->architecture, "amd64");
}

TEST_F(ImageTest, FromAnIndexByPlatformOrTheLast) {  // update-service cases 36 and 37
  for (const Flavour flavour : {Flavour::Docker, Flavour::Oci}) {
    const auto amd64 = make_image({"1"}, flavour, "amd64");
    const auto s390x = make_image({"22"}, flavour, "s390x");
    const auto arm64 = make_image({"333"}, flavour, "arm64");
    const auto index = make_index({amd64, s390x, arm64}, flavour);
    fake.put("ns/repo", "multi", index);
    const auto last = run(open_image(registry, "ns/repo", "multi"));
    ASSERT_TRUE(last) << last.error().describe();
    EXPECT_EQ(last->digest, index.digest()) << "the list's, as a payload needs it";
    EXPECT_EQ(last->manifest.layers[0].size, 3U);
    EXPECT_EQ(last->platform->architecture, "arm64");
    EXPECT_EQ(last->platforms.size(), 3U);
    const auto asked = run(open_image(registry, "ns/repo", "multi", Platform{"linux", "s390x"}));
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->manifest.layers[0].size, 2U);
    const auto missing = run(open_image(registry, "ns/repo", index.digest(), Platform{"linux", "riscv64"}));
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
    EXPECT_THAT(missing.error().describe(), HasSubstr("it has linux/amd64, linux/s390x, linux/arm64"));
  }
}

TEST_F(ImageTest, AnIndexInAnIndexIsRefused) {
  const auto inner = make_index({make_image({})});
  fake.put("ns/repo", "nested", make_index({inner}));
  const auto image = run(open_image(registry, "ns/repo", "nested"));
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, ErrorCode::Unsupported);
  fake.put("ns/repo", "empty", make_index({}));
  EXPECT_EQ(run(open_image(registry, "ns/repo", "empty")).error().code, ErrorCode::Invalid);
}

struct FindCase {
  std::string what;
  Layers layers;
  std::optional<std::string> found;
  std::size_t layers_read;
};

TEST_F(ImageTest, TheUppermostAcceptedFileIsFound) {
  const std::string hide = "release-manifests/.wh.release-metadata";
  const std::vector<FindCase> cases = {
      {"case 40: only below", {{{kMetadata, "good 1"}}, {{"usr/bin", "x"}}}, "good 1", 2},
      {"case 40: the upper one wins", {{{kMetadata, "good 1"}}, {{kMetadata, "good 2"}}}, "good 2", 1},
      {"case 41: broken above, good below", {{{kMetadata, "good 1"}}, {{kMetadata, "{bro"}}}, "good 1", 2},
      {"case 42: none", {{{"a", "1"}}, {{"b", "2"}}}, std::nullopt, 2},
      {"all broken", {{{kMetadata, "x"}}, {{kMetadata, "y"}}}, std::nullopt, 2},
      {"spelled otherwise", {{{"./" + kMetadata, "good 3"}}}, "good 3", 1},
      {"deleted", {{{kMetadata, "good 1"}}, {{hide, ""}}, {{"c", "3"}}}, std::nullopt, 2},
      {"deleted and made anew", {{{kMetadata, "good 1"}}, {{hide, ""}, {kMetadata, "good 2"}}}, "good 2", 1},
      {"a link is no file",
       {{{kMetadata, "good 1"}}, {{kMetadata, "x", TarEntry::Kind::Symlink}}},
       "good 1",
       2},
      {"no layers", {}, std::nullopt, 0},
  };
  for (const FindCase& each : cases) {
    const Image image = put(each.layers);
    const std::size_t before = fake.requests().size();
    const auto found = find(image);
    ASSERT_TRUE(found) << each.what << ": " << found.error().describe();
    EXPECT_EQ(found->has_value(), each.found.has_value()) << each.what;
    if (*found && each.found) EXPECT_EQ((*found)->bytes, *each.found) << each.what;
    EXPECT_EQ(fake.requests().size() - before, each.layers_read) << each.what;
  }
}

TEST_F(ImageTest, NothingIsFoundInALayerThatIsNotWhatItSays) {
  const Image image = put({{{kMetadata, "good"}}});
  const std::string other = make_tar({{kMetadata, "good but forged"}});
  fake.intercept = [&](const http::ClientRequest& request) -> Intercepted {
    if (request.url.path.find("/blobs/") == std::string::npos) return std::nullopt;
    auto served = fake.serve(request);
    served.headers.remove("Content-Length");
    served.body = other;
    return served;
  };
  const auto found = find(image);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::Invalid);
}

TEST_F(ImageTest, TheTreeIsWhatTheUnionShows) {
  const Image image = put({
      {{"channels/old.yaml", "1"},
       {"channels/changed.yaml", "1"},
       {"channels/gone.yaml", "1"},
       {"raw/metadata.json", "{}"},
       {"version", "1.0.0"},
       {"dir/file", "1"},
       {"etc", "a file"}},
      {{"channels/changed.yaml", "2"},
       {"channels/.wh.gone.yaml", ""},
       {"raw/.wh..wh..opq", ""},
       {"raw/new.json", "2"}},
      {{"dir", "now a file"},
       {"etc/conf", "now a folder"},
       {"./version", "1.1.0"},
       {"link", "version", TarEntry::Kind::Symlink}},
  });
  EXPECT_THAT(tree(image), ElementsAre(Pair("channels/changed.yaml", "2"), Pair("channels/old.yaml", "1"),
                                       Pair("dir", "now a file"), Pair("etc/conf", "now a folder"),
                                       Pair("raw/new.json", "2"), Pair("version", "1.1.0")));
  const Selection yaml{"/channels/", [](std::string_view path) { return path.ends_with(".yaml"); }};
  EXPECT_THAT(tree(image, yaml),
              ElementsAre(Pair("channels/changed.yaml", "2"), Pair("channels/old.yaml", "1")));
  EXPECT_TRUE(tree(image, {"no/such/folder"}).empty());
}

TEST_F(ImageTest, TheSinkMayRefuse) {
  const Image image = put({{{"a", "1"}}});
  const auto done = run(extract_tree(access(), image, {}, [](const ImageFile&) {
    return Result<void>(fail(ErrorCode::Unavailable, "the disk is full"));
  }));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "the disk is full");
}

TEST_F(ImageTest, NamedFilesReadNoMoreLayersThanNeeded) {
  const Image image = put({{{"low", "1"}, {"gone", "1"}, {"deep", "1"}},
                           {{"mid", "2"}, {".wh.gone", ""}},
                           {{"top", "3"}, {"mid/x", ""}}});
  std::size_t before = fake.requests().size();
  EXPECT_THAT(*run(extract_files(access(), image, {"/top"})), ElementsAre(Pair("top", "3")));
  EXPECT_EQ(fake.requests().size() - before, 1U);
  before = fake.requests().size();
  EXPECT_THAT(*run(extract_files(access(), image, {"top", "gone", "mid"})), ElementsAre(Pair("top", "3")))
      << "a folder stands where the file was";
  EXPECT_EQ(fake.requests().size() - before, 2U);
  EXPECT_THAT(*run(extract_files(access(), image, {"low", "none"})), ElementsAre(Pair("low", "1")));
  EXPECT_EQ(run(extract_files(access(), image, {"../x"})).error().code, ErrorCode::Invalid);
}

TEST_F(ImageTest, WhatIsNoLayerIsNotRead) {
  auto signature = make_image({make_tar({{"a", "1"}})});
  signature.text = replace_all(signature.text, "application/vnd.oci.image.layer.v1.tar+gzip",
                               "application/vnd.dev.cosign.simplesigning.v1+json");
  fake.put("ns/repo", "sha256-abc.sig", signature);
  const auto image = run(open_image(registry, "ns/repo", "sha256-abc.sig"));
  ASSERT_TRUE(image) << "its manifest is sound: " << image.error().describe();
  const auto found = find(*image);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::Unsupported);
}

TEST_F(ImageTest, LimitsAreNamedWithTheLayer) {
  const Image image = put({{{kMetadata, std::string(2000, 'x')}}});
  LayerAccess strict = access();
  strict.limits.max_file_bytes = 1000;
  const auto found = run(find_in_layers(strict, image, kMetadata, [](const std::string&) { return true; }));
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().describe(), HasSubstr("limit of 1000"));
  EXPECT_THAT(found.error().describe(), HasSubstr(image.manifest.layers[0].digest.text()));
  LayerAccess small = access();
  small.content_limits.max_wanted_bytes = 1000;
  EXPECT_FALSE(run(extract_tree(small, image, {}, [](const ImageFile&) { return Result<void>{}; })));
}

struct Finding {
  static Task<void> find(LayerAccess access, Image image, std::optional<ErrorCode>& into) {
    const auto found =
        co_await find_in_layers(access, std::move(image), kMetadata, [](const std::string&) { return true; });
    if (!found) into = found.error().code;
    co_return Result<void>{};
  }
};

TEST_F(ImageTest, ATaskMayBeCancelledInTheMiddleOfALayer) {
  const Image image = put({{{"a", std::string(500'000, 'x')}, {kMetadata, "good"}}});
  bool has_begun = false;
  fake.intercept = [&](const http::ClientRequest& request) -> Intercepted {
    auto served = fake.serve(request);
    served.stalls_after = served.body.size() / 2;
    has_begun = true;
    return served;
  };
  async::TaskGroup group(loop.executor());
  std::optional<ErrorCode> code;
  group.spawn("find", Finding::find(access(), image, code));
  loop.run_until([&] { return has_begun; });
  group.cancel();
  loop.run_until([&] { return group.size() == 0; });
  EXPECT_EQ(code, ErrorCode::Cancelled);
}

TEST_F(ImageTest, ManyLayersAtOnceShareASmallPool) {
  const Image image = put({{{"a", std::string(500'000, 'x')}, {kMetadata, "good"}}});
  async::TaskGroup group(loop.executor());
  std::vector<std::optional<ErrorCode>> codes(16);
  for (auto& code : codes) group.spawn("find", Finding::find(access(), image, code));
  loop.run_until([&] { return group.size() == 0; });
  for (const auto& code : codes) EXPECT_EQ(code, std::nullopt);
}

TEST_F(ImageTest, ALargeLayerPassesInBatches) {
  std::vector<TarEntry> entries;
  std::uint32_t state = 7;
  for (int i = 0; i < 40; ++i) {
    std::string noise(50'000, '\0');
    for (char& c : noise) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
    entries.push_back({fmt::format("release-manifests/{}", i), noise});
  }
  const Image image = put({entries});
  ASSERT_GT(image.manifest.layers[0].size, 1'500'000U);
  const auto files = tree(image, {"release-manifests"});
  ASSERT_EQ(files.size(), 40U);
  for (const TarEntry& entry : entries) EXPECT_EQ(files.at(entry.path), entry.bytes);
}

}  // namespace
}  // namespace fairway::oci
