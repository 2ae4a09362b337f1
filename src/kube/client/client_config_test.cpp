#include "kube/client/client_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/client/testing/temp_dir.hpp"

namespace fairway::kube {
namespace {

using ::testing::HasSubstr;
using testing::TempDir;

Kubeconfig config_of(std::string_view text) {
  auto config = parse_kubeconfig(text, "config");
  EXPECT_TRUE(config) << config.error().describe();
  return config.value_or(Kubeconfig{});
}

// One cluster c, one user u and one context x, with the given YAML flow mappings.
Kubeconfig simple(std::string_view cluster, std::string_view user) {
  return config_of("clusters: [{name: c, cluster: " + std::string(cluster) +
                   "}]\nusers: [{name: u, user: " + std::string(user) +
                   "}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x");
}

TEST(ClientConfig, FollowsTheContext) {
  const Kubeconfig kubeconfig = simple(
      "{server: 'https://h:6443/clusters/hub/', certificate-authority: /ca, certificate-authority-data: Y2E=,"
      " tls-server-name: s, proxy-url: 'http://user:pw@proxy:3128'}",
      "{client-certificate-data: Y2VydA==, client-key: /key, token: t, as: root, as-groups: [g]}");
  const auto config = resolve_context(kubeconfig);
  ASSERT_TRUE(config) << config.error().describe();
  EXPECT_EQ(config->name, "x");
  EXPECT_EQ(config->server.origin(), "https://h:6443");
  EXPECT_EQ(config->server.path, "/clusters/hub") << "logical clusters live below a path";
  EXPECT_EQ(config->authority.text, "ca") << "data wins over the path";
  EXPECT_EQ(config->authority.path, "");
  EXPECT_EQ(config->tls_server_name, "s");
  EXPECT_EQ(config->proxy->host, "proxy");
  EXPECT_EQ(config->authentication.certificate.text, "cert");
  EXPECT_EQ(config->authentication.key.path, "/key");
  EXPECT_EQ(config->authentication.token, "t");
  EXPECT_EQ(config->authentication.impersonation.user, "root");
  EXPECT_EQ(config->default_namespace, "default");
  EXPECT_EQ(resolve_context(kubeconfig, {.namespace_ = "n"})->default_namespace, "n");
}

TEST(ClientConfig, SaysWhatIsWrongAndWhere) {
  const auto error = [](const Kubeconfig& kubeconfig, const ContextChoice& choice = {}) {
    const auto config = resolve_context(kubeconfig, choice);
    return config ? "resolved" : config.error().describe();
  };
  const std::string server = "{server: 'https://h'}";
  EXPECT_EQ(error(config_of("contexts: [{name: a}, {name: b}]")),
            "the kubeconfig has no current context: choose one with --context (it has a, b)");
  EXPECT_EQ(error(simple(server, "{}"), {.context = "y"}),
            "expected a context of the kubeconfig (it has x), found \"y\"");
  EXPECT_EQ(error(config_of("contexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x")),
            "the context \"x\" names the cluster \"c\", which the kubeconfig does not have");
  EXPECT_EQ(error(simple("{}", "{}")), "cluster \"c\": server: expected a URL, found none");
  EXPECT_EQ(error(simple("{server: 'https://h?x=y'}", "{}")),
            "cluster \"c\": server: expected a URL without query and fragment, found \"https://h?x=y\"");
  EXPECT_EQ(error(simple("{server: 'https://h', certificate-authority-data: '%'}", "{}")),
            "cluster \"c\": certificate-authority-data: expected base64, found something else");
  EXPECT_THAT(
      error(simple("{server: 'https://h', insecure-skip-tls-verify: true, certificate-authority: x}", "{}")),
      HasSubstr("found both: remove one"));
  EXPECT_THAT(error(simple("{server: 'https://h', proxy-url: 'https://p'}", "{}")), HasSubstr("proxy-url: "));
  EXPECT_THAT(error(simple(server, "{client-key: k}")), HasSubstr("user \"u\": expected client-certificate"));
  EXPECT_THAT(error(simple(server, "{token: t, username: alice}")),
              HasSubstr("found a token and a username"));
  EXPECT_THAT(error(simple(server, "{auth-provider: {name: gcp}}")), HasSubstr("use an exec plugin instead"));
  EXPECT_THAT(error(simple(server, "{as-groups: [g]}")), HasSubstr("found none"));
  EXPECT_THAT(
      error(simple(server, "{exec: {command: c, apiVersion: client.authentication.k8s.io/v1alpha1}}")),
      HasSubstr("exec.apiVersion: expected client.authentication.k8s.io/v1 or "
                "client.authentication.k8s.io/v1beta1"));
  EXPECT_THAT(error(simple(server, "{exec: {command: c, apiVersion: client.authentication.k8s.io/v1}}")),
              HasSubstr("exec.interactiveMode: expected Never, IfAvailable or Always, found none"));
  EXPECT_THAT(error(simple(server,
                           "{exec: {command: c, apiVersion: client.authentication.k8s.io/v1,"
                           " interactiveMode: Always}}")),
              HasSubstr("needs a terminal"));
  EXPECT_EQ(error(simple(server, "{exec: {command: c, apiVersion: client.authentication.k8s.io/v1beta1}}")),
            "resolved");
}

TEST(ClientConfig, InsideACluster) {
  TempDir dir;
  InClusterSources sources{.host = "10.0.0.1", .port = "443", .directory = dir.path("sa")};
  const auto missing = in_cluster_config(sources);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().describe(), HasSubstr("in-cluster configuration: cannot read"));
  dir.write("sa/ca.crt", "ca");
  dir.write("sa/token", "t");
  dir.write("sa/namespace", "apps\n");
  const auto config = in_cluster_config(sources);
  ASSERT_TRUE(config) << config.error().describe();
  EXPECT_EQ(config->server.origin(), "https://10.0.0.1:443");
  EXPECT_EQ(config->default_namespace, "apps");
  EXPECT_EQ(config->authentication.token_file, dir.path("sa/token"));
  sources.port = "https";
  EXPECT_FALSE(in_cluster_config(sources));
  sources.host = "";
  EXPECT_EQ(in_cluster_config(sources).error().code, ErrorCode::NotFound);
}

TEST(ClientConfig, TheKubeconfigComesBeforeTheServiceAccount) {
  TempDir dir;
  dir.write("sa/ca.crt", "ca");
  dir.write("sa/token", "t");
  ConfigSources sources{.in_cluster = {.host = "h", .port = "1", .directory = dir.path("sa")}};
  sources.kubeconfig.home_file = dir.path("config");
  sources.choice.namespace_ = "n";
  EXPECT_EQ(load_client_config(sources)->name, "in-cluster");
  EXPECT_EQ(load_client_config(sources)->default_namespace, "n");
  dir.write("config",
            "clusters: [{name: c, cluster: {server: 'https://h'}}]\n"
            "contexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x");
  EXPECT_EQ(load_client_config(sources)->name, "x");
  ConfigSources nowhere{.kubeconfig = {.home_file = dir.path("absent")}};
  EXPECT_THAT(load_client_config(nowhere).error().message, HasSubstr("set KUBECONFIG or --kubeconfig"));
}

}  // namespace
}  // namespace fairway::kube
