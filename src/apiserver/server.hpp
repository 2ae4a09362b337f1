// ApiServer: an embedded Kubernetes-style API server, whole: store, TLS, access, verbs, its own controllers.
//
// It lives on one event loop. start() returns when it is listening and its own objects (namespaces, default
// roles, the product's CRDs) are there; stop() ends streams, lets requests finish and makes everything
// durable.
//
//   auto server = loop.block_on(ApiServer::start(loop, {.data_directory = "data", .port = 6443}));
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/event_loop.hpp"
#include "async/task.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "http/server.hpp"

namespace fairway::apiserver {

struct ServerSettings {
  std::string data_directory = {};  // empty: in memory, gone with the process
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;                   // 0: any free one
  std::vector<std::string> clusters = {};   // logical clusters to have besides the hub
  std::vector<std::string> tls_names = {};  // further DNS names and IP addresses of the server
  std::string public_host = {};             // in kubeconfigs; the listening address where empty
  std::string audit_log = {};               // a file; none where empty
  std::string token_file = {};              // kube's CSV form; none where empty
  std::size_t max_in_flight = 400;          // requests besides watches; more get 429
  Duration event_lifetime = std::chrono::hours(1);
  Duration history_age = std::chrono::minutes(10);  // how long a watch may be away before it must list again
  std::size_t history_changes = 100'000;
  bool install_product_crds = true;
  TimerClock* clock = nullptr;  // the loop's where null
  http::ServerLimits limits = {};
};

class ApiServer {
 public:
  static Task<std::unique_ptr<ApiServer>> start(async::EventLoop& loop, ServerSettings settings);
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  std::uint16_t port() const;
  std::string url() const;  // https://127.0.0.1:6443
  std::vector<std::string> clusters() const;
  // Of the administrator: a context for each logical cluster, the hub's current.
  std::string kubeconfig() const;
  // A copy of the store as one file, while it goes on.
  Task<void> backup(std::string path);
  boost::asio::awaitable<void> stop(Duration grace = std::chrono::seconds(5));

 private:
  struct Impl;
  explicit ApiServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fairway::apiserver
