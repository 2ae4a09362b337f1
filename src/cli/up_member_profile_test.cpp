#include "cli/up_member_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "base/text.hpp"
#include "cli/example_releases.hpp"
#include "kube/core/object.hpp"
#include "promql/evaluator.hpp"
#include "promql/exposition.hpp"
#include "promql/limits.hpp"
#include "promql/series_store.hpp"

namespace fairway::cli {

std::span<const std::pair<std::string_view, std::string_view>> example_graph_data();

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kGraph = "http://127.0.0.1:6444/graph";

json::Object object_of(const MemberProfile& profile, std::string_view kind) {
  for (const MemberObject& each : member_objects(profile, {"4.6.23", "image"}, kGraph, WallTime{}))
    if (each.type.kind.kind == kind) return each.object;
  return {};
}

TEST(MemberProfile, MembersDifferAndRepeat) {
  struct Case {
    std::size_t number;
    const char* name;
    const char* platform;
    bool has_proxy;
    bool has_metrics;
  };
  for (const Case& each :
       {Case{1, "member1", "VSphere", true, true}, Case{2, "member2", "AWS", false, true},
        Case{3, "member3", "IBMCloud", false, false}, Case{4, "member4", "GCP", false, true},
        Case{5, "member5", "Azure", false, true}, Case{6, "member6", "BareMetal", false, true},
        Case{7, "member7", "VSphere", true, true}, Case{50, "member50", "AWS", false, true}}) {
    const MemberProfile found = member_profile(each.number);
    EXPECT_EQ(found.name, each.name);
    EXPECT_EQ(found.platform, each.platform) << each.name;
    EXPECT_EQ(found.has_proxy, each.has_proxy) << each.name;
    EXPECT_EQ(found.has_metrics, each.has_metrics) << each.name;
    EXPECT_EQ(json::get_string(object_of(found, "Infrastructure"), {"status", "platformStatus", "type"}),
              each.platform);
    EXPECT_EQ(json::get_string(object_of(found, "Proxy"), {"status", "httpProxy"}).has_value(),
              each.has_proxy);
    EXPECT_EQ(member_metrics(found).has_value(), each.has_metrics) << each.name;
  }
}

TEST(MemberProfile, NoTwoShareAnAddressOrAnIdentity) {
  std::vector<cloud::Network> networks;
  std::set<std::string> ids;
  for (std::size_t number = 1; number <= kMostMembers; ++number) {
    const MemberProfile each = member_profile(number);
    EXPECT_TRUE(ids.insert(each.cluster_id).second) << each.name;
    for (const cloud::Network& network : {each.external, each.internal, each.pods}) {
      EXPECT_TRUE((cloud::Network{0x7f000000, 8}).overlaps(network)) << network.to_string();
      for (const cloud::Network& other : networks)
        EXPECT_FALSE(network.overlaps(other)) << network.to_string() << " and " << other.to_string();
      networks.push_back(network);
    }
  }
  EXPECT_EQ(member_profile(1).external.to_string(), "127.101.0.0/18");
  EXPECT_EQ(member_profile(100).pods.to_string(), "127.200.128.0/18");
}

// The rules of the example graph, by the metrics that the members are born with.
TEST(MemberProfile, RisksOfTheExampleGraphDiffer) {
  std::map<std::string, std::string> queries;
  for (const auto& [name, text] : example_graph_data()) {
    const std::size_t begin = text.find("promql: |\n");
    if (begin == std::string_view::npos) continue;
    queries[std::string(name.substr(name.rfind('-') + 1))] = text.substr(begin + 10);
  }
  const auto verdicts = [&](std::size_t number) {
    promql::SeriesStore store;
    const auto exposition = promql::read_exposition(*member_metrics(member_profile(number)));
    EXPECT_TRUE(exposition);
    EXPECT_TRUE(promql::store_exposition(*exposition, 1000, store));
    std::string found;
    for (const auto& [name, query] : queries) {
      const auto parsed = promql::parse_within(query, {}, {});
      EXPECT_TRUE(parsed) << name;
      const auto value = promql::evaluate_instant(*parsed, store, 1000, {});
      EXPECT_TRUE(value) << name;
      if (!value || value->series.size() != 1) return name + " has no verdict";
      found += value->series.front().samples.front().value == 1 ? "1" : "0";
    }
    return found;
  };
  EXPECT_EQ(queries.size(), 3U);
  EXPECT_EQ(verdicts(1), "111");
  for (const std::size_t number : {2, 4, 5, 6}) EXPECT_EQ(verdicts(number), "000") << number;
}

TEST(MemberProfile, ClusterVersionIsTheLast) {
  const auto objects = member_objects(member_profile(2), {"4.6.23", "image"}, kGraph, WallTime{});
  EXPECT_EQ(objects.back().type.kind.kind, "ClusterVersion") << "it says that all others are there";
  const json::Object& version = objects.back().object;
  EXPECT_EQ(json::get_string(version, {"spec", "channel"}), "stable-4.7");
  EXPECT_EQ(json::get_string(version, {"spec", "upstream"}), kGraph);
  EXPECT_EQ(json::get_string(version, {"status", "desired", "version"}), "4.6.23");
  EXPECT_EQ(json::get_array(version, {"status", "history"})->size(), 1U);
}

TEST(MemberProfile, TheUpstreamFollowsUnlessTheUserChoseOne) {
  json::Object version = object_of(member_profile(2), "ClusterVersion");
  EXPECT_FALSE(upstream_patch(version, kGraph)) << "nothing to do";
  const auto patch = upstream_patch(version, "http://127.0.0.1:9/graph");
  ASSERT_TRUE(patch);
  EXPECT_EQ(json::get_string(*patch, {"spec", "upstream"}), "http://127.0.0.1:9/graph");
  EXPECT_EQ(json::get_string(*patch, {"metadata", "annotations", kUpstreamAnnotation}),
            "http://127.0.0.1:9/graph");
  version["spec"].get_object()["upstream"] = "https://updates.example/graph";
  EXPECT_FALSE(upstream_patch(version, "http://127.0.0.1:9/graph")) << "the user's";
}

// The graph names the images that are made here, and the signatures name them too: after a change of a
// manifest run tools/sign-example-releases.
TEST(ExampleReleases, AreTheOnesThatTheGraphNames) {
  const auto images = example_release_images();
  ASSERT_TRUE(images) << images.error().describe();
  std::string_view releases;
  for (const auto& [name, text] : example_graph_data())
    if (name == "releases.jsonl") releases = text;
  std::vector<std::string> versions;
  for (const oci::PackedImage& each : *images) {
    versions.push_back(each.name);
    const std::string wanted =
        R"({"payload":"registry.example.com/release@)" + each.digest().text() + R"(","architecture":"amd64")";
    EXPECT_THAT(std::string(releases), HasSubstr(wanted)) << each.name;
  }
  EXPECT_THAT(versions, ElementsAre("4.6.22", "4.6.23", "4.7.0", "4.7.3", "4.7.4", "4.7.5"));
  EXPECT_THAT(example_running_release().image, HasSubstr("registry.example.com/release@sha256:"));
}

}  // namespace
}  // namespace fairway::cli
