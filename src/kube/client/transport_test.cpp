// The whole way from a kubeconfig to an answer, over real TLS on the loopback.
#include "kube/client/transport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "http/certificates.hpp"
#include "http/test_server.hpp"
#include "kube/client/client.hpp"
#include "kube/client/testing/temp_dir.hpp"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using http::testing::TestServer;
using ::testing::HasSubstr;
using testing::TempDir;

struct Pki {
  http::KeyPair authority;
  http::KeyPair server;
  http::KeyPair client;

  static Pki make() {
    const WallTime start = SystemClock().now() - 1h;
    const WallTime end = start + 24h;
    Pki pki;
    pki.authority = *http::make_authority("test-ca", start, end);
    pki.server =
        *http::issue_certificate(pki.authority, {"server", {}, {"kube.test"}, {"127.0.0.1"}, start, end});
    pki.client = *http::issue_certificate(pki.authority, {"alice", {"system:masters"}, {}, {}, start, end});
    return pki;
  }
};

// Answers with who asked and what for.
Task<void> echo(const http::Request& request, http::ResponseWriter& writer) {
  json::Object answer;
  answer["who"] = request.peer.certificate ? request.peer.certificate->common_name : "";
  answer["authorization"] = std::string(request.headers.find("authorization").value_or(""));
  answer["target"] = request.target;
  return writer.send({200, {{"Content-Type", "application/json"}}, json::serialize(answer)});
}

struct TransportTest : ::testing::Test {
  const Pki pki = Pki::make();
  TestServer server{echo,
                    {},
                    *http::make_server_context(
                        {pki.server.certificate_pem, pki.server.key_pem, pki.authority.certificate_pem})};

  KubeconfigCluster cluster() const {
    return {.server = "https://127.0.0.1:" + std::to_string(server.port()) + "/clusters/hub",
            .certificate_authority_data = encode_base64(pki.authority.certificate_pem)};
  }
  Result<json::Object> ask(KubeconfigCluster cluster, KubeconfigUser user) {
    const Kubeconfig kubeconfig{.clusters = {{"c", std::move(cluster)}},
                                .users = {{"u", std::move(user)}},
                                .contexts = {{"x", {"c", "u"}}},
                                .current_context = "x"};
    FAIRWAY_TRY(const ClientConfig config, resolve_context(kubeconfig));
    FAIRWAY_TRY(auto transport, make_transport(server.loop.executor(), server.loop.clock(), config));
    Client client(transport, server.loop.clock(), config.server);
    return server.loop.block_on(client.get({{"", "v1", "pods"}, "ns", "p"}));
  }
};

TEST_F(TransportTest, AClientCertificateAndATokenReachTheServer) {
  const auto answer = ask(cluster(), {.client_certificate_data = encode_base64(pki.client.certificate_pem),
                                      .client_key_data = encode_base64(pki.client.key_pem),
                                      .token = "secret"});
  ASSERT_TRUE(answer) << answer.error().describe();
  EXPECT_EQ(json::get_string(*answer, {"who"}), "alice");
  EXPECT_EQ(json::get_string(*answer, {"authorization"}), "Bearer secret");
  EXPECT_EQ(json::get_string(*answer, {"target"}), "/clusters/hub/api/v1/namespaces/ns/pods/p");
}

TEST_F(TransportTest, CertificatesFromFilesAndAServerName) {
  TempDir dir;
  KubeconfigCluster named = cluster();
  named.certificate_authority_data.clear();
  named.certificate_authority = dir.write("ca.crt", pki.authority.certificate_pem);
  named.tls_server_name = "kube.test";
  const KubeconfigUser user{.client_certificate = dir.write("c.crt", pki.client.certificate_pem),
                            .client_key = dir.write("c.key", pki.client.key_pem)};
  const auto answer = ask(named, user);
  ASSERT_TRUE(answer) << answer.error().describe();
  EXPECT_EQ(json::get_string(*answer, {"who"}), "alice");
  named.tls_server_name = "other.test";
  EXPECT_FALSE(ask(named, user));
}

TEST_F(TransportTest, AnUnknownAuthorityIsRefusedUnlessTheUserSaysSo) {
  KubeconfigCluster other = cluster();
  other.certificate_authority_data = encode_base64(Pki::make().authority.certificate_pem);
  const auto refused = ask(other, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Forbidden) << refused.error().describe();
  other.certificate_authority_data.clear();
  other.insecure_skip_tls_verify = true;
  EXPECT_TRUE(ask(other, {}));
}

TEST_F(TransportTest, BadPemIsToldOfBeforeTheFirstRequest) {
  KubeconfigCluster broken = cluster();
  broken.certificate_authority_data = encode_base64("not a certificate");
  const auto refused = ask(broken, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().describe(), HasSubstr("TLS settings of the context \"x\""));
}

}  // namespace
}  // namespace fairway::kube
