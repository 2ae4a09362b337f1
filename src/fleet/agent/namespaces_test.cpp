#include "fleet/agent/namespaces.hpp"

#include <gmock/gmock.h>

#include "json/yaml.hpp"

namespace fairway::fleet::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Glob {
  const char* pattern;
  const char* text;
  bool matches;
};
const Glob kGlobs[] = {
    {"kube-*", "kube-system", true},
    {"kube-*", "kube-", true},
    {"kube-*", "kube", false},
    {"*", "", true},
    {"*", "anything", true},
    {"*-system", "kube-system", true},
    {"a*b*c", "aXbYbZc", true},
    {"a*b*c", "aXbYbZ", false},
    {"?b", "ab", true},
    {"?b", "b", false},
    {"[a-c]x", "bx", true},
    {"[a-c]x", "dx", false},
    {"[^a-c]x", "dx", true},
    {"[ab", "a", false},
    {"[]", "a", false},
    {"\\*", "*", true},
    {"\\*", "a", false},
    {"default", "default", true},
    {"default", "defaults", false},
    {"", "", true},
    {"", "a", false},
    {"**a", "bba", true},
    {"a*a*a*a*a*b", "aaaaaaaaaaaa", false},
};

TEST(Glob, MatchesAsGoDoes) {
  for (const Glob& each : kGlobs)
    EXPECT_EQ(matches_glob(each.pattern, each.text), each.matches) << each.pattern << " " << each.text;
}

const std::vector<NamespaceFacts> kSome = {{"default"},
                                           {"kube-node-lease", {{"team", "core"}}},
                                           {"kube-public"},
                                           {"kube-system", {{"team", "core"}}},
                                           {"kube-old", {{"team", "core"}}, true}};

std::vector<std::string> selected(std::string_view selector) {
  json::Object policy;
  json::ensure_object(policy, {"spec"})["namespaceSelector"] = *json::parse_yaml(selector);
  return select_namespaces(Configuration::from(policy).namespaces, kSome);
}

TEST(Namespaces, Case98IncludeAndExclude) {
  EXPECT_THAT(selected("{include: ['kube-*'], exclude: [kube-public]}"),
              ElementsAre("kube-node-lease", "kube-old", "kube-system"));
}

TEST(Namespaces, LabelsAloneAreAboutAll) {
  EXPECT_THAT(selected("{matchLabels: {team: core}}"),
              ElementsAre("kube-node-lease", "kube-old", "kube-system"));
  EXPECT_THAT(selected("{include: ['*system'], matchLabels: {team: core}}"), ElementsAre("kube-system"));
  EXPECT_THAT(selected("{matchExpressions: [{key: team, operator: DoesNotExist}]}"),
              ElementsAre("default", "kube-public"));
}

TEST(Namespaces, NothingGivenIsNoneAndSoIsWhatCannotBeRead) {
  EXPECT_THAT(selected("{}"), IsEmpty());
  EXPECT_THAT(selected("{exclude: [a]}"), IsEmpty());
  EXPECT_THAT(selected("{include: ['*'], matchExpressions: [{key: team, operator: Odd}]}"), IsEmpty());
}

TEST(Namespaces, TerminatingOnesUnlessExcluded) {
  EXPECT_THAT(selected("{include: [kube-old]}"), ElementsAre("kube-old"));
  EXPECT_THAT(selected("{include: [kube-old], terminatingInclusion: Never}"), IsEmpty());
  EXPECT_THAT(selected("{include: [kube-old], terminatingInclusion: IfMatch}"), ElementsAre("kube-old"));
}

}  // namespace
}  // namespace fairway::fleet::agent
