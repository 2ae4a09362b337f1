#include "promql/limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairway::promql {
namespace {

using testing::HasSubstr;

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

LimitRefusal refused(const std::string& text, const Limits& limits = {}) {
  const auto parsed = parse_within(text, ParseOptions::all_enabled(), limits);
  EXPECT_FALSE(parsed.has_value()) << text.substr(0, 100);
  if (parsed || !parsed.error().limit) return {};
  return *parsed.error().limit;
}

// A hostile text stops at the first check that it fails; how long that takes is a matter of the work done,
// which the order of the checks bounds: the size is known at once, depth and nodes end the parse.
TEST(Limits, HostileTextsAreRefusedByName) {
  Limits roomy;
  roomy.text_bytes = 64 * 1024 * 1024;
  const std::string megabyte(1'000'000, 'a');
  EXPECT_EQ(refused(megabyte).message, "refused by the limit on text: at most 8192 bytes, found 1000000");
  const std::string parens = repeated("(", 100'000) + "1" + repeated(")", 100'000);
  EXPECT_EQ(refused(parens).limit, "text");
  EXPECT_EQ(refused(parens, roomy).message, "refused by the limit on depth: at most 64 levels, found 65");
  const std::string selectors = repeated("a + ", 100'000) + "a";
  EXPECT_EQ(refused(selectors).limit, "text");
  EXPECT_EQ(refused(selectors, roomy).limit, "depth");
  const std::string arguments = "label_join(a, \"x\", \"y\"" + repeated(", \"z\"", 10'000) + ")";
  EXPECT_EQ(refused(arguments, roomy).message, "refused by the limit on nodes: at most 512 nodes, found 513");
}

TEST(Limits, NameTheLimitAndBothNumbers) {
  EXPECT_EQ(refused("{a=~\"" + std::string(1025, 'x') + "\"}").message,
            "refused by the limit on regex: at most 1024 bytes, found 1025");
  EXPECT_THAT(refused("{a=~\"\\\\pL{1000}\"}").message,
              HasSubstr("refused by the limit on regex size: at most 10000 instructions, found 300000"));
  EXPECT_EQ(refused("rate(a[25h])").message, "refused by the limit on range: at most 1d, found 1d1h");
  EXPECT_EQ(refused("max_over_time(a[1h:1m])").message,
            "refused by the limit on subquery: at most 0 subqueries, found 1");
  EXPECT_EQ(refused("sum(" + repeated("a or ", 32) + "a)").message,
            "refused by the limit on selectors: at most 32 selectors, found 33");
}

TEST(Limits, PointAtWhatIsRefused) {
  EXPECT_EQ(refused("a + rate(b[2d])").span, (Span{9, 14}));
  EXPECT_EQ(refused("a{b=~\"c.*\",d=~\"" + std::string(2000, 'e') + "\"}").span.start, 11U);
}

TEST(Limits, CanBeRaised) {
  Limits limits;
  limits.allow_subqueries = true;
  limits.range = std::chrono::hours(48);
  EXPECT_TRUE(parse_within("max_over_time(a[36h:1m])", {}, limits).has_value());
  EXPECT_EQ(refused("max_over_time(a[49h:1m])", limits).limit, "range");
}

TEST(Limits, AreSeparateFromSyntax) {
  const auto parsed = parse_within("sum(", {}, {});
  ASSERT_FALSE(parsed.has_value());
  ASSERT_TRUE(parsed.error().syntax.has_value());
  EXPECT_EQ(parsed.error().describe("sum("), "1:5: parse error: unclosed left parenthesis");
}

}  // namespace
}  // namespace fairway::promql
