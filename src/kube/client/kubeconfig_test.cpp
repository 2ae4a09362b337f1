#include "kube/client/kubeconfig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "async/files.hpp"
#include "kube/client/testing/temp_dir.hpp"

namespace fairway::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TempDir;

constexpr std::string_view kFirst = R"(
apiVersion: v1
kind: Config
preferences: {colors: true}
clusters:
- name: red
  cluster:
    server: https://red:6443/clusters/hub
    certificate-authority: pki/ca.crt
    tls-server-name: red.test
    extensions: [{name: kept}]
users:
- name: alice
  user:
    client-certificate: ./alice.crt
    client-key: /etc/alice.key
    tokenFile: token
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: bin/login
      args: [a, b]
      env: [{name: X, value: given}]
      interactiveMode: Never
- name: bob
  user: {exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: login}}
contexts:
- name: red
  context: {cluster: red, user: alice, namespace: apps}
current-context: red
)";

TEST(Kubeconfig, ReadsAllAndKeepsWhatItDoesNotKnow) {
  const auto config = parse_kubeconfig(kFirst, "config");
  ASSERT_TRUE(config) << config.error().describe();
  EXPECT_EQ(config->cluster("red")->tls_server_name, "red.test");
  EXPECT_EQ(config->user("alice")->exec->env.at(0).value, "given");
  EXPECT_EQ(config->context("red")->namespace_, "apps");
  EXPECT_EQ(config->cluster("blue"), nullptr);
  const auto again = parse_kubeconfig(to_yaml(*config), "again");
  ASSERT_TRUE(again) << again.error().describe();
  EXPECT_EQ(json::to_json(*again), json::to_json(*config));
  EXPECT_THAT(to_yaml(*config), HasSubstr("preferences:\n  colors: true"));
  EXPECT_THAT(to_yaml(*config), HasSubstr("name: kept"));
}

TEST(Kubeconfig, PathsAreRelativeToTheirFileAndCommandsOnlyWithASlash) {
  auto config = *parse_kubeconfig(kFirst, "config");
  resolve_paths(config, "/home/u/.kube");
  EXPECT_EQ(config.cluster("red")->certificate_authority, "/home/u/.kube/pki/ca.crt");
  EXPECT_EQ(config.user("alice")->client_certificate, "/home/u/.kube/alice.crt");
  EXPECT_EQ(config.user("alice")->client_key, "/etc/alice.key");
  EXPECT_EQ(config.user("alice")->token_file, "/home/u/.kube/token");
  EXPECT_EQ(config.user("alice")->exec->command, "/home/u/.kube/bin/login");
  EXPECT_EQ(config.user("bob")->exec->command, "login");
}

TEST(Kubeconfig, TheFirstFileThatHasANameWinsWhole) {
  TempDir dir;
  KubeconfigSources sources;
  sources.listed_files = {dir.path("missing"), dir.write("one/config", R"(
clusters: [{name: c, cluster: {server: "https://one"}}]
users: [{name: u, user: {tokenFile: t}}]
)"),
                          dir.write("two/config", R"(
clusters: [{name: c, cluster: {server: "https://two", proxy-url: "http://p"}}, {name: d, cluster: {server: "https://d"}}]
users: [{name: v, user: {tokenFile: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
)")};
  sources.home_file = dir.write("home", "current-context: never-looked-at");
  const auto config = load_kubeconfig(sources);
  ASSERT_TRUE(config) << config.error().describe();
  EXPECT_EQ(config->cluster("c")->server, "https://one");
  EXPECT_EQ(config->cluster("c")->proxy_url, "") << "fields of two files were mixed";
  EXPECT_EQ(config->cluster("d")->server, "https://d");
  EXPECT_EQ(config->user("u")->token_file, dir.path("one/t"));
  EXPECT_EQ(config->user("v")->token_file, dir.path("two/t"));
  EXPECT_EQ(config->current_context, "x");
}

TEST(Kubeconfig, AnExplicitFileIsTheOnlyOneAndMustExist) {
  TempDir dir;
  KubeconfigSources sources;
  sources.explicit_file = dir.path("absent");
  sources.listed_files = {dir.write("listed", "current-context: listed")};
  const auto config = load_kubeconfig(sources);
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, ErrorCode::NotFound);
  EXPECT_THAT(config.error().describe(), HasSubstr("absent"));
  sources.explicit_file.clear();
  sources.listed_files.clear();
  sources.home_file = dir.path("absent");
  EXPECT_TRUE(load_kubeconfig(sources)) << "a missing ~/.kube/config is no error";
}

TEST(Kubeconfig, ErrorsNameFileAndField) {
  const auto error = [](std::string_view text) {
    const auto config = parse_kubeconfig(text, "my/config");
    return config ? "read" : config.error().describe();
  };
  EXPECT_EQ(error("clusters: [{name: a, cluster: {server: 5}}]"),
            "my/config: clusters[0].cluster.server: expected a string, found an integer");
  EXPECT_EQ(error("users: [{name: a}, {name: a}]"),
            "my/config: users[1].name: expected each name once, found \"a\" again: remove one");
  EXPECT_EQ(error("contexts: [{context: {}}]"), "my/config: contexts[0].name: expected a name, found none");
  EXPECT_EQ(error("kind: Pod\napiVersion: v1"),
            "my/config: expected a Config of v1, found a \"Pod\" of \"v1\"");
  EXPECT_THAT(error("clusters: ["), HasSubstr("my/config: "));
  EXPECT_EQ(error(""), "read");
}

TEST(KubeconfigWrite, AddsContextsAndKeepsTheRest) {
  TempDir dir;
  const std::string path = dir.write("config", kFirst);
  const ContextEntry hub{.name = "hub",
                         .cluster = {.server = "https://127.0.0.1:6443/clusters/hub"},
                         .user = {.token = "secret"},
                         .namespace_ = "fleet"};
  ASSERT_TRUE(write_contexts(path, {hub}, false));
  auto config = *parse_kubeconfig(*read_file(path), path);
  EXPECT_THAT(config.context_names(), ElementsAre("red", "hub"));
  EXPECT_EQ(config.current_context, "red");
  EXPECT_EQ(config.cluster("red")->certificate_authority, "pki/ca.crt");
  EXPECT_EQ(config.context("hub")->cluster, "hub");
  EXPECT_EQ(config.context("hub")->namespace_, "fleet");
  EXPECT_TRUE(config.unknown.contains("preferences"));

  ContextEntry changed = hub;
  changed.user.token = "other";
  ASSERT_TRUE(write_contexts(path, {changed}, true));
  config = *parse_kubeconfig(*read_file(path), path);
  EXPECT_THAT(config.context_names(), ElementsAre("red", "hub"));
  EXPECT_EQ(config.user("hub")->token, "other");
  EXPECT_EQ(config.current_context, "hub");
}

TEST(KubeconfigWrite, MakesTheFileForItsOwnerOnly) {
  TempDir dir;
  const std::string path = dir.path("new/dir/config");
  ASSERT_TRUE(write_contexts(path, {{.name = "hub", .cluster = {.server = "https://h"}}}, false));
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_EQ(parse_kubeconfig(*read_file(path), path)->current_context, "hub");
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir.path("new/dir"))) ++files;
  EXPECT_EQ(files, 1U) << "a temporary file or a lock was left behind";
}

TEST(KubeconfigWrite, ASymbolicLinkStays) {
  TempDir dir;
  dir.write("real", "");
  std::filesystem::create_symlink(dir.path("real"), dir.path("link"));
  ASSERT_TRUE(write_contexts(dir.path("link"), {{.name = "hub"}}, false));
  EXPECT_TRUE(std::filesystem::is_symlink(dir.path("link")));
  EXPECT_THAT(*read_file(dir.path("real")), HasSubstr("hub"));
}

TEST(KubeconfigWrite, RefusesWhileAnotherProgramWritesAndLeavesABrokenFileAlone) {
  TempDir dir;
  const std::string path = dir.write("config", "clusters: [");
  EXPECT_FALSE(write_contexts(path, {{.name = "hub"}}, false));
  EXPECT_EQ(*read_file(path), "clusters: [");
  dir.write("config.lock", "");
  const auto locked = write_contexts(path, {{.name = "hub"}}, false);
  ASSERT_FALSE(locked);
  EXPECT_EQ(locked.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(locked.error().message, HasSubstr("config.lock"));
}

}  // namespace
}  // namespace fairway::kube
