#include "http/accept.hpp"

#include <gtest/gtest.h>

namespace fairway::http {
namespace {

std::string best(std::string_view accept, std::vector<std::string_view> offered) {
  const auto ranges = parse_accept(accept);
  return ranges ? std::string(negotiate(*ranges, offered)) : "malformed: " + ranges.error().message;
}

TEST(Accept, Negotiation) {
  struct Case {
    std::string_view accept;
    std::vector<std::string_view> offered;
    std::string_view expected;
  };
  const std::vector<Case> cases{
      {"", {"application/json"}, "application/json"},
      {"*/*", {"application/json"}, "application/json"},
      {"application/*", {"application/json"}, "application/json"},
      {"text/html", {"application/json"}, ""},
      {"application/json;q=0", {"application/json"}, ""},
      {"application/json;q=0, */*", {"application/json"}, ""},
      {"*/*;q=0.1, application/yaml", {"application/json", "application/yaml"}, "application/yaml"},
      {"application/vnd.kubernetes.protobuf, application/json", {"application/json"}, "application/json"},
      {"application/json, application/yaml", {"application/yaml", "application/json"}, "application/yaml"},
      {"APPLICATION/JSON", {"application/json"}, "application/json"},
      {"application/json;charset=\"utf-8,x\"", {"application/json"}, "application/json"},
  };
  for (const Case& test : cases) EXPECT_EQ(best(test.accept, test.offered), test.expected) << test.accept;
}

TEST(Accept, ParametersAreKeptAndOrderIsByQuality) {
  const auto ranges = parse_accept(
      "application/json;q=0.5, application/json;as=Table;v=v1;g=meta.k8s.io, application/yaml;q=0.9");
  ASSERT_TRUE(ranges);
  ASSERT_EQ(ranges->size(), 3U);
  EXPECT_EQ((*ranges)[0].parameter("as"), "Table");
  EXPECT_EQ((*ranges)[0].parameter("v"), "v1");
  EXPECT_EQ((*ranges)[0].parameter("g"), "meta.k8s.io");
  EXPECT_EQ((*ranges)[1].subtype, "yaml");
  EXPECT_EQ((*ranges)[2].quality, 0.5);
}

TEST(Accept, MalformedHeadersAreRefused) {
  for (std::string_view text :
       {"application", "application/", "/json", "*/json", "a/b;q=2", "a/b;q=x", "a b/c"}) {
    EXPECT_FALSE(parse_accept(text)) << text;
  }
}

}  // namespace
}  // namespace fairway::http
