#include "oci/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oci/testing/fake_registry.hpp"

namespace fairway::oci {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::Flavour;
using ::testing::HasSubstr;
using testing::RegistryFixture;
using testing::Served;

using Intercepted = std::optional<Result<Served>>;

class RegistryTest : public ::testing::Test, protected RegistryFixture {
 protected:
  Registry registry = make({.page_size = 2});
};

TEST_F(RegistryTest, TagsComeInPages) {
  fake.put_tags("ns/repo", {"a", "b", "c", "d", "e"});
  const auto tags = run(registry.tags("ns/repo"));
  ASSERT_TRUE(tags) << tags.error().describe();
  EXPECT_THAT(*tags, ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_THAT(fake.asked(),
              ElementsAre("GET /v2/ns/repo/tags/list?n=2", "GET /v2/ns/repo/tags/list?n=2&last=b",
                          "GET /v2/ns/repo/tags/list?n=2&last=d"));
}

Served page(const std::string& body, const std::string& link) {
  Served served{.body = body};
  if (!link.empty()) served.headers.add("Link", "<" + link + ">; rel=\"next\"");
  return served;
}

TEST_F(RegistryTest, PagesMayBeLinkedByWholeUrls) {
  fake.intercept = [](const http::ClientRequest& request) -> Intercepted {
    const bool is_first = request.url.path.find("last") == std::string::npos;
    return is_first ? page(R"({"tags":["a"]})", "https://registry.example:5000/v2/ns/repo/tags/list?last=a")
                    : page(R"({"tags":["b","a"]})", "");
  };
  EXPECT_THAT(*run(registry.tags("ns/repo")), ElementsAre("a", "b")) << "each once";
}

TEST_F(RegistryTest, PagesStayWithTheRegistryAndEnd) {
  struct Case {
    std::string link;
    std::string why;
  };
  for (const Case& each : {Case{"https://evil.example/v2/x", "evil.example"},
                           Case{"http://registry.example:5000/v2/x", "another host"},
                           Case{"/v2/ns/repo/tags/list?n=2", "circle"}, Case{"ftp://x/", "scheme"}}) {
    fake.intercept = [&](const http::ClientRequest&) -> Intercepted {
      return page(R"({"tags":["a"]})", each.link);
    };
    const auto tags = run(registry.tags("ns/repo"));
    ASSERT_FALSE(tags) << each.link;
    EXPECT_THAT(tags.error().describe(), HasSubstr(each.why));
    EXPECT_THAT(tags.error().describe(), HasSubstr("the tags of registry.example:5000/ns/repo"));
  }
}

TEST_F(RegistryTest, OddListsOfTags) {
  const auto answer = [&](const std::string& body) {
    fake.intercept = [body](const http::ClientRequest&) -> Intercepted { return Served{.body = body}; };
    return run(registry.tags("ns/repo"));
  };
  EXPECT_THAT(*answer(R"({"name":"x","tags":null})"), ElementsAre());
  EXPECT_THAT(*answer(R"({"name":"x"})"), ElementsAre());
  EXPECT_THAT(*answer(R"({"tags":["good","../bad","",":"]})"), ElementsAre("good"))
      << "those that can be asked for";
  EXPECT_FALSE(answer(R"({"tags":"a"})"));
  EXPECT_FALSE(answer(R"({"tags":[1]})"));
  EXPECT_FALSE(answer("<html>"));
}

TEST_F(RegistryTest, ManifestsOfEveryKind) {
  for (const Flavour flavour : {Flavour::Docker, Flavour::Oci}) {
    const auto image = testing::make_image({"layer"}, flavour, "s390x");
    const auto index = testing::make_index({image}, flavour);
    fake.put("ns/repo", "one", image);
    fake.put("ns/repo", "many", index);
    const auto one = run(registry.manifest("ns/repo", "one"));
    ASSERT_TRUE(one) << one.error().describe();
    EXPECT_EQ(one->digest, image.digest());
    EXPECT_EQ(one->document.media_type, image.media_type);
    EXPECT_EQ(one->text, image.text);
    const auto& manifest = std::get<Manifest>(one->document.content);
    EXPECT_EQ(run(registry.platform_of("ns/repo", manifest))->to_string(), "linux/s390x");
    const auto many = run(registry.manifest("ns/repo", "many"));
    ASSERT_TRUE(many) << many.error().describe();
    EXPECT_EQ(many->digest, index.digest());
    const auto by_digest = run(registry.manifest("ns/repo", image.digest()));
    ASSERT_TRUE(by_digest) << by_digest.error().describe();
    EXPECT_EQ(by_digest->text, image.text);
  }
  const auto accept = fake.requests().front().headers.find("accept").value_or("");
  for (const char* type : {"vnd.oci.image.index.v1", "vnd.oci.image.manifest.v1", "distribution.manifest.v2",
                           "distribution.manifest.list.v2"}) {
    EXPECT_THAT(std::string(accept), HasSubstr(type));
  }
}

TEST_F(RegistryTest, AManifestIsWhatItsDigestSays) {
  const auto image = testing::make_image({"layer"});
  const auto other = testing::make_image({"another layer"});
  fake.put("ns/repo", "t", image);
  fake.intercept = [&](const http::ClientRequest& request) -> Intercepted {
    auto served = fake.serve(request);
    served.body = other.text;
    return served;
  };
  for (const Version& version : {Version("t"), Version(image.digest())}) {
    const auto read = run(registry.manifest("ns/repo", version));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::Invalid);
    EXPECT_THAT(read.error().describe(), HasSubstr(other.digest().text())) << "what was found";
    EXPECT_THAT(read.error().describe(), HasSubstr(image.digest().text())) << "what was expected";
  }
  fake.intercept = [&](const http::ClientRequest& request) -> Intercepted {
    auto served = fake.serve(request);
    served.headers.remove("Docker-Content-Digest");
    return served;
  };
  EXPECT_TRUE(run(registry.manifest("ns/repo", "t"))) << "the header may be missing";
  fake.intercept = [&](const http::ClientRequest& request) -> Intercepted {
    auto served = fake.serve(request);
    served.headers.set("Docker-Content-Digest", "sha512:abc");
    return served;
  };
  EXPECT_FALSE(run(registry.manifest("ns/repo", "t")));
}

TEST_F(RegistryTest, AManifestIsNotTooLarge) {
  fake.intercept = [&](const http::ClientRequest&) -> Intercepted {
    return Served{.body = std::string(kMostManifestBytes + 1, ' ')};
  };
  const auto read = run(registry.manifest("ns/repo", "t"));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().describe(), HasSubstr("at most 4194304 bytes"));
}

TEST_F(RegistryTest, OnlyNamesThatFitAUrlAreAskedFor) {
  EXPECT_EQ(run(registry.tags("../x")).error().code, ErrorCode::Invalid);
  EXPECT_EQ(run(registry.manifest("ns/repo", "a/../b")).error().code, ErrorCode::Invalid);
  EXPECT_EQ(run(registry.manifest("NS", "a")).error().code, ErrorCode::Invalid);
  EXPECT_TRUE(fake.requests().empty());
}

struct StatusCase {
  int status;
  ErrorCode code;
  std::string why;
  std::size_t requests;
};

TEST_F(RegistryTest, EveryRefusalSaysWhatToDo) {
  const std::vector<StatusCase> cases = {
      {404, ErrorCode::NotFound,
       "does not have it (404 Not Found: \"the reason\"), or does not show it with no credentials", 1},
      {403, ErrorCode::Forbidden, "does not allow it with no credentials (403 Forbidden: \"the reason\")", 1},
      {400, ErrorCode::Invalid, "400 Bad Request", 1},
      {503, ErrorCode::Unavailable, "503 Service Unavailable: \"the reason\"", 3},
      {500, ErrorCode::Unavailable, "500", 3},
      {429, ErrorCode::Unavailable, "429", 3},
      {204, ErrorCode::Invalid, "", 1},
  };
  for (const StatusCase& each : cases) {
    const std::size_t before = fake.requests().size();
    fake.intercept = [&](const http::ClientRequest&) -> Intercepted {
      return Served{.status = each.status,
                    .body = each.status == 204 ? "" : R"({"errors":[{"code":"X","message":"the reason"}]})"};
    };
    const auto read = run(registry.manifest("ns/repo", "4.7.4"));
    ASSERT_FALSE(read) << each.status;
    EXPECT_EQ(read.error().code, each.code) << each.status;
    EXPECT_THAT(read.error().describe(), HasSubstr(each.why)) << each.status;
    EXPECT_THAT(read.error().describe(), HasSubstr("tag \"4.7.4\" of registry.example:5000/ns/repo"));
    EXPECT_EQ(fake.requests().size() - before, each.requests) << each.status;
  }
}

TEST_F(RegistryTest, ComesBackWhenTheRegistrySaysSo) {
  fake.put("ns/repo", "t", testing::make_image({}));
  std::vector<SteadyTime> times;
  fake.intercept = [&](const http::ClientRequest&) -> Intercepted {
    times.push_back(clock.steady());
    if (times.size() > 2) return std::nullopt;
    return Served{.status = 429, .headers = {{"Retry-After", "7"}}};
  };
  ASSERT_TRUE(run(registry.manifest("ns/repo", "t")));
  ASSERT_EQ(times.size(), 3U);
  EXPECT_EQ(times[1] - times[0], 7s);
  EXPECT_EQ(times[2] - times[1], 7s);
}

TEST_F(RegistryTest, MorePatienceIsTheCallers) {
  fake.intercept = [&](const http::ClientRequest&) -> Intercepted {
    return Served{.status = 503, .headers = {{"Retry-After", "600"}}};
  };
  const auto read = run(registry.manifest("ns/repo", "t"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().retry_after, 600s);
  EXPECT_EQ(fake.requests().size(), 1U);
}

TEST_F(RegistryTest, TriesAgainWhenTheConnectionIsLost) {
  const auto image = testing::make_image({});
  fake.put("ns/repo", "t", image);
  int calls = 0;
  fake.intercept = [&](const http::ClientRequest& request) -> Intercepted {
    ++calls;
    if (calls == 1)
      return std::unexpected(Error{ErrorCode::Unavailable, "the host \"x\" cannot be resolved"});
    auto served = fake.serve(request);
    if (calls == 2) served.breaks_after = 10;
    return served;
  };
  const auto read = run(registry.manifest("ns/repo", "t"));
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(read->text, image.text);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(clock.steady() - SteadyTime{}, 1500ms) << "half a second and a whole one";
}

TEST_F(RegistryTest, GivesUpAfterThreeTries) {
  fake.intercept = [&](const http::ClientRequest&) -> Intercepted {
    return std::unexpected(
        Error{ErrorCode::Unavailable, "the host \"registry.example\" cannot be resolved: not found"});
  };
  const auto read = run(registry.tags("ns/repo"));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().describe(), HasSubstr("cannot be resolved"));
  EXPECT_EQ(fake.requests().size(), 3U);
}

TEST_F(RegistryTest, AnUntrustedCertificateNamesHostAndRemedy) {
  Registry strict = make({.trust_hint = "add its authority to --registry-ca FILE"});
  fake.intercept = [&](const http::ClientRequest&) -> Intercepted {
    return std::unexpected(
        Error{ErrorCode::Forbidden, "the server's certificate is not trusted: self-signed certificate"});
  };
  const auto read = run(strict.tags("ns/repo"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::Forbidden);
  for (const char* part : {"registry.example:5000", "self-signed certificate", "--registry-ca FILE"})
    EXPECT_THAT(read.error().describe(), HasSubstr(part));
  EXPECT_EQ(fake.requests().size(), 1U) << "trying again does not help";
}

TEST_F(RegistryTest, ACancelledTaskEnds) {
  fake.intercept = [&](const http::ClientRequest&) -> Intercepted { return Served{.status = 503}; };
  async::TaskGroup group(loop.executor());
  std::optional<Error> error;
  struct Run {
    static Task<void> tags(Registry& from, std::optional<Error>& into) {
      auto tags = co_await from.tags("ns/repo");
      if (!tags) into = tags.error();
      co_return Result<void>{};
    }
  };
  group.spawn("tags", Run::tags(registry, error));
  loop.run_until_idle();
  group.cancel();
  loop.run_until_idle();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::Cancelled);
}

}  // namespace
}  // namespace fairway::oci
