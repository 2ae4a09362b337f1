#include "clusterversion/offer.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "base/text.hpp"

namespace fairway::clusterversion {
namespace {

Risk risk(std::string name, std::vector<MatchingRule> rules = {{.type = "Always"}}) {
  return {.url = "https://bugs.example/" + name,
          .name = name,
          .message = "about " + name,
          .matching_rules = std::move(rules)};
}
Release release(std::string version) {
  return {.version = version, .image = "r@sha256:" + version};
}
ConditionalTarget target(std::string version, std::vector<Risk> risks) {
  return {release(std::move(version)), std::move(risks)};
}

std::string versions(const Offer& offer) {
  std::vector<std::string> all;
  for (const Release& one : offer.updates) all.push_back(one.version);
  std::string text = join(all, " ") + " |";
  for (const OfferedUpdate& one : offer.conditional) text += " " + one.release.version;
  return text;
}
std::string causes(const Offer& offer) {
  std::vector<std::string> all;
  for (const LeftOut& one : offer.left_out) all.push_back(one.version + " " + one.cause);
  return join(all, ", ");
}

bool has(const std::vector<std::string>& texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

TEST(Offer, Case21ATargetInBothIsConditional) {
  const Offer offer = make_offer(
      {.updates = {release("4.6.43"), release("4.7.4")}, .conditional = {target("4.7.4", {risk("A")})}});
  EXPECT_EQ(versions(offer), "4.6.43 | 4.7.4");
  ASSERT_EQ(offer.warnings.size(), 1U);
  EXPECT_NE(offer.warnings[0].find("4.7.4"), std::string::npos);
}

TEST(Offer, Case22TwoGroupsWithOneTargetAreJoined) {
  const Offer offer =
      make_offer({.conditional = {target("4.7.4", {risk("A")}), target("4.7.4", {risk("B"), risk("A")})}});
  ASSERT_EQ(offer.conditional.size(), 1U);
  ASSERT_EQ(offer.conditional[0].risks.size(), 2U);
  EXPECT_EQ(offer.conditional[0].risks[0].risk.name, "A");
  EXPECT_EQ(offer.conditional[0].risks[1].risk.name, "B");
  EXPECT_FALSE(offer.conditional[0].risks[0].is_divergent);
}

TEST(Offer, Case22AGroupThatNamesNoRiskIsNotHiddenByAnother) {
  const Offer offer = make_offer({.conditional = {target("4.7.4", {risk("A")}), target("4.7.4", {})}});
  EXPECT_EQ(versions(offer), " |") << "nobody says when the second edge is safe";
  EXPECT_EQ(causes(offer), "4.7.4 NoRisks");
}

TEST(Offer, Case23DecreasingVersions) {
  EXPECT_EQ(versions(make_offer({.updates = {release("4.6.9"), release("4.7.0-rc.1"), release("4.6.10")}})),
            "4.7.0-rc.1 4.6.10 4.6.9 |");
}

TEST(Offer, Case24And25OneBadTargetCostsOnlyItself) {
  Risk no_url = risk("B");
  no_url.url = "";
  Risk no_uri = risk("C");
  no_uri.url = "not a uri";
  Risk no_name = risk("");
  Risk no_message = risk("D");
  no_message.message = "";
  const Offer offer =
      make_offer({.updates = {release("4.6.43"), release("4.6.40")},
                  .conditional = {target("4.6.40", {}), target("4.6.41", {no_url}),
                                  target("4.6.42", {no_uri}), target("4.6.44", {no_name}),
                                  target("4.6.45", {no_message}), target("4.6.46", {risk("A")})}});
  EXPECT_EQ(versions(offer), "4.6.43 | 4.6.46");
  EXPECT_EQ(causes(offer),
            "4.6.40 NoRisks, 4.6.41 InvalidRisk, 4.6.42 InvalidRisk, 4.6.44 InvalidRisk, 4.6.45 InvalidRisk");
}

TEST(Offer, Case27To30RulesThatCount) {
  const MatchingRule platform{.type = "Platform"};
  const MatchingRule always{.type = "Always"};
  const MatchingRule odd_always{.type = "Always", .promql = PromqlRule{"x"}};
  const MatchingRule query{.type = "PromQL", .promql = PromqlRule{"q"}};
  const MatchingRule no_query{.type = "PromQL"};
  const MatchingRule empty_query{.type = "PromQL", .promql = PromqlRule{""}};
  const Offer offer = make_offer(
      {.conditional = {target("4.7.0", {risk("A", {platform})}),
                       target("4.7.1", {risk("A", {platform, always})}), target("4.7.2", {risk("A", {})}),
                       target("4.7.3", {risk("A", {odd_always, query})}),
                       target("4.7.4", {risk("A", {no_query, empty_query})})}});
  ASSERT_EQ(versions(offer), " | 4.7.4 4.7.3 4.7.2 4.7.1 4.7.0");
  const auto rules = [&](std::size_t place) { return offer.conditional[place].risks[0].rules; };
  const auto shown = [&](std::size_t place) { return offer.conditional[place].risks[0].risk.matching_rules; };
  EXPECT_TRUE(rules(0).empty() && shown(0).empty() && offer.conditional[0].risks[0].had_rules);
  EXPECT_EQ(rules(1), std::vector{query});
  EXPECT_TRUE(rules(2).empty() && !offer.conditional[2].risks[0].had_rules);
  EXPECT_EQ(rules(3), std::vector{always});
  EXPECT_EQ(shown(4), std::vector{platform}) << "a rule that is not known is still to be seen";
  EXPECT_TRUE(has(offer.warnings, "risk A: skipping unrecognized cluster condition type \"Platform\""));
  EXPECT_TRUE(
      has(offer.warnings, "risk A: the 'promql' property is not valid for 'type: Always' conditions"));
}

TEST(Offer, WhatTheServerCannotStoreIsLeftOut) {
  const GraphAnswer answer{.updates = {release("4.7.0")},
                           .conditional = {target("4.7.0", {risk("A", {{.type = "Platform"}})}),
                                           target("4.7.1", {risk("A", {})}), target("4.7.2", {risk("A")})}};
  const Offer offer = make_offer(answer, {.any_type = false, .allows_none = false});
  EXPECT_EQ(versions(offer), " | 4.7.2") << "and what is left out is not recommended by that";
  EXPECT_EQ(causes(offer), "4.7.0 NoRecognizedRule, 4.7.1 NoRecognizedRule");
}

TEST(Offer, DivergentDefinitionsKeepTheFirst) {
  Risk other = risk("A");
  other.message = "something else";
  const Offer offer = make_offer({.conditional = {target("4.7.4", {risk("A"), other})}});
  ASSERT_EQ(offer.conditional[0].risks.size(), 1U);
  EXPECT_TRUE(offer.conditional[0].risks[0].is_divergent);
  EXPECT_EQ(offer.conditional[0].risks[0].risk.message, "about A");
}

TEST(Offer, LimitsOfTheSchema) {
  GraphAnswer answer;
  for (int i = 0; i < 501; ++i) answer.conditional.push_back(target("4.7." + std::to_string(i), {risk("A")}));
  std::vector<Risk> many;
  for (int i = 0; i < 201; ++i) many.push_back(risk("R" + std::to_string(i)));
  answer.conditional.push_back(target("4.8.0", many));
  Risk endless = risk("A");
  endless.message = std::string(32767, 'x') + "ä";
  answer.conditional.push_back(target("4.9.0", {endless}));
  const Offer offer = make_offer(answer);
  EXPECT_EQ(offer.conditional.size(), 500U);
  EXPECT_EQ(offer.conditional.front().release.version, "4.9.0");
  EXPECT_EQ(offer.conditional.front().risks[0].risk.message, std::string(32767, 'x'))
      << "cut between characters";
  EXPECT_EQ(offer.conditional.back().release.version, "4.7.2") << "the highest are kept";
  EXPECT_EQ(causes(offer), "4.8.0 TooManyRisks, 4.7.1 TooManyTargets, 4.7.0 TooManyTargets");
}

TEST(Offer, WhatCanBeStoredIsReadFromTheDefinition) {
  const auto definition = [](std::string_view rules) {
    return *json::parse_object(
        R"({"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":{"properties":{"status":{"properties":{
            "conditionalUpdates":{"items":{"properties":{"risks":{"items":{"properties":{"matchingRules":)" +
        std::string(rules) + "}}}}}}}}}}}}]}}");
  };
  const auto open = storable_fields(definition(R"({"items":{"properties":{"type":{"type":"string"}}}})"));
  EXPECT_TRUE(open.any_type && open.allows_none);
  EXPECT_FALSE(open.tells_risks) << "it has no place for them";
  const auto strict = storable_fields(definition(
      R"({"minItems":1,"items":{"properties":{"type":{"type":"string","enum":["Always","PromQL"]}}}})"));
  EXPECT_FALSE(strict.any_type || strict.allows_none);
  const auto unknown = storable_fields({});
  EXPECT_FALSE(unknown.any_type || unknown.allows_none);
}

}  // namespace
}  // namespace fairway::clusterversion
