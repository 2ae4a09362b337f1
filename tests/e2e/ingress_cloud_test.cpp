// The ingress operator with the simulated cloud and its nodes, on the embedded API server: cases 20, 80, 81
// and 105 to 112 of the specification, with real traffic. Neither of the two knows the other; this test
// compares their tables.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sys/resource.h>

#include "ingress/operands.hpp"
#include "ingress/operator.hpp"
#include "ingress/platform.hpp"
#include "ingress/texts.hpp"

#include "cloud_fixture.hpp"

namespace fairway {
namespace {

using cloud::Operation;
using cloud::testing::kDeployments;
using cloud::testing::kInside;
using cloud::testing::kOutside;
using cloud::testing::kPods;
using cloud::testing::kServices;
using std::chrono::seconds;

const std::string kOperatorNs(ingress::kOperatorNamespace);
const std::string kOperandNs(ingress::kOperandNamespace);
const kube::ResourceType kControllers = ingress::operand_type("IngressController");

kube::ResourceType config_type(const char* kind, const char* resource) {
  return {.kind = {"config.openshift.io", "v1", kind}, .resource = resource, .is_namespaced = false};
}

// Each listener is a file: a shell's usual 1,024 are too few for hundreds of load balancers and pods.
void raise_open_file_limit() {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = limit.rlim_max;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
}

// What a cloud is asked for and what it understands are two tables, of two programs.
TEST(Platforms, TheOperatorAndTheCloudMeanTheSame) {
  ASSERT_EQ(ingress::platforms().size(), cloud::profiles().size());
  for (const ingress::Platform& platform : ingress::platforms()) {
    const cloud::Profile* profile = cloud::find_profile(platform.name);
    ASSERT_NE(profile, nullptr) << platform.name;
    EXPECT_EQ(profile->is_mutable, platform.is_mutable) << platform.name;
    ASSERT_EQ(profile->scope.has_value(), platform.scope.has_value()) << platform.name;
    if (!platform.scope) continue;
    EXPECT_EQ(profile->scope->key, platform.scope->key);
    EXPECT_EQ(profile->scope->internal, platform.scope->internal);
    EXPECT_EQ(profile->scope->external, platform.scope->external);
    EXPECT_EQ(profile->scope->legacy_internal, platform.scope->legacy_internal);
  }
}

class IngressWithCloud : public cloud::testing::CloudOnServer {
 protected:
  ~IngressWithCloud() override { stop_operator(); }

  void start_all(std::string_view platform, std::optional<cloud::Delays> delays = {}) {
    ns_ = kOperandNs;
    plays_nodes_ = true;
    nodes_for_ = std::string(ingress::kOwningLabel);
    start(platform, delays);
    create(config_type("Ingress", "ingresses").in(""),
           R"({"apiVersion":"config.openshift.io/v1","kind":"Ingress",
      "metadata":{"name":"cluster"},"spec":{"domain":"apps.harbour.example"}})");
    create(config_type("DNS", "dnses").in(""), R"({"apiVersion":"config.openshift.io/v1","kind":"DNS",
      "metadata":{"name":"cluster"},"spec":{"baseDomain":"harbour.example","publicZone":{"id":"Z1"}}})");
    create(
        cloud::testing::kNamespaces.in(""),
        fmt::format(R"({{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{}"}}}})", kOperatorNs));
    start_operator(platform);
  }
  void start_operator(std::string_view platform) {
    operator_runtime_ =
        std::make_unique<kube::Runtime>(*cloud_client_, kube::RuntimeOptions{.name = "ingress"});
    operator_ = std::make_unique<ingress::IngressOperator>(
        *operator_runtime_, ingress::OperatorSettings{.platform = std::string(platform)}, registry_);
    const auto prepared = loop_.block_on(operator_->prepare());
    ASSERT_TRUE(prepared) << prepared.error().describe();
    controllers_ = &operator_runtime_->cache<ingress::IngressController>({.namespace_ = kOperatorNs});
    operator_group_ = std::make_unique<async::TaskGroup>(loop_.executor());
    operator_group_->spawn("operator", operator_runtime_->run());
  }
  void stop_operator() {
    if (!operator_group_) return;
    operator_group_->cancel();
    loop_.run_until([this] { return operator_group_->size() == 0; });
    operator_group_.reset();
    operator_runtime_.reset();
    operator_.reset();
  }

  void create_controller(const std::string& name, std::string_view scope, int replicas = 2) {
    create(
        kControllers.in(kOperatorNs),
        fmt::format(
            R"({{"apiVersion":"operator.openshift.io/v1","kind":"IngressController","metadata":{{"name":"{0}"}},
             "spec":{{"replicas":{2},"domain":"{0}.harbour.example","endpointPublishingStrategy":{{"type":"LoadBalancerService",
             "loadBalancer":{{"scope":"{1}"}}}}}}}})",
            name, scope, replicas));
  }
  void set_scope(const std::string& name, std::string_view scope) {
    patch(
        kControllers.in(kOperatorNs, name),
        fmt::format(R"({{"spec":{{"endpointPublishingStrategy":{{"type":"LoadBalancerService","loadBalancer":
            {{"scope":"{}"}}}}}}}})",
                    scope));
  }
  std::string condition(const std::string& name, std::string_view type) const {
    const auto found = controllers_->get({kOperatorNs, name});
    if (!found) return "gone";
    const auto* said = kube::find_condition(found->status.conditions, type);
    if (said == nullptr) return "absent";
    return said->reason.empty() ? said->status : said->status + " " + said->reason;
  }
  std::string message(const std::string& name, std::string_view type) const {
    const auto found = controllers_->get({kOperatorNs, name});
    const auto* said = found ? kube::find_condition(found->status.conditions, type) : nullptr;
    return said == nullptr ? "" : said->message;
  }
  void await_condition(const std::string& name, std::string_view type, const std::string& wanted) {
    advance_until([&] { return condition(name, type) == wanted; });
  }
  // Published, and the operator satisfied.
  void await_settled(const std::string& name) {
    await_published(ingress::router_name(name));
    await_condition(name, "Progressing", "False");
  }
  std::string address(const std::string& name = "custom") const {
    const auto found = record(ingress::router_name(name));
    return found ? found->address : "";
  }
  std::string uid(const std::string& name = "custom") const {
    return std::string(kube::uid_of(*service(ingress::router_name(name))));
  }
  bool is_terminating(const std::string& name = "custom") const {
    const auto found = service(ingress::router_name(name));
    return found && kube::is_being_deleted(*found);
  }
  void delete_service(const std::string& name = "custom") {
    ASSERT_TRUE(loop_.block_on(client_->remove(kServices.in(kOperandNs, ingress::router_name(name)))));
  }
  std::set<std::string> pod_uids() {
    std::set<std::string> uids;
    for (const auto& pod : loop_.block_on(client_->list_all(kPods.in(kOperandNs)))->items)
      uids.emplace(kube::uid_of(pod));
    return uids;
  }
  // Pods answer as soon as they run; that is a little after the Service is published.
  void await_answer(const std::string& at, const char* from) {
    advance_until([&] { return !ask(at, from).empty(); });
  }

  std::unique_ptr<ingress::IngressOperator> operator_;
  std::unique_ptr<kube::Runtime> operator_runtime_;
  kube::Cache<ingress::IngressController>* controllers_ = nullptr;
  std::unique_ptr<async::TaskGroup> operator_group_;
};

TEST_F(IngressWithCloud, Case105AChangeInPlaceIsInProgressUntilTheAddressIsAnother) {
  start_all("Azure", cloud::Delays{.mutate = seconds(30)});
  create_controller("custom", "External");
  await_settled("custom");
  const std::string external = address();
  const std::string first = uid();
  set_scope("custom", "Internal");
  loop_.run_until([&] { return record("router-custom")->operation.has_value(); });
  await_condition("custom", "Progressing", "True ScopeChangeInProgress");
  const WallTime done = record("router-custom")->operation->since->time + seconds(30);
  advance_until([&] { return clock_.now() >= done - seconds(1); });
  EXPECT_EQ(condition("custom", "Progressing"), "True ScopeChangeInProgress");
  EXPECT_EQ(published("router-custom"), external);
  await_condition("custom", "Progressing", "False");
  EXPECT_GE(clock_.now(), done);
  EXPECT_TRUE(settings_.internal.contains(published("router-custom")));
  EXPECT_EQ(uid(), first);
}

TEST_F(IngressWithCloud, Case106AFailedChangeIsToldAndTheOldAddressServes) {
  start_all("Azure");
  create_controller("custom", "External");
  await_settled("custom");
  const std::string external = address();
  await_answer(external, kOutside);
  cloud_->set_faults({.fail_changes = 2});
  set_scope("custom", "Internal");
  advance_until([&] {
    return message("custom", "LoadBalancerReady").find("the cloud failed to change its scope") !=
           std::string::npos;
  });
  EXPECT_EQ(condition("custom", "LoadBalancerReady"), "True LoadBalancerProvisioned");
  EXPECT_NE(ask(external, kOutside), "");
  await_condition("custom", "Progressing", "False");
  EXPECT_TRUE(settings_.internal.contains(address())) << "without anybody's help";
}

// Case 107 on every profile: in place where it can be, else by a new Service, which the user asks for.
class OnEveryProfile : public IngressWithCloud, public ::testing::WithParamInterface<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Traffic, OnEveryProfile,
                         ::testing::Values("AWS", "Azure", "GCP", "IBMCloud", "PowerVS", "AlibabaCloud",
                                           "OpenStack"),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(OnEveryProfile, Case107OutsideIsServedAndThenRefusedAndInsideIsServed) {
  start_all(GetParam());
  create_controller("custom", "External");
  await_settled("custom");
  const std::string external = address();
  await_answer(external, kOutside);
  EXPECT_NE(ask(external, kInside), "");
  const std::string first = uid();
  set_scope("custom", "Internal");
  if (settings_.profile.is_mutable) {
    advance_until([&] { return address() != external && !address().empty(); });
  } else {
    await_condition("custom", "Progressing", "True ScopeChanged");
    EXPECT_NE(ask(external, kOutside), "");
    delete_service();
    advance_until([&] { return service("router-custom") && uid() != first; });
  }
  await_settled("custom");
  EXPECT_EQ(uid() == first, settings_.profile.is_mutable);
  const std::string internal = address();
  EXPECT_TRUE(settings_.internal.contains(internal));
  await_answer(internal, kInside);
  EXPECT_EQ(ask(internal, kOutside), "");
  EXPECT_EQ(ask(external, kOutside), "");
  EXPECT_EQ(ask(external, kInside), "");
}

// Case 108: a client that follows the published address, through a change and back.
class OnMutableProfiles : public IngressWithCloud, public ::testing::WithParamInterface<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Traffic, OnMutableProfiles, ::testing::Values("Azure", "GCP"),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(OnMutableProfiles, Case108AToggleUnderLoadRestartsNoPodAndCostsNoMoreThanTheDelay) {
  start_all(GetParam());
  create_controller("custom", "External");
  await_settled("custom");
  await_answer(published("router-custom"), kInside);
  const std::set<std::string> pods = pod_uids();
  for (const char* scope : {"Internal", "External"}) {
    const std::string before = address();
    std::optional<WallTime> first_failure;
    WallTime last_failure{};
    int answered = 0;
    set_scope("custom", scope);
    advance_until([&] {
      if (!ask(published("router-custom"), kInside).empty()) {
        ++answered;
      } else {
        if (!first_failure) first_failure = clock_.now();
        last_failure = clock_.now();
      }
      return address() != before && published("router-custom") == address() &&
             condition("custom", "Progressing") == "False";
    });
    EXPECT_GT(answered, 2);
    if (first_failure) EXPECT_LE(last_failure - *first_failure, settings_.profile.delays.mutate);
    EXPECT_NE(ask(published("router-custom"), kInside), "");
  }
  EXPECT_EQ(pod_uids(), pods);
}

TEST_F(IngressWithCloud, Case109WhileAChangeAwaitsTheUserEveryRequestIsAnswered) {
  start_all("AWS");
  create_controller("custom", "External");
  await_settled("custom");
  const std::string external = address();
  await_answer(external, kOutside);
  set_scope("custom", "Internal");
  await_condition("custom", "Progressing", "True ScopeChanged");
  for (int i = 0; i < 100; ++i) ASSERT_NE(ask(external, kOutside), "") << i;
  delete_service();
  loop_.run_until([&] { return ask(external, kOutside).empty(); });
}

TEST_F(IngressWithCloud, Case110SourceRangesHoldBeforeAndAfterAToggle) {
  start_all("Azure");
  create_controller("custom", "External");
  await_settled("custom");
  patch(kServices.in(kOperandNs, "router-custom"),
        R"({"spec":{"loadBalancerSourceRanges":["127.5.0.0/16","127.77.5.0/24"]}})");
  const std::string external = address();
  loop_.run_until([&] { return ask(external, kOutside).empty(); });
  await_answer(external, "127.5.0.1");
  set_scope("custom", "Internal");
  advance_until([&] { return address() != external && !published("router-custom").empty(); });
  const std::string internal = address();
  await_answer(internal, "127.77.5.1");
  EXPECT_EQ(ask(internal, kInside), "") << "inside, and not in the ranges";
  EXPECT_EQ(ask(internal, "127.5.0.1"), "") << "in the ranges, and not inside";
}

TEST_F(IngressWithCloud, Case111AControllerGoesInOrderAndItsAddressComesBack) {
  start_all("AWS");
  create_controller("custom", "External");
  await_settled("custom");
  const kube::ResourceType& records = ingress::operand_type("DNSRecord");
  auto& record_cache = operator_runtime_->cache(
      records, {.namespace_ = kOperatorNs, .label_selector = std::string(ingress::kOwningLabel)});
  auto& deployment_cache = operator_runtime_->cache(kDeployments, {.namespace_ = kOperandNs});
  advance_until([&] { return record_cache.get({kOperatorNs, "custom-wildcard"}) != nullptr; });
  const auto is_listed = [&] {
    return std::ranges::any_of(cloud_->describe_all(), [](const json::Value& row) {
      return json::get_string(row.get_object(), {"name"}) == "router-custom";
    });
  };
  ASSERT_TRUE(is_listed());
  ASSERT_TRUE(loop_.block_on(client_->remove(kControllers.in(kOperatorNs, "custom"))));
  // Each is still there when the one before it has gone.
  loop_.run_until([&] { return record_cache.get({kOperatorNs, "custom-wildcard"}) == nullptr; });
  EXPECT_NE(service("router-custom"), nullptr);
  loop_.run_until([&] { return deployment_cache.get({kOperandNs, "router-custom"}) == nullptr; });
  EXPECT_NE(service("router-custom"), nullptr);
  EXPECT_TRUE(is_listed());
  advance_until([&] { return service("router-custom") == nullptr; });
  EXPECT_FALSE(is_listed());
  advance_until([&] { return condition("custom", "Admitted") == "gone"; });
  EXPECT_TRUE(pod_uids().size() <= 2) << "only the default controller's are left";
}

TEST_F(IngressWithCloud, Case20AStuckDeletionIsToldAndNothingIsTriedInVain) {
  start_all("AWS");
  create_controller("custom", "External");
  await_settled("custom");
  const std::string first = uid();
  cloud_->set_faults({.stuck_deletes = true});
  delete_service();
  await_condition("custom", "LoadBalancerReady", "False WaitingForServiceDeletion");
  EXPECT_NE(message("custom", "LoadBalancerReady").find("deletion in progress"), std::string::npos);
  EXPECT_EQ(message("custom", "LoadBalancerReady").find('`'), std::string::npos) << "no commands";
  clock_.advance(seconds(20));
  EXPECT_TRUE(is_terminating());
  EXPECT_EQ(uid(), first);
  cloud_->set_faults({});
  advance_until([&] { return service("router-custom") && uid() != first; });
  await_settled("custom");
}

TEST_F(IngressWithCloud, Cases80And81ALongDeletionThatFailsIsAskedForOnceAndOvercome) {
  start_all("AWS", cloud::Delays{.deprovision = seconds(60)});
  create_controller("custom", "External");
  await_settled("custom");
  const std::string first = uid();
  cloud_->set_faults({.fail_deletes = 3});
  patch(kControllers.in(kOperatorNs, "custom"),
        fmt::format(R"({{"metadata":{{"annotations":{{"{}":""}}}}}})", ingress::kAutoDelete));
  set_scope("custom", "Internal");
  advance_until([&] { return is_terminating(); });
  const WallTime asked = clock_.now();
  const std::string deleted_at(
      *json::get_string(*service("router-custom"), {"metadata", "deletionTimestamp"}));
  advance_until([&] {
    return message("custom", "LoadBalancerReady").find("Error deleting load balancer") != std::string::npos;
  });
  advance_until([&] {
    const auto found = service("router-custom");
    return !found || kube::uid_of(*found) != first;
  });
  EXPECT_GE(clock_.now() - asked, seconds(60));
  await_settled("custom");
  EXPECT_EQ(record("router-custom")->scope, cloud::Scope::Internal);
  EXPECT_FALSE(deleted_at.empty());
}

// Case 112: many at once, and only those that were asked for.
TEST_F(IngressWithCloud, Case112ManyAreToggledTogetherAndNobodyElseIsTouched) {
  constexpr int kMany = 200;
  raise_open_file_limit();
  start_all("Azure");
  const auto name = [](int i) { return fmt::format("c{}", i); };
  // Waits for one after the other, and looks at it when it has changed: a look costs one of them and not all.
  const auto await_all = [&](const std::function<bool(const std::string&)>& done) {
    int next = 0;
    auto looked_at = std::make_pair(service(""), controllers_->get({}));
    loop_.run_until([&] {
      for (; next < kMany; ++next) {
        auto now = std::make_pair(service(ingress::router_name(name(next))),
                                  controllers_->get({kOperatorNs, name(next)}));
        if (now == looked_at) return false;
        looked_at = std::move(now);
        if (!done(name(next))) return false;
      }
      return true;
    });
  };
  const auto is_busy = [&](const std::string& each) {
    const auto found = record(ingress::router_name(each));
    return found && found->operation;
  };
  const auto has = [&](cloud::Scope scope, const std::string& each) {
    const auto found = record(ingress::router_name(each));
    return found && !found->operation && found->scope == scope &&
           published(ingress::router_name(each)) == found->address &&
           condition(each, "Progressing") == "False";
  };
  create_controller("bystander", "External", 0);
  await_settled("bystander");
  for (int i = 0; i < kMany; ++i) create_controller(name(i), "External", 0);
  await_all(is_busy);
  clock_.advance(settings_.profile.delays.provision);
  await_all([&](const std::string& each) { return has(cloud::Scope::External, each); });
  const std::string untouched(kube::resource_version_of(*service("router-bystander")));
  std::map<std::string, std::string> uids;
  for (int i = 0; i < kMany; ++i) uids[name(i)] = uid(name(i));

  for (int i = 0; i < kMany; ++i) set_scope(name(i), "Internal");
  await_all(is_busy);
  clock_.advance(settings_.profile.delays.mutate);
  await_all([&](const std::string& each) { return has(cloud::Scope::Internal, each); });
  std::set<std::string> addresses;
  for (int i = 0; i < kMany; ++i) {
    EXPECT_EQ(uid(name(i)), uids[name(i)]);
    addresses.insert(address(name(i)));
  }
  EXPECT_EQ(addresses.size(), static_cast<std::size_t>(kMany)) << "no two have the same";
  EXPECT_EQ(kube::resource_version_of(*service("router-bystander")), untouched);
}

}  // namespace
}  // namespace fairway
