#include "cli/cluster_options.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace fairway::cli {
namespace {

using testing::HasSubstr;

constexpr const char* kKubeconfig = R"(apiVersion: v1
kind: Config
current-context: harbour
clusters:
- {name: harbour, cluster: {server: 'https://harbour.example:6443'}}
- {name: island, cluster: {server: 'https://island.example:6443/clusters/island'}}
users:
- {name: keeper, user: {token: light}}
- {name: guest, user: {token: visitor}}
contexts:
- {name: harbour, context: {cluster: harbour, user: keeper}}
- {name: island, context: {cluster: island, user: keeper}}
)";

struct ClusterOptions : testing::Test {
  ClusterOptions() {
    std::filesystem::create_directory(folder);
    std::ofstream(folder / "kubeconfig") << kKubeconfig;
    settings.kubeconfig = folder / "kubeconfig";
  }
  ~ClusterOptions() override { std::filesystem::remove_all(folder); }

  std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / fmt::format("cluster-options-{}", ::getpid());
  ClusterSettings settings;
};

TEST_F(ClusterOptions, TheCurrentContextCountsUnlessAnotherIsNamed) {
  EXPECT_EQ(client_config(settings)->server.host, "harbour.example");
  settings.context = "island";
  EXPECT_EQ(client_config(settings)->server.path, "/clusters/island");
}

TEST_F(ClusterOptions, AnotherClusterOrUserThanTheContexts) {
  settings.cluster = "island";
  EXPECT_EQ(client_config(settings)->server.host, "island.example");
  EXPECT_EQ(client_config(settings)->authentication.token, "light");
  settings.user = "guest";
  EXPECT_EQ(client_config(settings)->authentication.token, "visitor");
}

TEST_F(ClusterOptions, WhatTheKubeconfigDoesNotHaveIsNamed) {
  settings.cluster = "atlantis";
  EXPECT_THAT(client_config(settings).error().describe(), HasSubstr("\"atlantis\""));
  settings.cluster = "";
  settings.context = "atlantis";
  EXPECT_THAT(client_config(settings).error().describe(), HasSubstr("\"atlantis\""));
  settings.user = "guest";
  EXPECT_THAT(client_config(settings).error().describe(), HasSubstr("\"atlantis\""));
}

TEST_F(ClusterOptions, AClientIsMadeWithoutAskingTheCluster) {
  async::EventLoop loop;
  const auto connected = connect(loop, settings);
  ASSERT_TRUE(connected);
  EXPECT_EQ(connected->client->server().host, "harbour.example");
  settings.kubeconfig = folder / "missing";
  EXPECT_FALSE(connect(loop, settings));
}

}  // namespace
}  // namespace fairway::cli
