#include "oci/entry_path.hpp"

#include <gtest/gtest.h>

namespace fairway::oci {
namespace {

TEST(EntryPath, Normalises) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"x", "x"},      {"./x", "x"},       {"/x", "x"},    {"//x//y/", "x/y"},
      {"a/../b", "b"}, {"a/./b", "a/b"},   {"", ""},       {".", ""},
      {"/", ""},       {"./", ""},         {"a/..", ""},   {"a/b/../../c", "c"},
      {"...", "..."},  {"a/..b", "a/..b"}, {" x ", " x "}, {"\xff", "\xff"},
  };
  for (const auto& [path, expected] : cases) EXPECT_EQ(normalise_path(path), expected) << path;
  const std::string longest(kLongestPath, 'x');
  EXPECT_EQ(normalise_path(longest), longest);
}

TEST(EntryPath, RefusesWhatLeavesTheRootOrCannotBeAName) {
  for (const std::string& path :
       {std::string(".."), std::string("../x"), std::string("/../x"), std::string("a/../../x"),
        std::string("a\0b", 3), std::string(kLongestPath + 1, 'x')}) {
    const auto normal = normalise_path(path);
    ASSERT_FALSE(normal) << path;
    EXPECT_EQ(normal.error().code, ErrorCode::Invalid);
  }
}

TEST(EntryPath, Within) {
  EXPECT_TRUE(is_within("a/b", "a"));
  EXPECT_TRUE(is_within("a", "a"));
  EXPECT_TRUE(is_within("a", ""));
  EXPECT_FALSE(is_within("ab", "a"));
  EXPECT_FALSE(is_within("a", "a/b"));
}

TEST(EntryPath, Whiteouts) {
  EXPECT_EQ(*whiteout_of("a/.wh.b"), (Whiteout{"a/b", false}));
  EXPECT_EQ(*whiteout_of(".wh.b"), (Whiteout{"b", false}));
  EXPECT_EQ(*whiteout_of("a/b/.wh..wh..opq"), (Whiteout{"a/b", true}));
  EXPECT_EQ(*whiteout_of(".wh..wh..opq"), (Whiteout{"", true}));
  EXPECT_EQ(*whiteout_of("a/b"), std::nullopt);
  EXPECT_EQ(*whiteout_of(".wh.a/b"), std::nullopt) << "only the last component counts";
  EXPECT_EQ(*whiteout_of("a/x.wh.b"), std::nullopt);
  for (const char* bad : {".wh.", "a/.wh..", "a/.wh..."}) EXPECT_FALSE(whiteout_of(bad)) << bad;
  EXPECT_TRUE(is_aufs_bookkeeping("a/.wh..wh.plnk"));
  EXPECT_FALSE(is_aufs_bookkeeping("a/.wh..wh..opq"));
  EXPECT_FALSE(is_aufs_bookkeeping("a/.wh.b"));
}

}  // namespace
}  // namespace fairway::oci
