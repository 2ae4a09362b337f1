// UpdateService: the whole service on one control loop and its server threads.
//
// start() listens first and loads then: until the first graph is there the service is alive, not ready, and
// says so. Everything in the settings has been checked by whoever made them, except what only the system can
// tell (addresses in use, files that cannot be read), which start() reports.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "async/event_loop.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "graph/builder.hpp"
#include "oci/registry_access.hpp"
#include "updateservice/graph_data_source.hpp"
#include "updateservice/prometheus.hpp"
#include "updateservice/release_source.hpp"
#include "updateservice/rule_answer.hpp"
#include "updateservice/service.hpp"

namespace fairway::updateservice {

struct ListenAddress {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
};

struct TargetingSettings {
  PrometheusSettings prometheus;
  std::string ca_file = {};  // PEM; empty: the system's authorities
  Lifetimes lifetimes = {};
  std::string client_tokens_file = {};  // empty: any client may send an id
};

struct UpdateServiceSettings {
  GraphDataPlace graph_data = {};
  ReleasePlace releases = {};
  ListenAddress listen = {};
  ListenAddress status_listen = {};
  std::optional<ListenAddress> builder_listen = {};  // the builder's whole graph; none: not served
  std::size_t threads = 1;
  std::size_t max_waiting = 2048;  // requests that need more than a lookup
  ServiceSettings service = {};
  oci::RegistrySettings registry = {};
  std::optional<TargetingSettings> targeting = {};
  std::string state_folder = {};  // for what came from registries; empty: nothing is kept
  Duration refresh_interval = std::chrono::minutes(5);
  Duration stale_after = {};  // zero: never
  graph::BuildOptions build = {};
  std::string git_commit = "unknown";
};

class UpdateService {
 public:
  // The loop outlives the service.
  static Result<std::unique_ptr<UpdateService>> start(async::EventLoop& loop, UpdateServiceSettings settings);
  ~UpdateService();
  UpdateService(const UpdateService&) = delete;
  UpdateService& operator=(const UpdateService&) = delete;

  std::uint16_t port() const;
  std::uint16_t status_port() const;
  std::optional<std::uint16_t> builder_port() const;
  bool has_graph() const;

  // Reads everything again: SIGHUP.
  void reload();
  // Lets requests in progress finish, then ends everything. Must be awaited before the service is destroyed.
  boost::asio::awaitable<void> stop(Duration grace = std::chrono::seconds(5));

 private:
  struct Impl;
  explicit UpdateService(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fairway::updateservice
