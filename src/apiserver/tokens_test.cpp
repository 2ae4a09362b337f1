#include "apiserver/tokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "json/testing/objects.hpp"

namespace fairway::apiserver {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr WallTime kNow{std::chrono::seconds{1'700'000'000}};

TokenEntry entry(std::string_view token, std::string user, std::optional<WallTime> expires = {},
                 std::vector<std::string> bound_to = {}) {
  return {token_digest(token),
          {.user = {std::move(user), "", {}, {}}, .expires = expires, .bound_to = std::move(bound_to)}};
}

TEST(TokenTable, FindsWhomATokenStandsFor) {
  TokenTable table;
  table.replace("file", {entry("one", "jane"), entry("two", "joe")});
  ASSERT_TRUE(table.find("one", kNow));
  EXPECT_EQ(table.find("one", kNow)->user.name, "jane");
  EXPECT_EQ(table.find("two", kNow)->user.name, "joe");
  EXPECT_FALSE(table.find("three", kNow));
  EXPECT_FALSE(table.find("", kNow));
}

TEST(TokenTable, ASourceIsReplacedAsAWhole) {
  TokenTable table;
  table.replace("file", {entry("one", "jane"), entry("two", "joe")});
  table.replace("secret", {entry("one", "robot")});
  table.replace("file", {entry("three", "ann")});
  EXPECT_FALSE(table.find("two", kNow));
  EXPECT_EQ(table.find("one", kNow)->user.name, "robot");
  table.replace("secret", {});
  EXPECT_FALSE(table.find("one", kNow));
  EXPECT_EQ(table.size(), 1U);
}

TEST(TokenTable, TokensExpire) {
  TokenTable table;
  table.replace("a", {entry("one", "jane", kNow + 1h)});
  table.replace("b", {entry("two", "joe")});
  EXPECT_TRUE(table.find("one", kNow + 59min));
  EXPECT_FALSE(table.find("one", kNow + 1h));
  EXPECT_THAT(table.drop_expired(kNow + 1h), ElementsAre("a"));
  EXPECT_THAT(table.drop_expired(kNow + 1h), testing::IsEmpty());
  EXPECT_TRUE(table.find("two", kNow + 1h));
}

TEST(TokenTable, TokensEndWithWhatTheyAreBoundTo) {
  TokenTable table;
  table.replace("a", {entry("one", "robot", {}, {"account", "pod"})});
  table.replace("b", {entry("two", "robot", {}, {"account"})});
  EXPECT_THAT(table.revoke("pod"), ElementsAre("a"));
  EXPECT_FALSE(table.find("one", kNow));
  EXPECT_TRUE(table.find("two", kNow));
  EXPECT_THAT(table.revoke("account"), ElementsAre("b"));
  EXPECT_EQ(table.size(), 0U);
  EXPECT_THAT(table.revoke("account"), testing::IsEmpty());
  // A source that comes back is bound as before.
  table.replace("b", {entry("two", "robot", {}, {"account"})});
  table.replace("b", {entry("two", "robot", {}, {"account"})});
  EXPECT_THAT(table.revoke("account"), ElementsAre("b"));
  EXPECT_FALSE(table.find("two", kNow));
}

TEST(Tokens, TheTokenFileIsThatOfKubernetes) {
  const auto entries = parse_token_file(
      "t1,jane,1,\"dev,ops\"\r\n\nt2,\"joe \"\"j\"\" doe\",2\n\"t3\",ann,3,system:masters,ignored\n");
  ASSERT_TRUE(entries) << entries.error().describe();
  ASSERT_EQ(entries->size(), 3U);
  TokenTable table;
  table.replace("file", *entries);
  EXPECT_EQ(table.find("t1", kNow)->user, (User{"jane", "1", {"dev", "ops", "system:authenticated"}, {}}));
  EXPECT_EQ(table.find("t2", kNow)->user.name, "joe \"j\" doe");
  EXPECT_EQ(table.find("t3", kNow)->user.groups,
            (std::vector<std::string>{"system:masters", "system:authenticated"}));
  EXPECT_TRUE(parse_token_file("")->empty());
}

TEST(Tokens, AWrongTokenFileNamesTheLine) {
  const std::vector<std::pair<std::string_view, std::string_view>> cases{
      {"a,b,c\nt1,jane\n", "line 2: expected at least 3 columns (token, user name, user uid), found 2"},
      {"\n,jane,1\n", "line 2: expected a token and a user name"},
      {"a,\"b,c\n", "line 1: the quoted field has no closing quote"},
      {"a,b\"c,d\n", "line 1: found a quote inside a field that is not quoted"},
      {"a,\"b\"c,d\n", "line 1: expected a comma after the closing quote"},
  };
  for (const auto& [text, message] : cases) {
    const auto parsed = parse_token_file(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error().message, HasSubstr(std::string(message))) << text;
  }
}

constexpr std::string_view kSecret =
    "{type: kubernetes.io/service-account-token, metadata: {name: s, namespace: ns, annotations: "
    "{kubernetes.io/service-account.name: robot}}}";

TEST(Tokens, ASecretOfAnAccountIsFilledAndRead) {
  const json::Object empty = json::test_object(kSecret);
  EXPECT_TRUE(needs_token(empty));
  EXPECT_FALSE(secret_token("edge", empty));
  const json::Object filled = with_token(empty, "u-1", "s3cret", "CA");
  EXPECT_FALSE(needs_token(filled));
  EXPECT_EQ(json::get_string(filled, {"data", "ca.crt"}), encode_base64("CA"));
  EXPECT_EQ(json::get_string(filled, {"data", "namespace"}), encode_base64("ns"));
  const auto found = secret_token("edge", filled);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->digest, token_digest("s3cret"));
  EXPECT_EQ(found->grant.user,
            (User{"system:serviceaccount:ns:robot",
                  "u-1",
                  {"system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"},
                  {}}));
  EXPECT_EQ(found->grant.reach.clusters, std::vector<std::string>{"edge"});
  EXPECT_EQ(found->grant.bound_to, std::vector<std::string>{"u-1"});
  json::Object other = filled;
  other["type"] = "Opaque";
  EXPECT_FALSE(secret_token("edge", other));
}

TEST(Tokens, NewTokensFitAHeaderAndDiffer) {
  const std::string token = new_token();
  EXPECT_EQ(token.size(), 8U + 64U);
  EXPECT_NE(token, new_token());
}

class IssueTest : public testing::Test {
 protected:
  IssueTest() {
    resource_.plural = "serviceaccounts";
    resource_.kind = "ServiceAccount";
  }
  ApiResult<IssuedToken> ask(std::string_view request, const json::Object* bound = nullptr) {
    return issue_token({&resource_, "edge", &account_, bound, kNow, "the-token"}, json::test_object(request));
  }
  Resource resource_;
  json::Object account_ = json::test_object("{metadata: {name: robot, namespace: ns, uid: u-1}}");
};

TEST_F(IssueTest, AnIssuedTokenIsBoundInTimeAndPlace) {
  const auto issued = ask("{kind: TokenRequest, spec: {audiences: []}}");
  ASSERT_TRUE(issued);
  EXPECT_EQ(json::get_string(issued->answer, {"status", "token"}), "the-token");
  EXPECT_EQ(json::get_string(issued->answer, {"status", "expirationTimestamp"}), format_rfc3339(kNow + 1h));
  EXPECT_EQ(issued->entry.grant.user.name, "system:serviceaccount:ns:robot");
  EXPECT_EQ(issued->entry.grant.reach.clusters, std::vector<std::string>{"edge"});
  EXPECT_EQ(issued->entry.grant.expires, kNow + 1h);
  EXPECT_EQ(issued->entry.digest, token_digest("the-token"));
  const auto longer = ask("spec: {expirationSeconds: 86400}");
  EXPECT_EQ(longer->entry.grant.expires, kNow + 24h);
  // More than a year is cut, and said so.
  const auto longest = ask("spec: {expirationSeconds: 4294967296}");
  EXPECT_EQ(longest->entry.grant.expires, kNow + 365 * 24h);
  EXPECT_EQ(json::get_int(longest->answer, {"spec", "expirationSeconds"}), 365 * 24 * 3600);
}

TEST_F(IssueTest, LifetimesHaveLimits) {
  const auto tiny = ask("spec: {expirationSeconds: 599}");
  ASSERT_FALSE(tiny);
  EXPECT_EQ(tiny.error().code, 422);
  EXPECT_EQ(tiny.error().message,
            "TokenRequest.authentication.k8s.io \"robot\" is invalid: spec.expirationSeconds: Invalid value: "
            "599: may not "
            "specify a duration less than 10 minutes");
  EXPECT_FALSE(ask("spec: {expirationSeconds: 4294967297}"));
}

TEST_F(IssueTest, ATokenMayEndWithAnObject) {
  const json::Object pod = json::test_object("{metadata: {name: p, uid: u-2}}");
  const auto issued = ask("spec: {boundObjectRef: {kind: Pod, apiVersion: v1, name: p}}", &pod);
  ASSERT_TRUE(issued);
  EXPECT_EQ(issued->entry.grant.bound_to, (std::vector<std::string>{"u-1", "u-2"}));
  EXPECT_EQ(ask("spec: {boundObjectRef: {kind: Pod, apiVersion: v1, name: p}}").error().code, 404);
  EXPECT_EQ(
      ask("spec: {boundObjectRef: {kind: Pod, apiVersion: v1, name: p, uid: other}}", &pod).error().code,
      409);
  EXPECT_EQ(ask("spec: {boundObjectRef: {kind: ConfigMap, apiVersion: v1, name: p}}", &pod).error().code,
            400);
}

TEST_F(IssueTest, RecordsAreReadBackAsTheyWereWritten) {
  const auto issued = ask("spec: {}");
  const json::Object record = token_record(issued->entry);
  EXPECT_EQ(json::serialize(record).find("the-token"), std::string::npos);
  const auto read = parse_token_record(encode_hex(issued->entry.digest), record);
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(read->digest, issued->entry.digest);
  EXPECT_EQ(read->grant, issued->entry.grant);
}

TEST_F(IssueTest, ADamagedRecordIsNotBelieved) {
  const auto issued = ask("spec: {}");
  const std::string name = encode_hex(issued->entry.digest);
  for (const std::string_view field : {"user", "groups", "clusters", "boundTo"}) {
    json::Object record = token_record(issued->entry);
    json::remove(record, field);
    EXPECT_FALSE(parse_token_record(name, record)) << field;
  }
  json::Object record = token_record(issued->entry);
  record["expires"] = "soon";
  EXPECT_FALSE(parse_token_record(name, record));
  EXPECT_FALSE(parse_token_record("xyz", token_record(issued->entry)));
}

}  // namespace
}  // namespace fairway::apiserver
