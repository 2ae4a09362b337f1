#include "promql/verdict.hpp"

#include <gtest/gtest.h>

#include "promql/parser.hpp"
#include "promql/result_format.hpp"
#include "promql/series_store.hpp"

namespace fairway::promql {
namespace {

struct Judged {
  const char* query;
  Verdict::Kind kind;
  const char* reason;
};

class Judgement : public testing::TestWithParam<Judged> {};

TEST_P(Judgement, NeedsExactlyOneSampleOfZeroOrOne) {
  SeriesStore store;
  ASSERT_TRUE(store.add(Labels::from({{"__name__", "m"}, {"i", "1"}}), {0, 1}));
  ASSERT_TRUE(store.add(Labels::from({{"__name__", "m"}, {"i", "2"}}), {0, 1}));
  const Verdict verdict = judge(evaluate_instant(*parse(GetParam().query), store, 0));
  EXPECT_EQ(verdict, (Verdict{GetParam().kind, GetParam().reason}));
}

INSTANTIATE_TEST_SUITE_P(
    Queries, Judgement,
    testing::Values(Judged{"group(m)", Verdict::Kind::Applies, ""},
                    Judged{"0 * group(m)", Verdict::Kind::DoesNotApply, ""},
                    Judged{"-0 * group(m)", Verdict::Kind::DoesNotApply, ""},
                    Judged{"m", Verdict::Kind::Unknown, "expected exactly one sample, found 2"},
                    Judged{"nothing", Verdict::Kind::Unknown, "expected exactly one sample, found 0"},
                    Judged{"count(m)", Verdict::Kind::Unknown, "expected the value 0 or 1, found 2"},
                    Judged{"group(m) * NaN", Verdict::Kind::Unknown, "expected the value 0 or 1, found NaN"},
                    Judged{"1", Verdict::Kind::Unknown,
                           "expected the query to answer with an instant vector, but it is a scalar"},
                    Judged{"m[5m]", Verdict::Kind::Unknown,
                           "expected the query to answer with an instant vector, but it is a range vector"},
                    Judged{"label_replace(m, \"i\", \"x\", \"\", \"\")", Verdict::Kind::Unknown,
                           "vector cannot contain metrics with the same labelset"}));

TEST(ResultFormat, IsThatOfPromtoolAndOfTheApi) {
  SeriesStore store;
  for (Millis t = 0; t < 3; ++t) {
    ASSERT_TRUE(
        store.add(Labels::from({{"__name__", "m"}, {"i", "1"}}), {t * 1500, 0.1 + static_cast<double>(t)}));
  }
  const auto show = [&](const char* query) {
    const auto result = evaluate_instant(*parse(query), store, 3000);
    return to_text(*result) + json::serialize(to_json(*result));
  };
  EXPECT_EQ(show("m"),
            "m{i=\"1\"} => 2.1 @[3]\n"
            R"({"resultType":"vector","result":[{"metric":{"__name__":"m","i":"1"},"value":[3,"2.1"]}]})");
  EXPECT_EQ(
      show("m[2s]"),
      "m{i=\"1\"} =>\n1.1 @[1.5]\n2.1 @[3]\n"
      R"({"resultType":"matrix","result":[{"metric":{"__name__":"m","i":"1"},"values":[[1.5,"1.1"],[3,"2.1"]]}]})");
  EXPECT_EQ(show("1 / 0"),
            "scalar: +Inf @[3]\n"
            R"({"resultType":"scalar","result":[3,"+Inf"]})");
  EXPECT_EQ(show("nothing"), R"({"resultType":"vector","result":[]})");
}

struct Formatted {
  double value;
  const char* plain;
  const char* general;
};

TEST(FormatValue, IsTheShortestThatReadsBack) {
  for (const auto& [value, plain, general] :
       {Formatted{0.1, "0.1", "0.1"}, Formatted{1e21, "1000000000000000000000", "1e+21"},
        Formatted{1e-7, "0.0000001", "1e-07"}, Formatted{-2.5, "-2.5", "-2.5"}, Formatted{kNaN, "NaN", "NaN"},
        Formatted{kInf, "+Inf", "+Inf"}, Formatted{-kInf, "-Inf", "-Inf"}, Formatted{0, "0", "0"}}) {
    EXPECT_EQ(format_value(value), plain);
    EXPECT_EQ(format_general(value), general);
  }
  EXPECT_EQ(format_seconds(-1500), "-1.5");
  EXPECT_EQ(format_seconds(1435781451781), "1435781451.781");
}

}  // namespace
}  // namespace fairway::promql
