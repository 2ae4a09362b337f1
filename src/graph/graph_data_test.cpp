#include "graph/graph_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/graph_testing.hpp"

namespace fairway::graph {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ids;
using ::testing::IsEmpty;
using testing::tree;

Block block_of(const std::string& text, Findings* findings = nullptr,
               const std::string& name = "4.7.4.yaml") {
  auto reading = read_graph_data(tree({{"blocked-edges/" + name, text}}));
  if (findings != nullptr) *findings = reading.findings;
  EXPECT_TRUE(reading.data) << text;
  if (!reading.data || reading.data->blocks.size() != 1) return {};
  return reading.data->blocks.front();
}

TEST(GraphData, Case48_VersionsOfTheSchema) {
  const auto read = [](const char* version) { return read_graph_data(tree({{"version", version}})); };
  EXPECT_TRUE(read("1.1.0\n").data);
  EXPECT_THAT(read("1.1.0\n").findings, IsEmpty());
  EXPECT_TRUE(read("1.9.0").data);
  EXPECT_THAT(ids(read("1.9.0").findings), ElementsAre("version-newer"));
  EXPECT_FALSE(read("2.0.0").data);
  EXPECT_FALSE(read("0.9.0").data);
  EXPECT_FALSE(read("abc").data);
  EXPECT_FALSE(read_graph_data({{"raw/metadata.json", "{}"}}).data) << "the file is missing";
}

TEST(GraphData, RawMetadataIsRequiredAndStrict) {
  EXPECT_FALSE(read_graph_data({{"version", "1.1.0"}}).data);
  EXPECT_FALSE(read_graph_data(tree({{"raw/metadata.json", "[]"}})).data);
  EXPECT_FALSE(read_graph_data(tree({{"raw/metadata.json", R"({"4.1":{}})"}})).data);
  EXPECT_FALSE(read_graph_data(tree({{"raw/metadata.json", R"({"4.1.0":{"a":1}})"}})).data);
  const auto reading =
      read_graph_data(tree({{"raw/metadata.json", R"({"4.1.0":{"a":"b"},"4.1.0+x":{"a":"c"}})"}}));
  ASSERT_TRUE(reading.data);
  EXPECT_EQ(reading.data->raw.at("4.1.0").at("a"), "b,c");
}

TEST(GraphData, ReadsTheSeedsBlock) {
  Findings findings;
  const Block block = block_of(
      "to: 4.7.4\nfrom: 4\\.6\\..*\nurl: https://example.com/1\nname: AuthLeak\nmessage: On clusters with a "
      "proxy.\n"
      "matchingRules:\n- type: PromQL\n  promql:\n    promql: "
      "max(cluster_proxy_enabled{type=~\"https?\"})\nfixedIn: 4.7.9\n",
      &findings);
  EXPECT_THAT(findings, IsEmpty());
  EXPECT_EQ(block.to.to_string(), "4.7.4");
  EXPECT_EQ(block.from, "4\\.6\\..*");
  ASSERT_EQ(block.rules.size(), 1U);
  EXPECT_EQ(block.rules.front().promql, "max(cluster_proxy_enabled{type=~\"https?\"})");
  EXPECT_EQ(
      json::serialize(to_json(block.risk())),
      R"({"url":"https://example.com/1","name":"AuthLeak","message":"On clusters with a proxy.","matchingRules":)"
      R"j([{"type":"PromQL","promql":{"promql":"max(cluster_proxy_enabled{type=~\"https?\"})"}}]})j");
  EXPECT_EQ(block.fixed_in->to_string(), "4.7.9");
  EXPECT_FALSE(block.is_unconditional());
}

constexpr const char* kReason = "to: 4.7.4\nfrom: .*\nurl: https://example.com\nname: Name\nmessage: Text.\n";

TEST(GraphData, Case56_ToAndFromBlockEveryone) {
  EXPECT_TRUE(block_of("to: 4.7.4\nfrom: .*\n").is_unconditional());
}

TEST(GraphData, Case63_AlwaysHasNothingButItsType) {
  Findings findings;
  const Block block =
      block_of(std::string(kReason) + "matchingRules:\n- type: Always\n  extra: 1\n", &findings);
  ASSERT_EQ(block.rules.size(), 1U);
  EXPECT_EQ(json::serialize(block.rules.front().wire), R"({"type":"Always"})");
  EXPECT_THAT(ids(findings), ElementsAre("block-rule-keys"));
}

TEST(GraphData, Case64_UnknownRuleTypesPassVerbatim) {
  Findings findings;
  const Block block = block_of(std::string(kReason) +
                                   "matchingRules:\n- type: Always\n- type: Weather\n  weather: {rain: 0.5, "
                                   "cities: [Brno], wet: true}\n",
                               &findings);
  ASSERT_EQ(block.rules.size(), 2U);
  EXPECT_EQ(json::serialize(block.rules.back().wire),
            R"({"type":"Weather","weather":{"rain":0.5,"cities":["Brno"],"wet":true}})");
  EXPECT_THAT(ids(findings), ElementsAre("block-rule-type"));
}

TEST(GraphData, Case65_AReasonWithoutRulesIsARiskForEveryone) {
  const Block block = block_of(kReason);
  ASSERT_EQ(block.rules.size(), 1U);
  EXPECT_EQ(block.rules.front(), always_rule());
}

TEST(GraphData, Case66_FixedInAloneDoesNotSoftenABlock) {
  EXPECT_TRUE(block_of("to: 4.7.4\nfrom: .*\nfixedIn: 4.7.5\n").is_unconditional());
}

TEST(GraphData, AQueryOfTheService) {
  Findings findings;
  EXPECT_EQ(block_of("to: 4.3.19\nfrom: .*\nclusters:\n  promql: up\n", &findings).query, "up");
  EXPECT_THAT(findings, IsEmpty());
  EXPECT_EQ(block_of("to: 4.3.19\nfrom: .*\nclusters:\n  prometheus: up\n", &findings).query, "up");
  EXPECT_THAT(ids(findings), ElementsAre("block-clusters-spelling"));
  const Block both =
      block_of(std::string(kReason) + "clusters: {promql: up}\nmatchingRules:\n- type: Always\n");
  EXPECT_TRUE(both.query);
  EXPECT_EQ(both.rules.size(), 1U);
  EXPECT_TRUE(block_of(std::string(kReason) + "clusters: {promql: up}\n").rules.empty())
      << "only the service decides";
}

TEST(GraphData, BothSpellingsOfPromQLAreServedAsOne) {
  Findings findings;
  const Block block = block_of(
      std::string(kReason) + "matchingRules:\n- type: PromQL\n  PromQL:\n    PromQL: up\n", &findings);
  ASSERT_EQ(block.rules.size(), 1U);
  EXPECT_EQ(json::serialize(block.rules.front().wire), R"({"type":"PromQL","promql":{"promql":"up"}})");
  EXPECT_THAT(ids(findings), ElementsAre("block-promql-spelling"));
}

struct Closed {
  const char* name;
  std::string text;
  const char* id;
};

class NotUnderstood : public ::testing::TestWithParam<Closed> {};

TEST_P(NotUnderstood, FailsClosed) {
  Findings findings;
  const Block block = block_of(GetParam().text, &findings);
  EXPECT_EQ(block.to.to_string(), "4.7.4");
  EXPECT_TRUE(block.is_unconditional());
  EXPECT_THAT(ids(findings), Contains(GetParam().id));
  EXPECT_GT(count(findings, Severity::Error), 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, NotUnderstood,
    ::testing::Values(
        Closed{"RulesWithoutMessage",
               "to: 4.7.4\nfrom: .*\nurl: https://x\nname: N\nmatchingRules:\n- type: Always\n",
               "block-reason"},
        Closed{"RulesNotAList", std::string(kReason) + "matchingRules: {type: Always}\n", "block-rules"},
        Closed{"RuleWithoutType", std::string(kReason) + "matchingRules:\n- promql: {promql: up}\n",
               "block-rule-type"},
        Closed{"QueryNotNested", std::string(kReason) + "matchingRules:\n- type: PromQL\n  promql: up\n",
               "block-promql"},
        Closed{"ClustersNotAMapping", "to: 4.7.4\nfrom: .*\nclusters: up\n", "block-clusters"},
        Closed{"ClustersWithAnotherKey", "to: 4.7.4\nfrom: .*\nclusters: {promql: up, insights: x}\n",
               "block-clusters"},
        Closed{"ClustersOfAnotherKind", "to: 4.7.4\nfrom: .*\nclusters: {insights: x}\n", "block-clusters"}),
    [](const auto& info) { return info.param.name; });

TEST(GraphData, EmptyRulesRecommendToNobody) {
  const Block block = block_of(std::string(kReason) + "matchingRules: []\n");
  ASSERT_EQ(block.rules.size(), 1U);
  EXPECT_EQ(block.rules.front(), always_rule());
}

struct Refused {
  const char* name;
  const char* text;
  const char* id;
  std::size_t line;
};

class Illegible : public ::testing::TestWithParam<Refused> {};

TEST_P(Illegible, RefusesTheWholeTree) {  // case 71 among them
  const auto reading = read_graph_data(tree({{"blocked-edges/4.7.4.yaml", GetParam().text},
                                             {"blocked-edges/4.7.5.yaml", "to: 4.7.5\nfrom: .*\n"}}));
  EXPECT_FALSE(reading.data);
  ASSERT_EQ(reading.findings.size(), 1U);
  const Finding& finding = reading.findings.front();
  EXPECT_EQ(finding.id, GetParam().id);
  EXPECT_EQ(finding.file, "blocked-edges/4.7.4.yaml");
  EXPECT_EQ(finding.line, GetParam().line);
  EXPECT_TRUE(finding.refuses);
  EXPECT_FALSE(finding.fix.empty());
  EXPECT_THAT(refusal(reading.findings).describe(), HasSubstr("4.7.4.yaml"));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Illegible,
    ::testing::Values(Refused{"NotYaml", "to: 4.7.4\nfrom: [\n", "block-yaml", 3},
                      Refused{"NotAMapping", "- to\n", "block-yaml", 0},
                      Refused{"Empty", "", "block-yaml", 0}, Refused{"NoTo", "from: .*\n", "block-to", 0},
                      Refused{"NoFrom", "to: 4.7.4\n", "block-from", 0},
                      Refused{"ToNotSemVer", "# why\nto: 4.7\nfrom: .*\n", "block-to", 2},
                      Refused{"Case71_FromNotARegex", "to: 4.7.4\nfrom: '4[.('\n", "block-from-regex", 2},
                      Refused{"LookAround", "to: 4.7.4\nfrom: (?=4)\n", "block-from-regex", 2},
                      Refused{"KeyTwice", "to: 4.7.4\nfrom: .*\nto: 4.7.5\n", "block-yaml", 3}),
    [](const auto& info) { return info.param.name; });

TEST(GraphData, Case55_OtherExtensionsAreReadAndReported) {
  Findings findings;
  EXPECT_TRUE(block_of("to: 4.7.4\nfrom: .*\n", &findings, "foo.yml").is_unconditional());
  EXPECT_THAT(ids(findings), ElementsAre("block-extension"));
  EXPECT_EQ(findings.front().severity, Severity::Error);
  EXPECT_EQ(block_of("to: 4.7.4\nfrom: .*\n", &findings, "4.7.4-disabled.txt").to.to_string(), "4.7.4")
      << "named after a version: meant";
  const auto owners = read_graph_data(tree({{"blocked-edges/OWNERS", "approvers: []"}}));
  ASSERT_TRUE(owners.data);
  EXPECT_TRUE(owners.data->blocks.empty());
  EXPECT_THAT(ids(owners.findings), ElementsAre("block-extension"));
  const auto nested = read_graph_data(tree({{"blocked-edges/old/4.7.4.yaml", "to: 4.7.4\nfrom: .*\n"}}));
  ASSERT_TRUE(nested.data);
  EXPECT_EQ(nested.data->blocks.size(), 1U);
}

TEST(GraphData, AMistypedKeyIsNamed) {
  Findings findings;
  block_of(std::string(kReason) + "matchingRule:\n- type: Always\n", &findings);
  ASSERT_THAT(ids(findings), ElementsAre("block-unknown-key"));
  EXPECT_THAT(findings.front().fix, HasSubstr("matchingRules"));
  EXPECT_EQ(findings.front().line, 6U);
}

TEST(GraphData, ChannelsFeedersAndTombstones) {
  const auto reading = read_graph_data(
      tree({{"channels/stable-4.7.yaml",
             "feeder:\n  delay: P1W\n  filter: 4\\.[67]\\.[0-9].*\n  name: fast\n  errata: public\n"
             "name: stable-4.7\nversions:\n- 4.10.0\n- 4.6.1+amd64\ntombstones:\n- 4.6.2\n"},
            {"internal-channels/fast.yaml", "name: fast\nversions: []\n"}}));
  ASSERT_TRUE(reading.data) << to_text(reading.findings.front());
  EXPECT_THAT(reading.findings, IsEmpty());
  const Channel& channel = reading.data->channels.front();
  EXPECT_EQ(channel.versions.front().to_string(), "4.10.0") << "a version is not a number";
  EXPECT_EQ(channel.feeder->name, "fast");
  EXPECT_EQ(channel.feeder->delay, std::chrono::hours(7 * 24));
  EXPECT_TRUE(channel.feeder->wants_public_errata);
  EXPECT_EQ(channel.tombstones.size(), 1U);
  EXPECT_TRUE(reading.data->channels.back().is_internal);
}

TEST(GraphData, WrongChannelsRefuseAndWrongFeedersDoNot) {
  const auto read = [](const char* text) { return read_graph_data(tree({{"channels/c-1.yaml", text}})); };
  EXPECT_FALSE(read("versions: []\n").data);
  EXPECT_FALSE(read("name: c-1\n").data);
  EXPECT_FALSE(read("name: c-1\nversions: 4.1.0\n").data);
  const auto wrong = read("name: c-1\nversions:\n- 4.1.0\n- 4.2\n");
  EXPECT_FALSE(wrong.data);
  EXPECT_EQ(wrong.findings.front().line, 4U);
  for (const char* feeder : {"{}", "{name: x, delay: 1h}", "{name: x, errata: private}",
                             "{name: x, filter: '('}", "{name: x, dealy: P1W}", "x"}) {
    const auto reading = read(("name: c-1\nversions: []\nfeeder: " + std::string(feeder) + "\n").c_str());
    ASSERT_TRUE(reading.data) << feeder;
    EXPECT_FALSE(reading.data->channels.front().feeder)
        << feeder << ": nothing is promoted by a feeder that is not understood";
    EXPECT_GT(count(reading.findings, Severity::Error), 0U) << feeder;
  }
}

TEST(Delay, IsWeeksOrDaysAndHours) {
  using std::chrono::hours;
  EXPECT_EQ(parse_delay("P1W"), hours(168));
  EXPECT_EQ(parse_delay("P4D"), hours(96));
  EXPECT_EQ(parse_delay("PT48H"), hours(48));
  EXPECT_EQ(parse_delay("P1DT6H"), hours(30));
  EXPECT_EQ(parse_delay("PT0H"), hours(0));
  for (const char* wrong :
       {"", "P", "PT", "1W", "P1", "P1W2D", "PT1M", "P1DT", "P-1D", "P99999999999999999999D", "P1.5D"}) {
    EXPECT_FALSE(parse_delay(wrong)) << wrong;
  }
}

TEST(GraphData, FindingsForMachines) {
  const Finding finding{.id = "block-to",
                        .severity = Severity::Warning,
                        .file = "a,b.yaml",
                        .line = 3,
                        .message = "x\ny",
                        .fix = "z"};
  EXPECT_EQ(to_text(finding), "a,b.yaml:3: warning: x\ny; z [block-to]");
  EXPECT_EQ(to_github(finding, "dir"), "::warning file=dir/a%2Cb.yaml,line=3,title=block-to::x%0Ay; z");
  EXPECT_EQ(
      json::serialize(to_json(finding)),
      R"({"id":"block-to","severity":"warning","file":"a,b.yaml","line":3,"message":"x\ny","fix":"z"})");
}

}  // namespace
}  // namespace fairway::graph
