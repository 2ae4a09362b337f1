#include "graph/promote.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "graph/graph_testing.hpp"

namespace fairway::graph {
namespace {

using testing::channel;
using ::testing::Contains;
using testing::data;
using ::testing::ElementsAre;
using testing::graph;
using ::testing::HasSubstr;
using testing::ids;
using ::testing::IsEmpty;
using testing::release;
using testing::risk;

const WallTime kNow = *parse_rfc3339("2024-03-10T12:00:00Z");

std::string fed(std::string_view name, std::initializer_list<std::string_view> versions,
                std::string_view feeder) {
  return channel(name, versions) + "feeder: " + std::string(feeder) + "\n";
}

PromotionFacts facts(std::initializer_list<std::string_view> old, std::string feeder = "fast") {
  PromotionFacts facts{.now = kNow};
  for (std::string_view version : old)
    facts.since[{feeder, std::string(version)}] = kNow - std::chrono::hours(49);
  return facts;
}

std::vector<std::string> promoted(const PromotionPlan& plan) {
  std::vector<std::string> versions;
  versions.reserve(plan.promotions.size());
  for (const Promotion& promotion : plan.promotions) versions.push_back(promotion.version);
  return versions;
}

TEST(Promote, AVersionGoesOnWhenItHasRested) {
  const auto tree =
      data({{"internal-channels/fast.yaml", channel("fast", {"4.7.0", "4.7.1", "4.7.2", "4.8.0"})},
            {"channels/stable-4.7.yaml",
             fed("stable-4.7", {"4.7.0"}, "{name: fast, delay: PT48H, filter: '4[.]7[.].*'}")}});
  auto known = facts({"4.7.1", "4.8.0"});
  known.since[{"fast", "4.7.2"}] = kNow - std::chrono::hours(47);
  const auto plan = decide_promotions(tree, known);
  EXPECT_THAT(promoted(plan), ElementsAre("4.7.1")) << "4.8.0 does not match the filter";
  ASSERT_EQ(plan.waiting.size(), 1U);
  EXPECT_EQ(plan.waiting.front().version, "4.7.2");
  EXPECT_EQ(plan.waiting.front().until, kNow + std::chrono::hours(1));
  EXPECT_THAT(to_text(plan), HasSubstr("promote 4.7.1 to stable-4.7"));
  EXPECT_THAT(json::serialize(to_json(plan)), HasSubstr(R"("until":"2024-03-10T13:00:00Z")"));
}

TEST(Promote, AVersionGoesOnWhenItsErratumIsPublic) {
  const auto tree =
      data({{"internal-channels/fast.yaml", channel("fast", {"4.7.1", "4.7.2"})},
            {"channels/stable-4.7.yaml", fed("stable-4.7", {}, "{name: fast, errata: public}")}});
  auto known = facts({"4.7.1", "4.7.2"});
  known.public_errata = {"4.7.2"};
  const auto plan = decide_promotions(tree, known);
  EXPECT_THAT(promoted(plan), ElementsAre("4.7.2"));
  EXPECT_EQ(plan.waiting.front().why, "its erratum is not public yet");
}

TEST(Promote, WhatIsNotKnownWaits) {
  const auto tree = data({{"internal-channels/fast.yaml", channel("fast", {"4.7.1"})},
                          {"channels/stable-4.7.yaml", fed("stable-4.7", {}, "{name: fast, delay: PT0H}")},
                          {"channels/eus-4.7.yaml", fed("eus-4.7", {}, "{name: nowhere, delay: PT0H}")}});
  const auto plan = decide_promotions(tree, {.now = kNow});
  EXPECT_THAT(plan.promotions, IsEmpty());
  EXPECT_THAT(plan.waiting.front().why, HasSubstr("not known since when"));
  EXPECT_THAT(ids(plan.findings), ElementsAre("feeder-unknown"));
}

TEST(Promote, TombstonesStayOut) {
  const auto tree = data(
      {{"internal-channels/fast.yaml", channel("fast", {"4.7.1", "4.7.2"}) + "tombstones: [4.7.1, 4.7.0]\n"},
       {"channels/stable-4.7.yaml", fed("stable-4.7", {"4.7.0"}, "{name: fast, delay: PT0H}")}});
  const auto plan = decide_promotions(tree, facts({"4.7.1", "4.7.2"}));
  EXPECT_THAT(promoted(plan), ElementsAre("4.7.2"));
  EXPECT_THAT(ids(plan.findings), ElementsAre("tombstone-in-channel"));
}

TEST(Promote, Guard28_RisksAreExtendedOrFixed) {
  const auto plan_with = [](const std::string& first, const std::string& second = "") {
    SourceFiles files = testing::tree(
        {{"internal-channels/fast.yaml", channel("fast", {"4.7.1"})},
         {"channels/stable-4.7.yaml", fed("stable-4.7", {"4.7.0"}, "{name: fast, delay: PT0H}")},
         {"blocked-edges/4.7.0-A.yaml", first}});
    if (!second.empty()) files.push_back({"blocked-edges/4.7.1-A.yaml", second});
    return decide_promotions(*read_graph_data(files).data, facts({"4.7.1"}));
  };
  const auto open = plan_with(risk("4.7.0", ".*", "A"));
  EXPECT_THAT(open.promotions, IsEmpty());
  EXPECT_THAT(ids(open.findings), ElementsAre("risk-not-extended"));
  EXPECT_EQ(open.waiting.front().version, "4.7.1");
  EXPECT_THAT(promoted(plan_with(risk("4.7.0", ".*", "A"), risk("4.7.1", ".*", "A"))), ElementsAre("4.7.1"));
  EXPECT_THAT(promoted(plan_with(risk("4.7.0", ".*", "A") + "fixedIn: 4.7.1\n")), ElementsAre("4.7.1"));
  EXPECT_THAT(promoted(plan_with(risk("4.7.0", ".*", "A") + "fixedIn: 4.7.2\n")), IsEmpty());
  EXPECT_THAT(plan_with(risk("4.7.0", ".*", "A") + "autoExtend: https://example.com\n").findings.front().fix,
              HasSubstr("autoExtend"));
}

TEST(Promote, Guard29_AnOlderMinorNeedsAWayOut) {
  const auto built = graph({release("4.6.1"), release("4.6.2"), release("4.7.0", {"4.6.1"})}, data({}));
  const Document releases = document_of(*built, std::nullopt, 0, Outcomes(*built, AllowedRules::all()));
  const auto plan_for = [&](const std::string& name) {
    const auto tree =
        data({{"internal-channels/fast.yaml", channel("fast", {"4.6.1", "4.6.2"})},
              {"channels/" + name + ".yaml", fed(name, {"4.7.0"}, "{name: fast, delay: PT0H}")}});
    auto known = facts({"4.6.1", "4.6.2"});
    known.releases = &releases;
    return decide_promotions(tree, known);
  };
  EXPECT_THAT(promoted(plan_for("stable-4.7")), ElementsAre("4.6.1"));
  EXPECT_THAT(ids(plan_for("stable-4.7").findings), Contains("no-way-out"));
  EXPECT_THAT(promoted(plan_for("candidate-4.7")), ElementsAre("4.6.1", "4.6.2"));
}

TEST(Promote, Guard30_PatchesWithoutARecommendedUpdate) {
  const auto built =
      graph({release("4.7.0"), release("4.7.1"), release("4.7.2", {"4.7.0"}), release("4.7.3", {"4.7.1"})},
            data({{"blocked-edges/4.7.3-A.yaml", risk("4.7.3", ".*", "A")}}));
  const Document releases = document_of(*built, std::nullopt, 0, Outcomes(*built, AllowedRules::all()));
  PromotionFacts known{.now = kNow, .releases = &releases};
  const auto plan = decide_promotions(
      data({{"channels/stable-4.7.yaml", channel("stable-4.7", {"4.7.0", "4.7.1", "4.7.2", "4.7.3"})}}),
      known);
  ASSERT_THAT(ids(plan.findings), ElementsAre("patch-unconnected"))
      << "4.7.1 is older than 4.7.2, which warns already";
  EXPECT_THAT(plan.findings.front().message, HasSubstr("from 4.7.2"));
}

TEST(WithVersion, KeepsTheFileAndTheOrder) {
  const std::string file =
      "# mine\nname: stable-4.7\nversions:\n- 4.6.1\n# why\n- 4.10.0\n\ntombstones:\n- 4.5.0\n";
  EXPECT_EQ(
      *with_version(file, *SemVer::parse("4.7.0")),
      "# mine\nname: stable-4.7\nversions:\n- 4.6.1\n- 4.7.0\n# why\n- 4.10.0\n\ntombstones:\n- 4.5.0\n");
  EXPECT_EQ(*with_version(file, *SemVer::parse("4.6.1")), file) << "it is there already";
  EXPECT_EQ(*with_version("name: a\nversions:\n  - 4.6.1\n", *SemVer::parse("4.6.2")),
            "name: a\nversions:\n  - 4.6.1\n  - 4.6.2\n");
  EXPECT_EQ(*with_version("name: a\nversions:\n- 4.6.1", *SemVer::parse("4.6.2")),
            "name: a\nversions:\n- 4.6.1\n- 4.6.2\n");
  EXPECT_EQ(*with_version("versions:\n- 4.6.2\n", *SemVer::parse("4.6.1")), "versions:\n- 4.6.1\n- 4.6.2\n");
  EXPECT_FALSE(with_version("name: a\n", *SemVer::parse("4.6.1")));
  EXPECT_FALSE(with_version("versions: [4.6.1]\n", *SemVer::parse("4.6.2")));
}

}  // namespace
}  // namespace fairway::graph
