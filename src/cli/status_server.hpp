// StatusServer: /metrics, /livez and /readyz of a process that has no other server.
//
// Liveness only says that the process answers; readiness is what the caller says. Over TLS where a
// certificate is given; then, with an authority for clients, only to those who have a certificate of it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "async/event_loop.hpp"
#include "base/metrics.hpp"
#include "base/result.hpp"
#include "cli/options.hpp"
#include "http/server.hpp"

namespace fairway::cli {

struct StatusServerSettings {
  Endpoint listen{"127.0.0.1", 9099};
  std::string certificate_file = {};  // PEM; empty: plain HTTP
  std::string key_file = {};
  std::string client_ca_file = {};
};

// --metrics-listen, --metrics-cert, --metrics-key, --metrics-client-ca.
void add_status_server_options(CLI::App& command, StatusServerSettings& settings);

struct Readiness {
  bool is_ready = false;
  std::string details = {};  // for /readyz?verbose, a line each
};

Result<std::unique_ptr<http::Server>> start_status_server(async::EventLoop& loop,
                                                          const StatusServerSettings& settings,
                                                          const metrics::Registry& registry,
                                                          std::function<Readiness()> readiness);

}  // namespace fairway::cli
