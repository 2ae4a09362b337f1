#include "fleet/roll_up.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/patch.hpp"

namespace fairway::fleet {
namespace {

using ::testing::SizeIs;

// A root policy in version 7, and how its clusters stand.
struct Fleet {
  std::map<std::string, std::string> words = {};
  json::Array placement = {json::Object{{"placement", "all"}}};
  json::Object root = {{"metadata", json::Object{{"name", "p"}, {"resourceVersion", "7"}}}};

  Enforcement enforcement() const {
    Enforcement all{.placement = placement};
    for (const auto& [cluster, word] : words) all.bound.insert(cluster);
    return all;
  }
  std::string_view word(const std::string& cluster) const { return words.at(cluster); }
  PolicyBindings seen() const { return {.root = std::make_shared<const json::Object>(root)}; }
  json::Object wanted() const {
    return desired_status(seen(), enforcement(), [this](const auto& cluster) { return word(cluster); });
  }
  std::optional<WritePolicyStatus> decide() const {
    return correct_status(seen(), enforcement(), [this](const auto& cluster) { return word(cluster); });
  }
  // Carries it out as a server does; how many operations or, as a whole, nothing.
  std::optional<std::size_t> write() {
    const auto action = decide();
    EXPECT_TRUE(action);
    if (!action) return std::nullopt;
    json::Value after = root;
    std::optional<std::size_t> operations;
    if (const auto* few = std::get_if<json::Array>(&action->patch)) {
      const auto patch = json::Patch::parse(*few);
      EXPECT_TRUE(patch && patch->apply(after));
      operations = few->size() - 1;
    } else {
      json::apply_merge_patch(after, std::get<json::Object>(action->patch));
    }
    EXPECT_EQ(json::get_string(after.get_object(), {"metadata", "resourceVersion"}), "7");
    const json::Object want = wanted();
    const json::Object* status = json::get_object(after.get_object(), {"status"});
    EXPECT_TRUE(json::same_value(status == nullptr ? json::Object() : *status, want))
        << json::serialize(after) << " instead of " << json::serialize(want);
    root = std::move(after.get_object());
    EXPECT_FALSE(decide()) << "once written, it is as it should be";
    return operations;
  }
};

constexpr auto kWhole = std::nullopt;

TEST(RollUp, RestsLongerAfterALongWrite) {
  using namespace std::chrono_literals;
  EXPECT_EQ(rest_after_write(0ms), 200ms);
  EXPECT_EQ(rest_after_write(25ms), 200ms);
  EXPECT_EQ(rest_after_write(100ms), 800ms);
  EXPECT_EQ(rest_after_write(5s), 10s);
}

TEST(RollUp, ChangedWordsAreWrittenAlone) {
  Fleet fleet{.words = {{"a", "Compliant"}, {"b", ""}, {"c", "NonCompliant"}}};
  EXPECT_EQ(fleet.write(), kWhole);
  fleet.words["b"] = "Pending";
  EXPECT_EQ(fleet.write(), 1u);
  fleet.words["c"] = "";
  EXPECT_EQ(fleet.write(), 2u) << "the row, and the word for all";
  fleet.words = {{"a", "Compliant"}, {"b", "Compliant"}, {"c", "Compliant"}};
  EXPECT_EQ(fleet.write(), 3u);
  fleet.words["a"] = "";
  EXPECT_EQ(fleet.write(), 2u);
  EXPECT_FALSE(json::get_object(fleet.root, {"status"})->contains("compliant"));
}

TEST(RollUp, OtherRowsOrPlacementsAreWrittenWhole) {
  Fleet fleet{.words = {{"a", "Compliant"}, {"b", "Pending"}}};
  EXPECT_EQ(fleet.write(), kWhole);
  fleet.words["c"] = "Pending";
  EXPECT_EQ(fleet.write(), kWhole);
  fleet.words.erase("b");
  fleet.words["d"] = "Pending";
  EXPECT_EQ(fleet.write(), kWhole) << "as many, but others";
  fleet.placement.push_back(json::Object{{"placement", "more"}});
  EXPECT_EQ(fleet.write(), kWhole);
  fleet.words.clear();
  fleet.placement.clear();
  EXPECT_EQ(fleet.write(), kWhole);
  EXPECT_TRUE(json::get_object(fleet.root, {"status"})->empty());
}

TEST(RollUp, WhatIsNotOursStays) {
  Fleet fleet{.words = {{"a", "Compliant"}}};
  json::ensure_object(fleet.root, {"status"})["details"] = json::Array{"theirs"};
  EXPECT_EQ(fleet.write(), kWhole);
  fleet.words["a"] = "Pending";
  EXPECT_EQ(fleet.write(), 2u);
  EXPECT_TRUE(json::get_array(fleet.root, {"status", "details"}) != nullptr);
}

TEST(RollUp, RowsThatSomeoneElseWroteArePutRight) {
  for (const std::string_view row :
       {R"({"clustername":"a","clusternamespace":"b","compliant":"Compliant"})",
        R"({"clustername":"a","clusternamespace":"a","compliant":"Compliant","more":1})",
        R"({"clustername":"a","clusternamespace":"a","compliant":7})",
        R"({"clustername":"a","clusternamespace":"a","compliant":""})", R"("a")"}) {
    Fleet fleet{.words = {{"a", "Compliant"}}};
    fleet.write();
    fleet.root["status"].get_object()["status"] = json::Array{*json::parse(row)};
    fleet.write();
  }
}

TEST(RollUp, ManyChangesOfManyRowsAreWrittenWhole) {
  Fleet fleet;
  for (int i = 0; i < 1000; ++i) fleet.words[fmt::format("c{:04}", i)] = "NonCompliant";
  fleet.write();
  for (int i = 0; i < 200; ++i) fleet.words[fmt::format("c{:04}", i)] = "Compliant";
  EXPECT_EQ(fleet.write(), 200u);
  for (auto& [cluster, word] : fleet.words) word = "Pending";
  EXPECT_EQ(fleet.write(), kWhole);
}

// Thousands of them would be sent with every change: the rows name each cluster already.
TEST(RollUp, ALargePlacementIsNamedWithoutItsDecisions) {
  const auto decisions_of = [](std::size_t count) {
    std::vector<std::string> chosen;
    for (std::size_t i = 0; i < count; ++i) chosen.push_back(fmt::format("c{:04}", i));
    const auto binding = json::parse_object(
        R"({"metadata":{"name":"b"},"placementRef":{"apiGroup":"cluster.open-cluster-management.io","kind":"Placement","name":"all"},
            "subjects":[{"apiGroup":"policy.open-cluster-management.io","kind":"Policy","name":"p"}]})");
    PolicyBindings seen{.root = std::make_shared<const json::Object>(Fleet().root),
                        .bindings = {std::make_shared<const json::Object>(*binding)},
                        .decisions = {{"Placement all", chosen}}};
    const Enforcement all = enforcement_of(seen);
    EXPECT_THAT(all.bound, SizeIs(count));
    const json::Array* decisions = json::get_array(all.placement.at(0).get_object(), {"decisions"});
    return decisions == nullptr ? 0 : decisions->size();
  };
  EXPECT_EQ(decisions_of(kMostDecisions), kMostDecisions);
  EXPECT_EQ(decisions_of(kMostDecisions + 1), 0u);
}

}  // namespace
}  // namespace fairway::fleet
