// The parser against the verdicts of Prometheus' own parser on its own table of cases, and on every query
// that real graph data ever used. The data lies beside the project, not in it; without it these tests do not
// run.
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <sstream>

#include "json/value.hpp"
#include "promql/lint.hpp"
#include "promql/parser.hpp"
#include "promql/printer.hpp"

namespace fairway::promql {
namespace {

std::filesystem::path data_directory() {
  return std::filesystem::path(FAIRWAY_SOURCE_DIR) / ".." / "shared" / "data" / "promql";
}

std::optional<json::Array> read_list(const std::string& name) {
  std::ifstream file(data_directory() / name);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  auto value = json::parse(text.str());
  EXPECT_TRUE(value.has_value()) << value.error().describe();
  if (!value || !value->is_array()) return std::nullopt;
  return value->as_array();
}

std::optional<std::string> text_of(const json::Object& object, std::string_view key) {
  const auto found = json::get_string(object, {key});
  if (!found) return std::nullopt;
  return std::string(*found);
}

TEST(OfficialTable, VerdictsCanonicalFormsAndTypes) {
  const auto cases = read_list("parse_table_verdicts.json");
  if (!cases) GTEST_SKIP() << "not run: no data in " << data_directory();
  ASSERT_EQ(cases->size(), 354U);
  std::size_t errors = 0;
  std::size_t same_text = 0;
  std::size_t same_position = 0;
  for (const json::Value& value : *cases) {
    const json::Object& row = value.as_object();
    const std::string input = text_of(row, "input").value();
    SCOPED_TRACE("input: " + input.substr(0, 200));
    const auto by_default = parse(input);
    const auto with_all = parse(input, ParseOptions::all_enabled());
    EXPECT_EQ(by_default.has_value(), json::get_bool(row, {"ok_default_flags"}).value())
        << (by_default ? to_string(*by_default) : by_default.error().describe(input));
    EXPECT_EQ(with_all.has_value(), json::get_bool(row, {"ok_experimental"}).value())
        << (with_all ? to_string(*with_all) : with_all.error().describe(input));
    if (by_default && text_of(row, "canon")) {
      EXPECT_EQ(to_string(*by_default), *text_of(row, "canon"));
      EXPECT_EQ(to_string(by_default->type()), *text_of(row, "type"));
    }
    if (with_all) {
      const auto again = parse(to_string(*with_all), ParseOptions::all_enabled());
      ASSERT_TRUE(again.has_value()) << to_string(*with_all) << ": " << again.error().message;
      EXPECT_TRUE(*again == *with_all) << to_string(*with_all) << " became " << to_string(*again);
    }
    const auto expected = text_of(row, "err");
    if (by_default || !expected) continue;
    ++errors;
    const std::string found = by_default.error().describe(input);
    constexpr std::string_view kMark = ": parse error: ";
    const auto cut = expected->find(kMark);
    const bool position = found.substr(0, found.find(kMark)) == expected->substr(0, cut);
    const bool text = by_default.error().message == expected->substr(cut + kMark.size());
    same_position += position ? 1 : 0;
    same_text += text ? 1 : 0;
    if (!position || !text)
      std::cout << "differs: " << input.substr(0, 80) << "\n  ours     " << found.substr(0, 200)
                << "\n  official " << expected->substr(0, 200) << '\n';
  }
  std::cout << "error texts equal: " << same_text << " of " << errors
            << ", positions equal: " << same_position << " of " << errors << '\n';
  RecordProperty("errors", static_cast<int>(errors));
  RecordProperty("same_text", static_cast<int>(same_text));
  EXPECT_EQ(same_text, errors);
  EXPECT_EQ(same_position, errors);
}

TEST(RealQueries, AllParseAndReadBackTheSame) {
  std::size_t count = 0;
  for (const std::string name : {"real_queries_head.json", "real_queries_history.json"}) {
    const auto rows = read_list(name);
    if (!rows) GTEST_SKIP() << "not run: no data in " << data_directory();
    for (const json::Value& value : *rows) {
      const json::Object& row = value.as_object();
      const std::string query = text_of(row, "q").value();
      SCOPED_TRACE(query);
      const auto parsed = parse(query);
      ASSERT_TRUE(parsed.has_value()) << parsed.error().describe(query);
      EXPECT_EQ(to_string(*parsed), text_of(row, "canon").value());
      if (const auto type = text_of(row, "type")) EXPECT_EQ(to_string(parsed->type()), *type);
      const auto again = parse(to_string(*parsed));
      ASSERT_TRUE(again.has_value());
      EXPECT_TRUE(*again == *parsed);
      ++count;
    }
  }
  EXPECT_EQ(count, 64U + 116U);
}

// Which of today's risks provably give at most one series; the lint says so for each.
TEST(RealQueries, LintSaysForEachWhetherOneSeriesIsProven) {
  const auto rows = read_list("real_queries_head.json");
  if (!rows) GTEST_SKIP() << "not run: no data in " << data_directory();
  std::size_t proven = 0;
  std::map<std::string, std::size_t> findings;
  std::vector<std::string> regex_in_equality;
  for (const json::Value& value : *rows) {
    const json::Object& row = value.as_object();
    const std::string query = text_of(row, "q").value();
    const LintReport report = lint(query);
    EXPECT_FALSE(report.has_errors()) << query;
    proven += report.at_most_one_series ? 1 : 0;
    std::cout << (report.at_most_one_series ? "one series    " : "not proven    ")
              << json::view(json::get_array(row, {"names"})->at(0).as_string()) << '\n';
    for (const Finding& finding : report.findings) {
      ++findings[finding.id];
      if (finding.id == kRegexInEquality) {
        regex_in_equality.push_back(query.substr(finding.span.start, finding.span.end - finding.span.start));
      }
    }
  }
  std::cout << proven << " of " << rows->size() << " provably give at most one series\n";
  for (const auto& [id, count] : findings) std::cout << id << ": " << count << '\n';
  EXPECT_THAT(regex_in_equality, testing::Contains("type=\"AWS|GCP\""));
  EXPECT_GT(proven, 0U);
}

}  // namespace
}  // namespace fairway::promql
