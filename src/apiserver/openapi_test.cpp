#include "apiserver/openapi.hpp"

#include <gtest/gtest.h>

namespace fairway::apiserver {
namespace {

class OpenApiHttp : public testing::Test {
 protected:
  http::Response get(std::string target, http::Headers headers = {}) {
    const http::Request request{.method = "GET", .target = target, .headers = std::move(headers)};
    auto info = RequestInfo::parse("GET", target);
    EXPECT_TRUE(info.has_value());
    auto response = openapi_.answer(request, *info, catalog_);
    return response ? *std::move(response) : response_of(response.error());
  }

  std::string hash() { return std::string(documents_.version_3(*catalog_, "apis/apps/v1")->hash); }

  std::shared_ptr<const Catalog> catalog_ = Catalog::make({});
  OpenApi openapi_;
  OpenApiDocuments documents_;
};

TEST_F(OpenApiHttp, Version2AsJsonUnlessProtobufIsAskedFor) {
  const auto json = get("/openapi/v2");
  EXPECT_EQ(json.status, 200);
  EXPECT_EQ(json.headers.find("content-type"), "application/json");
  EXPECT_TRUE(json.body.to_string().starts_with("{\"swagger\":\"2.0\""));
  // Go's mime package refuses an answer with the `@` that old clients ask by.
  for (const char* name : {"application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
                           "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"}) {
    const auto protobuf = get("/openapi/v2", {{"Accept", name}});
    EXPECT_EQ(protobuf.status, 200) << name;
    EXPECT_EQ(protobuf.headers.find("content-type"),
              "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
    EXPECT_EQ(protobuf.body.to_string(), *documents_.version_2_protobuf(*catalog_).text);
  }
  EXPECT_EQ(get("/openapi/v2", {{"Accept", "text/html"}}).status, 406);
}

TEST_F(OpenApiHttp, TheIndexStaysWithinTheCluster) {
  EXPECT_NE(get("/openapi/v3").body.to_string().find("\"/openapi/v3/apis/apps/v1?hash=" + hash()),
            std::string::npos);
  EXPECT_NE(
      get("/clusters/edge/openapi/v3/").body.to_string().find("\"/clusters/edge/openapi/v3/api/v1?hash="),
      std::string::npos);
}

TEST_F(OpenApiHttp, ADocumentUnderItsHashNeverChanges) {
  const auto plain = get("/openapi/v3/apis/apps/v1");
  EXPECT_EQ(plain.status, 200);
  EXPECT_FALSE(plain.headers.find("cache-control").has_value());
  EXPECT_EQ(plain.headers.find("etag"), "\"" + hash() + "\"");
  const auto hashed = get("/openapi/v3/apis/apps/v1?hash=" + hash());
  EXPECT_EQ(hashed.status, 200);
  EXPECT_TRUE(hashed.headers.find("cache-control")->starts_with("public, immutable"));
  const auto moved = get("/clusters/edge/openapi/v3/apis/apps/v1?hash=0");
  EXPECT_EQ(moved.status, 301);
  EXPECT_EQ(moved.headers.find("location"), "/clusters/edge/openapi/v3/apis/apps/v1?hash=" + hash());
}

TEST_F(OpenApiHttp, WhatTheClientHasIsNotSentAgain) {
  const auto answer = get("/openapi/v3/apis/apps/v1", {{"If-None-Match", "\"" + hash() + "\""}});
  EXPECT_EQ(answer.status, 304);
  EXPECT_EQ(answer.body.size(), 0u);
}

TEST_F(OpenApiHttp, RefusesWhatThereIsNot) {
  EXPECT_EQ(get("/openapi/v3/apis/apps/v2").status, 404);
  EXPECT_EQ(get("/openapi/v3x").status, 404);
  EXPECT_EQ(get("/openapi/v4").status, 404);
  EXPECT_EQ(
      get("/openapi/v3/api/v1", {{"Accept", "application/com.github.proto-openapi.spec.v3.v1.0+protobuf"}})
          .status,
      406);
}

}  // namespace
}  // namespace fairway::apiserver
