// Who asks, and what they may do.
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

class Access : public ContractTest {
 protected:
  // A service account of the case's namespace, and a token of it.
  Api account(std::string_view name) {
    create("serviceaccounts", object("v1", "ServiceAccount", name));
    const Answer made = api().post(at("serviceaccounts", name, "token"),
                                   "{apiVersion: authentication.k8s.io/v1, kind: TokenRequest, spec: {}}");
    EXPECT_TRUE(answered(made, 201));
    return bearer_of(made.text("/status/token"));
  }
  void grant(std::string_view account, std::string_view rules) {
    create("roles",
           object("rbac.authorization.k8s.io/v1", "Role", account, fmt::format("{{rules: {}}}", rules)));
    create("rolebindings", object("rbac.authorization.k8s.io/v1", "RoleBinding", account,
                                  fmt::format(R"(
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: Role, name: {0}}}
subjects: [{{kind: ServiceAccount, name: {0}, namespace: {1}}}]
)",
                                              account, ns())));
  }
  Answer review(Api& as, std::string_view kind, const std::string& spec) {
    const std::string plural =
        std::string(kind == "SelfSubjectAccessReview" ? "selfsubjectaccessreviews" : "subjectaccessreviews");
    return as.post("/apis/authorization.k8s.io/v1/" + plural,
                   fmt::format("{{apiVersion: authorization.k8s.io/v1, kind: {}, spec: {}}}", kind, spec));
  }
};

CONTRACT(Access, AnonymousIsKeptOut, "who shows no credentials is 401 or, as system:anonymous, 403") {
  Api nobody = anonymous();
  const Answer list = nobody.get(at("secrets"));
  if (list.status == 403) {
    EXPECT_TRUE(refused(list, 403, "Forbidden", R"(User "system:anonymous" cannot list resource "secrets")"));
  } else {
    EXPECT_TRUE(refused(list, 401, "Unauthorized"));
  }
}

CONTRACT(Access, AnonymousSeesTheVersion, "who shows no credentials may see /version, /livez and /readyz") {
  Api nobody = anonymous();
  for (const char* path : {"/version", "/livez", "/readyz"})
    EXPECT_TRUE(answered(nobody.get(path), 200)) << path;
}

CONTRACT(Access, UnknownTokensAreRefused, "an unknown bearer token is 401 Unauthorized, not anonymous") {
  Api stranger = bearer_of("not-a-token");
  EXPECT_TRUE(refused(stranger.get(at("secrets")), 401, "Unauthorized", "Unauthorized"));
  EXPECT_TRUE(answered(stranger.get("/apis"), 401));
}

CONTRACT(Access, TheAdministratorMayAll,
         "a SelfSubjectAccessReview tells the administrator that all is allowed") {
  const Answer answer = review(api(), "SelfSubjectAccessReview",
                               "{resourceAttributes: {verb: '*', group: '*', resource: '*'}}");
  ASSERT_TRUE(answered(answer, 201));
  EXPECT_EQ(answer.text("/kind"), "SelfSubjectAccessReview");
  EXPECT_EQ(answer.text("/status/allowed"), "true");
}

CONTRACT(Access, AQuestionHasAnObject, "a review asks of a resource or of a path: neither is 422") {
  EXPECT_TRUE(refused(review(api(), "SelfSubjectAccessReview", "{}"), 422, "Invalid",
                      "exactly one of nonResourceAttributes or resourceAttributes must be specified"));
}

CONTRACT(Access, OneKnowsOneself, "a SelfSubjectReview tells who asks") {
  Api asker = account("reader");
  const Answer who = asker.post("/apis/authentication.k8s.io/v1/selfsubjectreviews",
                                "{apiVersion: authentication.k8s.io/v1, kind: SelfSubjectReview}");
  ASSERT_TRUE(answered(who, 201));
  EXPECT_EQ(who.text("/status/userInfo/username"), fmt::format("system:serviceaccount:{}:reader", ns()));
  EXPECT_TRUE(contains(who.text("/status/userInfo/groups"), "system:serviceaccounts:" + ns()));
  EXPECT_TRUE(contains(who.text("/status/userInfo/groups"), "system:authenticated"));
}

CONTRACT(Access, WithoutARoleNothing, "who has no role is 403, and told what is missing") {
  Api asker = account("reader");
  EXPECT_TRUE(refused(
      asker.get(at("secrets")), 403, "Forbidden",
      fmt::format(
          R"(secrets is forbidden: User "system:serviceaccount:{0}:reader" cannot list resource "secrets" in API group "" in the namespace "{0}")",
          ns())));
  const Answer one = asker.get(at("secrets", "a"));
  EXPECT_TRUE(refused(one, 403, "Forbidden", R"(secrets "a" is forbidden: User)"));
  EXPECT_EQ(one.text("/details/kind"), "secrets");
  EXPECT_EQ(one.text("/details/name"), "a");
}

CONTRACT(Access, ARoleAllowsItsVerbs,
         "a role allows its verbs on its resources in its namespace, and no others") {
  Api asker = account("reader");
  grant("reader", "[{apiGroups: [''], resources: [secrets], verbs: [get, list]}]");
  create("secrets", secret("a"));
  EXPECT_TRUE(asker.eventually([&] { return asker.get(at("secrets")).status == 200; }));
  EXPECT_TRUE(answered(asker.get(at("secrets", "a")), 200));
  EXPECT_TRUE(refused(asker.remove(at("secrets", "a")), 403, "Forbidden", "cannot delete resource"));
  EXPECT_TRUE(refused(asker.get(at("configmaps")), 403, "Forbidden"));
  EXPECT_TRUE(refused(asker.get("/api/v1/secrets"), 403, "Forbidden", "at the cluster scope"));
}

CONTRACT(Access, ResourceNamesNarrow, "resourceNames allow single objects") {
  Api asker = account("reader");
  grant("reader", "[{apiGroups: [''], resources: [secrets], verbs: [get], resourceNames: [mine]}]");
  create("secrets", secret("mine"));
  create("secrets", secret("other"));
  EXPECT_TRUE(asker.eventually([&] { return asker.get(at("secrets", "mine")).status == 200; }));
  EXPECT_TRUE(refused(asker.get(at("secrets", "other")), 403, "Forbidden"));
}

CONTRACT(Access, AListOfOneNameIsNarrow,
         "a list by metadata.name is allowed to who may list just that object") {
  Api asker = account("reader");
  grant("reader", "[{apiGroups: [''], resources: [secrets], verbs: [list], resourceNames: [mine]}]");
  create("secrets", secret("mine"));
  const auto named = [&](const char* name) {
    return asker.get(at("secrets") + "?fieldSelector=metadata.name%3D" + name);
  };
  EXPECT_TRUE(asker.eventually([&] { return named("mine").status == 200; }));
  EXPECT_TRUE(refused(named("other"), 403, "Forbidden"));
  EXPECT_TRUE(refused(asker.get(at("secrets")), 403, "Forbidden"));
}

CONTRACT(Access, SubresourcesAreApart,
         "the right to change an object is not the right to change its status") {
  define();
  Api asker = account("writer");
  grant("writer", fmt::format("[{{apiGroups: [{}], resources: [widgets], verbs: [get, patch]}}]", group()));
  create_widget(widget("a"));
  EXPECT_TRUE(asker.eventually([&] { return asker.merge(widgets("a"), "{spec: {num: 1}}").status == 200; }));
  EXPECT_TRUE(refused(asker.merge(widgets("a", "status"), "{status: {num: 1}}"), 403, "Forbidden",
                      R"(cannot patch resource "widgets/status")"));
}

CONTRACT(Access, ReviewsAgree, "a review of access agrees with what happens") {
  Api asker = account("reader");
  grant("reader", "[{apiGroups: [''], resources: [secrets], verbs: [list]}]");
  const auto asks = [&](std::string_view verb) {
    return fmt::format("{{resourceAttributes: {{verb: {}, resource: secrets, namespace: {}}}}}", verb, ns());
  };
  EXPECT_TRUE(asker.eventually([&] {
    return review(asker, "SelfSubjectAccessReview", asks("list")).text("/status/allowed") == "true";
  }));
  EXPECT_EQ(review(asker, "SelfSubjectAccessReview", asks("delete")).text("/status/allowed"), "false");
  const Answer about = review(api(), "SubjectAccessReview",
                              fmt::format("{{user: 'system:serviceaccount:{0}:reader', resourceAttributes: "
                                          "{{verb: list, resource: secrets, namespace: {0}}}}}",
                                          ns()));
  ASSERT_TRUE(answered(about, 201));
  EXPECT_EQ(about.text("/status/allowed"), "true");
}

CONTRACT(Access, LocalReviewsAreOfTheirNamespace,
         "a LocalSubjectAccessReview asks about its own namespace only") {
  const auto local = [&](const std::string& about) {
    return api().post(
        fmt::format("/apis/authorization.k8s.io/v1/namespaces/{}/localsubjectaccessreviews", ns()),
        fmt::format("{{apiVersion: authorization.k8s.io/v1, kind: LocalSubjectAccessReview, metadata: "
                    "{{namespace: {}}}, spec: {{user: nobody, resourceAttributes: {{verb: get, "
                    "resource: secrets, namespace: {}}}}}}}",
                    ns(), about));
  };
  const Answer own = local(ns());
  ASSERT_TRUE(answered(own, 201));
  EXPECT_EQ(own.text("/status/allowed"), "false");
  EXPECT_TRUE(refused(local("other"), 422, "Invalid", "must match metadata.namespace"));
}

CONTRACT(Access, RulesAreTold, "a SelfSubjectRulesReview tells what the asker may do in a namespace") {
  Api asker = account("reader");
  grant("reader", "[{apiGroups: [''], resources: [secrets], verbs: [list]}]");
  EXPECT_TRUE(asker.eventually([&] {
    const Answer told =
        asker.post("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
                   fmt::format("{{apiVersion: authorization.k8s.io/v1, kind: SelfSubjectRulesReview, "
                               "spec: {{namespace: {}}}}}",
                               ns()));
    EXPECT_TRUE(answered(told, 201));
    return told.text("/status/resourceRules").contains("secrets");
  }));
}

CONTRACT(Access, NobodyGrantsMoreThanTheyHave,
         "who may make roles cannot put more into them than they have") {
  Api asker = account("maker");
  grant("maker",
        "[{apiGroups: [rbac.authorization.k8s.io], resources: [roles], verbs: [create]}, {apiGroups: [''], "
        "resources: [pods], verbs: [get]}]");
  const auto role = [](std::string_view name, std::string_view resource) {
    return object("rbac.authorization.k8s.io/v1", "Role", name,
                  fmt::format("{{rules: [{{apiGroups: [''], resources: [{}], verbs: [get]}}]}}", resource));
  };
  EXPECT_TRUE(asker.eventually([&] {
    const int status = asker.post(at("roles"), role("fair", "pods")).status;
    return status == 201 || status == 409;
  }));
  EXPECT_TRUE(refused(asker.post(at("roles"), role("greedy", "secrets")), 403, "Forbidden",
                      "attempting to grant RBAC permissions not currently held"));
}

CONTRACT(Access, DiscoveryIsForAllWhoAreKnown, "everyone who is known may discover the API") {
  Api asker = account("reader");
  EXPECT_TRUE(answered(asker.get("/apis"), 200));
  EXPECT_TRUE(answered(asker.get("/api/v1"), 200));
  EXPECT_TRUE(answered(asker.get("/openapi/v3"), 200));
}

CONTRACT(Access, DeletedAccountsAreUnknown,
         "the token of a service account that is deleted is no longer valid") {
  Api asker = account("leaver");
  ASSERT_TRUE(answered(asker.get("/apis"), 200));
  ASSERT_TRUE(answered(api().remove(at("serviceaccounts", "leaver")), 200));
  EXPECT_TRUE(asker.eventually([&] { return asker.get("/apis").status == 401; }));
}

}  // namespace
}  // namespace fairway::contract
