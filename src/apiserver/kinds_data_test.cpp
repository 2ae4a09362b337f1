#include "apiserver/kinds_test_support.hpp"

namespace fairway::apiserver::kinds {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kKeyProblem =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";

TEST(KindsConfigMap, KeysAndSizesAreChecked) {
  const Resource& kind = builtin("", "ConfigMap");
  EXPECT_THAT(create(kind, "data: {a.b-c_D: x}\nbinaryData: {bin: AAEC}").errors, IsEmpty());
  EXPECT_THAT(create(kind, "data: {a/b: x}").errors,
              ElementsAre(HasSubstr("data[a/b]: Invalid value: \"a/b\": " + std::string(kKeyProblem))));
  EXPECT_THAT(create(kind, "data: {'..': x}").errors,
              ElementsAre("data[..]: Invalid value: \"..\": must not be '..'"));
  EXPECT_THAT(create(kind, "data: {'..a': x}").errors,
              ElementsAre("data[..a]: Invalid value: \"..a\": must not start with '..'"));
  EXPECT_THAT(create(kind, "data: {a: x}\nbinaryData: {a: AAEC}").errors,
              ElementsAre("data[a]: Invalid value: \"a\": duplicate of key present in binaryData"));
  const std::string large(1024 * 1024, 'x');
  EXPECT_THAT(create(kind, "data: {a: " + large + "}").errors, IsEmpty());
  EXPECT_THAT(create(kind, "data: {a: " + large + ", b: z}").errors,
              ElementsAre(": Too long: may not be more than 1048576 bytes"));
}

TEST(KindsConfigMap, AnImmutableOneStaysAsItIs) {
  const Resource& kind = builtin("", "ConfigMap");
  const json::Object before = yaml("data: {a: x}\nimmutable: true");
  EXPECT_THAT(update(kind, before, yaml("metadata: {labels: {a: b}}\ndata: {a: x}\nimmutable: true")).errors,
              IsEmpty());
  EXPECT_THAT(update(kind, before, yaml("data: {a: z}\nimmutable: true")).errors,
              ElementsAre("data: Forbidden: field is immutable when `immutable` is set"));
  EXPECT_THAT(update(kind, before, yaml("data: {a: x}\nbinaryData: {b: AA==}")).errors,
              ElementsAre("immutable: Forbidden: field is immutable when `immutable` is set",
                          "binaryData: Forbidden: field is immutable when `immutable` is set"));
  EXPECT_THAT(update(kind, yaml("data: {a: x}"), yaml("data: {a: z}")).errors, IsEmpty());
}

TEST(KindsSecret, PlainTextIsMergedIntoDataAndDropped) {
  const Outcome made = create(builtin("", "Secret"), "data: {a: b2xk, b: a2VlcA==}\nstringData: {a: new}");
  EXPECT_THAT(made.errors, IsEmpty());
  EXPECT_EQ(made.get("data/a"), R"("bmV3")");
  EXPECT_EQ(made.get("data/b"), R"("a2VlcA==")");
  EXPECT_EQ(made.get("stringData"), "-");
  EXPECT_EQ(made.get("type"), R"("Opaque")");
  EXPECT_EQ(create(builtin("", "Secret"), "data: {a: \"a2Vl\\ncA==\"}").get("data/a"), R"("a2VlcA==")");
}

TEST(KindsSecret, EachTypeHasItsKeys) {
  const Resource& kind = builtin("", "Secret");
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases{
      {"type: kubernetes.io/tls\ndata: {tls.crt: AA==, tls.key: AA==}", {}},
      {"type: kubernetes.io/tls\ndata: {tls.crt: AA==}", {"data[tls.key]: Required value"}},
      {"type: kubernetes.io/basic-auth\ndata: {username: AA==}", {}},
      {"type: kubernetes.io/basic-auth",
       {"data[username]: Required value", "data[password]: Required value"}},
      {"type: kubernetes.io/ssh-auth\ndata: {ssh-privatekey: ''}", {"data[ssh-privatekey]: Required value"}},
      {"type: kubernetes.io/service-account-token",
       {"metadata.annotations[kubernetes.io/service-account.name]: Required value"}},
      {"type: kubernetes.io/service-account-token\nmetadata: {annotations: "
       "{kubernetes.io/service-account.name: x}}",
       {}},
      {"type: kubernetes.io/dockercfg", {"data[.dockercfg]: Required value"}},
      {"type: kubernetes.io/dockerconfigjson\nstringData: {.dockerconfigjson: '{\"auths\":{}}'}", {}},
      {"type: my.example.com/anything", {}},
  };
  for (const auto& [text, errors] : cases)
    EXPECT_THAT(create(kind, text).errors, testing::ElementsAreArray(errors)) << text;
  EXPECT_THAT(
      create(kind, "type: kubernetes.io/dockerconfigjson\nstringData: {.dockerconfigjson: secret}").errors,
      ElementsAre(HasSubstr("data[.dockerconfigjson]: Invalid value: \"<secret contents redacted>\"")));
}

TEST(KindsSecret, TypeAndFrozenDataCannotChange) {
  const Resource& kind = builtin("", "Secret");
  EXPECT_THAT(update(kind, yaml("type: Opaque"),
                     yaml("type: kubernetes.io/tls\ndata: {tls.crt: AA==, tls.key: AA==}"))
                  .errors,
              ElementsAre("type: Invalid value: \"kubernetes.io/tls\": field is immutable"));
  EXPECT_THAT(update(kind, yaml("type: Opaque\nimmutable: true\ndata: {a: AA==}"),
                     yaml("immutable: true\nstringData: {a: b}"))
                  .errors,
              ElementsAre("data: Forbidden: field is immutable when `immutable` is set"));
}

TEST(KindsSecret, TheLimitCountsBytesNotBase64) {
  // 4 characters of base64 are 3 bytes: a MiB of data is a MiB and a third of text.
  const std::string fits(1024 * 1024 / 3 * 4, 'A');
  EXPECT_THAT(create(builtin("", "Secret"), "data: {a: " + fits + "}").errors, IsEmpty());
  EXPECT_THAT(create(builtin("", "Secret"), "data: {a: " + fits + "AAAA}").errors,
              ElementsAre("data: Too long: may not be more than 1048576 bytes"));
}

TEST(KindsServiceAccount, OfSecretsOnlyTheNameIsKept) {
  const Outcome made =
      create(builtin("", "ServiceAccount"), "secrets: [{name: a, kind: Secret, namespace: other}]");
  EXPECT_EQ(made.get("secrets/0"), R"({"name":"a"})");
  const Outcome changed =
      update(builtin("", "ServiceAccount"), made.object, yaml("secrets: [{name: b, uid: x}]"));
  EXPECT_EQ(changed.get("secrets/0"), R"({"name":"b"})");
}

}  // namespace
}  // namespace fairway::apiserver::kinds
