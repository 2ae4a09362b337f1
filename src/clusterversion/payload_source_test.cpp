#include "clusterversion/payload_source.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/event_loop.hpp"
#include "async/files.hpp"
#include "base/text.hpp"
#include "http/test_server.hpp"
#include "kube/client/testing/temp_dir.hpp"
#include "kube/core/object.hpp"
#include "oci/layout.hpp"
#include "oci/testing/archives.hpp"
#include "oci/testing/fake_registry.hpp"

namespace fairway::clusterversion {
namespace {

using kube::testing::TempDir;
using oci::testing::TarEntry;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string metadata(const std::string& version) {
  return R"({"kind": "cincinnati-metadata-v0", "version": ")" + version + R"(", "metadata": {}})";
}

std::string namespace_named(const std::string& name) {
  return "apiVersion: v1\nkind: Namespace\nmetadata: {name: " + name + "}\n";
}

std::vector<std::string> names(const PayloadOutcome& payload) {
  if (!payload) return {payload.error().text};
  std::vector<std::string> names;
  for (const PayloadManifest& manifest : payload->manifests)
    names.emplace_back(kube::name_of(manifest.object));
  return names;
}

// A registry that serves over plain HTTP on a free port, and a source on the same loop.
class PayloadSourceTest : public ::testing::Test {
 protected:
  PayloadOutcome load(const Release& wanted, PayloadSettings settings = {}) {
    settings.plain_registries.push_back(host());
    settings.directory = directory;
    PayloadSource source(std::move(settings), server.loop.executor(), server.loop.clock(), pool);
    auto outcome = server.loop.block_on(source.load(wanted));
    EXPECT_TRUE(outcome) << outcome.error().describe();
    return outcome ? *std::move(outcome) : PayloadOutcome(std::unexpected(PayloadFailure{}));
  }

  PayloadFailure failure(const Release& wanted, PayloadSettings settings = {}) {
    const auto outcome = load(wanted, std::move(settings));
    return outcome ? PayloadFailure{"none", "it was loaded"} : outcome.error();
  }

  std::string host() const { return "127.0.0.1:" + std::to_string(server.port()); }

  // The pull specification, by digest.
  std::string put(const std::vector<std::vector<TarEntry>>& layers) {
    std::vector<std::string> archives;
    archives.reserve(layers.size());
    for (const auto& entries : layers) archives.push_back(oci::testing::make_tar(entries));
    return put(oci::testing::make_image(archives));
  }
  std::string put(const oci::testing::TestImage& image) {
    registry.put("ns/release", "tag", image);
    return host() + "/ns/release@" + image.digest().text();
  }

  Task<void> answer(const http::Request& request, http::ResponseWriter& writer) {
    requests.push_back(request.target);
    const oci::testing::Served served = registry.serve(
        {.method = request.method, .url = {.path = request.target}, .headers = request.headers});
    return writer.send({served.status, served.headers, served.body});
  }

  TempDir temp;
  std::string directory;
  std::vector<std::string> requests;
  async::WorkerPool pool{"payload-test", 2};
  http::testing::TestServer server{
      [this](const http::Request& request, http::ResponseWriter& writer) { return answer(request, writer); }};
  oci::testing::FakeRegistry registry{server.loop.clock()};
};

TEST_F(PayloadSourceTest, ReadsAnImageOfARegistry) {
  const std::string image = put({{{"release-manifests/release-metadata", metadata("4.7.4")},
                                  {"release-manifests/0000_10_a.yaml", namespace_named("below")},
                                  {"release-manifests/0000_20_b.yaml", namespace_named("b")},
                                  {"release-manifests/deeper/x.yaml", "{"},
                                  {"usr/bin/release-metadata", "{"},
                                  {"0000_01_x.yaml", "{"}},
                                 {{"release-manifests/0000_10_a.yaml", namespace_named("above")},
                                  {"manifests/0000_05_c.yaml", namespace_named("c")}}});
  const auto payload = load({.version = "4.7.4", .image = image});
  ASSERT_TRUE(payload) << payload.error().text;
  EXPECT_EQ(payload->release.version, "4.7.4");
  EXPECT_EQ(payload->release.image, image);
  EXPECT_EQ(payload->digest, image.substr(image.find('@') + 1));
  EXPECT_THAT(names(payload), ElementsAre("c", "above", "b"));
}

TEST_F(PayloadSourceTest, TakesTheImageOfThisArchitecture) {
  const auto image_for = [](const std::string& architecture) {
    return oci::testing::make_image(
        {oci::testing::make_tar({{"release-manifests/release-metadata", metadata("4.7.4")},
                                 {"release-manifests/a.yaml", namespace_named(architecture)}})},
        oci::testing::Flavour::Oci, architecture);
  };
  const std::string image =
      put(oci::testing::make_index({image_for("arm64"), image_for("amd64"), image_for("s390x")}));
  for (const std::string architecture : {"amd64", "arm64"}) {
    const auto payload = load({.version = "", .image = image}, {.architecture = architecture});
    ASSERT_TRUE(payload) << payload.error().text;
    EXPECT_THAT(names(payload), ElementsAre(architecture));
    EXPECT_EQ(payload->digest, image.substr(image.find('@') + 1)) << "that of the index, which is signed";
  }
  EXPECT_THAT(failure({.version = "", .image = image}, {.architecture = "ppc64le"}).text,
              HasSubstr("ppc64le"));
}

TEST_F(PayloadSourceTest, ReadsAnImageOfALayout) {
  const std::string metadata_text = metadata("4.7.4");
  const std::string manifest = namespace_named("of-the-layout");
  const std::vector<oci::PackedFile> files = {{"release-manifests/release-metadata", metadata_text},
                                              {"release-manifests/a.yaml", manifest}};
  const auto packed = oci::pack_image("4.7.4", files, {.os = "linux", .architecture = "amd64"});
  ASSERT_TRUE(packed) << packed.error().describe();
  const std::string image = "nowhere.example/ns/release@" + packed->digest().text();
  for (const std::string below : {"", "/4.7.4"}) {
    directory = temp.path("layouts" + replace_all(below, "/", "-"));
    ASSERT_TRUE(oci::write_layout(directory + below, {&*packed, 1}));
    const auto payload = load({.version = "4.7.4", .image = image});
    ASSERT_TRUE(payload) << payload.error().text;
    EXPECT_THAT(names(payload), ElementsAre("of-the-layout"));
    EXPECT_EQ(payload->digest, packed->digest().text()) << "proven, as a registry's is";
  }
  EXPECT_THAT(requests, ElementsAre()) << "nobody was asked";
  const std::string other = put({{{"release-manifests/release-metadata", metadata("4.7.4")},
                                  {"release-manifests/a.yaml", namespace_named("of-the-registry")}}});
  EXPECT_THAT(names(load({.version = "4.7.4", .image = other})), ElementsAre("of-the-registry"))
      << "what a layout does not have is asked of the registry";
}

TEST_F(PayloadSourceTest, ALayoutMustHaveWhatItsDigestsSay) {
  const std::vector<oci::PackedFile> files = {{"release-manifests/a.yaml", "x"}};
  const auto packed = oci::pack_image("4.7.4", files, {.os = "linux", .architecture = "amd64"});
  directory = temp.path("layout");
  ASSERT_TRUE(oci::write_layout(directory, {&*packed, 1}));
  for (const std::string& blob : {packed->blobs.back(), packed->manifest}) {
    ASSERT_TRUE(
        replace_file(directory + "/blobs/sha256/" + std::string(oci::Digest::of(blob).hex()), blob + " "));
    EXPECT_EQ(failure({.version = "4.7.4", .image = "nowhere.example/r@" + packed->digest().text()}).step,
              "RetrievePayload");
  }
}

TEST_F(PayloadSourceTest, TellsTheStepsApart) {  // cases 62 and 64, and decisions: nothing to be had
  const std::string image = put({{{"release-manifests/release-metadata", metadata("4.7.4")},
                                  {"release-manifests/a.yaml", namespace_named("a")}}});
  EXPECT_EQ(failure({.version = "4.7.5", .image = image}).step, "VerifyPayloadVersion");
  const std::string broken = put(
      {{{"release-manifests/release-metadata", metadata("4.7.4")}, {"release-manifests/a.yaml", "a: [\n"}}});
  const auto unreadable = failure({.version = "4.7.4", .image = broken});
  EXPECT_EQ(unreadable.step, "LoadPayload");
  EXPECT_THAT(unreadable.text, HasSubstr("release-manifests/a.yaml"));
  EXPECT_EQ(failure({.version = "4.7.4", .image = put({{{"etc/passwd", ""}}})}).step, "LoadPayload");

  const std::string nowhere = host() + "/ns/other@sha256:" + std::string(64, 'a');
  const auto missing = failure({.version = "4.7.4", .image = nowhere});
  EXPECT_EQ(missing.step, "RetrievePayload");
  EXPECT_THAT(missing.text,
              HasSubstr("Retrieving payload failed version=\"4.7.4\" image=\"" + nowhere + "\" failure="));
  EXPECT_EQ(failure({.version = "4.7.4", .image = "no image at all"}).step, "RetrievePayload");
  EXPECT_EQ(failure({.version = "4.7.4", .image = ""}).step, "RetrievePayload");
}

TEST_F(PayloadSourceTest, RefusesAnImageThatIsNotWhatItsDigestSays) {
  auto image =
      oci::testing::make_image({oci::testing::make_tar({{"manifests/a.yaml", namespace_named("a")}})});
  for (auto& [digest, bytes] : image.blobs) bytes[bytes.size() / 2] ^= 1;
  const auto changed = load({.version = "4.7.4", .image = put(image)});
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().step, "RetrievePayload");
}

TEST_F(PayloadSourceTest, ADirectoryGoesBeforeTheRegistry) {
  directory = temp.path("releases");
  temp.write("releases/4.7.4/release-manifests/release-metadata", metadata("4.7.4"));
  temp.write("releases/4.7.4/release-manifests/b.yaml", namespace_named("b"));
  temp.write("releases/4.7.4/manifests/a.yaml", namespace_named("a"));
  temp.write("releases/4.7.4/not-a-folder-of-the-release.yaml", "{");
  temp.write("releases/4.7.5/only.yaml", namespace_named("only"));
  const Release wanted{.version = "4.7.4", .image = host() + "/ns/release@sha256:" + std::string(64, 'a')};
  const auto payload = load(wanted);
  ASSERT_TRUE(payload) << payload.error().text;
  EXPECT_THAT(names(payload), ElementsAre("a", "b"));
  EXPECT_EQ(payload->release.image, wanted.image);
  EXPECT_EQ(payload->digest, "") << "a directory proves nothing";
  EXPECT_TRUE(requests.empty());

  const auto by_name = load({.version = "4.7.5", .image = wanted.image});
  ASSERT_TRUE(by_name) << by_name.error().text;
  EXPECT_EQ(by_name->release.version, "4.7.5");

  EXPECT_EQ(failure({.version = "4.7.6", .image = wanted.image}).step, "RetrievePayload");
  EXPECT_FALSE(requests.empty()) << "what the directory does not have is asked of the registry";
}

TEST_F(PayloadSourceTest, ADirectoryMayBeThePayloadItself) {
  directory = temp.path("release");
  temp.write("release/release-metadata", metadata("4.7.4"));
  temp.write("release/0000_1.yaml", namespace_named("a"));
  EXPECT_THAT(names(load({.version = "4.7.4", .image = "x/y@sha256:1"})), ElementsAre("a"));
  EXPECT_EQ(failure({.version = "4.7.5", .image = "x/y@sha256:1"}).step, "VerifyPayloadVersion");
  const std::string path = std::exchange(directory, "");
  EXPECT_THAT(names(load({.version = "", .image = path})), ElementsAre("a"));
  EXPECT_THAT(names(load({.version = "", .image = "file://" + path})), ElementsAre("a"));
  EXPECT_THAT(failure({.version = "", .image = path + "/none"}).text, HasSubstr("expected a directory"));
}

TEST_F(PayloadSourceTest, AVersionCannotLeadOutOfTheDirectory) {
  temp.write("secret/a.yaml", namespace_named("secret"));
  std::filesystem::create_directories(temp.path("releases"));
  EXPECT_EQ(find_payload_directory(temp.path("releases"), {.version = "../secret", .image = ""}), "");
  EXPECT_EQ(find_payload_directory("", {.version = "4.7.4", .image = ""}), "");
}

TEST_F(PayloadSourceTest, LimitsWhatItReads) {
  directory = temp.path("release");
  temp.write("release/release-metadata", metadata("4.7.4"));
  temp.write("release/a.yaml", std::string(kMostPayloadFileBytes + 1, '#'));
  const auto refused = failure({.version = "4.7.4", .image = "x/y@sha256:1"});
  EXPECT_EQ(refused.step, "RetrievePayload");
  EXPECT_THAT(refused.text, HasSubstr("at most 16777216 bytes"));
}

}  // namespace
}  // namespace fairway::clusterversion
