#include "oci/challenge.hpp"

#include <gtest/gtest.h>

namespace fairway::oci {
namespace {

using Challenges = std::vector<Challenge>;

TEST(Challenge, ReadsWhatRegistriesSend) {
  const std::vector<std::pair<std::string, Challenges>> cases = {
      {"", {}},
      {R"(Bearer realm="https://quay.io/v2/auth",service="quay.io",scope="repository:a/b:pull,push")",
       {{"bearer",
         {{"realm", "https://quay.io/v2/auth"},
          {"service", "quay.io"},
          {"scope", "repository:a/b:pull,push"}}}}},
      {R"(Basic realm="Registry Realm")", {{"basic", {{"realm", "Registry Realm"}}}}},
      {"Basic", {{"basic"}}},
      {R"(BASIC Realm=x)", {{"basic", {{"realm", "x"}}}}},
      {R"(Negotiate, Basic realm="r", Bearer realm="b" , service = "s")",
       {{"negotiate"}, {"basic", {{"realm", "r"}}}, {"bearer", {{"realm", "b"}, {"service", "s"}}}}},
      {R"(Bearer realm="a \"quoted\" \\ word")", {{"bearer", {{"realm", R"(a "quoted" \ word)"}}}}},
      {"Negotiate YII/+a==, Basic realm=x", {{"negotiate", {}, "YII/+a=="}, {"basic", {{"realm", "x"}}}}},
      {"Bearer realm=", {{"bearer", {}, "realm="}}},  // an '=' at the end is base64's padding
      {"Negotiate YIIabc==", {{"negotiate", {}, "YIIabc=="}}},
      {R"(,, Bearer realm="x",, service="y",)", {{"bearer", {{"realm", "x"}, {"service", "y"}}}}},
      {R"(Bearer realm="")", {{"bearer", {{"realm", ""}}}}},
  };
  for (const auto& [text, expected] : cases) {
    const auto read = parse_challenges(text);
    ASSERT_TRUE(read) << text << ": " << read.error().describe();
    EXPECT_EQ(*read, expected) << text;
  }
}

TEST(Challenge, RefusesWhatIsNone) {
  for (const std::string text :
       {R"(Bearer realm="open)", R"(Bearer realm="open\)", R"("Bearer")", R"(Bearer realm="a" service="b")",
        "=", R"(Bearer realm="a"; x=y)", "Bearer/x y=z"}) {
    EXPECT_FALSE(parse_challenges(text)) << text;
  }
  EXPECT_FALSE(parse_challenges(std::string(70'000, 'a')));
}

TEST(Challenge, IsFoundByItsScheme) {
  const auto all = parse_challenges(R"(Basic realm="r", Bearer realm="https://a")");
  ASSERT_TRUE(all);
  ASSERT_NE(find_challenge(*all, "bearer"), nullptr);
  EXPECT_EQ(find_challenge(*all, "bearer")->get("realm"), "https://a");
  EXPECT_EQ(find_challenge(*all, "bearer")->get("scope"), std::nullopt);
  EXPECT_EQ(find_challenge(*all, "negotiate"), nullptr);
}

}  // namespace
}  // namespace fairway::oci
