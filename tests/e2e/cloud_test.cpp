// The simulated cloud on the embedded API server: real requests, real listeners on the loopback, real
// traffic.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "cloud/admin.hpp"
#include "http/client.hpp"

#include "cloud_fixture.hpp"

namespace fairway::cloud {
namespace {

using std::chrono::seconds;
using testing::kDeployments;
using testing::kInside;
using testing::kOutside;
using testing::kPods;
using testing::kServices;
using testing::port_offset;

const std::string kNs = "default";

Task<void> hang_up(std::unique_ptr<http::TcpStream>) {
  co_return Result<void>{};
}

class OnTheEmbeddedServer : public testing::CloudOnServer {
 protected:
  void create_service(const std::string& name = "web", const std::string& annotations = "{}",
                      const std::string& spec = "") {
    create(kServices.in(kNs),
           fmt::format(
               R"({{"apiVersion":"v1","kind":"Service","metadata":{{"name":"{}","annotations":{}}},"spec":
        {{"type":"LoadBalancer","selector":{{"app":"web"}},"ports":[{{"name":"http","port":80,"targetPort":"http"}}]{}}}}})",
               name, annotations, spec));
  }
  void remove_service(const std::string& name = "web") {
    EXPECT_TRUE(loop_.block_on(client_->remove(kServices.in(kNs, name))));
  }

  http::Response admin(const std::string& method, const std::string& path, const std::string& body = "",
                       const char* type = "application/json") {
    auto server = http::Server::listen(loop_.executor(), loop_.clock(), {},
                                       admin_handler(*cloud_, registry_, [] { return true; }));
    EXPECT_TRUE(server);
    http::Client client(loop_.executor(), loop_.clock(), {});
    http::ClientRequest request{
        .method = method,
        .url = *http::Url::parse(fmt::format("http://127.0.0.1:{}{}", (*server)->port(), path)),
        .headers = {{"Content-Type", type}},
        .body = body};
    auto answer = loop_.block_on(client.send(request));
    EXPECT_TRUE(answer);
    EXPECT_TRUE(loop_.block_on(stop_admin(**server)));
    return answer ? *answer : http::Response{};
  }
  static Task<void> stop_listener(http::TcpListener& listener) {
    co_await listener.stop();
    co_return Result<void>{};
  }
  static Task<void> stop_admin(http::Server& server) {
    co_await server.stop(Duration::zero());
    co_return Result<void>{};
  }
};

// With pods that answer, made by a Deployment.
class WithRouters : public OnTheEmbeddedServer {
 protected:
  void start_with_routers(std::string_view platform, int replicas = 2) {
    plays_nodes_ = true;
    start(platform);
    create(kDeployments.in(kNs),
           fmt::format(R"({{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"router",
      "labels":{{"app":"router"}}}},"spec":{{"replicas":{},"selector":{{"matchLabels":{{"app":"web"}}}},"template":{{"metadata":
      {{"labels":{{"app":"web"}}}},"spec":{{"containers":[{{"name":"router","image":"haproxy","ports":[
      {{"name":"http","containerPort":80}},{{"name":"metrics","containerPort":1936}}],
      "readinessProbe":{{"httpGet":{{"path":"/healthz/ready","port":"metrics"}}}}}}]}}}}}}}})",
                       replicas));
    pods_ = &runtime_->cache(kPods, {.label_selector = std::string(nodes::kPlayedLabel)});
    advance_until([&] { return ready_pods() == static_cast<std::size_t>(replicas); });
  }
  std::size_t ready_pods() const {
    std::size_t ready = 0;
    for (const auto& pod : pods_->all())
      if (json::get_string(*pod, {"status", "podIP"})) ++ready;
    return ready;
  }
  kube::ObjectCache* pods_ = nullptr;
};

TEST_F(OnTheEmbeddedServer, AnAddressComesAfterExactlyTheDelay) {
  start("Azure");
  create_service();
  await_operation(Operation::Kind::Create);
  EXPECT_TRUE(kube::has_finalizer(*service(), kCleanupFinalizer));
  EXPECT_EQ(published(), "");
  const WallTime begun = record()->operation->since->time;
  await_published();
  EXPECT_GE(clock_.now() - begun, settings_.profile.delays.provision);
  EXPECT_TRUE(settings_.external.contains(published()));
  EXPECT_EQ(kube::annotation(*service(), kScopeAnnotation), "External");
  loop_.run_until([&] { return has_event("EnsuringLoadBalancer") && has_event("EnsuredLoadBalancer"); });
}

// Cases 107 and 110 on a cloud that changes in place: outside is refused after the change, inside is served.
TEST_F(WithRouters, TrafficFollowsTheScopeAndTheRanges) {
  start_with_routers("Azure");
  create_service();
  await_published();
  const std::string external = published();
  EXPECT_NE(ask(external, kOutside).find("\"pod\":\"router-"), std::string::npos);
  EXPECT_NE(ask(external, "127.9.9.9").find(R"("client":"127.0.0.1")"), std::string::npos)
      << "the pod sees the load balancer, which is of this machine";
  patch(kServices.in(kNs, "web"), R"({"spec":{"externalTrafficPolicy":"Local"}})");
  loop_.run_until(
      [&] { return ask(external, "127.9.9.9").find(R"("client":"127.9.9.9")") != std::string::npos; });

  patch(kServices.in(kNs, "web"), R"({"spec":{"loadBalancerSourceRanges":["127.5.0.0/16"]}})");
  loop_.run_until([&] { return ask(external, kOutside).empty(); });
  EXPECT_NE(ask(external, "127.5.0.1"), "");
  patch(kServices.in(kNs, "web"),
        R"({"spec":{"loadBalancerSourceRanges":["127.5.0.0/16","127.77.0.0/16"]}})");

  patch(kServices.in(kNs, "web"),
        R"({"metadata":{"annotations":{"service.beta.kubernetes.io/azure-load-balancer-internal":"true"}}})");
  await_operation(Operation::Kind::Change);
  EXPECT_NE(ask(external, "127.5.0.1"), "") << "the old one serves until the change is complete";
  await_published("web", external);
  const std::string internal = published();
  EXPECT_TRUE(settings_.internal.contains(internal));
  EXPECT_EQ(ask(internal, kOutside), "");
  EXPECT_EQ(ask(internal, "127.5.0.1"), "") << "in the ranges, but not inside";
  EXPECT_NE(ask(internal, kInside), "");
  EXPECT_EQ(ask(external, kInside), "") << "nobody listens there any more";
}

TEST_F(WithRouters, RequestsAreSpreadAndAProxyHeaderNamesTheClient) {
  start_with_routers("AWS");
  create_service("web", R"({"service.beta.kubernetes.io/aws-load-balancer-proxy-protocol":"*"})");
  await_published();
  EXPECT_TRUE(published().ends_with(".aws.cloud.test"));
  const std::string address = record()->address;
  std::set<std::string> pods;
  for (int i = 0; i < 4; ++i) {
    const std::string answer = ask(address, "127.9.9.9");
    EXPECT_NE(answer.find(R"("client":"127.9.9.9")"), std::string::npos) << answer;
    EXPECT_NE(answer.find(R"("proxyProtocol":1)"), std::string::npos) << answer;
    const std::size_t at = answer.find("\"pod\":\"");
    pods.insert(answer.substr(at, answer.find('"', at + 8) - at));
  }
  EXPECT_EQ(pods.size(), 2U);
  EXPECT_EQ(cloud_->hosts(), fmt::format("{} {}\n", address, published()));
}

TEST_F(WithRouters, AKilledCloudGoesOnAtTheSameAddresses) {
  start_with_routers("GCP");
  create_service();
  await_published();
  const std::string address = published();
  const std::string version(kube::resource_version_of(*service()));
  std::map<std::string, std::string> pods;
  for (const auto& pod : pods_->all())
    pods[std::string(kube::uid_of(*pod))] = *json::get_string(*pod, {"status", "podIP"});
  stop_cloud();
  EXPECT_EQ(ask(address, kOutside), "");
  start_cloud();
  loop_.run_until([&] { return !ask(address, kOutside).empty(); });
  EXPECT_EQ(kube::resource_version_of(*service()), version) << "nothing was written";
  pods_ = &runtime_->cache(kPods, {.label_selector = std::string(nodes::kPlayedLabel)});
  for (const auto& pod : pods_->all())
    EXPECT_EQ(pods.at(std::string(kube::uid_of(*pod))), json::get_string(*pod, {"status", "podIP"}));
}

TEST_F(OnTheEmbeddedServer, ADeletedServiceGoesAfterItsLoadBalancer) {
  start("AWS");
  create_service();
  await_published();
  remove_service();
  await_operation(Operation::Kind::Delete);
  EXPECT_NE(service(), nullptr) << "held by the finalizer";
  advance_until([&] { return service() == nullptr; });
  EXPECT_TRUE(cloud_->describe_all().empty());
  loop_.run_until([&] { return has_event("DeletingLoadBalancer") && has_event("DeletedLoadBalancer"); });
}

TEST_F(OnTheEmbeddedServer, AChangeOfTypeGivesTheLoadBalancerUp) {
  start("Azure");
  create_service();
  await_published();
  patch(kServices.in(kNs, "web"), R"({"spec":{"type":"ClusterIP"}})");
  advance_until([&] { return !kube::has_finalizer(*service(), kCleanupFinalizer); });
  EXPECT_EQ(published(), "");
  EXPECT_EQ(kube::annotation(*service(), kRecordAnnotation), std::nullopt);
}

TEST_F(OnTheEmbeddedServer, AnotherClassIsLeftAlone) {
  start("Azure");
  create_service("foreign", "{}", R"(,"loadBalancerClass":"example.com/other")");
  create_service("web");
  const std::string version(kube::resource_version_of(*service("foreign")));
  await_published("web");
  EXPECT_EQ(kube::resource_version_of(*service("foreign")), version);
}

// Case 98's and 99's other half: failures are told in the service controller's words and tried again.
TEST_F(OnTheEmbeddedServer, FailuresAreAskedForByRequestAndOvercome) {
  start("AWS");
  EXPECT_EQ(admin("POST", "/faults", R"({"failCreates":2,"loseStatusWrites":1})").status, 200);
  create_service();
  loop_.run_until([&] {
    return has_event(
        "SyncLoadBalancerFailed",
        "Error syncing load balancer: failed to ensure load balancer: the cloud failed to create it");
  });
  EXPECT_EQ(published(), "");
  await_published();
  EXPECT_EQ(cloud_->faults().fail_creates, 0U);
  EXPECT_EQ(cloud_->faults().lose_status_writes, 0U);

  EXPECT_EQ(admin("POST", "/faults", R"({"failDeletes":1,"stuckDeletes":true})").status, 200);
  remove_service();
  loop_.run_until([&] { return has_event("DeleteLoadBalancerFailed", "Error deleting load balancer: "); });
  advance_until([&] { return record() && record()->operation; });
  clock_.advance(std::chrono::hours(1));
  EXPECT_NE(service(), nullptr) << "stuck";
  EXPECT_EQ(admin("POST", "/faults", R"({"stuckDeletes":false})").status, 200);
  advance_until([&] { return service() == nullptr; });
}

TEST_F(OnTheEmbeddedServer, ASlowWatchNoticesLateAndADuplicateIsCountedOnce) {
  start("Azure");
  EXPECT_EQ(admin("POST", "/faults", R"({"slowWatch":"30s","duplicateEvents":true})").status, 200);
  create_service();
  loop_.run_until([&] { return service() != nullptr; });
  EXPECT_FALSE(kube::has_finalizer(*service(), kCleanupFinalizer));
  clock_.advance(seconds(29));
  EXPECT_EQ(loop_.block_on(client_->get(kServices.in(kNs, "web")))
                ->at("metadata")
                .as_object()
                .contains("finalizers"),
            false);
  await_published();
  loop_.run_until([&] { return has_event("EnsuredLoadBalancer"); });
}

TEST_F(OnTheEmbeddedServer, AnOccupiedPortIsToldAndOvercome) {
  start("Azure");
  // Who is there first: found out by the address that the next Service will get.
  create_service();
  await_operation(Operation::Kind::Create);
  const std::string address = record()->address;
  auto squatter =
      http::TcpListener::listen(loop_.executor(), loop_.clock(),
                                {address, static_cast<std::uint16_t>(80 + port_offset())}, {}, hang_up);
  ASSERT_TRUE(squatter) << squatter.error().describe();
  clock_.advance(settings_.profile.delays.provision);
  loop_.run_until([&] { return has_event("SyncLoadBalancerFailed", "cannot listen on " + address); });
  EXPECT_EQ(published(), "");
  EXPECT_TRUE(loop_.block_on(stop_listener(**squatter)));
  await_published();
}

TEST_F(OnTheEmbeddedServer, TheAdminEndpointSaysWhatRunsAndRefusesWhatItDoesNotKnow) {
  start("AWS");
  create_service("web", R"({"service.beta.kubernetes.io/aws-load-balancer-internal":"true"})");
  await_published();
  const auto listed = json::parse_object(admin("GET", "/loadbalancers").body.to_string());
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->at("items").as_array().size(), 1U);
  const json::Object& row = listed->at("items").as_array()[0].as_object();
  EXPECT_EQ(json::get_string(row, {"scope"}), "Internal");
  EXPECT_EQ(json::get_string(row, {"state"}), "Active");
  EXPECT_EQ(json::get_string(row, {"published"}), published());
  EXPECT_TRUE(published().starts_with("internal-"));
  EXPECT_EQ(admin("POST", "/faults", "{}", "text/plain").status, 415);
  EXPECT_EQ(admin("POST", "/faults", R"({"failCreate":1})").status, 400);
  EXPECT_NE(admin("POST", "/faults", R"({"failCreate":1})").body.to_string().find("failCreates"),
            std::string::npos);
  EXPECT_EQ(admin("POST", "/faults", R"({"failCreates":-1})").status, 400);
  EXPECT_EQ(admin("POST", "/faults", "nonsense").status, 400);
  EXPECT_EQ(admin("POST", "/loadbalancers", "{}").status, 405);
  EXPECT_EQ(admin("GET", "/elsewhere").status, 404);
  EXPECT_EQ(admin("GET", "/readyz").status, 200);
  EXPECT_NE(admin("GET", "/metrics").body.to_string().find("fairway_cloud_connections_total"),
            std::string::npos);
}

TEST_F(WithRouters, ADeploymentIsPlayedThroughItsLife) {
  start_with_routers("Azure");
  const auto deployment = [&] { return *loop_.block_on(client_->get(kDeployments.in(kNs, "router"))); };
  advance_until([&] { return json::get_int(deployment(), {"status", "availableReplicas"}) == 2; });
  EXPECT_TRUE(kube::is_condition_true(kube::conditions_of(deployment()), "Available"));
  // Health where the probe asks.
  const std::string ip(*json::get_string(*pods_->all().front(), {"status", "podIP"}));
  EXPECT_NE(ask(ip, kOutside, 1936).find("200 OK"), std::string::npos);
  patch(kDeployments.in(kNs, "router"), R"({"spec":{"replicas":1}})");
  advance_until([&] { return pods_->size() == 1; });
  EXPECT_TRUE(loop_.block_on(client_->remove(kDeployments.in(kNs, "router"))));
  advance_until([&] { return pods_->size() == 0; });
  loop_.run_until([&] { return ask(ip, kOutside, 1936).empty(); });
}

}  // namespace
}  // namespace fairway::cloud
