#include "graph/lint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/generate.hpp"
#include "graph/graph_testing.hpp"

namespace fairway::graph {
namespace {

using testing::channel;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ids;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::release;
using testing::risk;
using testing::tree;

const std::string kStable = channel("stable-4.7", {"4.6.1", "4.7.0", "4.7.1"});
const std::string kFast = channel("fast-4.7", {"4.6.1", "4.7.0", "4.7.1"});
const std::string kCandidate = channel("candidate-4.7", {"4.6.1", "4.6.10", "4.7.0", "4.7.1"});

SourceFiles sound(testing::Files more) {
  SourceFiles files = tree(more);
  files.push_back({"channels/stable-4.7.yaml", kStable});
  files.push_back({"channels/fast-4.7.yaml", kFast});
  files.push_back({"channels/candidate-4.7.yaml", kCandidate});
  return files;
}

Findings findings_of(testing::Files more, const LintOptions& options = {}) {
  return lint(sound(more), options);
}

TEST(Lint, ASoundTreeHasNoFindings) {
  EXPECT_THAT(findings_of({{"blocked-edges/4.7.0-Name.yaml", risk("4.7.0", "4[.]6[.].*", "Name")}}),
              IsEmpty());
}

struct Check {
  const char* name;
  const char* path;
  std::string text;
  const char* id;
  Severity severity;
  std::size_t line;
};

class Checks : public ::testing::TestWithParam<Check> {};

TEST_P(Checks, FindTheirMistake) {
  const Check& check = GetParam();
  const Findings findings = findings_of({{check.path, check.text}});
  ASSERT_THAT(ids(findings), Contains(check.id));
  const auto& finding = *std::ranges::find(findings, check.id, &Finding::id);
  EXPECT_EQ(finding.severity, check.severity);
  EXPECT_EQ(finding.file, check.path);
  EXPECT_EQ(finding.line, check.line);
  EXPECT_FALSE(finding.message.empty());
  EXPECT_FALSE(finding.fix.empty());
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  return text.replace(text.find(from), from.size(), to);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Checks,
    ::testing::Values(
        Check{"FileNameNotTheTarget", "blocked-edges/4.7.1-Name.yaml", risk("4.7.0", ".*", "Name"),
              "block-file-name", Severity::Error, 0},
        Check{"FileNameNotTheRisk", "blocked-edges/4.7.0-other.yaml", risk("4.7.0", ".*", "Name"),
              "block-file-name", Severity::Warning, 0},
        Check{"NameNotCamelCase", "blocked-edges/4.7.0-my-name.yaml", risk("4.7.0", ".*", "my-name"),
              "block-name", Severity::Error, 4},
        Check{"UrlNotHttps", "blocked-edges/4.7.0-Name.yaml",
              replaced(risk("4.7.0", ".*", "Name"), "https://", "http://"), "block-url", Severity::Error, 3},
        Check{"FixedInBelowTo", "blocked-edges/4.7.0-Name.yaml",
              risk("4.7.0", ".*", "Name") + "fixedIn: 4.6.9\n", "block-fixed-before", Severity::Warning, 8},
        Check{"ToOutsideChannels", "blocked-edges/4.7.9-Name.yaml", risk("4.7.9", ".*", "Name"),
              "block-to-outside", Severity::Warning, 1},
        Check{"Clusters", "blocked-edges/4.7.0.yaml", "to: 4.7.0\nfrom: .*\nclusters:\n  promql: up\n",
              "block-by-service", Severity::Warning, 3},
        Check{"OldSpelling", "blocked-edges/4.7.0.yaml", "to: 4.7.0\nfrom: .*\nclusters:\n  prometheus: up\n",
              "block-clusters-spelling", Severity::Warning, 4},
        Check{"Broad", "blocked-edges/4.7.0-Name.yaml", risk("4.7.0", "4[.]6[.]1", "Name"),
              "block-from-broad", Severity::Warning, 2},
        Check{"MatchesNothing", "blocked-edges/4.7.0-Name.yaml", risk("4.7.0", "4[.]5[.].*", "Name"),
              "block-from-nothing", Severity::Info, 2},
        Check{"ChannelTwice", "channels/zz.yaml", kStable, "channel-twice", Severity::Error, 1},
        Check{"ChannelName", "channels/odd.yaml", channel("Stable_4", {"4.6.1"}), "channel-name",
              Severity::Error, 1},
        Check{"ChannelWithoutDash", "channels/odd.yaml", channel("stable", {"4.6.1"}), "channel-name",
              Severity::Warning, 1},
        Check{"VersionTwice", "channels/eus-4.6.yaml", channel("eus-4.6", {"4.6.1", "4.6.1"}),
              "channel-version-twice", Severity::Warning, 3},
        Check{"NoWiderChannel", "channels/stable-4.6.yaml", channel("stable-4.6", {"4.6.1"}),
              "channel-subset", Severity::Error, 1},
        Check{"NotInWiderChannel", "channels/fast-4.7.yaml", channel("fast-4.7", {"4.6.1", "4.7.9"}),
              "channel-subset", Severity::Error, 4},
        Check{"UnknownKey", "blocked-edges/4.7.0-Name.yaml", risk("4.7.0", ".*", "Name") + "fixdIn: 4.7.1\n",
              "block-unknown-key", Severity::Warning, 8},
        Check{"Yml", "blocked-edges/4.7.0-Name.yml", risk("4.7.0", ".*", "Name"), "block-extension",
              Severity::Error, 0}),
    [](const auto& info) { return info.param.name; });

TEST(Lint, RisksOfOneNameAgree) {
  EXPECT_THAT(ids(findings_of({{"blocked-edges/4.7.0-Name.yaml", risk("4.7.0", ".*", "Name")},
                               {"blocked-edges/4.7.1-Name.yaml",
                                risk("4.7.1", "4[.]6[.].*", "Name") + "fixedIn: 4.7.2\n"}})),
              IsEmpty())
      << "from, to and fixedIn may differ";
  const auto findings =
      findings_of({{"blocked-edges/4.7.0-Name.yaml", risk("4.7.0", ".*", "Name")},
                   {"blocked-edges/4.7.1-Name.yaml", replaced(risk("4.7.1", ".*", "Name"), "hurt", "help")}});
  ASSERT_THAT(ids(findings), ElementsAre("risk-differs"));
  EXPECT_THAT(findings.front().message, HasSubstr("4.7.0-Name.yaml"));
}

TEST(Lint, OverlappingBlocksOfOneTarget) {
  EXPECT_THAT(ids(findings_of({{"blocked-edges/4.7.0-Name.yaml", risk("4.7.0", ".*", "Name")},
                               {"blocked-edges/4.7.0.yaml", "to: 4.7.0\nfrom: 4[.]6[.].*\n"}})),
              ElementsAre("block-overruled"));
  EXPECT_THAT(ids(findings_of({{"blocked-edges/4.7.0-Name.yaml", risk("4.7.0", "4[.]7[.].*", "Name")},
                               {"blocked-edges/4.7.0.yaml", "to: 4.7.0\nfrom: 4[.]6[.].*\n"}})),
              IsEmpty());
  EXPECT_THAT(ids(findings_of({{"blocked-edges/4.7.0-Name.yaml", risk("4.7.0", ".*", "Name")},
                               {"blocked-edges/4.7.0-Name2.yaml", risk("4.7.0", ".*", "Name")}})),
              Contains("risk-twice"));
}

TEST(Lint, TombstonesInAFeeder) {
  EXPECT_THAT(ids(findings_of(
                  {{"channels/eus-4.7.yaml", channel("eus-4.7", {"4.6.1"}) + "feeder: {name: dead-4.7}\n"},
                   {"channels/dead-4.7.yaml", channel("dead-4.7", {"4.7.0"}) + "tombstones: [4.6.1]\n"}})),
              ElementsAre("tombstone-in-channel"));
}

TEST(Lint, EachQueryIsCheckedOnce) {
  const std::string rules = "- type: PromQL\n  promql:\n    promql: |\n      a\n      or b\n";
  LintOptions options;
  std::size_t asked = 0;
  options.lint_query = [&](std::string_view query, QueryUse use) {
    ++asked;
    EXPECT_EQ(use, query == "up" ? QueryUse::ByService : QueryUse::OnCluster);
    return std::vector<QueryFinding>{{.id = "zero-branch",
                                      .severity = Severity::Warning,
                                      .line = 2,
                                      .message = "no zero",
                                      .fix = "add one"}};
  };
  const auto findings =
      findings_of({{"blocked-edges/4.7.0-Name.yaml", risk("4.7.0", ".*", "Name", rules)},
                   {"blocked-edges/4.7.1-Name.yaml", risk("4.7.1", ".*", "Name", rules)},
                   {"blocked-edges/4.7.1.yaml", "to: 4.7.1\nfrom: .*\nclusters:\n  promql: up\n"}},
                  options);
  EXPECT_EQ(asked, 2U);
  const auto& finding = *std::ranges::find(findings, "promql-zero-branch", &Finding::id);
  EXPECT_EQ(finding.file, "blocked-edges/4.7.0-Name.yaml");
  EXPECT_EQ(finding.line, 11U);
  EXPECT_THAT(finding.message, HasSubstr("1 more files"));
}

TEST(Lint, WithReleasesTheGraphIsCheckedToo) {
  LintOptions options{
      .releases = std::vector{release("4.6.1"), release("4.6.10", {"4.6.1"}), release("4.7.0", {"4.6.1"})}};
  const auto findings =
      findings_of({{"blocked-edges/4.7.0-Name.yaml", risk("4.7.0", "4[.]7[.].*", "Name")}}, options);
  EXPECT_THAT(ids(findings), Contains("version-unknown")) << "4.7.1 is in channels, and no release";
  EXPECT_THAT(ids(findings), Contains("block-no-edge"));
  EXPECT_THAT(ids(findings), Contains("dead-end")) << "4.6.10 in candidate-4.7";
  EXPECT_THAT(ids(findings), Not(Contains("release-errata")));
  options.errata_pattern = "RH[BSE]A-[0-9]{4}:[0-9]+";
  EXPECT_THAT(ids(findings_of({}, options)), Contains("release-errata"));
}

TEST(Lint, WhatRefusesIsReportedAlone) {
  const auto findings = findings_of({{"blocked-edges/4.7.0-Name.yaml", risk("4.7.0", "(", "Name")}});
  ASSERT_THAT(ids(findings), ElementsAre("block-from-regex"));
  EXPECT_TRUE(findings.front().refuses);
}

TEST(Lint, GeneratedTreesHaveNoErrors) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto made = generate_tree({.seed = seed, .minors = 3, .patches = 8, .risks = 20});
    const auto findings = lint(made.files, {.releases = made.releases});
    EXPECT_EQ(count(findings, Severity::Error), 0U) << seed << ": " << to_text(findings.front());
  }
}

}  // namespace
}  // namespace fairway::graph
