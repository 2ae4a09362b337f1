#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "cli/program.hpp"
#include "cli/promql_batch.hpp"
#include "cli/promql_report.hpp"
#include "cli/promql_sources.hpp"
#include "json/value.hpp"

namespace fairway::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

Outcome check(std::vector<std::string> words) {
  words.insert(words.begin(), {"fairway", "promql", "check"});
  std::ostringstream out;
  std::ostringstream err;
  const ExitCode code = run(words, out, err);
  return {static_cast<int>(code), out.str(), err.str()};
}

TEST(PromqlCheck, EndsWithZeroForACleanQuery) {
  const Outcome clean = check({"group(up == 0) or 0 * group(up)"});
  EXPECT_EQ(clean.code, 0);
  EXPECT_EQ(clean.out, "query: ok, instant vector, at most one series\n");
  EXPECT_THAT(clean.err, IsEmpty());
}

TEST(PromqlCheck, EndsWithOneForErrorsAndPointsAtThePlace) {
  const Outcome wrong = check({"group(\n  up{a=b}\n)"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_EQ(
      wrong.out,
      "query:2:8: error: unexpected identifier \"b\" in label matching, expected string [syntax-error]\n"
      "      up{a=b}\n"
      "           ^\n");
  EXPECT_EQ(check({"a[2d]"}).code, 1);
}

TEST(PromqlCheck, EndsWithTwoForWarningsOnly) {
  const Outcome warned = check({"group(a{type=\"AWS|GCP\"}) or 0 * group(a)"});
  EXPECT_EQ(warned.code, 2);
  EXPECT_THAT(warned.out, HasSubstr("query:1:9: warning: type=\"AWS|GCP\" compares with that very text"));
  EXPECT_THAT(warned.out, HasSubstr("\n            ^~~~~~~~~~~~~~\n    fix: write type=~\"AWS|GCP\"\n"));
  EXPECT_EQ(check({"group(a{type=\"AWS|GCP\"}) or 0 * group(a)", "sum("}).code, 1);
}

TEST(PromqlCheck, SpeaksJson) {
  const Outcome outcome = check({"-o", "json", "sum(", "max(a)"});
  EXPECT_EQ(outcome.code, 1);
  const auto value = json::parse_object(outcome.out).value();
  const json::Array& queries = *json::get_array(value, {"queries"});
  ASSERT_THAT(queries, SizeIs(2));
  const json::Object& first = queries[0].as_object();
  EXPECT_EQ(json::get_bool(first, {"ok"}), false);
  const json::Object& finding = json::get_array(first, {"findings"})->at(0).as_object();
  EXPECT_EQ(json::get_string(finding, {"id"}), "syntax-error");
  EXPECT_EQ(json::get_int(finding, {"column"}), 5);
  EXPECT_EQ(json::get_int(finding, {"start"}), 4);
  const json::Object& second = queries[1].as_object();
  EXPECT_EQ(json::get_string(second, {"canon"}), "max(a)");
  EXPECT_EQ(json::get_bool(second, {"atMostOneSeries"}), true);
  EXPECT_EQ(json::get_int(value, {"withErrors"}), 1);
  EXPECT_EQ(json::get_int(value, {"withWarnings"}), 1);
}

TEST(PromqlCheck, SwitchesAndLimitsAreOptions) {
  const std::string limited = "group(limitk(1, a)) or 0 * group(a)";
  EXPECT_EQ(check({limited}).code, 1);
  EXPECT_EQ(check({"--enable", "functions", limited}).code, 0);
  EXPECT_EQ(check({"--enable", "durations", limited}).code, 1);
  EXPECT_EQ(check({"--enable-all", limited}).code, 0);
  const std::string deep = "group(group(group(a))) or 0 * group(a)";
  EXPECT_EQ(check({deep}).code, 0);
  EXPECT_THAT(check({"--max-depth", "3", deep}).out, HasSubstr("at most 3 levels, found 4"));
  EXPECT_EQ(check({"--history", "1h", "group(max_over_time(a[2h])) or 0 * group(a)"}).code, 2);
}

TEST(PromqlCheck, WrongUsageIsSaid) {
  EXPECT_EQ(check({}).code, 2);
  EXPECT_THAT(check({}).err, HasSubstr("expected a query, a file, or - for stdin"));
  EXPECT_EQ(check({"--batch", "up"}).code, 2);
  EXPECT_THAT(check({"nothing.yaml"}).err, HasSubstr("does not exist"));
}

TEST(PromqlSources, FindTheQueriesOfGraphData) {
  const auto edge =
      queries_in_yaml("4.19.8-x.yaml",
                      "to: 4.19.8\nname: Risk\nmatchingRules:\n- type: PromQL\n  promql:\n    promql: |\n"
                      "      group(a)\n- type: Always\n");
  ASSERT_TRUE(edge.has_value());
  ASSERT_THAT(*edge, SizeIs(1));
  EXPECT_EQ(edge->at(0).text, "group(a)\n");
  EXPECT_EQ(edge->at(0).name, "4.19.8-x.yaml (Risk).matchingRules[0].promql.promql");
  const auto older = queries_in_yaml("x.yaml", "clusters:\n  promql: up\n");
  ASSERT_THAT(older.value(), SizeIs(1));
  EXPECT_EQ(older->at(0).text, "up");
  EXPECT_THAT(queries_in_yaml("x.yaml", "to: 4.1.1\nfrom: .*\n").value(), IsEmpty());
  EXPECT_FALSE(queries_in_yaml("x.yaml", "a: [").has_value());
}

TEST(PromqlSources, ReadListsOfJson) {
  EXPECT_THAT(queries_in_json("x.json", "[\"up\", {\"q\": \"down\", \"canon\": \"no\"}]").value(), SizeIs(2));
  EXPECT_THAT(queries_in_json("x.json", "{\"promql\": \"up\", \"name\": \"n\"}").value(), SizeIs(1));
}

TEST(PromqlBatch, AnswersEveryLine) {
  std::istringstream in("\"sum(up)\"\n\"foo{a=\\\"b\\\"}[5m]\"\n\"sum(\"\n17\n\"1\"");
  std::ostringstream out;
  ASSERT_TRUE(run_batch(in, out, {}).has_value());
  EXPECT_EQ(out.str(),
            "{\"ok\":true,\"canon\":\"sum(up)\",\"type\":\"vector\"}\n"
            "{\"ok\":true,\"canon\":\"foo{a=\\\"b\\\"}[5m]\",\"type\":\"matrix\"}\n"
            "{\"ok\":false,\"error\":\"1:5: parse error: unclosed left parenthesis\",\"position\":4}\n"
            "{\"ok\":false,\"error\":\"expected one JSON string a line, found \\\"17\\\"\",\"position\":0}\n"
            "{\"ok\":true,\"canon\":\"1\",\"type\":\"scalar\"}\n");
}

TEST(PromqlBatch, AnswersAreJsonWhateverTheInput) {
  for (const std::string_view line :
       {"\"\\u0001\"", "\"{a=~\\\"(\\\\n\\\"}\"", "\"\xff\"", "\"é\"", "\"'\\ud83d\\ude00'\""}) {
    std::string answer;
    append_answer(answer, line, promql::ParseOptions::all_enabled());
    EXPECT_TRUE(json::parse(answer).has_value()) << answer;
  }
}

TEST(PromqlReport, CaretsStandUnderCharactersNotBytes) {
  EXPECT_EQ(excerpt("{a=\"é\"} + +", {11, 12}), "    {a=\"é\"} + +\n              ^\n");
  EXPECT_EQ(excerpt("\tup", {1, 3}), "     up\n     ^~\n");
  EXPECT_EQ(excerpt("", {0, 0}), "    \n    ^\n");
}

}  // namespace
}  // namespace fairway::cli
