#include "apiserver/pki.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apiserver/pki_files.hpp"
#include "base/text.hpp"
#include "http/tls.hpp"
#include "json/yaml.hpp"

namespace fairway::apiserver {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class PkiTest : public testing::Test {
 protected:
  PkiTest() {
    std::string pattern = testing::TempDir() + "pki-XXXXXX";
    root_ = ::mkdtemp(pattern.data());
    options_.directory = root_ + "/pki";
    options_.dns_names = {"localhost"};
    options_.ip_addresses = {"127.0.0.1", "::1"};
  }
  ~PkiTest() override { std::filesystem::remove_all(root_); }

  std::string file(const std::string& name) const { return options_.directory + "/" + name; }
  mode_t mode_of(const std::string& path) const {
    struct stat found{};
    return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 0777 : 0;
  }
  void put(const std::string& name, std::string_view text) { std::ofstream(file(name)) << text; }
  Pki load() {
    auto pki = load_pki(options_, clock_);
    EXPECT_TRUE(pki) << (pki ? "" : pki.error().describe());
    return pki ? *pki : Pki{};
  }

  std::string root_;
  PkiOptions options_;
  ManualClock clock_;
};

TEST_F(PkiTest, TheFirstStartMakesEverythingPrivate) {
  const Pki pki = load();
  EXPECT_EQ(http::names_of(pki.server.certificate_pem),
            (std::vector<std::string>{"127.0.0.1", "::1", "localhost"}));
  EXPECT_EQ(http::is_issued_by(pki.server.certificate_pem, pki.authority.certificate_pem), true);
  EXPECT_EQ(http::is_issued_by(pki.admin.certificate_pem, pki.authority.certificate_pem), true);
  EXPECT_TRUE(http::make_server_context(
      {pki.server.certificate_pem, pki.server.key_pem, pki.authority.certificate_pem}));
  EXPECT_EQ(mode_of(options_.directory), 0700U);
  for (const auto* name : {"ca.crt", "ca.key", "apiserver.crt", "apiserver.key", "admin.crt", "admin.key"}) {
    EXPECT_EQ(mode_of(file(name)), 0600U) << name;
  }
  EXPECT_EQ(pki.renew_at, clock_.now() + 335 * 24h);
}

TEST_F(PkiTest, LaterStartsReadWhatIsThere) {
  const Pki first = load();
  clock_.advance(300 * 24h);
  const Pki second = load();
  EXPECT_EQ(second.authority.certificate_pem, first.authority.certificate_pem);
  EXPECT_EQ(second.server.certificate_pem, first.server.certificate_pem);
  EXPECT_EQ(second.admin.key_pem, first.admin.key_pem);
  EXPECT_EQ(second.renew_at, first.renew_at);
}

TEST_F(PkiTest, CertificatesAreRenewedAMonthAhead) {
  const Pki first = load();
  clock_.advance(first.renew_at - clock_.now() - 1s);
  EXPECT_EQ(load().server.certificate_pem, first.server.certificate_pem);
  clock_.advance(1s);
  const Pki renewed = load();
  EXPECT_NE(renewed.server.certificate_pem, first.server.certificate_pem);
  EXPECT_NE(renewed.admin.certificate_pem, first.admin.certificate_pem);
  EXPECT_EQ(renewed.authority.certificate_pem, first.authority.certificate_pem);
  EXPECT_EQ(http::expiry_of(renewed.server.certificate_pem), clock_.now() + 365 * 24h);
}

TEST_F(PkiTest, NewNamesMakeANewServerCertificate) {
  const Pki first = load();
  options_.ip_addresses = {"0:0:0:0:0:0:0:1", "127.0.0.1"};  // the same, in other words
  EXPECT_EQ(load().server.certificate_pem, first.server.certificate_pem);
  options_.dns_names.emplace_back("fairway.example.com");
  const Pki second = load();
  EXPECT_NE(second.server.certificate_pem, first.server.certificate_pem);
  EXPECT_EQ(second.admin.certificate_pem, first.admin.certificate_pem);
}

TEST_F(PkiTest, DamagedCertificatesAreMadeAgain) {
  const Pki first = load();
  put("apiserver.crt", "rubbish");
  std::filesystem::remove(file("admin.key"));
  const Pki second = load();
  EXPECT_TRUE(http::make_server_context({second.server.certificate_pem, second.server.key_pem, ""}));
  EXPECT_TRUE(http::make_server_context({second.admin.certificate_pem, second.admin.key_pem, ""}));
}

TEST_F(PkiTest, ANewAuthorityMakesNewCertificates) {
  const Pki first = load();
  std::filesystem::remove(file("ca.crt"));
  std::filesystem::remove(file("ca.key"));
  const Pki second = load();
  EXPECT_EQ(http::is_issued_by(second.server.certificate_pem, second.authority.certificate_pem), true);
  EXPECT_NE(second.authority.certificate_pem, first.authority.certificate_pem);
}

TEST_F(PkiTest, HalfAnAuthorityIsAnErrorWithARemedy) {
  load();
  std::filesystem::remove(file("ca.crt"));
  const auto half = load_pki(options_, clock_);
  ASSERT_FALSE(half);
  EXPECT_THAT(half.error().describe(), HasSubstr(file("ca.crt")));
  EXPECT_THAT(half.error().describe(), HasSubstr("restore it from a backup"));
}

TEST_F(PkiTest, AKeyOfAnotherAuthorityIsAnError) {
  load();
  const auto other = http::make_authority("other", clock_.now(), clock_.now() + 1h);
  put("ca.key", other->key_pem);
  const auto mixed = load_pki(options_, clock_);
  ASSERT_FALSE(mixed);
  EXPECT_THAT(mixed.error().describe(), HasSubstr("ca.key"));
  EXPECT_THAT(mixed.error().describe(), HasSubstr("restore both from one backup"));
}

TEST_F(PkiTest, AnExpiredAuthorityIsAnErrorWithARemedy) {
  const Pki first = load();
  clock_.advance(9 * 365 * 24h + 200 * 24h);
  // Nothing lives longer than what signed it, and it is not made again and again for that.
  const Pki late = load();
  EXPECT_EQ(http::expiry_of(late.server.certificate_pem), http::expiry_of(first.authority.certificate_pem));
  clock_.advance(150 * 24h);
  EXPECT_EQ(load().server.certificate_pem, late.server.certificate_pem);
  EXPECT_EQ(load().renew_at, *http::expiry_of(first.authority.certificate_pem));
  clock_.advance(30 * 24h);
  const auto expired = load_pki(options_, clock_);
  ASSERT_FALSE(expired);
  EXPECT_THAT(expired.error().describe(), HasSubstr("expired at"));
  EXPECT_THAT(expired.error().describe(), HasSubstr("remove"));
}

TEST_F(PkiTest, OpenFilesAreClosedToOthers) {
  load();
  ASSERT_EQ(::chmod(file("ca.key").c_str(), 0644), 0);
  ASSERT_EQ(::chmod(options_.directory.c_str(), 0755), 0);
  load();
  EXPECT_EQ(mode_of(file("ca.key")), 0600U);
  EXPECT_EQ(mode_of(options_.directory), 0700U);
}

TEST_F(PkiTest, WhatIsNotAFileIsAnError) {
  std::filesystem::create_directories(file("ca.crt"));
  const auto wrong = load_pki(options_, clock_);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().describe(), HasSubstr("ca.crt"));
}

// Every point at which a process can end while it replaces a pair.
TEST_F(PkiTest, APairIsWholeAfterACrash) {
  const Pki first = load();
  const PairFiles files = pair_files(options_.directory, "apiserver");
  const auto next =
      http::issue_certificate(first.authority, {"next", {}, {}, {}, clock_.now(), clock_.now() + 1h});
  ASSERT_TRUE(next);
  const auto whole = [&] {
    const auto found = read_pair(files);
    return found && found->certificate && found->key &&
           http::make_server_context({*found->certificate, *found->key, ""});
  };
  put("apiserver.key.new", next->key_pem.substr(0, 10));
  EXPECT_TRUE(whole()) << "while the new key is written";
  put("apiserver.key.new", next->key_pem);
  put("apiserver.crt.new", next->certificate_pem.substr(0, 10));
  EXPECT_TRUE(whole()) << "while the new certificate is written";
  EXPECT_FALSE(std::filesystem::exists(file("apiserver.crt.new")));
  put("apiserver.key", next->key_pem);
  put("apiserver.crt.new", next->certificate_pem);
  EXPECT_TRUE(whole()) << "after the new key took its place";
  EXPECT_EQ(*read_pair(files)->certificate, next->certificate_pem);
}

TEST_F(PkiTest, ClientsGetCertificatesOfTheirOwn) {
  const Pki pki = load();
  const auto client = issue_client_certificate(pki.authority, "jane", {"dev"}, clock_.now());
  ASSERT_TRUE(client);
  EXPECT_EQ(http::is_issued_by(client->certificate_pem, pki.authority.certificate_pem), true);
}

TEST(Kubeconfig, HasAContextForEachClusterTheHubFirst) {
  KubeconfigRequest request;
  request.server_url = "https://127.0.0.1:6443";
  request.ca_pem = "CA";
  request.certificate_pem = "CERT";
  request.key_pem = "KEY";
  request.clusters = {"edge-1", "hub", "edge-2"};
  const auto config = json::parse_yaml(kubeconfig_for(request));
  ASSERT_TRUE(config);
  const json::Object& root = config->get_object();
  EXPECT_EQ(json::get_string(root, {"current-context"}), "hub");
  const json::Array& contexts = *json::get_array(root, {"contexts"});
  const json::Array& clusters = *json::get_array(root, {"clusters"});
  ASSERT_EQ(contexts.size(), 3U);
  EXPECT_EQ(json::get_string(contexts[0].get_object(), {"name"}), "hub");
  EXPECT_EQ(json::get_string(contexts[1].get_object(), {"context", "cluster"}), "edge-1");
  EXPECT_EQ(json::get_string(clusters[2].get_object(), {"cluster", "server"}),
            "https://127.0.0.1:6443/clusters/edge-2");
  EXPECT_EQ(json::get_string(clusters[0].get_object(), {"cluster", "certificate-authority-data"}),
            encode_base64("CA"));
  const json::Object& user = root.at("users").get_array()[0].get_object();
  EXPECT_EQ(json::get_string(user, {"name"}), "fairway-admin");
  EXPECT_EQ(json::get_string(user, {"user", "client-certificate-data"}), encode_base64("CERT"));
  EXPECT_EQ(json::get_string(user, {"user", "client-key-data"}), encode_base64("KEY"));
}

TEST(Kubeconfig, ATokenServesAsWell) {
  KubeconfigRequest request;
  request.server_url = "https://h:1";
  request.user = "agent";
  request.token = "t";
  request.clusters = {"edge"};
  const auto config = json::parse_yaml(kubeconfig_for(request));
  const json::Object& user = config->get_object().at("users").get_array()[0].get_object();
  EXPECT_EQ(json::serialize(user.at("user")), R"({"token":"t"})");
  EXPECT_EQ(json::get_string(config->get_object(), {"current-context"}), "edge");
}

}  // namespace
}  // namespace fairway::apiserver
