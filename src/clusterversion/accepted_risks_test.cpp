#include "clusterversion/accepted_risks.hpp"

#include <gtest/gtest.h>

#include "json/yaml.hpp"

namespace fairway::clusterversion {
namespace {

// The history of the design's example, as it stands there.
constexpr std::string_view kDesign = R"(acceptedRisks: |
  Updating from 4.6.23 to 4.7.4 is supported, but not recommended for this cluster.

  Reason: MultipleReasons

  Clusters on vSphere Virtual Hardware Version 14 and later may experience cross-node networking issues. https://access.redhat.com/solutions/5896081

  vSphere clusters leveraging the vSphere cloud provider may lose node names which can have serious impacts on the stability of the control plane and workloads. https://bugzilla.redhat.com/show_bug.cgi?id=1942207#c3

  On clusters with a Proxy configured, the authentication operator may keep many oauth-server connections open, resulting in high memory consumption by the authentication operator and router pods. https://bugzilla.redhat.com/show_bug.cgi?id=1941840#c33
)";

constexpr std::string_view kMessage =
    "Clusters on vSphere Virtual Hardware Version 14 and later may experience cross-node networking issues. "
    "https://access.redhat.com/solutions/5896081\n\n"
    "vSphere clusters leveraging the vSphere cloud provider may lose node names which can have serious "
    "impacts "
    "on the stability of the control plane and workloads. "
    "https://bugzilla.redhat.com/show_bug.cgi?id=1942207#c3\n\n"
    "On clusters with a Proxy configured, the authentication operator may keep many oauth-server connections "
    "open, resulting in high memory consumption by the authentication operator and router pods. "
    "https://bugzilla.redhat.com/show_bug.cgi?id=1941840#c33";

class AcceptedRisksTest : public ::testing::Test {
 protected:
  AcceptedRisksTest() {
    spec.channel = "stable-4.7";
    status.desired = {.version = "4.6.23", .image = "i/4623"};
    status.conditional_updates = {{.release = target, .risks = {}, .conditions = {}}};
    judge("False", "MultipleReasons", kMessage);
  }

  void judge(std::string is, std::string reason, std::string_view message) {
    status.conditional_updates[0].conditions = {{.type = "Recommended",
                                                 .status = std::move(is),
                                                 .reason = std::move(reason),
                                                 .message = std::string(message)}};
  }

  std::string text(std::string verification = "", bool force = false, bool accepts_risks = false) {
    const Objections objections = check_preconditions(spec, status, target);
    return describe_accepted_risks(
        {spec, status, target, objections, std::move(verification), force, accepts_risks});
  }

  ClusterVersionSpec spec;
  ClusterVersionStatus status;
  Release target{.version = "4.7.4", .image = "i/474"};
};

TEST_F(AcceptedRisksTest, AreTheDesignsExample) {  // case 61, and the design's golden text
  const auto design = json::parse_yaml(kDesign);
  ASSERT_TRUE(design);
  EXPECT_EQ(text() + "\n", *json::get_string(design->get_object(), {"acceptedRisks"}));
  EXPECT_FALSE(text().ends_with('\n'));
}

TEST_F(AcceptedRisksTest, TellUnknownFromNotRecommended) {
  judge("Unknown", "PromQLError", "no answer\n");
  EXPECT_EQ(text(),
            "Updating from 4.6.23 to 4.7.4 is supported, but whether it is recommended is unknown for this "
            "cluster.\n\nReason: PromQLError\n\nno answer");
}

TEST_F(AcceptedRisksTest, AreNoneForARecommendedUpdate) {
  judge("True", "NotExposedToRisks", "fine");
  EXPECT_EQ(text(), "");
}

TEST_F(AcceptedRisksTest, PutVerificationFirstAndOtherObjectionsLast) {  // cases 62 and 63
  target.version = "4.8.0";
  status.conditional_updates[0].release = target;
  judge("False", "Risky", "it leaks");
  EXPECT_EQ(
      text(describe_unverified(target, "verification is not possible"), true),
      "Target release version=\"4.8.0\" image=\"i/474\" cannot be verified, but continuing anyway because "
      "the update was forced: verification is not possible\n\n"
      "Updating from 4.6.23 to 4.8.0 is supported, but not recommended for this cluster.\n\n"
      "Reason: Risky\n\nit leaks\n\n"
      "Forced through blocking failures: Precondition \"ClusterVersionGiantHop\" failed because of "
      "\"MultipleMinorVersionsUpdate\": 4.8.0 is more than one minor version beyond the current target "
      "4.6.23 (4.8 > 4.(6+1)), and only updates within the current minor version or to the next minor "
      "version are supported.");
}

TEST_F(AcceptedRisksTest, KeepWhatIsSaidOfAnUpdateThatNobodyKnows) {
  status.conditional_updates.clear();
  EXPECT_EQ(text(),
            "Precondition \"ClusterVersionRecommendedUpdate\" failed because of \"UnknownUpdate\": No "
            "RetrievedUpdates, so the recommended status of updating from 4.6.23 to 4.7.4 is unknown.");
}

TEST_F(AcceptedRisksTest, NameTheRisksThatWereAccepted) {  // case 47's counterpart in the history
  const auto risk = [](std::string name) {
    return Risk{.url = "u", .name = std::move(name), .message = "m"};
  };
  status.conditional_updates[0].risks = {risk("B"), risk("A"), risk("NotHere"), risk("Unasked")};
  status.conditional_update_risks = {risk("NotHere")};
  status.conditional_update_risks[0].conditions = {{.type = "Applies", .status = "False", .reason = "r"}};
  spec.desired_update = {{.version = "4.7.4", .accept_risks = {{"A"}, {"B"}, {"NotHere"}, {"Elsewhere"}}}};
  judge("True", "AllExposedRisksAccepted", "accepted");
  const std::string sentence =
      "The target release i/474 is exposed to the risks [B,A] which were all explicitly accepted by the "
      "cluster administrator.";
  EXPECT_EQ(text("", false, true), sentence);
  EXPECT_EQ(text("", false, false), "") << "the gate is off";
  judge("False", "Unasked", "m u");
  EXPECT_EQ(text("", false, true),
            "Updating from 4.6.23 to 4.7.4 is supported, but not recommended for this cluster.\n\n"
            "Reason: Unasked\n\nm u\n\n"
            "Of the risks that the target release i/474 is exposed to, [B,A] were explicitly accepted by the "
            "cluster administrator.");
}

}  // namespace
}  // namespace fairway::clusterversion
