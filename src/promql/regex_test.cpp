#include "promql/regex.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "json/value.hpp"

namespace fairway::promql {
namespace {

struct Verdict {
  std::string_view pattern;
  std::string_view error;  // empty when valid
};

class RegexVerdict : public testing::TestWithParam<Verdict> {};

TEST_P(RegexVerdict, IsGos) {
  const auto [pattern, error] = GetParam();
  const auto shape = check_regex(pattern);
  EXPECT_EQ(shape ? "" : shape.error(), error) << pattern;
  if (!shape) return;
  const auto compiled = Regex::compile(pattern);
  EXPECT_TRUE(compiled.has_value()) << pattern << ": " << compiled.error().describe();
}

INSTANTIATE_TEST_SUITE_P(
    Valid, RegexVerdict,
    testing::Values(Verdict{"a.*b", ""}, Verdict{"(?<name>x)[(?<]", ""}, Verdict{"(?P<n>a)(?P<n>b)", ""},
                    Verdict{"[]a]", ""}, Verdict{"[[:alpha:]]+", ""}, Verdict{"x{,5}", ""},
                    Verdict{"x{01}", ""}, Verdict{"\\Qa.*\\E*", ""}, Verdict{"(?i-s:a)|", ""},
                    Verdict{"\\p{^Greek}\\PN", ""}, Verdict{"\\_\\x{10FFFF}\\123", ""},
                    Verdict{"((a{10}){10}){10}", ""},
                    Verdict{"a{0}{0}?",
                            "error parsing regexp: invalid nested repetition operator: `{0}{0}?`"}));

INSTANTIATE_TEST_SUITE_P(
    Invalid, RegexVerdict,
    testing::Values(Verdict{"(", "error parsing regexp: missing closing ): `(`"},
                    Verdict{"a)", "error parsing regexp: unexpected ): `a)`"},
                    Verdict{"[a", "error parsing regexp: missing closing ]: `[a`"},
                    Verdict{"x[z-a]", "error parsing regexp: invalid character class range: `z-a`"},
                    Verdict{"*a", "error parsing regexp: missing argument to repetition operator: `*`"},
                    Verdict{"a**", "error parsing regexp: invalid nested repetition operator: `**`"},
                    Verdict{"a*+b", "error parsing regexp: invalid nested repetition operator: `*+`"},
                    Verdict{"a{1001}", "error parsing regexp: invalid repeat count: `{1001}`"},
                    Verdict{"a{2,1}", "error parsing regexp: invalid repeat count: `{2,1}`"},
                    Verdict{"(a{100}){100}", "error parsing regexp: invalid repeat count: `{100}`"},
                    Verdict{"(?=x)", "error parsing regexp: invalid or unsupported Perl syntax: `(?=`"},
                    Verdict{"\\C", "error parsing regexp: invalid escape sequence: `\\C`"},
                    Verdict{"\\8", "error parsing regexp: invalid escape sequence: `\\8`"},
                    Verdict{"(?P<名>x)", "error parsing regexp: invalid named capture: `(?P<名>`"},
                    Verdict{"[[:foo:]]", "error parsing regexp: invalid character class range: `[:foo:]`"},
                    Verdict{"\\p{Letter}",
                            "error parsing regexp: invalid character class range: `\\p{Letter}`"},
                    Verdict{"a\\", "error parsing regexp: trailing backslash at end of expression: ``"}));

TEST(RegexSyntax, NestingIsBoundedAsInGo) {
  const auto nested = [](std::size_t depth, std::string_view open, std::string_view close) {
    std::string out;
    for (std::size_t i = 0; i < depth; ++i) out += open;
    out += 'x';
    for (std::size_t i = 0; i < depth; ++i) out += close;
    return out;
  };
  EXPECT_TRUE(check_regex(nested(500, "(", ")")).has_value());
  EXPECT_FALSE(check_regex(nested(1001, "(", ")")).has_value());
  EXPECT_FALSE(check_regex(nested(666, "(", ")*")).has_value());
  EXPECT_TRUE(check_regex(nested(1000, "(?:", ")")).has_value());
}

TEST(RegexSyntax, KnowsWhatMatchesTheEmptyText) {
  for (const std::string_view pattern :
       {"", ".*", "a?", "(a|b*)", "a|", "(|a)", "a{0,3}", "^$", "\\B", "(?:)", "[a]*b?"}) {
    const auto shape = check_regex(pattern);
    ASSERT_TRUE(shape.has_value()) << pattern;
    EXPECT_TRUE(shape->matches_empty) << pattern;
    EXPECT_TRUE(Regex::compile(pattern)->matches("")) << pattern;
  }
  for (const std::string_view pattern : {"a", ".+", "a|b", "(a*)b", "[a]", "\\d", "\\b", "x{1,2}", "."}) {
    const auto shape = check_regex(pattern);
    ASSERT_TRUE(shape.has_value()) << pattern;
    EXPECT_FALSE(shape->matches_empty) << pattern;
    EXPECT_FALSE(Regex::compile(pattern)->matches("")) << pattern;
  }
}

TEST(Regex, IsAnchoredAndSpansLines) {
  const auto regex = Regex::compile("a.b|c").value();
  EXPECT_TRUE(regex.matches("a\nb"));
  EXPECT_TRUE(regex.matches("c"));
  EXPECT_FALSE(regex.matches("xc"));
  EXPECT_FALSE(regex.matches("cx"));
}

TEST(Regex, GivesGroupsByNumberAndName) {
  const auto regex = Regex::compile("(?<first>[a-z]+)-(\\d+)?").value();
  const auto groups = regex.groups("ab-");
  ASSERT_TRUE(groups.has_value());
  EXPECT_EQ(*groups, (std::vector<std::string_view>{"ab-", "ab", ""}));
  EXPECT_EQ(regex.group_number("first"), 1U);
  EXPECT_EQ(regex.group_number("second"), std::nullopt);
  EXPECT_EQ(regex.groups("12"), std::nullopt);
}

TEST(Regex, RefusesWhatDoesNotFitTheBudget) {
  const auto regex = Regex::compile("\\pL{1000}", 1024 * 1024);
  ASSERT_FALSE(regex.has_value());
  EXPECT_EQ(regex.error().code, ErrorCode::Unsupported);
}

TEST(Regex, AgreesWithTheVerdictsOfGo) {
  std::ifstream file(std::filesystem::path(FAIRWAY_SOURCE_DIR) /
                     "../shared/data/promql/regex_go_vs_re2.json");
  if (!file) GTEST_SKIP() << "not run: no data beside the project";
  std::ostringstream text;
  text << file.rdbuf();
  const auto rows = json::parse(text.str()).value();
  std::size_t checked = 0;
  for (const json::Value& row : rows.as_array()) {
    const auto pattern = std::string(json::get_string(row.as_object(), {"pattern"}).value());
    if (pattern.find("…(len") != std::string::npos) continue;  // shortened in the data
    EXPECT_EQ(check_regex(pattern).has_value(), json::get_bool(row.as_object(), {"go"}).value()) << pattern;
    ++checked;
  }
  EXPECT_GT(checked, 80U);
}

}  // namespace
}  // namespace fairway::promql
