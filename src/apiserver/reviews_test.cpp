#include "apiserver/reviews.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/testing/objects.hpp"

namespace fairway::apiserver {
namespace {

using testing::HasSubstr;

Resource resource_of(std::string kind) {
  Resource resource;
  resource.group = "authorization.k8s.io";
  resource.kind = std::move(kind);
  return resource;
}

// Remembers the question, allows what has the verb get.
struct Judge {
  User user;
  AccessRequest request;
  Decide decide() {
    return [this](const User& who, const AccessRequest& what) {
      user = who;
      request = what;
      return AccessDecision{what.verb == "get", what.verb == "get" ? "because" : ""};
    };
  }
};

const User kJane{"jane", "1", {"dev"}, {}};

TEST(Reviews, OneMayAskAboutOneself) {
  Judge judge;
  const auto answer = answer_self_access_review(
      resource_of("SelfSubjectAccessReview"),
      json::test_object("spec: {resourceAttributes: {verb: get, group: apps, resource: "
                        "deployments, subresource: scale, namespace: a, name: b}}"),
      kJane, judge.decide());
  ASSERT_TRUE(answer);
  EXPECT_EQ(json::serialize(answer->at("status")), R"({"allowed":true,"reason":"because"})");
  EXPECT_EQ(judge.user, kJane);
  EXPECT_EQ(judge.request.group, "apps");
  EXPECT_EQ(judge.request.resource, "deployments");
  EXPECT_EQ(judge.request.subresource, "scale");
  EXPECT_EQ(judge.request.ns, "a");
  EXPECT_EQ(judge.request.name, "b");
  const auto refused = answer_self_access_review(
      resource_of("SelfSubjectAccessReview"),
      json::test_object("spec: {nonResourceAttributes: {verb: put, path: /x}}"), kJane, judge.decide());
  ASSERT_TRUE(refused);
  EXPECT_EQ(json::serialize(refused->at("status")), R"({"allowed":false})");
  EXPECT_EQ(judge.request.path, "/x");
}

TEST(Reviews, AQuestionIsAboutOneThing) {
  Judge judge;
  const auto ask = [&](std::string_view text) {
    return answer_self_access_review(resource_of("SelfSubjectAccessReview"), json::test_object(text), kJane,
                                     judge.decide());
  };
  const auto both =
      ask("spec: {resourceAttributes: {verb: get}, nonResourceAttributes: {verb: get, path: /}}");
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().code, 422);
  EXPECT_THAT(both.error().message, HasSubstr("cannot be specified in combination with resourceAttributes"));
  const auto none = ask("spec: {}");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message,
              HasSubstr("exactly one of nonResourceAttributes or resourceAttributes must be specified"));
  EXPECT_FALSE(ask("{metadata: {name: x}, spec: {resourceAttributes: {verb: get}}}"));
}

TEST(Reviews, OneMayAskAboutOthers) {
  Judge judge;
  const Resource kind = resource_of("SubjectAccessReview");
  const auto answer =
      answer_access_review(kind,
                           json::test_object("spec: {user: joe, uid: '7', groups: [g], extra: {k: [v]}, "
                                             "resourceAttributes: {verb: get, resource: pods}}"),
                           judge.decide());
  ASSERT_TRUE(answer);
  EXPECT_EQ(judge.user, (User{"joe", "7", {"g"}, {{"k", {"v"}}}}));
  const auto nobody = answer_access_review(
      kind, json::test_object("spec: {resourceAttributes: {verb: get, resource: pods}}"), judge.decide());
  ASSERT_FALSE(nobody);
  EXPECT_THAT(nobody.error().message, HasSubstr("at least one of user or group must be specified"));
}

TEST(Reviews, ALocalQuestionStaysInItsNamespace) {
  Judge judge;
  const Resource kind = resource_of("LocalSubjectAccessReview");
  EXPECT_TRUE(answer_local_access_review(
      kind,
      json::test_object("{metadata: {namespace: a}, spec: {user: joe, resourceAttributes: "
                        "{verb: get, resource: pods, namespace: a}}}"),
      "a", judge.decide()));
  const auto elsewhere = answer_local_access_review(
      kind,
      json::test_object("spec: {user: joe, resourceAttributes: {verb: get, resource: pods, namespace: b}}"),
      "a", judge.decide());
  ASSERT_FALSE(elsewhere);
  EXPECT_THAT(elsewhere.error().message, HasSubstr("must match metadata.namespace"));
  const auto path = answer_local_access_review(
      kind, json::test_object("spec: {user: joe, nonResourceAttributes: {verb: get, path: /}}"), "a",
      judge.decide());
  ASSERT_FALSE(path);
  EXPECT_THAT(path.error().message, HasSubstr("disallowed on this kind of request"));
}

TEST(Reviews, OnesRulesAreListed) {
  RbacState state;
  const json::Object role = json::test_object(
      "rules: [{verbs: [get], apiGroups: [''], resources: [pods], resourceNames: [a]}, {verbs: [get], "
      "nonResourceURLs: [/x]}]");
  const json::Object binding =
      json::test_object("{roleRef: {kind: ClusterRole, name: r}, subjects: [{kind: User, name: jane}]}");
  state.apply(RbacKind::ClusterRole, {"", "r"}, &role);
  state.apply(RbacKind::ClusterRoleBinding, {"", "b"}, &binding);
  const auto answer = answer_self_rules_review(json::test_object("spec: {namespace: a}"), kJane, state);
  ASSERT_TRUE(answer);
  EXPECT_EQ(
      json::serialize(answer->at("status")),
      R"({"resourceRules":[{"apiGroups":[""],"resourceNames":["a"],"resources":["pods"],"verbs":["get"]}],)"
      R"("nonResourceRules":[{"nonResourceURLs":["/x"],"verbs":["get"]}],"incomplete":false})");
  EXPECT_FALSE(answer_self_rules_review(json::test_object("spec: {}"), kJane, state));
}

TEST(Reviews, WhoAmI) {
  const auto answer = answer_self_review({}, {"jane", "1", {"dev"}, {{"k", {"v"}}}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(json::serialize(answer->at("status")),
            R"({"userInfo":{"username":"jane","uid":"1","groups":["dev"],"extra":{"k":["v"]}}})");
}

}  // namespace
}  // namespace fairway::apiserver
