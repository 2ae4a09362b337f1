#include "clusterversion/payload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clusterversion/payload_manifests.hpp"
#include "kube/core/object.hpp"

namespace fairway::clusterversion {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kMetadata = R"({"kind": "cincinnati-metadata-v0", "version": "4.7.4", "previous": [],
  "metadata": {"url": "https://e/4.7.4", "io.openshift.upgrades.graph.release.channels": "stable-4.7,fast-4.7",
               "release.openshift.io/architecture": "multi"}})";

std::string config_map(const std::string& name, const std::string& annotations = "") {
  return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\n  namespace: ns\n" +
         (annotations.empty() ? "" : "  annotations: {" + annotations + "}\n");
}

PayloadFiles release(PayloadFiles files) {
  files.emplace("release-manifests/release-metadata", kMetadata);
  return files;
}

std::vector<std::string> names(const Result<Payload>& payload) {
  if (!payload) return {payload.error().describe()};
  std::vector<std::string> names;
  for (const PayloadManifest& manifest : payload->manifests)
    names.emplace_back(kube::name_of(manifest.object));
  return names;
}

std::string error_of(const PayloadFiles& files) {
  const auto payload = read_payload(files, {.version = "", .image = "i"});
  return payload ? "no error" : payload.error().describe();
}

TEST(Payload, DescribesItsRelease) {
  const auto payload =
      read_payload(release({{"manifests/a.yaml", config_map("a")}}), {.version = "", .image = "i@sha256:1"});
  ASSERT_TRUE(payload) << payload.error().describe();
  EXPECT_EQ(payload->release, (Release{.version = "4.7.4",
                                       .image = "i@sha256:1",
                                       .url = "https://e/4.7.4",
                                       .channels = {"fast-4.7", "stable-4.7"},
                                       .architecture = "Multi"}));
}

TEST(Payload, TakesItsVersionFromWhatThereIs) {
  const std::string references = R"({"kind": "ImageStream", "metadata": {"name": "4.7.5"}})";
  PayloadFiles files{{"a.yaml", config_map("a")}};
  EXPECT_THAT(error_of(files), HasSubstr("expected \"release-metadata\" or \"image-references\""));
  EXPECT_EQ(read_payload(files, {}, {.fallback_version = "4.7.6"})->release.version, "4.7.6");
  files["release-manifests/image-references"] = references;
  EXPECT_EQ(read_payload(files, {}, {.fallback_version = "4.7.6"})->release.version, "4.7.5");
  EXPECT_EQ(read_payload(release(files), {})->release.version, "4.7.4");
  files["release-manifests/image-references"] = "{}";
  EXPECT_THAT(error_of(files), HasSubstr("expected the version as metadata.name"));
  files["release-manifests/release-metadata"] = R"({"kind": "other"})";
  EXPECT_THAT(error_of(files), HasSubstr("cincinnati-metadata-v0")) << "a wrong one is not passed over";
}

TEST(Payload, IsInTheOrderOfFileNamesWhateverTheFolder) {
  const auto payload =
      read_payload(release({{"release-manifests/0000_10_b.yaml",
                             config_map("b1") + "---\n# nothing\n---\n" + config_map("b2")},
                            {"release-manifests/0000_10_B.yaml", config_map("capital")},
                            {"manifests/0000_05_a.yml", config_map("a")},
                            {"manifests/0000_20_c.json", R"({"apiVersion": "v1", "kind": "List", "items": [
                  {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "c1"}},
                  {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "c2"}}]})"},
                            {"manifests/0000_20_c.json.orig", "{"},
                            {"manifests/deeper/0000_01_x.yaml", "{"},
                            {"release-manifests/0000_20_c.json",
                             R"({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "d"}})"}}),
                   {});
  EXPECT_THAT(names(payload), ElementsAre("a", "capital", "b1", "b2", "c1", "c2", "d"));
}

TEST(Payload, LeavesOutWhatIsForOtherProfilesAndFeatureSets) {
  const auto payload = read_payload(
      release(
          {{"manifests/1.yaml", config_map("for-all")},
           {"manifests/2.yaml",
            config_map("ours", "include.release.openshift.io/self-managed-high-availability: 'true'")},
           {"manifests/3.yaml",
            config_map("theirs", "include.release.openshift.io/ibm-cloud-managed: 'true'")},
           {"manifests/4.yaml",
            config_map("refused", "include.release.openshift.io/self-managed-high-availability: 'false'")},
           {"manifests/5.yaml",
            config_map("preview", "release.openshift.io/feature-set: TechPreviewNoUpgrade")},
           {"manifests/6.yaml",
            config_map("default", "release.openshift.io/feature-set: 'TechPreviewNoUpgrade, Default'")}}),
      {});
  EXPECT_THAT(names(payload), ElementsAre("for-all", "ours", "default"));
  EXPECT_THAT(names(read_payload(
                  release({{"manifests/3.yaml",
                            config_map("theirs", "include.release.openshift.io/ibm-cloud-managed: 'true'")}}),
                  {}, {.profile = "ibm-cloud-managed"})),
              ElementsAre("theirs"));
}

TEST(Payload, MarksWhatIsToBeDeleted) {
  const auto payload =
      read_payload(release({{"1.yaml", config_map("old", "release.openshift.io/delete: 'true'")},
                            {"2.yaml", config_map("kept", "release.openshift.io/delete: 'false'")}}),
                   {});
  ASSERT_TRUE(payload);
  EXPECT_TRUE(payload->manifests[0].is_deletion);
  EXPECT_FALSE(payload->manifests[1].is_deletion);
}

TEST(Payload, FillsInTheReleaseThatItIs) {
  const auto payload = read_payload(
      release({{"1.yaml",
                config_map("a") + "data: {image: '{{.ReleaseImage}}', profile: '{{ .ClusterProfile }}'}\n"}}),
      {.version = "", .image = "quay/x@sha256:1"});
  ASSERT_TRUE(payload) << payload.error().describe();
  EXPECT_EQ(json::get_string(payload->manifests[0].object, {"data", "image"}), "quay/x@sha256:1");
  EXPECT_EQ(json::get_string(payload->manifests[0].object, {"data", "profile"}),
            "self-managed-high-availability");
}

TEST(Payload, IsRefusedWholeAndSaysWhichFileIsWrong) {
  const std::string remedy = "have the release built again";
  const std::pair<const char*, const char*> cases[] = {
      {"a: [", "while reading \"manifests/2.yaml\": "},
      {"- a\n", "while reading \"manifests/2.yaml\": expected an object, found an array"},
      {"apiVersion: v1\nkind: ConfigMap\n",
       "while reading \"manifests/2.yaml\": expected metadata.name, found none"},
      {"kind: ConfigMap\nmetadata: {name: a}\n",
       "while reading \"manifests/2.yaml\": expected apiVersion, found none"},
      {"apiVersion: v1\nmetadata: {name: a}\n", "expected kind, found none"},
      {"apiVersion: a/b/c\nkind: X\nmetadata: {name: a}\n", "a/b/c"},
      {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: X\n",
       "in document 2 of \"manifests/2.yaml\": expected metadata.name, found none"},
      {"apiVersion: v1\nkind: List\nitems: {}\n", "expected items to be a list, found an object"},
      {"apiVersion: v1\nkind: List\nitems: [1]\n", "expected an object in items, found an integer"},
  };
  for (const auto& [text, message] : cases) {
    const std::string error =
        error_of(release({{"manifests/1.yaml", config_map("a")}, {"manifests/2.yaml", text}}));
    EXPECT_THAT(error, HasSubstr(message)) << text;
    EXPECT_THAT(error, HasSubstr(remedy)) << text;
  }
  EXPECT_THAT(error_of(release({{"manifests/1.yaml", "a: b\n  c: d\n"}})), HasSubstr("line 2"));
  EXPECT_THAT(error_of(release({})), HasSubstr("expected manifests"));
}

TEST(Payload, HasAHashThatFollowsItsManifests) {
  const auto hash = [](const PayloadFiles& files) { return read_payload(release(files), {})->hash; };
  const std::string one = hash({{"1.yaml", config_map("a")}});
  EXPECT_EQ(one, hash({{"2.yaml", config_map("a") + "# a comment\n"}}));
  EXPECT_NE(one, hash({{"1.yaml", config_map("b")}}));
  EXPECT_EQ(one.size(), 12U);
  EXPECT_EQ(hash_of({}), "y_Kc5IQiIyU=") << "FNV-1a's offset basis";
}

TEST(LoadPayload, TellsTheStepsApart) {  // case 64 and 3.2
  const Release wanted{.version = "4.7.4", .image = "i@sha256:1"};
  const auto good = release({{"1.yaml", config_map("a")}});
  EXPECT_TRUE(load_payload(good, wanted, {}));
  EXPECT_TRUE(load_payload(good, {.version = "", .image = "i"}, {}));
  EXPECT_EQ(
      load_payload(good, {.version = "4.7.5", .image = "i"}, {}).error(),
      (PayloadFailure{"VerifyPayloadVersion",
                      "release image version 4.7.4 does not match the expected upstream version 4.7.5"}));
  const auto broken = load_payload(release({{"1.yaml", "["}}), wanted, {});
  EXPECT_EQ(broken.error().step, "LoadPayload");
  EXPECT_THAT(
      broken.error().text,
      HasSubstr(
          "Loading payload failed version=\"4.7.4\" image=\"i@sha256:1\" failure=while reading \"1.yaml\""));
  EXPECT_EQ(
      retrieval_failure(wanted, "no route"),
      (PayloadFailure{"RetrievePayload",
                      "Retrieving payload failed version=\"4.7.4\" image=\"i@sha256:1\" failure=no route"}));
  EXPECT_EQ(
      verification_failure(wanted, "verification is not possible"),  // case 62
      (PayloadFailure{"RetrievePayload",
                      "Retrieving payload failed version=\"4.7.4\" image=\"i@sha256:1\" failure=The update "
                      "cannot be verified: verification is not possible"}));
}

TEST(IsOverridden, ByGroupKindNamespaceAndName) {
  const auto payload = read_payload(
      release({{"1.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, namespace: ns}\n"}}),
      {});
  ASSERT_TRUE(payload);
  const Override rule{
      .kind = "Deployment", .group = "apps", .namespace_ = "ns", .name = "a", .unmanaged = true};
  const auto is_hit = [&](Override given) {
    return is_overridden(payload->manifests[0], std::vector{given});
  };
  EXPECT_TRUE(is_hit(rule));
  for (auto change :
       {+[](Override& other) { other.kind = "DaemonSet"; }, +[](Override& other) { other.group = ""; },
        +[](Override& other) { other.namespace_ = ""; }, +[](Override& other) { other.name = "b"; },
        +[](Override& other) { other.unmanaged = false; }}) {
    Override other = rule;
    change(other);
    EXPECT_FALSE(is_hit(other));
  }
}

}  // namespace
}  // namespace fairway::clusterversion
