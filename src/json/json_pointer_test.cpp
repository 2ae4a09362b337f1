#include "json/json_pointer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairway::json {
namespace {

// RFC 6901, section 5.
TEST(Pointer, FindsWhatTheStandardSays) {
  const Value document =
      *parse(R"({"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6,
                                    " ":7,"m~n":8})");
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"/foo", R"(["bar","baz"])"},
      {"/foo/0", "\"bar\""},
      {"/", "0"},
      {"/a~1b", "1"},
      {"/c%d", "2"},
      {"/e^f", "3"},
      {"/g|h", "4"},
      {"/i\\j", "5"},
      {"/k\"l", "6"},
      {"/ ", "7"},
      {"/m~0n", "8"},
  };
  EXPECT_EQ(Pointer::parse("")->find(document), &document);
  for (const auto& [text, expected] : cases) {
    const auto pointer = Pointer::parse(text);
    ASSERT_TRUE(pointer.has_value()) << text;
    const Value* found = pointer->find(document);
    ASSERT_NE(found, nullptr) << text;
    EXPECT_EQ(serialize(*found), expected) << text;
    EXPECT_EQ(pointer->to_string(), text);
  }
}

TEST(Pointer, FindsNothingWhereThereIsNothing) {
  const Value document = *parse(R"({"a":[1,2],"b":"x","1":{}})");
  for (const char* text : {"/c", "/a/2", "/a/01", "/a/-", "/a/-1", "/a/+1", "/a/x", "/a/0/0", "/b/0", "/a/",
                           "/a/99999999999999999999"}) {
    EXPECT_EQ(Pointer::parse(text)->find(document), nullptr) << text;
  }
}

TEST(Pointer, RefusesMalformedText) {
  EXPECT_EQ(Pointer::parse("a/b").error().message,
            R"(expected a JSON pointer that is empty or starts with '/', found "a/b")");
  EXPECT_THAT(Pointer::parse("/a~2").error().message, testing::HasSubstr("'~' is followed by 0 or 1"));
  EXPECT_THAT(Pointer::parse("/a~").error().message, testing::HasSubstr("'~' is followed by 0 or 1"));
}

TEST(Pointer, UnescapesInTheRightOrder) {
  EXPECT_EQ(Pointer::parse("/~01")->tokens().front(), "~1");
  EXPECT_EQ(Pointer({"~1", "/"}).to_string(), "/~01/~1");
}

TEST(Pointer, KnowsItsParentAndWhatItContains) {
  const Pointer pointer({"a", "b"});
  EXPECT_EQ(pointer.parent(), Pointer({"a"}));
  EXPECT_TRUE(Pointer().contains(pointer));
  EXPECT_TRUE(pointer.contains(pointer));
  EXPECT_TRUE(pointer.parent().contains(pointer));
  EXPECT_FALSE(pointer.contains(pointer.parent()));
  EXPECT_FALSE(Pointer({"ab"}).contains(pointer));
}

TEST(Pointer, FindsWhatCanBeChanged) {
  Value document = *parse(R"({"a":[1,2]})");
  *Pointer({"a", "1"}).find(document) = "x";
  EXPECT_EQ(serialize(document), R"({"a":[1,"x"]})");
}

}  // namespace
}  // namespace fairway::json
