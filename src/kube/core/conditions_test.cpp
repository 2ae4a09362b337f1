#include "kube/core/conditions.hpp"

#include <gtest/gtest.h>

namespace fairway::kube {
namespace {

const WallTime kThen{std::chrono::seconds{1'000}};
const WallTime kNow{std::chrono::seconds{2'000}};

Condition ready(std::string status, std::string reason = "Because") {
  return {.type = "Ready", .status = std::move(status), .reason = std::move(reason), .message = "m"};
}

TEST(SetCondition, AddsWithTheTimeOfNow) {
  Conditions conditions;
  EXPECT_TRUE(set_condition(conditions, ready("True"), kNow));
  ASSERT_EQ(conditions.size(), 1U);
  EXPECT_EQ(conditions[0].last_transition_time, kNow);
}

TEST(SetCondition, KeepsTheTimeWhileTheStatusStays) {
  Conditions conditions;
  set_condition(conditions, ready("True"), kThen);
  EXPECT_FALSE(set_condition(conditions, ready("True"), kNow));
  EXPECT_TRUE(set_condition(conditions, ready("True", "Other"), kNow));
  EXPECT_EQ(conditions[0].reason, "Other");
  EXPECT_EQ(conditions[0].last_transition_time, kThen);
  Condition observed = ready("True", "Other");
  observed.observed_generation = 2;
  EXPECT_TRUE(set_condition(conditions, observed, kNow));
  EXPECT_EQ(conditions[0].last_transition_time, kThen);
}

TEST(SetCondition, MovesTheTimeWhenTheStatusChanges) {
  Conditions conditions;
  set_condition(conditions, ready("True"), kThen);
  EXPECT_TRUE(set_condition(conditions, ready("False"), kNow));
  EXPECT_EQ(conditions[0].last_transition_time, kNow);
  Condition dated = ready("True");
  dated.last_transition_time = kThen;
  EXPECT_TRUE(set_condition(conditions, dated, kNow));
  EXPECT_EQ(conditions[0].last_transition_time, kThen);
}

TEST(SetCondition, IgnoresABroughtTimeWhileTheStatusStays) {
  Conditions conditions;
  set_condition(conditions, ready("True"), kThen);
  Condition dated = ready("True");
  dated.last_transition_time = kNow;
  EXPECT_FALSE(set_condition(conditions, dated, kNow));
  EXPECT_EQ(conditions[0].last_transition_time, kThen);
}

TEST(SetCondition, KeepsOrderOthersAndUnknownFields) {
  Conditions conditions = {{.type = "A", .status = "True"}, ready("True"), {.type = "Z", .status = "True"}};
  conditions[1].unknown["severity"] = "Warning";
  EXPECT_TRUE(set_condition(conditions, ready("False"), kNow));
  EXPECT_EQ(conditions[1].type, "Ready");
  EXPECT_EQ(json::serialize(conditions[1].unknown), R"({"severity":"Warning"})");
  EXPECT_EQ(conditions.size(), 3U);
}

TEST(Conditions, AreFoundAndRemoved) {
  Conditions conditions = {
      ready("True"), {.type = "Bad", .status = "False"}, {.type = "Odd", .status = "Unknown"}};
  EXPECT_TRUE(is_condition_true(conditions, "Ready"));
  EXPECT_FALSE(is_condition_false(conditions, "Ready"));
  EXPECT_TRUE(is_condition_false(conditions, "Bad"));
  EXPECT_FALSE(is_condition_true(conditions, "Odd"));
  EXPECT_FALSE(is_condition_false(conditions, "Odd"));
  EXPECT_FALSE(is_condition_true(conditions, "Absent"));
  EXPECT_FALSE(is_condition_false(conditions, "Absent"));
  EXPECT_EQ(find_condition(conditions, "Absent"), nullptr);
  EXPECT_TRUE(remove_condition(conditions, "Ready"));
  EXPECT_FALSE(remove_condition(conditions, "Ready"));
  EXPECT_EQ(conditions.size(), 2U);
}

TEST(Conditions, AreReadFromAnObject) {
  const auto object = json::parse_object(R"({"status":{"conditions":[
    {"type":"Ready","status":"True","lastTransitionTime":"1970-01-01T00:16:40Z","reason":"R","message":""},
    {"type":7}, {"type":"Bare","status":"False","lastTransitionTime":null}]}})");
  const Conditions conditions = conditions_of(*object);
  ASSERT_EQ(conditions.size(), 2U);
  EXPECT_EQ(conditions[0].last_transition_time, kThen);
  EXPECT_EQ(
      json::serialize(json::to_json(conditions[0])),
      R"({"type":"Ready","status":"True","lastTransitionTime":"1970-01-01T00:16:40Z","reason":"R","message":""})");
  EXPECT_TRUE(conditions_of(json::Object{}).empty());
}

}  // namespace
}  // namespace fairway::kube
