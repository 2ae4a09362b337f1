#include "json/member_text.hpp"

#include <gtest/gtest.h>

#include "json/value.hpp"

namespace fairway::json {
namespace {

TEST(MemberText, IsFoundAmongOthers) {
  constexpr std::string_view kObject =
      R"({"a":"}\"{\\","b":[1,{"c":"]"}],"c":{"d":{"c":2}},"e":-1.5e3,"f":true,"g":null,"":"x"})";
  EXPECT_EQ(member_text(kObject, "a"), R"("}\"{\\")");
  EXPECT_EQ(member_text(kObject, "b"), R"([1,{"c":"]"}])");
  EXPECT_EQ(member_text(kObject, "c"), R"({"d":{"c":2}})");
  EXPECT_EQ(member_text(kObject, "e"), "-1.5e3");
  EXPECT_EQ(member_text(kObject, "f"), "true");
  EXPECT_EQ(member_text(kObject, "g"), "null");
  EXPECT_EQ(member_text(kObject, ""), R"("x")");
  EXPECT_EQ(member_text(kObject, "d"), "");
}

TEST(MemberText, SpacesDoNotMatter) {
  EXPECT_EQ(member_text(" {\n \"a\" : 1 ,\t\"b\": { \"c\" : [ ] } }", "b"), R"({ "c" : [ ] })");
  EXPECT_EQ(member_text("{}", "a"), "");
  EXPECT_EQ(member_text("", "a"), "");
}

TEST(MemberText, GivesTheTextThatParsingGives) {
  const std::string text = R"({"kind":"A","metadata":{"name":"ä\"\\","labels":{"x":"{[,"}},"spec":[[],{}]})";
  const auto object = parse_object(text);
  ASSERT_TRUE(object);
  for (const auto& [key, value] : *object) EXPECT_EQ(member_text(text, key), serialize(value)) << key;
}

// Cut anywhere, it never reads beyond its end (the sanitizer would say so).
TEST(MemberText, EndsWithTheText) {
  const std::string whole = R"({"a":"\"","b":[1,{"c":"]"}],"z":{"d":"\\"}})";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string cut = whole.substr(0, length);
    EXPECT_LE(member_text(cut, "z").size(), cut.size());
    EXPECT_EQ(member_text(cut, "y"), "");
  }
}

}  // namespace
}  // namespace fairway::json
