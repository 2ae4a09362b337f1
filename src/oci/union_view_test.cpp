#include "oci/union_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oci/testing/archives.hpp"

namespace fairway::oci {
namespace {

using testing::make_tar;
using testing::TarEntry;
using Kind = TarEntry::Kind;
using ::testing::HasSubstr;

Result<LayerContent> collect(const std::vector<TarEntry>& entries, Selection selection = {},
                             ContentLimits limits = {}) {
  LayerCollector collector(std::move(selection), limits);
  LayerReader reader({}, collector.handlers());
  FAIRWAY_CHECKED(reader.feed(make_tar(entries)));
  FAIRWAY_CHECKED(reader.finish());
  FAIRWAY_CHECKED(collector.outcome());
  return collector.take();
}

UnionView above(const std::vector<TarEntry>& entries) {
  UnionView view;
  view.cover(*collect(entries));
  return view;
}

struct OverlayCase {
  std::string what;
  std::vector<TarEntry> upper;
  std::vector<std::string> hidden;
  std::vector<std::string> shown;
};

TEST(UnionView, HidesAsAnOverlayDoes) {
  const std::vector<OverlayCase> cases = {
      {"nothing", {}, {}, {"a", "a/b"}},
      {"a file", {{"a/b", "1"}}, {"a/b", "a/b/c", "a"}, {"a/bb", "a/c"}},
      {"a link", {{"a", "x", Kind::Symlink}}, {"a", "a/b"}, {"ab"}},
      {"a hard link", {{"a", "x", Kind::Hardlink}}, {"a", "a/b"}, {"x"}},
      {"a folder", {{"a", "", Kind::Directory}}, {"a"}, {"a/b"}},
      {"a whiteout", {{"a/.wh.b"}}, {"a/b", "a/b/c"}, {"a/c", "a/.wh.b"}},
      {"a whiteout of a folder", {{".wh.a"}}, {"a", "a/b/c"}, {"ab", "b"}},
      {"an opaque folder", {{"a/.wh..wh..opq"}}, {"a/b", "a/b/c", "a"}, {"b", "ab/c"}},
      {"an opaque root", {{".wh..wh..opq"}}, {"a", "b/c"}, {}},
      {"an implied folder", {{"a/b/c/d", "1"}}, {"a", "a/b", "a/b/c"}, {"a/x", "a/b/x"}},
  };
  for (const OverlayCase& each : cases) {
    const UnionView view = above(each.upper);
    for (const std::string& path : each.hidden)
      EXPECT_TRUE(view.hides(path)) << each.what << " hides " << path;
    for (const std::string& path : each.shown)
      EXPECT_FALSE(view.hides(path)) << each.what << " shows " << path;
  }
}

TEST(UnionView, ALayerDoesNotHideItsOwn) {
  const auto content = collect({{"a/b", "new"}, {"a/.wh..wh..opq"}, {"a/.wh.b"}});
  ASSERT_TRUE(content);
  EXPECT_TRUE(content->files.contains("a/b"));
}

TEST(UnionView, WhiteoutsAlone) {
  UnionView view;
  view.cover_whiteouts(*collect({{"a", "file"}, {".wh.b"}}));
  EXPECT_FALSE(view.hides("a"));
  EXPECT_TRUE(view.hides("b"));
}

TEST(LayerCollector, KeepsWhatIsSelected) {
  const std::vector<TarEntry> entries = {{"release-manifests/a.yaml", "1"},
                                         {"release-manifests/b.json", "2"},
                                         {"release-manifestsX/a.yaml", "3"},
                                         {"usr/a.yaml", "4"},
                                         {".wh.release-manifests"}};
  const Selection yaml{"release-manifests", [](std::string_view path) { return path.ends_with(".yaml"); }};
  const auto content = collect(entries, yaml);
  ASSERT_TRUE(content);
  ASSERT_EQ(content->files.size(), 1U);
  EXPECT_EQ(content->files.at("release-manifests/a.yaml").bytes, "1");
  EXPECT_EQ(content->changes.size(), 3U) << "what can hide something selected, and no more";
  EXPECT_EQ(collect(entries)->files.size(), 4U) << "everything";
}

TEST(LayerCollector, OfTwoEntriesTheLaterOneCounts) {
  EXPECT_EQ(collect({{"a", "old"}, {"a", "new"}})->files.at("a").bytes, "new");
  EXPECT_FALSE(collect({{"a", "old"}, {"a", "x", Kind::Symlink}})->files.contains("a"));
}

TEST(LayerCollector, ItsMemoryIsBounded) {
  const auto bytes =
      collect({{"a", std::string(600, 'x')}, {"b", std::string(600, 'x')}}, {}, {.max_wanted_bytes = 1000});
  ASSERT_FALSE(bytes);
  EXPECT_THAT(bytes.error().message, HasSubstr("more than 1000 bytes"));
  EXPECT_TRUE(
      collect({{"a", std::string(600, 'x')}, {"a", std::string(600, 'x')}}, {}, {.max_wanted_bytes = 1000}))
      << "what was replaced does not count";
  const auto names = collect({{"a"}, {"b"}, {"c"}}, {}, {.max_path_bytes = 150});
  ASSERT_FALSE(names);
  EXPECT_THAT(names.error().message, HasSubstr("names in the layer"));
}

}  // namespace
}  // namespace fairway::oci
