// What is said between us and an exec plugin (client.authentication.k8s.io/v1 and v1beta1): building the
// command and reading what the plugin printed. Pure; credentials.hpp runs it.
#pragma once

#include <optional>
#include <string>

#include "async/process.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "kube/client/client_config.hpp"

namespace fairway::kube {

struct ExecCredential {
  std::string token = {};
  std::string certificate_pem = {};
  std::string key_pem = {};
  std::optional<WallTime> expires = {};  // never, when not set

  bool operator==(const ExecCredential&) const = default;
};

// The program with its arguments, and KUBERNETES_EXEC_INFO in its environment. `authority_pem` is the
// cluster's CA, for plugins that asked for the cluster's data.
Command exec_command(const ExecPlugin& plugin, const ClientConfig& config, const std::string& authority_pem);

// From the plugin's output; errors say what the plugin should have printed.
Result<ExecCredential> read_exec_credential(const ExecPlugin& plugin, const ProcessResult& result);

}  // namespace fairway::kube
