// The cluster's ingress as a whole: cases 102 and 103 of the specification.
#include "ingress/cluster_operator.hpp"

#include <gtest/gtest.h>

#include "ingress/decide_testing.hpp"

namespace fairway::ingress {
namespace {

using testing::load_balancer;
using testing::SimulatedCluster;

// The summary of a simulated cluster, written until nothing is left to write.
class Summary : public ::testing::Test {
 protected:
  SummaryObserved observe() const {
    SummaryObserved seen{.object = object_, .version = "1.2.3", .now = cluster_.now};
    for (const auto& [name, each] : cluster_.controllers) {
      if (name == kDefaultName) seen.default_controller = each;
      for (const std::string& word : summary_index(*each))
        (word == kProgressingIndex ? seen.progressing : seen.not_upgradeable).push_back(each);
    }
    return seen;
  }
  // How many writes it took.
  int settle() {
    for (int writes = 0;; ++writes) {
      const auto plan = decide_summary(observe());
      if (plan.actions.empty()) return writes;
      json::Object next = object_ ? *object_ : json::Object();
      if (const auto* made = std::get_if<CreateClusterOperator>(&plan.actions.front())) next = made->object;
      if (const auto* written = std::get_if<WriteClusterOperator>(&plan.actions.front()))
        next["status"] = written->status;
      object_ = std::make_shared<const json::Object>(std::move(next));
      if (writes > 5) return -1;
    }
  }
  kube::Condition condition(std::string_view type) const {
    const kube::Conditions all = kube::conditions_of(*object_);
    const kube::Condition* found = kube::find_condition(all, type);
    return found == nullptr ? kube::Condition{} : *found;
  }
  void publish(const std::string& name) {
    cluster_.create(name, load_balancer("External"));
    cluster_.settle(name);
  }
  void pend(const std::string& name) {
    cluster_.set_scope("Internal", name);
    cluster_.settle(name);
  }

  SimulatedCluster cluster_{"AWS"};
  std::shared_ptr<const json::Object> object_;
};

TEST_F(Summary, Case102NamesTheOneThatProgressesAndReturns) {
  publish("default");
  EXPECT_EQ(settle(), 2);
  EXPECT_EQ(condition("Progressing").status, "False");
  EXPECT_EQ(condition("Progressing").reason, "AsExpected");
  pend("default");
  EXPECT_EQ(settle(), 1);
  EXPECT_EQ(condition("Progressing").status, "True");
  EXPECT_EQ(condition("Progressing").reason, "Reconciling");
  EXPECT_TRUE(condition("Progressing")
                  .message.starts_with("ingresscontroller \"default\" is progressing: ScopeChanged: The "
                                       "IngressController scope was changed from \"External\" to "
                                       "\"Internal\"."))
      << condition("Progressing").message;
  EXPECT_EQ(condition("Available").status, "True") << "a wish that waits is no failure";
  EXPECT_EQ(condition("Degraded").status, "False");
  cluster_.set_scope("External", "default");
  cluster_.settle("default");
  EXPECT_EQ(settle(), 1);
  EXPECT_EQ(condition("Progressing").reason, "AsExpected");
  EXPECT_EQ(settle(), 0) << "nothing changed, nothing is written";
}

TEST_F(Summary, Case103TwoThatWaitHaveALineEachWithTheirOwnCommands) {
  publish("default");
  publish("inner");
  publish("outer");
  pend("inner");
  pend("outer");
  settle();
  const std::string message = condition("Progressing").message;
  const std::size_t end = message.find('\n');
  ASSERT_NE(end, std::string::npos) << message;
  EXPECT_EQ(message.find('\n', end + 1), std::string::npos) << message;
  EXPECT_TRUE(message.substr(0, end).contains("`oc -n openshift-ingress delete svc/router-inner`"));
  EXPECT_TRUE(message.substr(end).contains("`oc -n openshift-ingress delete svc/router-outer`"));
  EXPECT_EQ(condition("Available").status, "True");
}

TEST_F(Summary, IsNotWrittenMoreThanOnceASecond) {
  publish("default");
  settle();
  pend("default");
  SummaryObserved seen = observe();
  seen.written_at = seen.now - std::chrono::milliseconds(999);
  EXPECT_TRUE(decide_summary(seen).actions.empty());
  EXPECT_EQ(decide_summary(seen).wake_at, *seen.written_at + std::chrono::seconds(1));
  seen.written_at = seen.now - std::chrono::seconds(1);
  EXPECT_EQ(decide_summary(seen).actions.size(), 1U);
}

TEST_F(Summary, WhatTheDefaultControllerDoesNotSayIsNotKnown) {
  EXPECT_EQ(settle(), 2);
  EXPECT_EQ(condition("Available").status, "False");
  EXPECT_EQ(condition("Available").reason, "IngressDoesNotExist");
  EXPECT_EQ(condition("Degraded").status, "True");
  cluster_.create("default", load_balancer("External"));
  settle();
  EXPECT_EQ(condition("Available").status, "Unknown");
  EXPECT_EQ(condition("Degraded").status, "Unknown");
  EXPECT_EQ(condition("Upgradeable").status, "True");
}

TEST_F(Summary, OneThatIsNotUpgradeableStopsTheUpgrade) {
  publish("default");
  publish("custom");
  cluster_.service_refusal = "not allowed";
  cluster_.edit_service([](json::Object& service) {
    kube::set_annotation(service, "service.beta.kubernetes.io/aws-load-balancer-proxy-protocol", "none");
  });
  cluster_.settle("custom");
  settle();
  EXPECT_EQ(condition("Upgradeable").status, "False");
  EXPECT_TRUE(condition("Upgradeable").message.contains("ingresscontroller \"custom\" is not upgradeable: "))
      << condition("Upgradeable").message;
}

TEST_F(Summary, WhatOthersWroteStaysAndTheVersionIsTold) {
  publish("default");
  settle();
  json::Object edited = *object_;
  edited["status"].as_object()["extension"] = json::Object{{"mine", true}};
  object_ = std::make_shared<const json::Object>(std::move(edited));
  pend("default");
  settle();
  EXPECT_NE(json::find(*object_, {"status", "extension"}), nullptr);
  EXPECT_EQ(json::serialize(*json::find(*object_, {"status", "versions"})),
            R"([{"name":"operator","version":"1.2.3"}])");
}

}  // namespace
}  // namespace fairway::ingress
