#include "promql/parser.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "promql/durations.hpp"
#include "promql/functions.hpp"
#include "promql/printer.hpp"

namespace fairway::promql {
namespace {

TEST(Functions, AreSortedAndComplete) {
  EXPECT_EQ(all_functions().size(), 89U);
  EXPECT_EQ(std::ranges::count_if(all_functions(), &Function::experimental), 17);
  for (const Function& function : all_functions()) EXPECT_EQ(find_function(function.name), &function);
  EXPECT_EQ(find_function("Rate"), nullptr);
  EXPECT_EQ(find_function(""), nullptr);
}

struct Canonical {
  std::string_view query;
  std::string_view canonical;
};

class CanonicalForm : public testing::TestWithParam<Canonical> {};

TEST_P(CanonicalForm, IsWrittenAndReadsBack) {
  const auto parsed = parse(GetParam().query, ParseOptions::all_enabled());
  ASSERT_TRUE(parsed.has_value()) << parsed.error().describe(GetParam().query);
  EXPECT_EQ(to_string(*parsed), GetParam().canonical);
  const auto again = parse(GetParam().canonical, ParseOptions::all_enabled());
  ASSERT_TRUE(again.has_value()) << again.error().describe(GetParam().canonical);
  EXPECT_TRUE(*again == *parsed);
}

INSTANTIATE_TEST_SUITE_P(Precedence, CanonicalForm,
                         testing::Values(Canonical{"a or b and c", "a or b and c"},
                                         Canonical{"-1^2", "-1 ^ 2"}, Canonical{"--1", "1"},
                                         Canonical{"2^-1^2", "2 ^ -1 ^ 2"}, Canonical{"-(1)", "-(1)"},
                                         Canonical{"+-foo", "+-foo"}, Canonical{"Inf^2", "Inf ^ 2"},
                                         Canonical{"2^Inf", "2 ^ +Inf"}, Canonical{"1 ATAN2 2", "1 atan2 2"},
                                         Canonical{"foo </ 2 >/ 3", "foo </ 2 >/ 3"}));

INSTANTIATE_TEST_SUITE_P(
    Literals, CanonicalForm,
    testing::Values(Canonical{"1e21", "1000000000000000000000"}, Canonical{"1e-7", "0.0000001"},
                    Canonical{"-0", "-0"}, Canonical{"0x_1F", "31"}, Canonical{"08", "8"},
                    Canonical{"1_0.5", "10.5"}, Canonical{"1e-400", "0"}, Canonical{"nAn", "NaN"},
                    Canonical{"90m", "1h30m"}, Canonical{"-1d", "-1d"}, Canonical{"14d", "2w"},
                    Canonical{"'\\u00e9\\x00'", "\"é\\x00\""}, Canonical{"\"\\ufffd\"", "\"\\ufffd\""},
                    Canonical{"`a\nb`", "\"a\\nb\""}, Canonical{"\"\\u00a0\"", "\"\\u00a0\""}));

INSTANTIATE_TEST_SUITE_P(
    Selectors, CanonicalForm,
    testing::Values(Canonical{"foo { b = \"c\" , a != 'd' , }", "foo{a!=\"d\",b=\"c\"}"},
                    Canonical{"by{on=\"x\"}", "by{on=\"x\"}"},
                    Canonical{"{\"a.b\",\"c d\"=~`e`}", "{\"c d\"=~\"e\",__name__=\"a.b\"}"},
                    Canonical{"fill + fill", "fill + fill"},
                    Canonical{"foo offset 5m @ 1", "foo @ 1.000 offset 5m"},
                    Canonical{"foo @ end() [5m:]", "foo @ end()[5m:]"},
                    Canonical{"foo[0.0001]", "foo[0.0001]"}, Canonical{"foo offset NaN", "foo offset NaN"},
                    Canonical{"foo[5m] smoothed offset 1m", "foo[5m] smoothed offset 1m"},
                    Canonical{"foo anchored", "foo anchored"},
                    Canonical{"sum without () (a)", "sum without () (a)"},
                    Canonical{"topk by (\"x y\", on) (3, a)", "topk by (\"x y\", on) (3, a)"}));

INSTANTIATE_TEST_SUITE_P(
    Durations, CanonicalForm,
    testing::Values(Canonical{"foo[1m+30s*2]", "foo[1m + 30s * 2]"}, Canonical{"foo[((5m))]", "foo[(5m)]"},
                    Canonical{"foo offset (1m) + 2", "foo offset ((1m) + 2)"},
                    Canonical{"foo offset 1m + 2", "foo offset 1m + 2"},
                    Canonical{"foo offset +(1m) + 2", "foo offset +(1m) + 2"},
                    Canonical{"foo offset --step() @ 1", "foo @ 1.000 offset (--step())"},
                    Canonical{"foo offset step() * 2", "foo offset step() * 2"},
                    Canonical{"foo[-max_of(-1s,step())^2]", "foo[-max_of(-1s, step()) ^ 2]"},
                    Canonical{"foo[RANGE()/2:Step()]", "foo[range() / 2:step()]"}));

INSTANTIATE_TEST_SUITE_P(Matching, CanonicalForm,
                         testing::Values(Canonical{"a*on()group_left b", "a * on () group_left () b"},
                                         Canonical{"a + ignoring() b", "a + b"},
                                         Canonical{"a + fill_right(1) fill_left(-2e6) b",
                                                   "a + fill_left (-2e+06) fill_right (1) b"},
                                         Canonical{"a / fill(0) b", "a / fill (0) b"},
                                         Canonical{"1 + on() a", "1 + a"},
                                         Canonical{"a > bool ignoring(x,) b", "a > bool ignoring (x) b"}));

struct Mistake {
  std::string_view query;
  std::string_view error;
};

class MistakeText : public testing::TestWithParam<Mistake> {};

TEST_P(MistakeText, NamesPlaceAndCause) {
  const auto parsed = parse(GetParam().query);
  ASSERT_FALSE(parsed.has_value()) << to_string(*parsed);
  EXPECT_EQ(parsed.error().describe(GetParam().query), GetParam().error);
}

// Which rule reports an unexpected token depends on what is open around it.
INSTANTIATE_TEST_SUITE_P(
    Syntax, MistakeText,
    testing::Values(
        Mistake{"sum(foo bar)", "1:9: parse error: unexpected identifier \"bar\" in aggregation"},
        Mistake{"rate(foo bar)", "1:10: parse error: unexpected identifier \"bar\""},
        Mistake{"sum by (a) foo", "1:12: parse error: unexpected identifier \"foo\" in aggregation"},
        Mistake{"sum by (a b) (foo)",
                "1:11: parse error: unexpected identifier \"b\" in grouping opts, expected \",\" or \")\""},
        Mistake{"foo[5m 1m]",
                "1:8: parse error: unexpected duration \"1m\" in subquery or range, expected \":\" or \"]\""},
        Mistake{"foo[5m:1m 1m]",
                "1:11: parse error: unexpected duration \"1m\" in subquery selector, expected \"]\""},
        Mistake{"foo offset bar",
                "1:12: parse error: unexpected identifier \"bar\" in offset, expected number, duration, "
                "step(), or range()"},
        Mistake{"foo @ start", "1:12: parse error: unexpected end of input in @, expected timestamp"},
        Mistake{"foo{a=~\"(\"}", "1:5: parse error: error parsing regexp: missing closing ): `(`"},
        Mistake{"foo \"a long string\"", "1:5: parse error: unexpected string \"\\\"a long st\"..."},
        Mistake{"a\n+\n+", "3:2: parse error: unexpected end of input"},
        Mistake{"1 = 1", "1:3: parse error: unexpected \"=\""}));

// The checks that follow a right syntax, in the official order: arity before arguments, left before right.
INSTANTIATE_TEST_SUITE_P(
    Types, MistakeText,
    testing::Values(
        Mistake{"rate(1, {})", "1:1: parse error: expected 1 argument(s) in call to \"rate\", got 2"},
        Mistake{"abs({}) + rate(1)",
                "1:5: parse error: vector selector must contain at least one non-empty matcher"},
        Mistake{"label_join(a, \"b\")",
                "1:1: parse error: expected at least 3 argument(s) in call to \"label_join\", got 2"},
        Mistake{"sum(a[5m])",
                "1:5: parse error: expected type instant vector in aggregation expression, got range vector"},
        Mistake{"\"a\" + 1",
                "1:1: parse error: binary expression must contain only scalar and instant vector types"},
        Mistake{"(sum(a) # c\n) == bool \"x\" + 1",
                "2:11: parse error: binary expression must contain only scalar and instant vector types"},
        Mistake{"limitk(1, a)",
                "1:1: parse error: limitk() is experimental and must be enabled with "
                "--enable-feature=promql-experimental-functions"},
        Mistake{"a + fill(1) b", "1:1: parse error: binop fill modifiers are experimental and not enabled"},
        Mistake{"foo anchored", "1:1: parse error: anchored modifier is experimental and not enabled"},
        Mistake{"foo @ 1 @ 2", "1:1: parse error: @ <timestamp> may not be set multiple times"},
        Mistake{"Rate(a[5m])", "1:1: parse error: unknown function with name \"Rate\""}));

// An error of the lexer in the token ahead comes before or after that of a rule, as the official tables read
// it.
INSTANTIATE_TEST_SUITE_P(
    Order, MistakeText,
    testing::Values(Mistake{"nothing() $", "1:1: parse error: unknown function with name \"nothing\""},
                    Mistake{"sum() $", "1:7: parse error: unexpected character: '$'"},
                    Mistake{"1 offset 5m $",
                            "1:1: parse error: offset modifier must be preceded by an instant vector "
                            "selector or range vector selector or a subquery"},
                    Mistake{"topk(1,$)", "1:8: parse error: unexpected character: '$'"}));

TEST(Parser, TakesNestingInItsStride) {
  const auto repeated = [](std::string_view text, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += text;
    return out;
  };
  // As deep as is allowed: each of these is walked by the parser, the checks, the printer and the comparison.
  for (const std::string& query :
       {repeated("(", 90'000) + "1" + repeated(")", 90'000), repeated("-", 90'000) + "foo",
        repeated("a + ", 90'000) + "a", repeated("1 ^ ", 90'000) + "1",
        repeated("abs(", 90'000) + "a" + repeated(")", 90'000),
        "foo[" + repeated("(", 90'000) + "1m + step()" + repeated(")", 90'000) + "]",
        "foo[" + repeated("-", 90'000) + "step()]",
        "foo[" + repeated("max_of(1m, ", 90'000) + "1m" + repeated(")", 90'000) + "]"}) {
    const auto parsed = parse(query, ParseOptions::all_enabled());
    ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
    const auto again = parse(to_string(*parsed), ParseOptions::all_enabled());
    ASSERT_TRUE(again.has_value());
    EXPECT_TRUE(*again == *parsed);
  }
  const auto refused = parse(repeated("(", 100'001) + "1" + repeated(")", 100'001));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, ParseError::Kind::TooDeep);
  EXPECT_EQ(refused.error().message, "the expression nests 100001 levels deep, at most 100000 are allowed");
}

TEST(Parser, RefusesWhatIsTooLong) {
  ParseOptions options;
  options.max_bytes = 3;
  EXPECT_TRUE(parse("foo", options).has_value());
  EXPECT_EQ(parse("food", options).error().kind, ParseError::Kind::TooLong);
}

TEST(Expr, PutsChildrenBeforeTheirParents) {
  const auto expr = parse("sum by (a) (rate(foo{b=\"c\"}[5m])) / 2 > bool -bar").value();
  for (NodeId id = 0; id < expr.nodes().size(); ++id) {
    for (std::size_t i = 0; i < child_count(expr.node(id)); ++i) EXPECT_LT(child(expr.node(id), i), id);
  }
  EXPECT_EQ(expr.depth(), 6U);
  EXPECT_EQ(expr.type(), ValueType::Vector);
  EXPECT_EQ(expr.root().span, (Span{0, 49}));
}

TEST(Expr, CopiesShareAndOutliveTheText) {
  std::string text = "foo{a=\"b\\n\"}";
  const Expr copy = [&] {
    const Expr original = parse(text).value();
    return original;
  }();
  text.assign(text.size(), 'x');
  const auto* selector = copy.root().as<VectorSelector>();
  ASSERT_NE(selector, nullptr);
  EXPECT_EQ(selector->name, "foo");
  EXPECT_EQ(selector->matchers[0].value, "b\n");
  EXPECT_EQ(copy.text(), "foo{a=\"b\\n\"}");
}

TEST(Expr, EqualityIsOfStructure) {
  const auto same = [](std::string_view left, std::string_view right) {
    return parse(left).value() == parse(right).value();
  };
  EXPECT_TRUE(same("foo[60s]", " foo [ 1m ] "));
  EXPECT_TRUE(same("foo{a=\"1\",b='2'}", "foo{b=`2`,a=\"1\"}"));
  EXPECT_TRUE(same("NaN", "nan"));
  EXPECT_FALSE(same("foo{a=\"1\"}", "foo{a=~\"1\"}"));
  EXPECT_FALSE(same("1", "(1)"));
  EXPECT_FALSE(same("0", "-0"));
  EXPECT_FALSE(same("a - b", "b - a"));
  EXPECT_FALSE(same("a and on (x) b", "a and ignoring (x) b"));
  EXPECT_FALSE(same("a offset 1m", "a offset 2m"));
}

TEST(Durations, ConstantsAreFoldedAndOthersWaitForTheQuery) {
  const auto expr =
      parse("foo[1m + 30s * 2:step() * 2] offset (1h / 0.5)", ParseOptions::all_enabled()).value();
  const auto* subquery = expr.root().as<Subquery>();
  ASSERT_NE(subquery, nullptr);
  EXPECT_TRUE(subquery->range.is_constant());
  EXPECT_EQ(subquery->range.value, std::chrono::minutes(2));
  EXPECT_EQ(subquery->time.offset.value, std::chrono::hours(2));
  EXPECT_FALSE(subquery->step.is_constant());
  const QueryTimes times = {.step = std::chrono::seconds(15), .range = std::chrono::hours(1)};
  EXPECT_EQ(resolve_duration(expr, subquery->step, times, true).value(), std::chrono::seconds(30));
  EXPECT_FALSE(resolve_duration(expr, subquery->step, {}, true).has_value());
}

}  // namespace
}  // namespace fairway::promql
