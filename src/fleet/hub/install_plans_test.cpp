// K16: whose upgrades are approved, played by clusters that answer views; and all the plans that are not.
#include "fleet/hub/install_plans.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/hub/kinds.hpp"
#include "fleet/placements.hpp"
#include "fleet/testing/yaml.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;
using testing::yaml;

const WallTime kNow{std::chrono::seconds(1'700'000'000)};

std::string entry(std::string_view name, std::string_view ns,
                  std::string_view version = "operators.coreos.com/v1alpha1") {
  return fmt::format(R"({{"kind":"Subscription","name":"{}","apiVersion":"{}","namespace":"{}"}})", name,
                     version, ns);
}

// A rollout under way with spoke1 and spoke2 at the policy of Subscriptions, and what it has on the hub.
struct Playing {
  Playing() {
    rollout.metadata = {.name = "cgu", .namespace_ = "default", .uid = "u1"};
    rollout.metadata.annotations[std::string(kNameSuffix)] = "kuttl";
    rollout.metadata.finalizers = {std::string(kFinalizer)};
    auto& status = rollout.status;
    status.conditions = {{.type = "Progressing", .status = "True", .reason = "InProgress"}};
    status.managed_policies_for_upgrade = {{"config", "default"}, {"p5", "default"}};
    status.remediation_plan = {{"spoke1", "spoke2"}, {"spoke5"}};
    status.status.current_batch = 1;
    status.status.current_batch_started_at = kNow;
    put("spoke1", 1);
    put("spoke2", 1);
    subscribe({entry("logging", "openshift-logging")});
  }

  void subscribe(const std::vector<std::string>& entries) {
    rollout.status.managed_policies_content["p5"] = fmt::format("[{}]", fmt::join(entries, ","));
  }
  void put(const std::string& cluster, std::int64_t index) {
    rollout.status.status.current_batch_remediation_progress[cluster] = {.state = ProgressState::InProgress,
                                                                         .policy_index = index};
  }
  void complete(const std::string& cluster) {
    rollout.status.status.current_batch_remediation_progress[cluster] = {.state = ProgressState::Completed};
  }

  // Does what the step says; what was made, and what went with a "-".
  std::vector<std::string> step() {
    std::vector<std::shared_ptr<const json::Object>> seen;
    for (const auto& [key, object] : hub) seen.push_back(object);
    ApprovalStep next = approve_plans(rollout, seen, kNow);
    std::vector<std::string> done;
    for (const auto& each : next.remove) {
      hub.erase(key_of(*each));
      done.push_back("-" + key_of(*each));
    }
    for (json::Object& each : next.create) {
      done.push_back(key_of(each));
      EXPECT_TRUE(hub.emplace(done.back(), std::make_shared<const json::Object>(std::move(each))).second);
    }
    return done;
  }
  static std::string key_of(const json::Object& object) {
    const char* kind = kube::kind_of(object) == kClusterViews.kind.kind ? "view" : "action";
    return fmt::format("{} {}/{}", kind, kube::namespace_of(object), kube::name_of(object));
  }
  void answer(const std::string& key, std::string_view result, std::string_view status = "True") {
    json::Object object = *hub.at(key);
    object["status"] = *yaml(fmt::format(
        "{{conditions: [{{type: Processing, status: '{}', reason: GetResourceProcessing, message: "
        "''}}], result: {}}}",
        status, result));
    hub[key] = std::make_shared<const json::Object>(std::move(object));
  }
  // spoke1's Subscription has an upgrade that waits, and its plan is as given.
  std::vector<std::string> judge(std::string_view plan, std::string_view subscription_status =
                                                            "{state: UpgradePending, installPlanRef: {name: "
                                                            "install-a, namespace: openshift-logging}}") {
    step();
    answer(kView, fmt::format("{{kind: Subscription, metadata: {{name: logging, namespace: "
                              "openshift-logging}}, status: {}}}",
                              subscription_status));
    step();
    if (!hub.contains(kPlanView)) return {};
    answer(kPlanView, plan);
    return step();
  }

  static constexpr const char* kView = "view spoke1/cgu-default-subscription-logging-kuttl";
  static constexpr const char* kPlanView = "view spoke1/cgu-default-installplan-install-a-kuttl";
  static constexpr const char* kAction = "action spoke1/cgu-default-installplan-install-a-kuttl";

  ClusterGroupUpgrade rollout;
  std::map<std::string, std::shared_ptr<const json::Object>> hub;
};

constexpr std::string_view kPlan =
    "{apiVersion: operators.coreos.com/v1alpha1, kind: InstallPlan, metadata: {name: install-a, namespace: "
    "openshift-logging, resourceVersion: '7', managedFields: [{}], labels: {a: b}}, spec: {approval: Manual, "
    "approved: false, clusterServiceVersionNames: [logging.v2]}, status: {phase: RequiresApproval}}";

// K16
TEST(InstallPlans, AViewASubscriptionAndAnOrderForThePlanThatWaits) {
  Playing play;
  EXPECT_THAT(play.step(), ElementsAre(Playing::kView, "view spoke2/cgu-default-subscription-logging-kuttl"));
  const json::Object view = *play.hub.at(Playing::kView);
  EXPECT_EQ(
      json::serialize(*json::get_object(view, {"spec", "scope"})),
      R"({"resource":"Subscription.operators.coreos.com","name":"logging","namespace":"openshift-logging"})");
  EXPECT_EQ(kube::label(view, kRolloutLabel), "cgu");
  EXPECT_EQ(kube::label(view, kRolloutNamespaceLabel), "default");
  EXPECT_THAT(play.step(), IsEmpty()) << "nobody has answered";

  EXPECT_THAT(play.judge(kPlan), ElementsAre(Playing::kAction));
  const json::Object& action = *play.hub.at(Playing::kAction);
  EXPECT_EQ(json::get_string(action, {"spec", "actionType"}), "Update");
  EXPECT_EQ(json::get_string(action, {"spec", "kube", "resource"}), "installplan");
  EXPECT_EQ(json::get_string(action, {"spec", "kube", "namespace"}), "openshift-logging");
  EXPECT_EQ(
      json::serialize(*json::get_object(action, {"spec", "kube", "template"})),
      R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":"InstallPlan","metadata":{"name":"install-a",)"
      R"("namespace":"openshift-logging","resourceVersion":"7","labels":{"a":"b"}},"spec":{"approval":"Manual",)"
      R"("approved":true,"clusterServiceVersionNames":["logging.v2"]}})");
  EXPECT_THAT(play.step(), IsEmpty());

  play.complete("spoke1");
  EXPECT_THAT(play.step(),
              UnorderedElementsAre(fmt::format("-{}", Playing::kView), fmt::format("-{}", Playing::kPlanView),
                                   fmt::format("-{}", Playing::kAction)))
      << "nothing of a cluster that is through stays; what spoke2 has does";
  EXPECT_THAT(play.step(), IsEmpty());
}

TEST(InstallPlans, AnOrderGoesWithItsReason) {
  Playing play;
  play.judge(kPlan);
  std::string newer(kPlan);
  newer.replace(newer.find("'7'"), 3, "'8'");
  play.answer(Playing::kPlanView, newer);
  EXPECT_THAT(play.step(), ElementsAre(fmt::format("-{}", Playing::kAction))) << "the plan has changed since";
  EXPECT_THAT(play.step(), ElementsAre(Playing::kAction));
  newer.replace(newer.find("approved: false"), 15, "approved: true");
  play.answer(Playing::kPlanView, newer);
  EXPECT_THAT(play.step(), ElementsAre(fmt::format("-{}", Playing::kAction))) << "it was carried out";
  EXPECT_THAT(play.step(), IsEmpty());
  play.answer(Playing::kView,
              "{kind: Subscription, metadata: {name: logging, namespace: openshift-logging}, "
              "status: {state: AtLatestKnown, installplan: {name: install-a}}}");
  EXPECT_THAT(play.step(), ElementsAre(fmt::format("-{}", Playing::kPlanView)));
}

TEST(InstallPlans, WhatCannotBeToldIsNotApproved) {
  struct Case {
    std::string_view why;
    std::string_view from;  // of the plan
    std::string_view to;
  };
  for (const Case& each : std::vector<Case>{
           {"it needs no consent", "approval: Manual", "approval: Automatic"},
           {"nobody says whose consent it needs", "approval: Manual, ", ""},
           {"it is approved", "approved: false", "approved: true"},
           {"it is in words that it is approved", "approved: false", "approved: 'yes'"},
           {"it failed", "RequiresApproval", "Failed"},
           {"it is not planned yet", "RequiresApproval", "Planning"},
           {"it has no version to guard it", "resourceVersion: '7', ", ""},
           {"another plan is shown", "name: install-a", "name: install-b"},
           {"one of another namespace is shown", "namespace: openshift-logging", "namespace: other"},
           {"something else is shown", "kind: InstallPlan", "kind: ConfigMap"},
       }) {
    Playing play;
    std::string plan(kPlan);
    ASSERT_NE(plan.find(each.from), std::string::npos);
    plan.replace(plan.find(each.from), each.from.size(), each.to);
    EXPECT_THAT(play.judge(plan), IsEmpty()) << each.why;
    EXPECT_FALSE(play.hub.contains(Playing::kAction)) << each.why;
  }
}

TEST(InstallPlans, OnlyThePlanThatTheSubscriptionNames) {
  for (const auto& [why, status] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"nothing waits", "{state: AtLatestKnown, installPlanRef: {name: install-a}}"},
           {"no state is known", "{installPlanRef: {name: install-a}}"},
           {"it names no plan", "{state: UpgradePending}"},
           {"it names two",
            "{state: UpgradePending, installPlanRef: {name: install-a}, installplan: {name: b}}"},
           {"it is elsewhere",
            "{state: UpgradePending, installPlanRef: {name: install-a, namespace: other}}"},
           {"the plan brings other things",
            "{state: UpgradePending, currentCSV: logging.v3, installplan: {name: install-a}}"},
       }) {
    Playing play;
    EXPECT_THAT(play.judge(kPlan, status), IsEmpty()) << why;
    EXPECT_FALSE(play.hub.contains(Playing::kAction)) << why;
  }
  Playing play;
  EXPECT_THAT(
      play.judge(kPlan, "{state: UpgradePending, currentCSV: logging.v2, installplan: {name: install-a}}"),
      ElementsAre(Playing::kAction));
}

TEST(InstallPlans, AViewThatFailsShowsNothing) {
  Playing play;
  play.step();
  play.answer(Playing::kView,
              "{kind: Subscription, metadata: {name: logging, namespace: openshift-logging}, status: {state: "
              "UpgradePending, installplan: {name: install-a}}}",
              "False");
  EXPECT_THAT(play.step(), IsEmpty()) << "what it showed before may be long past";
}

TEST(InstallPlans, SubscriptionsShareAPlanAndANameInPeace) {
  Playing play;
  play.subscribe({entry("logging", "a"), entry("logging", "b"), entry("logging", "a"), entry("elastic", "a"),
                  entry("app", "a", "apps.open-cluster-management.io/v1")});
  play.complete("spoke2");
  EXPECT_THAT(play.step(), ElementsAre("view spoke1/cgu-default-subscription-logging-kuttl",
                                       "view spoke1/cgu-default-subscription-logging-b-kuttl",
                                       "view spoke1/cgu-default-subscription-elastic-kuttl"));
  for (const std::string_view name : {"logging", "elastic"}) {
    play.answer(fmt::format("view spoke1/cgu-default-subscription-{}-kuttl", name),
                fmt::format("{{kind: Subscription, metadata: {{name: {}, namespace: a}}, status: {{state: "
                            "UpgradePending, installplan: {{name: install-a}}}}}}",
                            name));
  }
  EXPECT_THAT(play.step(), ElementsAre(Playing::kPlanView)) << "both wait for it";
  std::string plan(kPlan);
  plan.replace(plan.find("namespace: openshift-logging"), 28, "namespace: a");
  play.answer(Playing::kPlanView, plan);
  EXPECT_THAT(play.step(), ElementsAre(Playing::kAction));
}

TEST(InstallPlans, OnlyWhoIsEnforced) {
  Playing play;
  EXPECT_THAT(policies_under_way(play.rollout, kNow),
              UnorderedElementsAre(Pair("spoke1", "p5"), Pair("spoke2", "p5")));
  play.put("spoke1", 0);
  EXPECT_THAT(policies_under_way(play.rollout, kNow),
              UnorderedElementsAre(Pair("spoke1", "config"), Pair("spoke2", "p5")));
  EXPECT_THAT(play.step(), ElementsAre("view spoke2/cgu-default-subscription-logging-kuttl"));

  Playing late;
  late.rollout.status.status.current_batch = 2;
  late.rollout.status.status.current_batch_remediation_progress.clear();
  late.rollout.status.clusters = {
      {.name = "spoke1", .state = "timedout", .current_policy = CurrentPolicy{"p5", "NonCompliant"}},
      {.name = "spoke2", .state = "complete"}};
  EXPECT_THAT(policies_under_way(late.rollout, kNow), UnorderedElementsAre(Pair("spoke1", "p5")))
      << "late clusters stay enforced to the end";

  Playing frozen;
  frozen.judge(kPlan);
  frozen.rollout.spec.rollout_controls = RolloutControls{.paused = true};
  EXPECT_THAT(frozen.step(), IsEmpty()) << "a batch that drains goes on";
  frozen.rollout.spec.rollout_controls->pause_mode = HoldMode::Freeze;
  EXPECT_EQ(frozen.step().size(), 4u);
  EXPECT_THAT(frozen.hub, IsEmpty());

  Playing ended;
  ended.rollout.status.conditions.push_back({.type = "Succeeded", .status = "False", .reason = "TimedOut"});
  EXPECT_THAT(policies_under_way(ended.rollout, kNow), IsEmpty());
}

TEST(InstallPlans, LeavesTheJobsOfTheRolloutAlone) {
  Playing play;
  play.complete("spoke1");
  play.complete("spoke2");
  play.hub["job"] = yaml(
      "{kind: ManagedClusterAction, metadata: {name: cgu-backup-ns-delete, namespace: spoke1, labels: "
      "{openshift-cluster-group-upgrades/clusterGroupUpgrade: cgu}}}");
  EXPECT_THAT(play.step(), IsEmpty());
}

TEST(InstallPlans, AViewOfSomethingElseInItsPlaceGoes) {
  Playing play;
  play.step();
  json::Object other = *play.hub.at(Playing::kView);
  json::ensure_object(other, {"spec", "scope"})["name"] = "elastic";
  play.hub[Playing::kView] = std::make_shared<const json::Object>(std::move(other));
  EXPECT_THAT(play.step(), ElementsAre(fmt::format("-{}", Playing::kView)));
  EXPECT_THAT(play.step(), ElementsAre(Playing::kView));
}

TEST(InstallPlans, ReadsWhatEarlierRolloutsWrote) {
  EXPECT_THAT(subscriptions_in(R"([{"kind":"Subscription","name":"ptp","namespace":"openshift-ptp"}])"),
              ElementsAre(PolicySubscription{"ptp", "openshift-ptp"}));
  EXPECT_THAT(subscriptions_in("not JSON"), IsEmpty());
  EXPECT_THAT(subscriptions_in(R"([{"kind":"Subscription","name":"ptp"}, 3])"), IsEmpty());
}

}  // namespace
}  // namespace fairway::fleet
