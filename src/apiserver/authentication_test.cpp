#include "apiserver/authentication.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairway::apiserver {
namespace {

using testing::ElementsAre;

constexpr WallTime kNow{std::chrono::seconds{1'700'000'000}};

class AuthenticationTest : public testing::Test {
 protected:
  AuthenticationTest() {
    tokens_.replace("file", {{token_digest("good"),
                              {.user = {"jane", "1", {"dev"}, {}}, .reach = {.clusters = {"edge"}}}}});
  }
  ApiResult<Caller> with_header(std::string value) {
    http::Request request;
    request.headers.add("Authorization", std::move(value));
    return authenticate(request, tokens_, kNow);
  }
  TokenTable tokens_;
};

TEST_F(AuthenticationTest, WithoutCredentialsOneIsAnonymous) {
  const auto caller = authenticate({}, tokens_, kNow);
  ASSERT_TRUE(caller);
  EXPECT_EQ(caller->user, User{});
  EXPECT_TRUE(caller->user.is_anonymous());
}

TEST_F(AuthenticationTest, ACertificateNamesUserAndGroups) {
  http::Request request;
  request.peer.certificate = http::CertificateIdentity{"fairway-admin", {"system:masters"}};
  request.headers.add("Authorization", "Bearer unknown");  // the certificate is enough
  const auto caller = authenticate(request, tokens_, kNow);
  ASSERT_TRUE(caller);
  EXPECT_EQ(caller->user, (User{"fairway-admin", "", {"system:masters", "system:authenticated"}, {}}));
  EXPECT_EQ(caller->reach, Reach{});
}

TEST_F(AuthenticationTest, ACertificateWithoutANameIsNobodys) {
  http::Request request;
  request.peer.certificate = http::CertificateIdentity{"", {"system:masters"}};
  EXPECT_TRUE(authenticate(request, tokens_, kNow)->user.is_anonymous());
}

TEST_F(AuthenticationTest, ATokenStandsForItsUser) {
  for (const auto* header : {"Bearer good", "bearer good", "BEARER  good "}) {
    const auto caller = with_header(header);
    ASSERT_TRUE(caller) << header;
    EXPECT_EQ(caller->user.name, "jane");
    EXPECT_EQ(caller->reach.clusters, std::vector<std::string>{"edge"});
  }
}

TEST_F(AuthenticationTest, CredentialsThatAreNoGoodAreRefused) {
  for (const auto* header :
       {"Bearer bad", "Bearer", "Bearer ", "Basic Z29vZA==", "good", "Bearer good extra", ""}) {
    const auto caller = with_header(header);
    ASSERT_FALSE(caller) << header;
    EXPECT_EQ(caller.error().code, 401) << header;
  }
  http::Request twice;
  twice.headers.add("Authorization", "Bearer good");
  twice.headers.add("Authorization", "Bearer bad");
  EXPECT_FALSE(authenticate(twice, tokens_, kNow));
}

std::vector<std::string> needs(const http::Headers& headers) {
  std::vector<std::string> texts;
  for (const AccessRequest& need : (*impersonation_in(headers))->needs) {
    std::string text = need.group + "/" + need.resource;
    if (!need.subresource.empty()) text += "/" + need.subresource;
    texts.push_back(text + " " + (need.ns.empty() ? "" : need.ns + "/") + need.name);
  }
  return texts;
}

TEST(Impersonation, WhatMustBeAllowedIsListed) {
  EXPECT_FALSE(*impersonation_in({{"Accept", "x"}}));
  const http::Headers all{{"Impersonate-User", "joe"},
                          {"Impersonate-Group", "dev"},
                          {"Impersonate-Group", "ops"},
                          {"Impersonate-Uid", "7"},
                          {"Impersonate-Extra-Acme.com%2Fproject", "x"}};
  EXPECT_THAT(needs(all), ElementsAre("/users joe", "/groups dev", "/groups ops",
                                      "authentication.k8s.io/userextras/acme.com/project x",
                                      "authentication.k8s.io/uids 7"));
  EXPECT_EQ((*impersonation_in(all))->user,
            (User{"joe", "7", {"dev", "ops", "system:authenticated"}, {{"acme.com/project", {"x"}}}}));
}

TEST(Impersonation, AnAccountBringsItsGroups) {
  const http::Headers account{{"Impersonate-User", "system:serviceaccount:ns:robot"}};
  EXPECT_THAT(needs(account), ElementsAre("/serviceaccounts ns/robot"));
  EXPECT_THAT((*impersonation_in(account))->user.groups,
              ElementsAre("system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"));
  const http::Headers grouped{{"Impersonate-User", "system:serviceaccount:ns:robot"},
                              {"Impersonate-Group", "only"}};
  EXPECT_THAT((*impersonation_in(grouped))->user.groups, ElementsAre("only", "system:authenticated"));
  EXPECT_THAT((*impersonation_in({{"Impersonate-User", "system:anonymous"}}))->user.groups,
              ElementsAre("system:unauthenticated"));
}

TEST(Impersonation, GroupsWithoutAUserAreRefused) {
  const auto wish = impersonation_in({{"Impersonate-Group", "system:masters"}});
  ASSERT_FALSE(wish);
  EXPECT_EQ(wish.error().code, 400);
}

TEST(Impersonation, EveryNeedIsAskedFor) {
  const Caller jane{.user = {"jane", "", {}, {}}, .reach = {.clusters = {"edge"}}};
  const http::Headers headers{{"Impersonate-User", "joe"}, {"Impersonate-Group", "system:masters"}};
  const auto refused = impersonate(jane, headers, [](const Caller&, const AccessRequest& need) {
    return AccessDecision{need.resource == "users"};
  });
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().message,
      R"(groups "system:masters" is forbidden: User "jane" cannot impersonate resource "groups" in API group "" at the cluster scope)");
  const auto allowed =
      impersonate(jane, headers, [](const Caller&, const AccessRequest&) { return AccessDecision{true}; });
  ASSERT_TRUE(allowed);
  EXPECT_EQ(allowed->user.name, "joe");
  EXPECT_EQ(allowed->impersonator, jane.user);
  EXPECT_EQ(allowed->reach, jane.reach);  // acting as another does not widen where the credential is good for
  EXPECT_EQ(impersonate(jane, {}, [](const Caller&, const AccessRequest&) { return AccessDecision{}; }),
            jane);
}

}  // namespace
}  // namespace fairway::apiserver
