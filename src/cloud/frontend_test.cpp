#include "cloud/frontend.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cloud/addresses.hpp"

namespace fairway::cloud {
namespace {

TEST(Networks, AreReadAndCompared) {
  const Network network = *parse_network("127.203.9.9/16");
  EXPECT_EQ(network.to_string(), "127.203.0.0/16");
  EXPECT_EQ(network.size(), 65534U);
  EXPECT_TRUE(network.contains("127.203.255.255"));
  EXPECT_FALSE(network.contains("127.204.0.0"));
  EXPECT_FALSE(network.contains("::1"));
  EXPECT_TRUE(parse_network("0.0.0.0/0")->contains("8.8.8.8"));
  EXPECT_TRUE(parse_network("10.0.0.1")->contains("10.0.0.1"));
  EXPECT_TRUE(network.overlaps(*parse_network("127.0.0.0/8")));
  EXPECT_TRUE(parse_network("127.0.0.0/8")->overlaps(network));
  EXPECT_FALSE(network.overlaps(*parse_network("127.77.0.0/16")));
  for (const char* bad : {"", "1.2.3", "1.2.3.4/33", "1.2.3.4/", "1.2.3.256/8", "01.2.3.4/8", "1.2.3.4/8/9",
                          "fd00::/8", "1.2.3.4/-1"})
    EXPECT_FALSE(parse_network(bad)) << bad;
}

TEST(Addresses, HaveOneHolderEach) {
  AddressBook book(*parse_network("127.203.0.0/30"));
  const std::string first = *book.propose("a");
  EXPECT_EQ(book.propose("a"), first) << "the same for the same";
  EXPECT_TRUE(book.hold(first, "a"));
  EXPECT_TRUE(book.hold(first, "a"));
  EXPECT_FALSE(book.hold(first, "b"));
  EXPECT_FALSE(book.hold("127.77.0.1", "b")) << "of another network";
  const std::string second = *book.propose("b");
  EXPECT_NE(second, first);
  EXPECT_TRUE(book.hold(second, "b"));
  EXPECT_EQ(book.propose("c"), std::nullopt) << "two addresses are all that a /30 has";
  EXPECT_EQ(book.propose("a"), first);
  book.hold_only({}, "a");
  EXPECT_EQ(book.propose("c"), first);
  book.hold_only({first}, "c");
  EXPECT_EQ(book.holder_of(first), "c");
  EXPECT_EQ(book.held(), 2U);
}

Settings settings() {
  return {.profile = *find_profile("Azure")};
}

TEST(Admission, FollowsScopeAndRanges) {
  Frontend frontend{.uid = "u", .address = "127.203.0.1"};
  EXPECT_TRUE(admits(frontend, "127.0.0.1", settings()));
  frontend.source_ranges = {"127.1.0.0/16", "10.0.0.0/8"};
  EXPECT_TRUE(admits(frontend, "127.1.2.3", settings()));
  EXPECT_FALSE(admits(frontend, "127.0.0.1", settings()));
  frontend.source_ranges = {"nonsense"};
  EXPECT_FALSE(admits(frontend, "127.0.0.1", settings())) << "what cannot be read admits nobody";
  frontend.source_ranges = {"fd00::/8"};
  EXPECT_FALSE(admits(frontend, "127.0.0.1", settings()));

  frontend = {.uid = "u", .scope = Scope::Internal, .address = "127.77.0.1"};
  EXPECT_FALSE(admits(frontend, "127.0.0.1", settings()));
  EXPECT_FALSE(admits(frontend, "127.203.0.9", settings()));
  EXPECT_TRUE(admits(frontend, "127.77.9.9", settings()));
  frontend.source_ranges = {"127.77.1.0/24"};
  EXPECT_FALSE(admits(frontend, "127.77.9.9", settings())) << "both have to allow it";
  EXPECT_TRUE(admits(frontend, "127.77.1.9", settings()));
  Settings wider = settings();
  wider.inside = {*parse_network("127.0.0.1/32")};
  frontend.source_ranges.clear();
  EXPECT_TRUE(admits(frontend, "127.0.0.1", wider));
  EXPECT_FALSE(admits(frontend, "127.77.9.9", wider));
}

TEST(Frontends, AreReadFromTheService) {
  const json::Object service = *json::parse_object(R"({"metadata":{"name":"s","uid":"u","annotations":
    {"service.beta.kubernetes.io/load-balancer-source-ranges":" 10.0.0.0/8 , 127.0.0.0/8"}},
    "spec":{"type":"LoadBalancer","selector":{"app":"web"},"ports":[
      {"name":"http","port":80,"targetPort":"web"},{"name":"dns","port":53,"protocol":"UDP"},
      {"name":"plain","port":8080},{"name":"high","port":65000,"targetPort":1}]}})");
  Settings offset = settings();
  offset.port_offset = 8000;
  const Frontend made = frontend_of(service, {.uid = "u", .address = "127.203.0.1"}, offset);
  EXPECT_EQ(made.ports,
            (std::vector<FrontendPort>{{"http", 80, 8080, "web"}, {"plain", 8080, 16080, "8080"}}))
      << "without UDP and without what no longer is a port";
  EXPECT_EQ(made.source_ranges, (std::vector<std::string>{"10.0.0.0/8", "127.0.0.0/8"}));
  EXPECT_EQ(made.selector, (kube::Labels{{"app", "web"}}));
}

std::shared_ptr<const json::Object> pod(const char* name, const char* ready, const char* extra = "") {
  return std::make_shared<const json::Object>(*json::parse_object(fmt::format(
      R"({{"metadata":{{"name":"{}"{}}},"spec":{{"containers":[{{"ports":[{{"name":"web","containerPort":8080}}]}}]}},
      "status":{{"podIP":"127.88.0.1","conditions":[{{"type":"Ready","status":"{}"}}]}}}})",
      name, extra, ready)));
}

TEST(Backends, AreReadyPodsWithTheTargetPort) {
  const std::vector pods = {pod("a", "True"), pod("b", "False"),
                            pod("c", "True", R"(,"deletionTimestamp":"2024-01-01T00:00:00Z")"),
                            pod("d", "True", R"(,"annotations":{"cloud.fairway.dev/port-offset":"1000"})")};
  const FrontendPort by_name{.port = 80, .listen = 80, .target = "web"};
  EXPECT_EQ(backends_of(pods, by_name),
            (std::vector<Backend>{{"a", "127.88.0.1", 8080}, {"d", "127.88.0.1", 9080}}));
  EXPECT_TRUE(backends_of(pods, {.target = "other"}).empty());
  EXPECT_EQ(backends_of({pods[0]}, {.target = "9000"}), (std::vector<Backend>{{"a", "127.88.0.1", 9000}}));
}

}  // namespace
}  // namespace fairway::cloud
