#include "oci/layer.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oci/testing/archives.hpp"

namespace fairway::oci {
namespace {

using testing::make_tar;
using testing::TarEntry;
using Kind = TarEntry::Kind;
using ::testing::HasSubstr;

struct Seen {
  std::vector<Entry> entries;
  std::map<std::string, std::string> files;
  std::string stop_at;

  LayerHandlers handlers() {
    return {.on_entry =
                [this](const Entry& entry) {
                  entries.push_back(entry);
                  return entry.path == stop_at ? Wish::Stop : Wish::Take;
                },
            .on_file =
                [this](const Entry& entry, std::string bytes) {
                  files[entry.path] = std::move(bytes);
                  return Result<void>{};
                }};
  }
};

Result<void> read(const std::string& bytes, Seen& seen, LayerLimits limits = {}, std::size_t piece = 100) {
  LayerReader reader(limits, seen.handlers());
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    FAIRWAY_CHECKED(reader.feed(std::string_view(bytes).substr(at, piece)));
  return reader.finish();
}

std::string noise(std::size_t size) {
  std::string text(size, '\0');
  std::uint32_t state = 1;
  for (char& c : text) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return text;
}

TEST(Layer, ReadsEveryFormatInPiecesOfEverySize) {
  const std::string large = noise(40'000);
  const std::vector<TarEntry> entries = {{"./a/", "", Kind::Directory, 0755},
                                         {"./a/small", "hello", Kind::File, 0600},
                                         {"/b", large, Kind::File, 0644},
                                         {"empty"}};
  for (const LayerFormat format : {LayerFormat::Tar, LayerFormat::TarGzip, LayerFormat::TarZstd}) {
    const std::string bytes = make_tar(entries, format);
    for (const std::size_t piece : {std::size_t{7}, std::size_t{512}, std::size_t{65'536}, bytes.size()}) {
      Seen seen;
      const auto done = read(bytes, seen, {}, piece);
      ASSERT_TRUE(done) << done.error().describe();
      EXPECT_EQ(seen.entries, (std::vector<Entry>{{EntryKind::Directory, "a", 0, 0755},
                                                  {EntryKind::File, "a/small", 5, 0600},
                                                  {EntryKind::File, "b", 40'000, 0644},
                                                  {EntryKind::File, "empty", 0, 0644}}));
      EXPECT_EQ(seen.files,
                (std::map<std::string, std::string>{{"a/small", "hello"}, {"b", large}, {"empty", ""}}));
    }
  }
}

TEST(Layer, LinksAreReportedAndNeverFollowed) {
  Seen seen;
  ASSERT_TRUE(read(make_tar({{"real", "bytes"},
                             {"soft", "/etc/passwd", Kind::Symlink},
                             {"hard", "real", Kind::Hardlink},
                             {"fifo", "", Kind::Fifo}}),
                   seen));
  ASSERT_EQ(seen.entries.size(), 4U);
  EXPECT_EQ(seen.entries[1].kind, EntryKind::Link);
  EXPECT_EQ(seen.entries[2].kind, EntryKind::Link);
  EXPECT_EQ(seen.entries[3].kind, EntryKind::Other);
  EXPECT_EQ(seen.files.size(), 1U);
}

TEST(Layer, WhiteoutsAreReportedByWhatTheyDelete) {
  Seen seen;
  ASSERT_TRUE(
      read(make_tar({{"a/.wh.gone"}, {"b/.wh..wh..opq"}, {".wh..wh.plnk/", "", Kind::Directory}}), seen));
  EXPECT_EQ(seen.entries, (std::vector<Entry>{{EntryKind::Whiteout, "a/gone"}, {EntryKind::Opaque, "b"}}));
  EXPECT_TRUE(seen.files.empty());
}

TEST(Layer, NamesOutsideAsciiSurvive) {
  const std::string name = "gr\u00fc\u00dfe/\u65e5\u672c/" + std::string(120, 'x');
  Seen seen;
  ASSERT_TRUE(read(make_tar({{name, "1"}}), seen));
  EXPECT_EQ(seen.files, (std::map<std::string, std::string>{{name, "1"}}));
}

TEST(Layer, RefusesNamesThatLeaveTheRoot) {
  for (const std::string name : {"../evil", "a/../../evil", "/../evil", "a/.wh.."}) {
    Seen seen;
    const auto done = read(make_tar({{"good", "1"}, {name, "2"}}), seen);
    ASSERT_FALSE(done) << name;
    EXPECT_EQ(done.error().code, ErrorCode::Invalid);
    EXPECT_EQ(seen.files.size(), 1U) << "what came before it";
  }
  Seen seen;
  const auto done = read(make_tar({{std::string(5000, 'x'), "2"}}), seen);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("4096"));
}

TEST(Layer, EveryLimitIsNamed) {
  const std::string zeros(5'000'000, '\0');  // 5 MB from some 5 kB
  const std::string bomb = make_tar({{"bomb", zeros}, {"after", "x"}});
  ASSERT_LT(bomb.size(), 20'000U);
  struct Case {
    LayerLimits limits;
    bool wants_it;
    std::string why;
  };
  const std::vector<Case> cases = {
      {{.max_file_bytes = 4'999'999}, true, "limit of 4999999 for one file"},
      {{.max_file_bytes = 10, .max_total_bytes = 1'000'000},
       false,
       "more than 1000000 bytes when decompressed"},
      {{.max_entries = 1}, false, "more than 1 entries"},
  };
  for (const Case& each : cases) {
    LayerReader reader(each.limits,
                       {.on_entry = [&](const Entry&) { return each.wants_it ? Wish::Take : Wish::Skip; }});
    auto done = reader.feed(bomb);
    if (done) done = reader.finish();
    ASSERT_FALSE(done) << each.why;
    EXPECT_EQ(done.error().code, ErrorCode::Invalid);
    EXPECT_THAT(done.error().message, HasSubstr(each.why));
    EXPECT_FALSE(reader.feed("more")) << "an error stays";
    EXPECT_FALSE(reader.finish());
  }
  Seen seen;
  ASSERT_TRUE(read(bomb, seen,
                   LayerLimits{.max_file_bytes = 5'000'000, .max_total_bytes = 5'100'000, .max_entries = 2}));
  EXPECT_EQ(seen.files["bomb"], zeros);
}

TEST(Layer, WhatIsCompressedTwiceIsRefused) {
  Seen seen;
  const auto done = read(testing::gzip(make_tar({{"a", "1"}})), seen);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("more than once"));
}

TEST(Layer, SaysThatItIsNoArchiveOrBreaksOff) {
  const std::string good = make_tar({{"a", noise(100'000)}, {"b", noise(100'000)}});
  for (const std::string& bytes : {std::string("this is no archive, whatever it says"), noise(10'000),
                                   good.substr(0, good.size() / 2), good.substr(0, 15)}) {
    Seen seen;
    const auto done = read(bytes, seen);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::Invalid);
    EXPECT_THAT(done.error().message, HasSubstr("expected a tar archive"));
  }
}

TEST(Layer, AnEmptyLayerHasNothing) {
  Seen seen;
  EXPECT_TRUE(read("", seen));
  EXPECT_TRUE(read(make_tar({}), seen));
  EXPECT_TRUE(read(make_tar({}, LayerFormat::Tar), seen));
  EXPECT_TRUE(seen.entries.empty());
}

TEST(Layer, StopsWhenToldTo) {
  Seen seen;
  seen.stop_at = "b";
  ASSERT_TRUE(read(make_tar({{"a", "1"}, {"b", "2"}, {"../evil", "3"}}) + noise(10'000), seen));
  EXPECT_EQ(seen.entries.size(), 2U);
  EXPECT_EQ(seen.files.size(), 1U);
}

TEST(Layer, WhatFollowsTheArchiveIsIgnored) {
  Seen seen;
  EXPECT_TRUE(read(make_tar({{"a", "1"}}, LayerFormat::Tar) + noise(100'000), seen));
  EXPECT_EQ(seen.files.size(), 1U);
}

TEST(Layer, AHandlersErrorEndsIt) {
  const auto refuse = [](const Entry&, std::string) {
    return Result<void>(fail(ErrorCode::Conflict, "not this one"));
  };
  LayerReader reader({}, {.on_entry = [](const Entry&) { return Wish::Take; }, .on_file = refuse});
  auto done = reader.feed(make_tar({{"a", "1"}}));
  if (done) done = reader.finish();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::Conflict);
}

TEST(Layer, MayBeAbandonedAtAnyTime) {
  const std::string bytes = make_tar({{"a", noise(100'000)}});
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, std::size_t{5000}, bytes.size()}) {
    Seen seen;
    LayerReader reader({}, seen.handlers());
    EXPECT_TRUE(reader.feed(std::string_view(bytes).substr(0, size)));
  }
}

TEST(Layer, ReadsFilesOfThisMachine) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "fairway_layer_test.tar";
  for (const LayerFormat format : {LayerFormat::Tar, LayerFormat::TarGzip, LayerFormat::TarZstd}) {
    std::ofstream(path, std::ios::binary) << make_tar({{"channels/a.yaml", noise(500'000)}}, format);
    Seen seen;
    const auto done = read_archive_file(path.string(), {}, seen.handlers());
    ASSERT_TRUE(done) << done.error().describe();
    EXPECT_EQ(seen.files["channels/a.yaml"], noise(500'000));
  }
  std::ofstream(path, std::ios::binary) << "no archive";
  const auto broken = read_archive_file(path.string(), {}, {});
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().describe(), HasSubstr(path.string()));
  std::filesystem::remove(path);
  const auto missing = read_archive_file(path.string(), {}, {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
  EXPECT_FALSE(read_archive_file("/", {}, {}));
}

}  // namespace
}  // namespace fairway::oci
