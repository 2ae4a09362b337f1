// What is too much for the server is refused, and the server goes on.
#include <algorithm>
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

class Limits : public ContractTest {
 protected:
  Answer post_text(std::string body) {
    return api().send("POST", at("configmaps"), {{"Content-Type", "application/json"}}, std::move(body));
  }
};

CONTRACT(Limits, LargeBodies, "a body of more than 3 MiB is 413 RequestEntityTooLarge") {
  Value object = config_map("a");
  set(object, "/data/big", Value(std::string(4 * 1024 * 1024, 'x')));
  EXPECT_TRUE(refused(post_text(json::serialize(object)), 413, "RequestEntityTooLarge"));
  EXPECT_TRUE(answered(api().get(at("configmaps", "a")), 404));
}

CONTRACT(Limits, LargeConfigMaps, "a config map has at most 1 MiB of data") {
  Value object = config_map("a");
  set(object, "/data/big", Value(std::string(1024 * 1024 + 1, 'x')));
  const Answer made = post_text(json::serialize(object));
  EXPECT_TRUE(refused(made, 422, "Invalid", "1048576 bytes"));
}

CONTRACT(Limits, LargeSecrets, "a secret has at most 1 MiB of data") {
  Value object = secret("a");
  set(object, "/stringData/big", Value(std::string(1024 * 1024 + 1, 'x')));
  const Answer made = api().post(at("secrets"), object);
  EXPECT_TRUE(refused(made, 422, "Invalid", "1048576 bytes"));
  EXPECT_TRUE(has_cause(made, "FieldValueTooLong", "data"));
}

CONTRACT(Limits, DeepJson, "JSON that is nested too deeply is 400") {
  const std::string deep = std::string(20'000, '[') + std::string(20'000, ']');
  EXPECT_TRUE(
      refused(post_text(fmt::format(
                  R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"a"}},"x":{}}})", deep)),
              400, "BadRequest"));
  EXPECT_TRUE(answered(api().get("/version"), 200));
}

CONTRACT(Limits, InvalidUtf8, "text that is not UTF-8 is never stored as it came") {
  const Answer made = post_text(
      "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":"
      "\"\xff\xfe\"}}");
  // Go replaces it, others refuse it.
  if (made.status == 201) {
    EXPECT_TRUE(contains(made.text("/data/k"), "\xEF\xBF\xBD"));
  } else {
    EXPECT_TRUE(refused(made, 400, "BadRequest"));
  }
}

CONTRACT(Limits, NumbersOutOfRange, "a number that its field cannot hold is 400") {
  const Answer made = api().send("POST", at("deployments"), {{"Content-Type", "application/json"}},
                                 json::serialize(deployment("a", "{spec: {replicas: 99999999999}}")));
  EXPECT_TRUE(refused(made, 400, "BadRequest"));
}

CONTRACT(Limits, StrangePaths, "paths that mean nothing are 404, not a crash") {
  for (const char* path : {"/nosuch", "/api/v2", "/apis/a/b/c/d/e/f/g/h", "/api/v1/namespaces/x/y/z/a/b/c"}) {
    EXPECT_TRUE(answered(api().get(path), 404)) << path;
  }
}

CONTRACT(Limits, ManyObjects, "many objects come in pages, each once") {
  constexpr int kCount = 150;
  for (int i = 0; i < kCount; ++i) create("leases", lease(fmt::format("l{:04}", i)));
  std::string token;
  Names all;
  do {
    const Answer page = api().get(with(at("leases"), {{"limit", "20"}, {"continue", token}}));
    ASSERT_TRUE(answered(page, 200));
    const Names names = names_of(page.json);
    EXPECT_LE(names.size(), 20U);
    all.insert(all.end(), names.begin(), names.end());
    token = page.text("/metadata/continue");
  } while (token != "<absent>" && !token.empty());
  EXPECT_EQ(all.size(), static_cast<std::size_t>(kCount));
  EXPECT_TRUE(std::ranges::is_sorted(all));
}

}  // namespace
}  // namespace fairway::contract
