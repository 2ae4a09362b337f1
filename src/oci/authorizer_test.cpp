// Authentication as a registry sees it: which secret goes where, and when.
#include "oci/authorizer.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "oci/testing/fake_registry.hpp"

namespace fairway::oci {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RegistryFixture;
using testing::Served;

using Intercepted = std::optional<Result<Served>>;

std::string authorization(const http::ClientRequest& request) {
  return std::string(request.headers.find("authorization").value_or(""));
}

Credentials credentials() {
  Credentials all;
  all.add("registry.example:5000", "user", "hunter2");
  return all;
}

const std::string kBasic = "Basic " + encode_base64("user:hunter2");

class AuthorizerTest : public ::testing::Test, protected RegistryFixture {
 protected:
  void SetUp() override {
    fake.put("ns/repo", "t", image);
    fake.put("ns/other", "t", image);
  }

  // A registry with a token service: tokens are named token-1, token-2…; `valid` is the one it takes.
  void use_tokens(const std::string& realm = "https://auth.example/token?a=b") {
    fake.intercept = [this, realm](const http::ClientRequest& request) -> Intercepted {
      if (request.url.host == "auth.example") return token_answer(request);
      if (authorization(request) == "Bearer " + valid) return std::nullopt;
      return Served{.status = 401,
                    .headers = {{"WWW-Authenticate",
                                 "Bearer realm=\"" + realm +
                                     "\",service=\"the registry\",scope=\"repository:ns/repo:pull\""}}};
    };
  }
  Intercepted token_answer(const http::ClientRequest& request) {
    token_requests.push_back(request);
    if (token_status != 200) return Served{.status = token_status, .body = R"({"details":"no such user"})"};
    const std::string token = fmt::format("token-{}", token_requests.size());
    if (takes_new_tokens) valid = token;
    return Served{.body = fmt::format(fmt::runtime(token_body), token)};
  }

  const testing::TestImage image = testing::make_image({"layer"});
  std::string valid;
  bool takes_new_tokens = true;
  int token_status = 200;
  std::string token_body = R"({{"token":"{}","expires_in":300}})";
  std::vector<http::ClientRequest> token_requests;
};

TEST_F(AuthorizerTest, NothingIsSentUnasked) {
  Registry registry = make({.credentials = credentials()});
  ASSERT_TRUE(run(registry.manifest("ns/repo", "t")));
  EXPECT_EQ(authorization(fake.requests().at(0)), "");
}

TEST_F(AuthorizerTest, AnonymousTokens) {
  use_tokens();
  Registry registry = make();
  const auto read = run(registry.manifest("ns/repo", "t"));
  ASSERT_TRUE(read) << read.error().describe();
  ASSERT_EQ(token_requests.size(), 1U);
  EXPECT_EQ(token_requests[0].url.path,
            "/token?a=b&service=the%20registry&scope=repository%3Ans%2Frepo%3Apull");
  EXPECT_EQ(authorization(token_requests[0]), "");
}

TEST_F(AuthorizerTest, TokensForCredentialsAreKeptAndSentUnaskedUntilTheyExpire) {
  use_tokens();
  Registry registry = make({.credentials = credentials()});
  ASSERT_TRUE(run(registry.manifest("ns/repo", "t")));
  ASSERT_EQ(token_requests.size(), 1U);
  EXPECT_EQ(authorization(token_requests[0]), kBasic);
  EXPECT_EQ(fake.requests().size(), 3U) << "asked, token, asked again";
  ASSERT_TRUE(run(registry.manifest("ns/repo", "t")));
  EXPECT_EQ(fake.requests().size(), 4U) << "with the token at once";
  clock.advance(291s);
  ASSERT_TRUE(run(registry.manifest("ns/repo", "t")));
  EXPECT_EQ(token_requests.size(), 2U) << "ten seconds before its end";
  EXPECT_EQ(fake.requests().size(), 6U) << "without being refused first";
  for (const auto& request : fake.requests()) {
    if (request.url.host == "registry.example") {
      EXPECT_THAT(authorization(request), Not(HasSubstr("Basic")));
    }
  }
}

TEST_F(AuthorizerTest, ARevokedTokenIsRenewedOnce) {
  use_tokens();
  Registry registry = make();
  ASSERT_TRUE(run(registry.manifest("ns/repo", "t")));
  valid = "something else";
  ASSERT_TRUE(run(registry.manifest("ns/repo", "t")));
  EXPECT_EQ(token_requests.size(), 2U);
}

TEST_F(AuthorizerTest, ARegistryThatNeverAgreesIsAskedTwice) {
  use_tokens();
  takes_new_tokens = false;
  Registry registry = make({.credentials = credentials()});
  const auto read = run(registry.manifest("ns/repo", "t"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::Forbidden);
  EXPECT_THAT(read.error().describe(), HasSubstr("the credentials of entry \"registry.example:5000\" (401"));
  EXPECT_THAT(read.error().describe(), Not(HasSubstr("hunter2")));
  EXPECT_EQ(token_requests.size(), 1U);
  EXPECT_EQ(fake.requests().size(), 3U);
}

struct Both {
  static Task<void> read(Registry& registry, std::string repository, int& done) {
    FAIRWAY_CO_CHECKED(co_await registry.manifest(std::move(repository), "t"));
    ++done;
    co_return Result<void>{};
  }
};

TEST_F(AuthorizerTest, ManyTasksFetchOneTokenForEachRepository) {
  use_tokens();
  token_body = R"({{"access_token":"same"}})";
  takes_new_tokens = false;
  valid = "same";
  Registry registry = make();
  async::TaskGroup group(loop.executor());
  int done = 0;
  for (int i = 0; i < 8; ++i)
    group.spawn("read", Both::read(registry, i % 2 == 0 ? "ns/repo" : "ns/other", done));
  loop.run_until_idle();
  EXPECT_EQ(done, 8);
  EXPECT_EQ(token_requests.size(), 2U);
}

TEST_F(AuthorizerTest, TheTokenServiceMayRefuse) {
  use_tokens();
  token_status = 401;
  Registry registry = make({.credentials = credentials()});
  const auto read = run(registry.manifest("ns/repo", "t"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::Forbidden);
  for (const char* part :
       {"token service https://auth.example:443", "entry \"registry.example:5000\"", "no such user"})
    EXPECT_THAT(read.error().describe(), HasSubstr(part));
  EXPECT_EQ(token_requests.size(), 1U);
  token_status = 503;
  EXPECT_EQ(run(registry.manifest("ns/repo", "t")).error().code, ErrorCode::Unavailable);
}

TEST_F(AuthorizerTest, WhatIsNoTokenIsNotSent) {
  use_tokens();
  Registry registry = make();
  for (const std::string body :
       {"", "[]", "{{}}", R"({{"token":7}})", R"({{"token":""}})", R"({{"token":"a\r\nX: y"}})"}) {
    token_body = body;
    const auto read = run(registry.manifest("ns/repo", "t"));
    ASSERT_FALSE(read) << body;
    EXPECT_EQ(read.error().code, ErrorCode::Invalid) << body;
  }
}

TEST_F(AuthorizerTest, NoSecretGoesToATokenServiceInPlain) {
  use_tokens("http://auth.example/token");
  Registry registry = make({.credentials = credentials()});
  const auto read = run(registry.manifest("ns/repo", "t"));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().describe(), HasSubstr("without TLS"));
  EXPECT_TRUE(token_requests.empty());
  Registry plain =
      make({.registry = *RegistryHost::parse("http://registry.example:5000"), .credentials = credentials()});
  EXPECT_TRUE(run(plain.manifest("ns/repo", "t"))) << "unless the registry itself is asked in plain";
}

TEST_F(AuthorizerTest, IdentityTokensAreExchanged) {
  use_tokens();
  token_body = R"({{"access_token":"{}"}})";
  const auto parsed =
      Credentials::parse(R"({"auths":{"registry.example:5000":{"identitytoken":"refresh me"}}})");
  Registry registry = make({.credentials = *parsed});
  ASSERT_TRUE(run(registry.manifest("ns/repo", "t")));
  ASSERT_EQ(token_requests.size(), 1U);
  EXPECT_EQ(token_requests[0].method, "POST");
  EXPECT_EQ(token_requests[0].url.path, "/token?a=b");
  for (const char* part :
       {"grant_type=refresh_token", "refresh_token=refresh%20me", "scope=repository%3Ans%2Frepo%3Apull"})
    EXPECT_THAT(token_requests[0].body, HasSubstr(part));
}

class BasicTest : public AuthorizerTest {
 protected:
  void SetUp() override {
    AuthorizerTest::SetUp();
    fake.intercept = [this](const http::ClientRequest& request) -> Intercepted {
      if (request.url.host != "registry.example") return Served{.status = 403};
      if (authorization(request) != expected)
        return Served{
            .status = 401,
            .headers = {{"WWW-Authenticate", "Negotiate"}, {"WWW-Authenticate", "Basic realm=\"r\""}}};
      if (!redirect.empty()) return Served{.status = 307, .headers = {{"Location", redirect}}};
      return std::nullopt;
    };
  }
  std::string expected = kBasic;
  std::string redirect;
};

TEST_F(BasicTest, IsAnsweredAndThenSentUnasked) {
  Registry registry = make({.credentials = credentials()});
  ASSERT_TRUE(run(registry.manifest("ns/repo", "t")));
  ASSERT_TRUE(run(registry.manifest("ns/repo", "t")));
  EXPECT_EQ(fake.requests().size(), 3U);
}

TEST_F(BasicTest, AWrongPasswordIsNamedByItsEntry) {
  expected = "Basic another";
  Registry registry = make({.credentials = credentials()});
  for (int i = 0; i < 2; ++i) {
    const auto read = run(registry.manifest("ns/repo", "t"));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::Forbidden);
    EXPECT_THAT(read.error().describe(), HasSubstr("the credentials of entry \"registry.example:5000\""));
    EXPECT_THAT(read.error().describe(), Not(HasSubstr("hunter2")));
  }
}

TEST_F(BasicTest, WithoutCredentialsSaysWhatToAdd) {
  Registry registry = make();
  const auto read = run(registry.manifest("ns/repo", "t"));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().describe(), HasSubstr("add an entry for \"registry.example:5000\""));
}

TEST_F(BasicTest, SecretsDoNotFollowARedirect) {
  for (const std::string location : {"https://cdn.example/x", "https://registry.example:5001/x"}) {
    redirect = location;
    Registry registry = make({.credentials = credentials()});
    EXPECT_FALSE(run(registry.manifest("ns/repo", "t")));
    const auto& last = fake.requests().back();
    EXPECT_EQ(last.url.origin(), http::Url::parse(location)->origin());
    EXPECT_EQ(authorization(last), "");
  }
}

TEST_F(AuthorizerTest, OtherSchemesAreNotSpoken) {
  for (const std::string challenge :
       {"Negotiate", "", "Bearer service=\"x\"", "Bearer realm=\"ftp://x\"", "Bearer realm=\"open"}) {
    fake.intercept = [&](const http::ClientRequest&) -> Intercepted {
      return Served{.status = 401, .headers = {{"WWW-Authenticate", challenge}}};
    };
    Registry registry = make({.credentials = credentials()});
    EXPECT_FALSE(run(registry.manifest("ns/repo", "t"))) << challenge;
  }
}

}  // namespace
}  // namespace fairway::oci
