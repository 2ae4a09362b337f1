// The ingress operator on the embedded API server: the real requests, schemas and garbage collection, over
// TLS. The cloud and the router pods are played by the test, which writes the statuses that they would.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "apiserver/server.hpp"
#include "async/event_loop.hpp"
#include "async/task_group.hpp"
#include "ingress/operands.hpp"
#include "ingress/operator.hpp"
#include "ingress/service_keys.hpp"
#include "ingress/texts.hpp"
#include "kube/client/api.hpp"
#include "kube/client/kubeconfig.hpp"
#include "kube/client/transport.hpp"
#include "kube/runtime/runtime.hpp"

namespace fairway::ingress {
namespace {

const kube::ResourceType kServices = operand_type("Service");
const kube::ResourceType kDeployments = operand_type("Deployment");
const kube::ResourceType kControllers = operand_type("IngressController");
const kube::ResourceType kEvents{.kind = {"", "v1", "Event"}, .resource = "events"};

kube::ResourceType config_type(const char* kind, const char* resource) {
  return {.kind = {"config.openshift.io", "v1", kind}, .resource = resource, .is_namespaced = false};
}

json::Object merge(const char* format, std::string_view value) {
  return *json::parse_object(fmt::format(fmt::runtime(format), value));
}

Task<void> stop_server(apiserver::ApiServer& server) {
  co_await server.stop(Duration::zero());
  co_return Result<void>{};
}

class OnTheEmbeddedServer : public ::testing::Test {
 protected:
  ~OnTheEmbeddedServer() override {
    stop_operator();
    if (server_) EXPECT_TRUE(loop_.block_on(stop_server(*server_)));
  }

  void start(std::string_view platform) {
    auto started = loop_.block_on(apiserver::ApiServer::start(loop_, {}));
    ASSERT_TRUE(started) << started.error().describe();
    server_ = *std::move(started);
    const auto kubeconfig = kube::parse_kubeconfig(server_->kubeconfig(), "the server's kubeconfig");
    const auto config = kube::resolve_context(*kubeconfig);
    auto transport = kube::make_transport(loop_.executor(), loop_.clock(), *config);
    client_ = std::make_unique<kube::Client>(*transport, loop_.clock(), config->server,
                                             kube::ClientOptions{.requests_per_second = 0});
    const auto infrastructure = config_type("Infrastructure", "infrastructures");
    create(infrastructure.in(""),
           merge(R"({{"apiVersion":"config.openshift.io/v1","kind":"Infrastructure","metadata":
      {{"name":"cluster"}},"spec":{{"platformSpec":{{"type":"{}"}}}}}})",
                 platform));
    patch(infrastructure.in("", "cluster", "status"),
          merge(R"({{"status":{{"platformStatus":{{"type":"{}"}}}}}})", platform));
    create(config_type("Ingress", "ingresses").in(""),
           *json::parse_object(R"({"apiVersion":"config.openshift.io/v1",
      "kind":"Ingress","metadata":{"name":"cluster"},"spec":{"domain":"apps.harbour.example"}})"));
    create(config_type("DNS", "dnses").in(""),
           *json::parse_object(R"({"apiVersion":"config.openshift.io/v1","kind":"DNS",
      "metadata":{"name":"cluster"},"spec":{"baseDomain":"harbour.example","publicZone":{"id":"Z1"}}})"));
    create(
        operand_type("Namespace").in(""),
        merge(R"({{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{}"}}}})", kOperatorNamespace));
    start_operator();
  }

  void start_operator() {
    runtime_ = std::make_unique<kube::Runtime>(*client_, kube::RuntimeOptions{.name = "ingress"});
    operator_ = std::make_unique<IngressOperator>(*runtime_, OperatorSettings{}, registry_);
    const auto prepared = loop_.block_on(operator_->prepare());
    ASSERT_TRUE(prepared) << prepared.error().describe();
    services_ = &runtime_->cache(kServices, {.namespace_ = std::string(kOperandNamespace)});
    controllers_ = &runtime_->cache<IngressController>({.namespace_ = std::string(kOperatorNamespace)});
    group_ = std::make_unique<async::TaskGroup>(loop_.executor());
    group_->spawn("runtime", runtime_->run());
  }
  void stop_operator() {
    if (!group_) return;
    group_->cancel();
    loop_.run_until([this] { return group_->size() == 0; });
    group_.reset();
    runtime_.reset();
    operator_.reset();
  }

  json::Object create(kube::Resource place, json::Object object) {
    auto made = loop_.block_on(client_->create(std::move(place), std::move(object)));
    EXPECT_TRUE(made) << made.error().describe();
    return made ? *made : json::Object{};
  }
  void patch(kube::Resource place, json::Object change) {
    const auto patched =
        loop_.block_on(client_->patch(std::move(place), kube::PatchKind::Merge, std::move(change)));
    EXPECT_TRUE(patched) << patched.error().describe();
  }
  void create_controller(const std::string& name, const char* scope) {
    create(
        kControllers.in(std::string(kOperatorNamespace)),
        *json::parse_object(fmt::format(
            R"({{"apiVersion":"operator.openshift.io/v1","kind":"IngressController","metadata":{{"name":"{0}"}},"spec":
               {{"replicas":2,"domain":"{0}.harbour.example","endpointPublishingStrategy":{{"type":"LoadBalancerService",
               "loadBalancer":{{"scope":"{1}"}}}}}}}})",
            name, scope)));
  }
  void set_scope(const std::string& name, const char* scope) {
    patch(
        kControllers.in(std::string(kOperatorNamespace), name),
        merge(
            R"({{"spec":{{"endpointPublishingStrategy":{{"type":"LoadBalancerService","loadBalancer":{{"scope":"{}"}}}}}}}})",
            scope));
  }

  std::shared_ptr<const json::Object> service(const std::string& name) const {
    return services_->get({std::string(kOperandNamespace), router_name(name)});
  }
  std::string uid(const std::string& name) const { return std::string(kube::uid_of(*service(name))); }
  void await_service(const std::string& name, std::string_view other_than = "none") {
    loop_.run_until([&] { return service(name) && kube::uid_of(*service(name)) != other_than; });
  }
  // As the cloud and the pods would say.
  void provide(const std::string& name, const char* address) {
    patch(kServices.in(std::string(kOperandNamespace), router_name(name), "status"),
          merge(R"({{"status":{{"loadBalancer":{{"ingress":[{{"ip":"{}"}}]}}}}}})", address));
    patch(kDeployments.in(std::string(kOperandNamespace), router_name(name), "status"),
          *json::parse_object(
              R"({"status":{"observedGeneration":1,"replicas":2,"updatedReplicas":2,"readyReplicas":2,
            "availableReplicas":2,"conditions":[{"type":"Available","status":"True"}]}})"));
  }
  std::string condition(const std::string& name, std::string_view type) const {
    const auto found = controllers_->get({std::string(kOperatorNamespace), name});
    if (!found) return "gone";
    const auto* said = kube::find_condition(found->status.conditions, type);
    if (said == nullptr) return "absent";
    return said->reason.empty() ? said->status : said->status + " " + said->reason;
  }
  void await_condition(const std::string& name, std::string_view type, const std::string& wanted) {
    loop_.run_until([&] { return condition(name, type) == wanted; });
  }
  bool has_event(std::string_view reason) {
    const auto events = loop_.block_on(client_->list_all(kEvents.in(std::string(kOperatorNamespace))));
    return events && std::ranges::any_of(events->items, [&](const json::Object& event) {
             return json::get_string(event, {"reason"}) == reason;
           });
  }

  async::EventLoop loop_;
  std::unique_ptr<apiserver::ApiServer> server_;
  std::unique_ptr<kube::Client> client_;
  metrics::Registry registry_;
  std::unique_ptr<IngressOperator> operator_;
  std::unique_ptr<kube::Runtime> runtime_;
  kube::ObjectCache* services_ = nullptr;
  kube::Cache<IngressController>* controllers_ = nullptr;
  std::unique_ptr<async::TaskGroup> group_;  // a cancelled one takes no more tasks
};

TEST_F(OnTheEmbeddedServer, AChangeOnAwsWaitsForTheUserAndIsMadeWithConsent) {
  start("AWS");
  create_controller("custom", "External");
  await_service("custom");
  provide("custom", "203.0.113.7");
  await_condition("custom", "Progressing", "False");
  const std::string first = uid("custom");

  set_scope("custom", "Internal");
  await_condition("custom", "Progressing", "True ScopeChanged");
  EXPECT_EQ(uid("custom"), first);
  EXPECT_EQ(condition("custom", "LoadBalancerReady"), "True LoadBalancerProvisioned");
  set_scope("custom", "External");
  await_condition("custom", "Progressing", "False");
  EXPECT_EQ(uid("custom"), first);

  // The user completes the change.
  set_scope("custom", "Internal");
  await_condition("custom", "Progressing", "True ScopeChanged");
  ASSERT_TRUE(loop_.block_on(client_->remove(kServices.in(std::string(kOperandNamespace), "router-custom"))));
  await_service("custom", first);
  EXPECT_EQ(kube::annotation(*service("custom"), "service.beta.kubernetes.io/aws-load-balancer-internal"),
            "true");
  provide("custom", "10.77.0.1");
  await_condition("custom", "Progressing", "False");

  // The annotation completes it without a human, also after a restart of the operator; case 82.
  const std::string second = uid("custom");
  set_scope("custom", "External");
  await_condition("custom", "Progressing", "True ScopeChanged");
  stop_operator();
  patch(kControllers.in(std::string(kOperatorNamespace), "custom"),
        merge(R"({{"metadata":{{"annotations":{{"{}":""}}}}}})", kAutoDelete));
  start_operator();
  loop_.run_until([&] { return service("custom") != nullptr; });
  await_service("custom", second);
  EXPECT_EQ(kube::annotation(*service("custom"), "service.beta.kubernetes.io/aws-load-balancer-internal"),
            std::nullopt);
  provide("custom", "203.0.113.8");
  await_condition("custom", "Progressing", "False");
  loop_.run_until(
      [&] { return has_event("LoadBalancerServiceDeleted") && has_event("LoadBalancerServiceCreated"); });
}

TEST_F(OnTheEmbeddedServer, AChangeOnAzureIsMadeInPlaceAndKeepsWhatUsersSet) {
  start("Azure");
  create_controller("custom", "External");
  await_service("custom");
  provide("custom", "203.0.113.7");
  await_condition("custom", "Progressing", "False");
  const std::string first = uid("custom");
  patch(kServices.in(std::string(kOperandNamespace), "router-custom"),
        *json::parse_object(R"({"metadata":{"annotations":{"example.test/mine":"yes"}},
          "spec":{"loadBalancerSourceRanges":["10.0.0.0/8"]}})"));
  set_scope("custom", "Internal");
  await_condition("custom", "Progressing", "True ScopeChangeInProgress");
  loop_.run_until([&] {
    return kube::annotation(*service("custom"), "service.beta.kubernetes.io/azure-load-balancer-internal") ==
           "true";
  });
  provide("custom", "10.77.0.1");
  loop_.run_until(
      [&] { return condition("custom", "LoadBalancerProgressing") == "True OperandsProgressing"; });
  EXPECT_EQ(uid("custom"), first);
  EXPECT_EQ(kube::annotation(*service("custom"), "example.test/mine"), "yes");
  EXPECT_EQ(source_ranges_of(*service("custom")), std::vector<std::string>{"10.0.0.0/8"});
}

TEST_F(OnTheEmbeddedServer, AControllerGoesInOrderAndForeignServicesStay) {
  start("AWS");
  create(operand_type("Namespace").in(""),
         merge(R"({{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{}"}}}})", kOperandNamespace));
  const json::Object foreign = create(
      kServices.in(std::string(kOperandNamespace)),
      *json::parse_object(
          R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"router-taken"},"spec":{"ports":[{"port":80}]}})"));
  create_controller("taken", "External");
  await_condition("taken", "LoadBalancerReady", "False ConflictingService");
  create_controller("custom", "External");
  await_service("custom");
  provide("custom", "203.0.113.7");
  await_condition("custom", "Progressing", "False");
  for (const char* name : {"custom", "taken"})
    ASSERT_TRUE(loop_.block_on(client_->remove(kControllers.in(std::string(kOperatorNamespace), name))));
  loop_.run_until(
      [&] { return condition("custom", "Admitted") == "gone" && condition("taken", "Admitted") == "gone"; });
  EXPECT_EQ(service("custom"), nullptr);
  ASSERT_NE(service("taken"), nullptr);
  EXPECT_EQ(kube::uid_of(*service("taken")), kube::uid_of(foreign));
  EXPECT_EQ(kube::resource_version_of(*service("taken")), kube::resource_version_of(foreign));
}

// Cases 30 and 31: what the schema refuses never reaches the operator. And case 28: the revert patch is
// accepted.
TEST_F(OnTheEmbeddedServer, TheSchemaRefusesWhatCannotBe) {
  start("AWS");
  create_controller("custom", "External");
  const auto refused = [&](const char* load_balancer) {
    json::Object change = merge(
        R"({{"spec":{{"endpointPublishingStrategy":{{"type":"LoadBalancerService","loadBalancer":{}}}}}}})",
        load_balancer);
    const auto patched =
        loop_.block_on(client_->patch(kControllers.in(std::string(kOperatorNamespace), "custom"),
                                      kube::PatchKind::Merge, std::move(change)));
    return !patched && patched.error().code == ErrorCode::Invalid;
  };
  EXPECT_TRUE(refused(R"({"scope":"Public"})"));
  EXPECT_TRUE(refused(
      R"({"scope":"Internal","providerParameters":{"type":"AWS","aws":{"type":"NLB","networkLoadBalancer":
    {"eipAllocations":["eipalloc-01234567890123456"]}}}})"));
  EXPECT_TRUE(refused(R"({"scope":"Internal","providerParameters":{"type":"OpenStack","openstack":
    {"floatingIP":"198.51.100.7"}}})"));
  patch(kControllers.in(std::string(kOperatorNamespace), "custom"),
        *json::parse_object(R"({"spec":{"endpointPublishingStrategy":null}})"));
  set_scope("custom", "Internal");
  loop_.run_until([&] { return service("custom") != nullptr; });
}

}  // namespace
}  // namespace fairway::ingress
