// Case 62 and around it: a registry on loopback, signatures in a directory, and a gpgv that accepts every
// message which begins as a signed text does.
#include "clusterversion/release_retriever.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clusterversion/signature.hpp"
#include "http/test_server.hpp"
#include "kube/client/testing/temp_dir.hpp"
#include "oci/testing/archives.hpp"
#include "oci/testing/fake_registry.hpp"

namespace fairway::clusterversion {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class TrustingGpgv final : public Process {
 public:
  Result<ProcessResult> run(const Command& command) override {
    if (!command.input.starts_with('{')) return ProcessResult{.exit_code = 2};
    return ProcessResult{.output = command.input,
                         .error_output = "[GNUPG:] NEWSIG\n[GNUPG:] GOODSIG 1 a\n[GNUPG:] VALIDSIG 1\n"};
  }
};

std::string signed_text(std::string_view digest) {
  return R"({"critical": {"type": "atomic container signature", "identity": {"docker-reference": "r:1"},
             "image": {"docker-manifest-digest": ")" +
         std::string(digest) + R"("}}, "optional": {}})";
}

const std::string kMetadata = R"({"kind": "cincinnati-metadata-v0", "version": "4.7.4", "metadata": {}})";
const std::string kManifest = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n";

class ReleaseRetrieverTest : public ::testing::Test {
 protected:
  ReleaseRetrieverTest() {
    const auto made = oci::testing::make_image({oci::testing::make_tar(
        {{"release-manifests/release-metadata", kMetadata}, {"release-manifests/a.yaml", kManifest}})});
    registry.put("ns/release", "4.7.4", made);
    digest = made.digest().text();
    image = host() + "/ns/release@" + digest;
    std::filesystem::create_directories(temp.path("store"));
    temp.write("keyring", "not in armour");
  }

  Retrieval retrieve(RetrieveRelease asked) {
    PayloadSource payloads({.directory = directory, .plain_registries = {host()}}, server.loop.executor(),
                           server.loop.clock(), pool);
    http::Client client(server.loop.executor(), server.loop.clock(), {});
    ReleaseVerifier verifier({.keyring_file = temp.path("keyring")}, client, server.loop.clock(), pool, gpgv);
    ReleaseRetriever retriever(payloads, verifier, {temp.path("store")});
    auto outcome = server.loop.block_on(retriever.retrieve(std::move(asked)));
    EXPECT_TRUE(outcome) << outcome.error().describe();
    return outcome ? *std::move(outcome) : Retrieval{};
  }
  Retrieval retrieve(const std::string& pull_spec, bool force = false) {
    return retrieve({.wanted = {.target = {.version = "4.7.4", .image = pull_spec}, .force = force}});
  }
  static std::string failure(const Retrieval& retrieval) {
    if (!retrieval.failure) return "none";
    EXPECT_EQ(retrieval.payload, nullptr) << "what failed must not be applied";
    return retrieval.failure->step + ": " + retrieval.failure->text;
  }

  void sign(const std::string& store, std::string_view what) {
    temp.write(store + "/" + signature_path(what, 1), signed_text(what));
  }
  std::string host() const { return "127.0.0.1:" + std::to_string(server.port()); }

  Task<void> answer(const http::Request& request, http::ResponseWriter& writer) {
    requests.push_back(request.target);
    const oci::testing::Served served = registry.serve(
        {.method = request.method, .url = {.path = request.target}, .headers = request.headers});
    return writer.send({served.status, served.headers, served.body});
  }

  kube::testing::TempDir temp;
  std::string directory;
  std::string digest;
  std::string image;
  std::vector<std::string> requests;
  TrustingGpgv gpgv;
  async::WorkerPool pool{"retriever-test", 2};
  http::testing::TestServer server{
      [this](const http::Request& request, http::ResponseWriter& writer) { return answer(request, writer); }};
  oci::testing::FakeRegistry registry{server.loop.clock()};
};

TEST_F(ReleaseRetrieverTest, ASignedReleaseIsRetrievedAndVerified) {
  sign("store", digest);
  const Retrieval found = retrieve(image);
  ASSERT_EQ(failure(found), "none");
  ASSERT_NE(found.payload, nullptr);
  EXPECT_EQ(found.payload->release.version, "4.7.4");
  EXPECT_EQ(found.payload->digest, digest);
  EXPECT_TRUE(found.is_verified);
  EXPECT_EQ(found.verification, "");
}

TEST_F(ReleaseRetrieverTest, Case62AnUnsignedReleaseIsNotEvenLoaded) {
  EXPECT_THAT(failure(retrieve(image)),
              AllOf(StartsWith("RetrievePayload: Retrieving payload failed version=\"4.7.4\" image=\"" +
                               image + "\" failure=The update cannot be verified: "),
                    HasSubstr("there is no signature")));
  EXPECT_THAT(requests, IsEmpty());
}

TEST_F(ReleaseRetrieverTest, Case62ByForceItIsTakenAndTheDoubtsAreKept) {
  const Retrieval found = retrieve(image, true);
  ASSERT_EQ(failure(found), "none");
  ASSERT_NE(found.payload, nullptr);
  EXPECT_FALSE(found.is_verified);
  EXPECT_THAT(found.verification, HasSubstr("there is no signature"));
}

TEST_F(ReleaseRetrieverTest, AForcedReleaseThatIsSignedIsVerifiedAllTheSame) {
  sign("store", digest);
  const Retrieval found = retrieve(image, true);
  EXPECT_TRUE(found.is_verified);
  EXPECT_EQ(found.verification, "");
}

TEST_F(ReleaseRetrieverTest, ASignatureOfAnotherReleaseDoesNotCount) {
  temp.write("store/" + signature_path(digest, 1), signed_text("sha256:" + std::string(64, 'b')));
  EXPECT_THAT(failure(retrieve(image)), HasSubstr("The update cannot be verified: "));
}

TEST_F(ReleaseRetrieverTest, TheRunningReleaseIsTakenAsItIs) {
  const Retrieval found =
      retrieve({.wanted = {.target = {.version = "4.7.4", .image = image}}, .is_local = true});
  ASSERT_EQ(failure(found), "none");
  EXPECT_FALSE(found.is_verified) << "nobody looked";
  EXPECT_EQ(found.verification, "");
}

TEST_F(ReleaseRetrieverTest, ADirectoryProvesNothing) {
  sign("store", digest);
  directory = temp.path("releases");
  temp.write("releases/4.7.4/release-manifests/release-metadata", kMetadata);
  temp.write("releases/4.7.4/release-manifests/a.yaml", kManifest);
  EXPECT_THAT(failure(retrieve(image)), HasSubstr("what comes from a directory has no digest"));
  const Retrieval forced = retrieve(image, true);
  ASSERT_NE(forced.payload, nullptr);
  EXPECT_FALSE(forced.is_verified) << "the signature is of what the registry has";
  EXPECT_THAT(forced.verification, HasSubstr("what comes from a directory has no digest"));
  EXPECT_THAT(failure(retrieve(temp.path("releases/4.7.4"))), HasSubstr("has no digest"));
}

TEST_F(ReleaseRetrieverTest, WhatATagStandsForIsWhatHasToBeSigned) {
  const std::string by_tag = host() + "/ns/release:4.7.4";
  EXPECT_THAT(failure(retrieve(by_tag)), HasSubstr("there is no signature"));
  sign("store", digest);
  const Retrieval found = retrieve(by_tag);
  ASSERT_EQ(failure(found), "none");
  EXPECT_TRUE(found.is_verified);
  EXPECT_EQ(found.payload->digest, digest);
}

TEST_F(ReleaseRetrieverTest, TheStoresOfTheObjectReplaceThoseOfTheOperator) {
  sign("store", digest);
  std::filesystem::create_directories(temp.path("own"));
  RetrieveRelease asked{.wanted = {.target = {.version = "4.7.4", .image = image}},
                        .signature_stores = {temp.path("own")}};
  EXPECT_THAT(failure(retrieve(asked)),
              AllOf(HasSubstr(temp.path("own")), Not(HasSubstr(temp.path("store")))));
  sign("own", digest);
  EXPECT_TRUE(retrieve(asked).is_verified);
}

TEST_F(ReleaseRetrieverTest, ASignatureDoesNotReplaceTheRelease) {
  const std::string other = "sha256:" + std::string(64, 'c');
  sign("store", other);
  EXPECT_THAT(failure(retrieve(host() + "/ns/release@" + other)),
              AllOf(StartsWith("RetrievePayload: "), Not(HasSubstr("cannot be verified"))));
}

}  // namespace
}  // namespace fairway::clusterversion
