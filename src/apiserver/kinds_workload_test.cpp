#include <fmt/format.h>

#include "apiserver/kinds_test_support.hpp"

namespace fairway::apiserver::kinds {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Resource& deployment() {
  return builtin("apps", "Deployment");
}

std::string spec(std::string_view more = "", std::string_view pod = "containers: [{name: a, image: x}]") {
  return fmt::format(
      "spec: {{selector: {{matchLabels: {{app: web}}}}, template: {{metadata: {{labels: {{app: web}}}}, "
      "spec: "
      "{{{}}}}}{}{}}}",
      pod, more.empty() ? "" : ", ", more);
}

TEST(KindsDeployment, DefaultsAreThoseOfApps) {
  const Outcome made = create(deployment(), spec());
  EXPECT_THAT(made.errors, IsEmpty());
  EXPECT_EQ(made.get("spec/replicas"), "1");
  EXPECT_EQ(made.get("spec/revisionHistoryLimit"), "10");
  EXPECT_EQ(made.get("spec/progressDeadlineSeconds"), "600");
  EXPECT_EQ(made.get("spec/strategy/type"), R"("RollingUpdate")");
  EXPECT_EQ(made.get("spec/strategy/rollingUpdate/maxSurge"), R"("25%")");
  EXPECT_EQ(made.get("spec/strategy/rollingUpdate/maxUnavailable"), R"("25%")");
  EXPECT_EQ(made.get("spec/template/spec/containers/0/imagePullPolicy"), R"("Always")");
  EXPECT_EQ(made.get("spec/template/spec/restartPolicy"), R"("Always")");
  EXPECT_EQ(create(deployment(), spec("strategy: {type: Recreate}")).get("spec/strategy"),
            R"({"type":"Recreate"})");
}

TEST(KindsDeployment, TemplatesKeepTheirRequestsAsWritten) {
  const Outcome made =
      create(deployment(), spec("", "containers: [{name: a, image: x, resources: {limits: {cpu: 0.1}}}]"));
  EXPECT_EQ(made.get("spec/template/spec/containers/0/resources"), R"({"limits":{"cpu":"100m"}})");
}

TEST(KindsDeployment, TheSelectorMatchesTheTemplateAndStays) {
  EXPECT_THAT(create(deployment(),
                     "spec: {selector: {matchLabels: {app: api}}, template: {metadata: {labels: {app: web}}, "
                     "spec: {containers: [{name: a, image: x}]}}}")
                  .errors,
              ElementsAre(testing::AllOf(HasSubstr("spec.template.metadata.labels: Invalid value"),
                                         HasSubstr("`selector` does not match template `labels`"))));
  EXPECT_THAT(
      create(deployment(), "spec: {selector: {}, template: {spec: {containers: [{name: a, image: x}]}}}")
          .errors,
      ElementsAre(HasSubstr("empty selector is invalid for deployment")));
  const json::Object before = create(deployment(), spec()).object;
  json::Object after = before;
  after["spec"].get_object()["selector"] =
      yaml("matchExpressions: [{key: app, operator: In, values: [web]}]");
  EXPECT_THAT(update(deployment(), before, after).errors,
              ElementsAre(testing::AllOf(HasSubstr("spec.selector: Invalid value"),
                                         HasSubstr("field is immutable"))));
  after = before;
  after["spec"].get_object()["replicas"] = 5;
  EXPECT_THAT(update(deployment(), before, after).errors, IsEmpty());
}

TEST(KindsDeployment, StrategyIsChecked) {
  const auto errors = [](std::string_view strategy) {
    return create(deployment(), spec(fmt::format("strategy: {}", strategy))).errors;
  };
  EXPECT_THAT(
      errors("{rollingUpdate: {maxSurge: 0, maxUnavailable: 0}}"),
      ElementsAre(
          "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0"));
  EXPECT_THAT(errors("{rollingUpdate: {maxSurge: 0%, maxUnavailable: 101%}}"),
              ElementsAre("spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"101%\": must not be "
                          "greater than 100%"));
  EXPECT_THAT(errors("{rollingUpdate: {maxSurge: much}}"),
              ElementsAre(HasSubstr("a valid percent string must be a numeric string")));
  EXPECT_THAT(
      errors("{rollingUpdate: {maxSurge: -1}}"),
      ElementsAre(
          "spec.strategy.rollingUpdate.maxSurge: Invalid value: -1: must be greater than or equal to 0"));
  EXPECT_THAT(
      errors("{type: Recreate, rollingUpdate: {maxSurge: 1}}"),
      ElementsAre(
          "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"));
}

TEST(KindsDeployment, TemplatesAreChecked) {
  EXPECT_THAT(
      create(deployment(), spec("", "restartPolicy: Never, containers: [{name: a, image: x}]")).errors,
      ElementsAre(
          "spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\""));
  EXPECT_THAT(
      create(deployment(), spec("", "activeDeadlineSeconds: 5, containers: [{name: a, image: x}]")).errors,
      ElementsAre("spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet "
                  "is not Supported"));
  EXPECT_THAT(create(deployment(), spec("", "containers: [{name: a}]")).errors,
              ElementsAre("spec.template.spec.containers[0].image: Required value"));
  EXPECT_THAT(
      create(deployment(), spec("minReadySeconds: 600")).errors,
      ElementsAre("spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds"));
}

TEST(KindsDeployment, NumbersAreNotNegative) {
  EXPECT_THAT(create(deployment(), spec("replicas: -1")).errors,
              testing::Contains("spec.replicas: Invalid value: -1: must be greater than or equal to 0"));
}

TEST(KindsDeployment, WithoutASpecThereIsNothingToDeploy) {
  EXPECT_THAT(create(deployment(), "metadata: {name: a}").errors,
              ElementsAre("spec.selector: Required value", "spec.template: Required value"));
  EXPECT_THAT(create(deployment(), "spec: {}").errors,
              ElementsAre("spec.selector: Required value", "spec.template: Required value"));
  EXPECT_THAT(
      create(deployment(), "spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}}}")
          .errors,
      ElementsAre("spec.template.spec.containers: Required value"));
}

TEST(KindsDeployment, StatusCountsFitOneAnother) {
  const json::Object before = create(deployment(), spec()).object;
  json::Object after = before;
  after["status"] = yaml("{replicas: 1, readyReplicas: 2, availableReplicas: 3}");
  EXPECT_THAT(
      update(deployment(), before, after).errors,
      ElementsAre("status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas",
                  "status.availableReplicas: Invalid value: 3: cannot be greater than status.replicas",
                  "status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas"));
}

}  // namespace
}  // namespace fairway::apiserver::kinds
