#include "fleet/validation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairway::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct PolicyHub {
  // Every child is NonCompliant unless said otherwise.
  PolicyView& add(const std::string& name, const std::string& ns = "default", RootPolicy root = {}) {
    auto view = std::make_shared<PolicyView>();
    *view = {.namespace_ = ns, .name = name, .root = std::make_shared<const RootPolicy>(std::move(root))};
    view->children = {"a", "b"};
    set(*view, Compliance::NonCompliant, Compliance::NonCompliant);
    policies[name].push_back(view);
    return *view;
  }
  static void set(PolicyView& view, Compliance a, Compliance b) {
    view.compliance =
        std::make_shared<const ComplianceTable>(std::vector<ComplianceTable::Row>{{"a", a}, {"b", b}});
  }
  PolicyVerdict validate(std::vector<std::string> managed) const {
    return validate_policies({.managed_policies = std::move(managed)}, {"a", "b"}, policies);
  }
  Policies policies = {};
};

TEST(Validation, Case12AMissingPolicy) {
  PolicyHub hub;
  hub.add("p");
  hub.add("r").children.clear();
  const PolicyVerdict verdict = hub.validate({"p", "q", "r"});
  EXPECT_EQ(verdict.reason, "NotAllManagedPoliciesExist");
  EXPECT_EQ(verdict.message, "Missing managed policies: [q r] ");
  EXPECT_EQ(verdict.kind, "missing policies");
  EXPECT_EQ(verdict.retry, std::chrono::minutes(1));
}

TEST(Validation, ARootThatIsGoneIsMissing) {
  PolicyHub hub;
  hub.add("p").root.reset();
  EXPECT_EQ(hub.validate({"p"}).message, "Missing managed policies: [p] ");
}

TEST(Validation, Case13And14ALeftHubTemplateIsInvalidAndSaidFirst) {
  PolicyHub hub;
  hub.add("p").unresolved = {"b"};
  EXPECT_EQ(hub.validate({"p"}).message, "Invalid managed policies: [p] ");
  EXPECT_EQ(hub.validate({"q", "p"}).message, "Invalid managed policies: [p] ");
  EXPECT_EQ(hub.validate({"q", "p"}).kind, "invalid policies");
}

TEST(Validation, Case15ANameInTwoNamespacesIsAmbiguous) {
  PolicyHub hub;
  hub.add("p", "ns2");
  hub.add("p", "ns1");
  const PolicyVerdict verdict = hub.validate({"p"});
  EXPECT_EQ(verdict.reason, "AmbiguousManagedPoliciesNames");
  EXPECT_EQ(verdict.message,
            "Managed policy name should be unique, but was found in multiple namespaces: "
            R"({"p":["ns1","ns2"]} )");
  const PolicyVerdict exact = hub.validate({"ns2/p"});
  EXPECT_TRUE(exact.is_valid());
  EXPECT_THAT(exact.for_upgrade, ElementsAre(PolicyReference{"p", "ns2"}));
}

TEST(Validation, Case16OthersMayShareAName) {
  PolicyHub hub;
  hub.add("p");
  hub.add("u", "ns1");
  hub.add("u", "ns2");
  EXPECT_TRUE(hub.validate({"p"}).is_valid());
}

TEST(Validation, Case17WhatAPolicyDependsOnComesFirst) {
  PolicyHub hub;
  hub.add("p", "default", {.depends_on = {"q"}});
  hub.add("q");
  const PolicyVerdict verdict = hub.validate({"p", "q"});
  EXPECT_EQ(verdict.reason, "UnresolvableDenpendency");
  EXPECT_EQ(verdict.message, "Managed Policy p depends on q, which is to be remediated later");
  EXPECT_TRUE(hub.validate({"q", "p"}).is_valid());
  EXPECT_TRUE(hub.validate({"p"}).is_valid());
}

TEST(Validation, OnlyWhatIsKnownToComplyEverywhereIsLeftOut) {
  PolicyHub hub;
  PolicyHub::set(hub.add("c"), Compliance::Compliant, Compliance::Compliant);
  PolicyHub::set(hub.add("half"), Compliance::Compliant, Compliance::Pending);
  PolicyHub::set(hub.add("status", "default", {.has_status_section = true}), Compliance::Compliant,
                 Compliance::Compliant);
  hub.add("none").compliance.reset();
  hub.add("unmatched").compliance = std::make_shared<const ComplianceTable>(
      std::vector<ComplianceTable::Row>{{"a", Compliance::Compliant}});
  const PolicyVerdict verdict = hub.validate({"c", "half", "status", "none", "unmatched", "half"});
  EXPECT_THAT(verdict.compliant_before, ElementsAre("c"));
  std::vector<std::string> names;
  for (const PolicyReference& each : verdict.for_upgrade) names.push_back(each.name);
  EXPECT_THAT(names, ElementsAre("half", "status", "none", "unmatched"));
}

TEST(Validation, APolicyThatItsRootEnforcesIsAwaited) {
  PolicyHub hub;
  PolicyView& view = hub.add("p", "default", {.remediation_action = "enforce"});
  EXPECT_EQ(hub.validate({"p"}).for_upgrade.size(), 1u);
  PolicyHub::set(view, Compliance::Compliant, Compliance::Compliant);
  EXPECT_THAT(hub.validate({"p"}).for_upgrade, IsEmpty());
}

TEST(Validation, TheReleaseIsOneAndWhole) {
  const PlatformFields whole{"https://up", "stable", "4.17.1", ""};
  const auto problem = [](std::vector<PlatformFields> asked, bool is_pre_caching = false) {
    return judge_platform(asked, is_pre_caching).problem;
  };
  EXPECT_EQ(problem({}), "");
  EXPECT_EQ(problem({whole}), "");
  EXPECT_TRUE(judge_platform({whole}, false).needs_lookup);
  EXPECT_FALSE(judge_platform({{.image = "quay.io/x"}}, false).needs_lookup);
  EXPECT_EQ(problem({whole, {.channel = "fast"}}),
            "platform image defined more then once with conflicting channel values");
  EXPECT_EQ(problem({{.channel = "fast"}}),
            "policy with ClusterVersion must have upstream, channel, and version when image is not provided");
  EXPECT_EQ(problem({{.version = "placeholder"}}), "templating cluster version fields not supported");
  EXPECT_EQ(problem({{.version = "{{ .v }}"}}, true),
            "templatized ClusterVersion fields not supported with precaching");
  PolicyHub hub;
  hub.add("p", "default", {.platform = {whole}});
  const ClusterGroupUpgradeSpec spec{.managed_policies = {"p"}};
  const PolicyVerdict verdict = validate_policies(spec, {"a", "b"}, hub.policies, false);
  EXPECT_EQ(verdict.reason, "InvalidPlatformImage");
  EXPECT_EQ(verdict.message, "unable to find platform image for specified upstream, channel, and version");
  EXPECT_EQ(verdict.retry, std::chrono::minutes(5));
  EXPECT_TRUE(validate_policies(spec, {"a", "b"}, hub.policies, true).is_valid());
}

}  // namespace
}  // namespace fairway::fleet
