#include "base/semver.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace fairway {
namespace {

using ::testing::HasSubstr;

SemVer version(std::string_view text) {
  const auto parsed = SemVer::parse(text);
  EXPECT_TRUE(parsed.has_value()) << text << ": " << parsed.error().describe();
  return parsed.value_or(SemVer{});
}

class Valid : public testing::TestWithParam<const char*> {};

TEST_P(Valid, ParsesAndComesBackAsWritten) {
  EXPECT_EQ(version(GetParam()).to_string(), GetParam());
}

// The list of valid versions that semver.org's regular expression is tested with; of those only the one with
// a major number beyond 64 bits is refused (below).
INSTANTIATE_TEST_SUITE_P(
    SemVerOrg, Valid,
    testing::Values("0.0.4", "1.2.3", "10.20.30", "1.1.2-prerelease+meta", "1.1.2+meta", "1.1.2+meta-valid",
                    "1.0.0-alpha", "1.0.0-beta", "1.0.0-alpha.beta", "1.0.0-alpha.beta.1", "1.0.0-alpha.1",
                    "1.0.0-alpha0.valid", "1.0.0-alpha.0valid",
                    "1.0.0-alpha-a.b-c-somethinglong+build.1-aef.1-its-okay", "1.0.0-rc.1+build.1",
                    "2.0.0-rc.1+build.123", "1.2.3-beta", "10.2.3-DEV-SNAPSHOT", "1.2.3-SNAPSHOT-123",
                    "1.0.0", "2.0.0", "1.1.7", "2.0.0+build.1848", "2.0.1-alpha.1227", "1.0.0-alpha+beta",
                    "1.2.3----RC-SNAPSHOT.12.9.1--.12+788", "1.2.3----R-S.12.9.1--.12+meta",
                    "1.2.3----RC-SNAPSHOT.12.9.1--.12", "1.0.0+0.build.1-rc.10000aaa-kk-0.1",
                    "1.0.0-0A.is.legal", "18446744073709551615.0.0",
                    "1.0.0-99999999999999999999999999999999"));

class Malformed : public testing::TestWithParam<const char*> {};

TEST_P(Malformed, IsRefused) {
  const auto parsed = SemVer::parse(GetParam());
  ASSERT_FALSE(parsed.has_value()) << GetParam();
  EXPECT_EQ(parsed.error().code, ErrorCode::Invalid);
  EXPECT_THAT(parsed.error().message, HasSubstr("expected a version like 4.10.3"));
}

INSTANTIATE_TEST_SUITE_P(
    SemVerOrg, Malformed,
    testing::Values(
        "1", "1.2", "1.2.3-0123", "1.2.3-0123.0123", "1.1.2+.123", "+invalid", "-invalid", "-invalid+invalid",
        "-invalid.01", "alpha", "alpha.beta", "alpha.beta.1", "alpha.1", "alpha+beta", "alpha_beta", "alpha.",
        "alpha..", "beta", "1.0.0-alpha_beta", "-alpha.", "1.0.0-alpha..", "1.0.0-alpha..1",
        "1.0.0-alpha...1", "1.0.0-alpha....1", "1.0.0-alpha.....1", "1.0.0-alpha......1",
        "1.0.0-alpha.......1", "01.1.1", "1.01.1", "1.1.01", "1.2.3.DEV", "1.2-SNAPSHOT",
        "1.2.31.2.3----RC-SNAPSHOT.12.09.1--..12+788", "1.2-RC-SNAPSHOT", "-1.0.3-gamma+b7718", "+justmeta",
        "9.8.7+meta+meta", "9.8.7-whatever+meta+meta",
        "99999999999999999999999.999999999999999999.99999999999999999----RC-SNAPSHOT.12.09.1-----..12"));

INSTANTIATE_TEST_SUITE_P(Ours, Malformed,
                         testing::Values("", " 1.2.3", "1.2.3 ", "v1.2.3", "1.2.3-", "1.2.3+", "1.2.3-+b",
                                         "1..3", "1.2.", ".2.3", "1.2.+3", "1.2.3-é", "1.2.3-a\n", "4.10",
                                         "18446744073709551616.0.0",
                                         "99999999999999999999999.999999999999999999.99999999999999999"));

TEST(SemVer, SaysWhatIsWrong) {
  EXPECT_EQ(
      SemVer::parse("4.10").error().message,
      R"(expected a version like 4.10.3 or 4.11.0-rc.1, found "4.10": three numbers separated by dots are required)");
  EXPECT_THAT(SemVer::parse("4.06.1").error().message, HasSubstr(R"("06" has a leading zero)"));
  EXPECT_THAT(SemVer::parse("4.x.1").error().message, HasSubstr(R"("x" is not a number)"));
  EXPECT_THAT(SemVer::parse("4.18446744073709551616.1").error().message, HasSubstr("is too large"));
  EXPECT_THAT(SemVer::parse("1.0.0-" + std::string(300, 'a')).error().message,
              HasSubstr("it is longer than 256 characters"));
}

TEST(SemVer, KeepsItsParts) {
  const SemVer parsed = version("4.11.0-rc.1+build.7-x");
  EXPECT_EQ(parsed.major, 4U);
  EXPECT_EQ(parsed.minor, 11U);
  EXPECT_EQ(parsed.patch, 0U);
  EXPECT_EQ(parsed.prerelease, (std::vector<std::string>{"rc", "1"}));
  EXPECT_EQ(parsed.build, "build.7-x");
  EXPECT_TRUE(parsed.is_prerelease());
  EXPECT_FALSE(version("4.11.0+x").is_prerelease());
}

// Section 11 of the standard, with more around its examples; strictly ascending.
TEST(SemVer, OrdersByPrecedence) {
  const std::vector<const char*> ascending = {"0.0.0-0",
                                              "0.0.0",
                                              "0.9.0",
                                              "1.0.0--",
                                              "1.0.0-alpha",
                                              "1.0.0-alpha.1",
                                              "1.0.0-alpha.1.0",
                                              "1.0.0-alpha.2",
                                              "1.0.0-alpha.11",
                                              "1.0.0-alpha.99999999999999999999999",
                                              "1.0.0-alpha.100000000000000000000000",
                                              "1.0.0-alpha.-",
                                              "1.0.0-alpha.beta",
                                              "1.0.0-beta",
                                              "1.0.0-beta.2",
                                              "1.0.0-beta.11",
                                              "1.0.0-rc.1",
                                              "1.0.0",
                                              "1.9.0",
                                              "1.10.0",
                                              "1.11.0",
                                              "2.0.0",
                                              "2.1.0",
                                              "2.1.1",
                                              "10.0.0-A",
                                              "10.0.0-a",
                                              "10.0.0"};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_EQ(version(ascending[i]).compare_precedence(version(ascending[j])), i <=> j)
          << ascending[i] << " and " << ascending[j];
      EXPECT_EQ(version(ascending[i]) <=> version(ascending[j]), i <=> j);
    }
  }
}

TEST(SemVer, BuildMetadataHasNoPrecedenceButAnOrder) {
  EXPECT_EQ(version("1.0.0+a").compare_precedence(version("1.0.0+b")), std::strong_ordering::equal);
  EXPECT_LT(version("1.0.0"), version("1.0.0+a"));
  EXPECT_LT(version("1.0.0+a"), version("1.0.0+b"));
  EXPECT_NE(version("1.0.0+a"), version("1.0.0+b"));
}

TEST(SemVer, SortsTheSameWhateverTheOrder) {
  std::vector<SemVer> versions;
  for (const char* text : {"4.10.3", "4.9.59", "4.10.0-rc.1", "4.10.0", "4.10.3+a", "4.10.3+b", "4.9.6"}) {
    versions.push_back(version(text));
  }
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) {
    std::ranges::shuffle(versions, random);
    std::ranges::sort(versions);
    std::string line;
    for (const SemVer& each : versions) line += each.to_string() + " ";
    ASSERT_EQ(line, "4.9.6 4.9.59 4.10.0-rc.1 4.10.0 4.10.3 4.10.3+a 4.10.3+b ");
  }
}

struct RangeCase {
  const char* range;
  std::vector<const char*> inside;
  std::vector<const char*> outside;
};

class Ranges : public testing::TestWithParam<RangeCase> {};

TEST_P(Ranges, ContainWhatTheySay) {
  const auto range = SemVerRange::parse(GetParam().range);
  ASSERT_TRUE(range.has_value()) << range.error().describe();
  for (const char* each : GetParam().inside) {
    EXPECT_TRUE(range->contains(version(each))) << each << " in " << GetParam().range;
  }
  for (const char* each : GetParam().outside) {
    EXPECT_FALSE(range->contains(version(each))) << each << " in " << GetParam().range;
  }
}

INSTANTIATE_TEST_SUITE_P(
    SemVerRange, Ranges,
    testing::Values(
        RangeCase{"4.10.3", {"4.10.3", "4.10.3+b"}, {"4.10.4", "4.10.3-rc.1"}},
        RangeCase{"=4.10.3", {"4.10.3"}, {"4.10.2"}}, RangeCase{"==4.10.3", {"4.10.3"}, {"4.10.2"}},
        RangeCase{"v4.10.3", {"4.10.3"}, {"4.10.2"}},
        RangeCase{"!=4.10.3", {"4.10.2", "4.10.4"}, {"4.10.3", "4.10.3+b"}},
        RangeCase{">4.10.3", {"4.10.4", "5.0.0"}, {"4.10.3", "4.10.2"}},
        RangeCase{">= 4.10.3", {"4.10.3", "4.11.0-rc.1"}, {"4.10.3-rc.1"}},
        RangeCase{"<4.10.3", {"4.10.3-rc.1", "4.10.2"}, {"4.10.3"}},
        RangeCase{"<=4.10.3", {"4.10.3", "0.0.0-0"}, {"4.10.4-0"}},
        RangeCase{">=4.10.3 <4.11.0", {"4.10.3", "4.10.99", "4.11.0-rc.1"}, {"4.11.0", "4.10.2"}},
        RangeCase{">=4.10.3, <4.11.0", {"4.10.3"}, {"4.11.0"}},
        RangeCase{"<4.9.0 || >=4.11.0", {"4.8.1", "4.11.0"}, {"4.9.0", "4.10.5"}},
        RangeCase{"^1.2.3", {"1.2.3", "1.99.0"}, {"2.0.0", "2.0.0-rc.1", "1.2.2"}},
        RangeCase{"^0.2.3", {"0.2.3", "0.2.9"}, {"0.3.0", "0.3.0-rc.1"}},
        RangeCase{"^0.0.3", {"0.0.3"}, {"0.0.4", "0.0.2"}}, RangeCase{"^0.0", {"0.0.0", "0.0.9"}, {"0.1.0"}},
        RangeCase{"^0", {"0.0.0", "0.9.0"}, {"1.0.0"}},
        RangeCase{"^1.2", {"1.2.0", "1.9.9"}, {"1.1.9", "2.0.0"}},
        RangeCase{"~1.2.3", {"1.2.3", "1.2.9"}, {"1.3.0", "1.3.0-rc.1"}},
        RangeCase{"~1.2", {"1.2.0", "1.2.9"}, {"1.3.0"}}, RangeCase{"~1", {"1.0.0", "1.9.0"}, {"2.0.0"}},
        RangeCase{"1.2.x", {"1.2.0", "1.2.9"}, {"1.3.0", "1.3.0-rc.1", "1.2.0-rc.1"}},
        RangeCase{"1.2.*", {"1.2.0"}, {"1.3.0"}}, RangeCase{"1.2", {"1.2.7"}, {"1.3.0"}},
        RangeCase{"1.X", {"1.0.0", "1.9.9"}, {"2.0.0", "0.9.9"}}, RangeCase{"1", {"1.5.0"}, {"2.0.0"}},
        RangeCase{"*", {"0.0.0-0", "99.0.0"}, {}}, RangeCase{">*", {}, {"0.0.0-0", "99.0.0"}},
        RangeCase{">1.2", {"1.3.0", "1.3.0-rc.1"}, {"1.2.9"}}, RangeCase{"<=1.2", {"1.2.9"}, {"1.3.0-rc.1"}},
        RangeCase{">=1.2", {"1.2.0"}, {"1.2.0-rc.1"}}, RangeCase{"<1.2", {"1.1.9", "1.2.0-rc.1"}, {"1.2.0"}},
        RangeCase{"1.2.3 - 2.3.4", {"1.2.3", "2.3.4"}, {"2.3.5", "1.2.2"}},
        RangeCase{"1.2 - 2.3", {"1.2.0", "2.3.99"}, {"2.4.0", "1.1.9"}},
        RangeCase{"1.2.3-rc.1 - 2.0.0", {"1.2.3-rc.2", "1.2.3"}, {"1.2.3-beta"}},
        RangeCase{">18446744073709551615", {}, {"18446744073709551615.9.9"}}));

class BadRanges : public testing::TestWithParam<const char*> {};

TEST_P(BadRanges, AreRefused) {
  EXPECT_FALSE(SemVerRange::parse(GetParam()).has_value()) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(SemVerRange, BadRanges,
                         testing::Values("", "  ", "||", "1.2.3 ||", "|| 1.2.3", ">", "=>1.2.3", "1.2.3 -",
                                         "- 1.2.3", "1.x.3", "1.2.3.4", "1.2-rc.1", "abc", ">=1.2.3 <",
                                         "!=1.2", "^", "1.02.3", "~>1.2"));

TEST(SemVerRange, ErrorsNameTheRange) {
  EXPECT_THAT(SemVerRange::parse(">=4.10.3 <4.x.1").error().describe(),
              HasSubstr(R"(range ">=4.10.3 <4.x.1": )"));
  EXPECT_FALSE(SemVerRange::parse(std::string(5000, '1')).has_value());
}

}  // namespace
}  // namespace fairway
