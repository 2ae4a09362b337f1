// The small judges of the protocol: media types, routes, problems, signatures, tokens.
#include <gtest/gtest.h>

#include "json/value.hpp"
#include "updateservice/client_tokens.hpp"
#include "updateservice/media.hpp"
#include "updateservice/openapi.hpp"
#include "updateservice/problem.hpp"
#include "updateservice/routes.hpp"
#include "updateservice/signatures.hpp"

namespace fairway::updateservice {
namespace {

TEST(Media, Case1To6EveryHeaderOfTheReferenceKeepsItsResult) {
  constexpr auto kVendor = "application/vnd.redhat.cincinnati.v1+json";
  struct Case {
    std::optional<std::string_view> accept;
    std::optional<Media> media;
  };
  const Case cases[] = {
      {std::nullopt, Media::CincinnatiV1},
      {"", Media::CincinnatiV1},
      {"*", Media::Json},
      {"*/*", Media::Json},
      {"application/*", Media::Json},
      {"application/json", Media::Json},
      {kVendor, Media::CincinnatiV1},
      {"app/anything-really", std::nullopt},
      {"text/html", std::nullopt},
      // Beyond the reference.
      {"application/json, text/*;q=0.2", Media::Json},
      {"application/json;q=0.9", Media::Json},
      {"text/html,application/xhtml+xml,*/*;q=0.8", Media::Json},
      {"application/json;q=0.1, application/vnd.redhat.cincinnati.v1+json", Media::CincinnatiV1},
      {"application/json;q=0", std::nullopt},
      {"application/json;q=0, */*", Media::CincinnatiV1},
      {"Application/JSON", Media::Json},
      {";;;", std::nullopt},
  };
  for (const Case& c : cases) {
    const auto media = choose_media(c.accept);
    EXPECT_EQ(media ? std::optional(*media) : std::nullopt, c.media) << c.accept.value_or("absent");
    if (!media) EXPECT_EQ(media.error().kind, "invalid_content_type");
  }
}

TEST(Media, WhatIsOnlyJsonIsRefusedToOthers) {
  EXPECT_TRUE(require_json(std::nullopt));
  EXPECT_TRUE(require_json("*/*"));
  EXPECT_TRUE(require_json("application/*"));
  EXPECT_FALSE(require_json("application/vnd.redhat.cincinnati.v1+json"));
  EXPECT_FALSE(require_json("text/html"));
}

TEST(Routes, Case18And24PrefixesAreNormalised) {
  EXPECT_EQ(*normalise_prefix("//api/upgrades_info//"), "/api/upgrades_info");
  EXPECT_EQ(*normalise_prefix("a/b"), "/a/b");
  EXPECT_EQ(*normalise_prefix(""), "");
  EXPECT_EQ(*normalise_prefix("/"), "");
  EXPECT_FALSE(normalise_prefix("a b"));
  EXPECT_FALSE(normalise_prefix("a?b"));
  EXPECT_EQ(find_route("/api/upgrades_info/graph", "/api/upgrades_info").endpoint, Endpoint::Graph);
  EXPECT_EQ(find_route("/api/upgrades_info/v1/graph", "/api/upgrades_info").endpoint, Endpoint::Graph);
  EXPECT_EQ(find_route("/graph", "/api/upgrades_info").endpoint, Endpoint::Unknown);
  EXPECT_EQ(find_route("/api/upgrades_infograph", "/api/upgrades_info").endpoint, Endpoint::Unknown);
}

TEST(Routes, Case19WhatIsNoEndpointIsUnknown) {
  for (const std::string_view path :
       {"/", "/nope", "/graph/", "//graph", "/v1/explain", "/signatures", "/Graph"})
    EXPECT_EQ(find_route(path, "").endpoint, Endpoint::Unknown) << path;
  EXPECT_EQ(find_route("/openapi", "").endpoint, Endpoint::OpenApi);
  EXPECT_EQ(find_route("/v1/openapi", "").endpoint, Endpoint::OpenApi);
  const Route signature = find_route("/signatures/sha256=ab/signature-1", "");
  EXPECT_EQ(signature.endpoint, Endpoint::Signatures);
  EXPECT_EQ(signature.rest, "sha256=ab/signature-1");
}

TEST(Problem, IsJsonWithKindAndValue) {
  EXPECT_EQ(missing_parameters(std::vector<std::string>{"a", "b"}).to_json(),
            R"({"kind":"missing_params","value":"mandatory client parameters missing: a, b"})");
  EXPECT_EQ(invalid_parameters("a \"quote\"").to_json(),
            R"({"kind":"invalid_params","value":"invalid client parameters: a \"quote\""})");
  EXPECT_EQ(does_not_exist("x").status, 404);
  EXPECT_EQ(no_graph("x").status, 500);
}

TEST(Signatures, Case82OnlyNamesThatStayInTheFolder) {
  const std::string digest(64, 'a');
  const auto name = parse_signature_path("sha256=" + digest + "/signature-1");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->file(), "sha256/" + digest + "/signature-1");
  for (const std::string& path :
       {"md5=" + digest + "/signature-1", std::string("sha256=a=b/signature-1"),
        std::string("sha256=../signature-1"), "sha256=" + digest + "/../x", "sha256=" + digest + "/..",
        "sha256=" + digest + "/", "sha256=" + digest, std::string("sha256=/signature-1"),
        "sha256=" + digest + "/a/b", std::string(""), "sha256=" + digest + "/.hidden",
        "sha256=" + digest + "/a%2fb"}) {
    const auto refused = parse_signature_path(path);
    ASSERT_FALSE(refused) << path;
    EXPECT_EQ(refused.error().status, 400) << path;
  }
}

TEST(ClientTokens, AcceptsExactlyThoseInTheFile) {
  const auto tokens = ClientTokens::parse("# fleet A\n0123456789abcdef\n\n  fedcba9876543210  \n");
  ASSERT_TRUE(tokens);
  EXPECT_TRUE(tokens->accepts("Bearer 0123456789abcdef"));
  EXPECT_TRUE(tokens->accepts("bearer fedcba9876543210"));
  for (const std::string_view header : {"", "Bearer", "Bearer ", "0123456789abcdef", "Basic 0123456789abcdef",
                                        "Bearer 0123456789abcde", "Bearer # fleet A"})
    EXPECT_FALSE(tokens->accepts(header)) << header;
  EXPECT_FALSE(ClientTokens::parse("# nothing\n"));
  EXPECT_FALSE(ClientTokens::parse("short\n"));
}

TEST(OpenApi, Case25HasPrefixedPathsAndRequiredParameters) {
  const auto document =
      json::parse_object(openapi_document("/api/upgrades_info", {"channel", "id", "region"}));
  ASSERT_TRUE(document);
  const json::Object* paths = json::get_object(*document, {"paths"});
  ASSERT_TRUE(paths);
  for (const auto& [path, item] : *paths)
    EXPECT_TRUE(std::string_view(path).starts_with("/api/upgrades_info/")) << path;
  std::set<std::string> required;
  for (const json::Value& parameter :
       *json::get_array(*paths, {"/api/upgrades_info/graph", "get", "parameters"})) {
    if (json::get_bool(parameter.get_object(), {"required"}).value_or(false))
      required.emplace(*json::get_string(parameter.get_object(), {"name"}));
  }
  EXPECT_EQ(required, (std::set<std::string>{"channel", "id", "region"}));
}

}  // namespace
}  // namespace fairway::updateservice
