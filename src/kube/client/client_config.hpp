// ClientConfig: everything that is needed to talk to one API server, from a kubeconfig's context or from
// inside a pod.
//
// Choosing follows kubectl: an explicit context or the current one; when there is no kubeconfig at all, the
// pod's service account. Data that can be checked without the network is checked here (URLs, base64, that key
// and certificate come together), and errors name the place. Files that may change while we run (tokens,
// client certificates) are only named here; credentials.hpp reads them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "http/message.hpp"
#include "kube/client/kubeconfig.hpp"

namespace fairway::kube {

// PEM text, or the file that it is read from.
struct PemSource {
  std::string text = {};
  std::string path = {};

  bool is_empty() const { return text.empty() && path.empty(); }
};

struct Impersonation {
  std::string user = {};
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::map<std::string, std::vector<std::string>> extra = {};
};

struct Authentication {
  PemSource certificate = {};
  PemSource key = {};
  std::string token = {};
  std::string token_file = {};
  std::string username = {};
  std::string password = {};
  std::optional<ExecPlugin> exec = {};
  Impersonation impersonation = {};
};

struct ClientConfig {
  std::string name = {};  // of the context: for messages
  http::Url server = {};
  std::string default_namespace = "default";
  PemSource authority = {};  // none: the system's authorities
  std::string tls_server_name = {};
  bool is_insecure = false;
  std::optional<http::Url> proxy = {};
  Authentication authentication = {};
};

// --context and -n.
struct ContextChoice {
  std::string context = {};
  std::string namespace_ = {};
};

Result<ClientConfig> resolve_context(const Kubeconfig& config, const ContextChoice& choice = {});

struct InClusterSources {
  std::string host = {};  // KUBERNETES_SERVICE_HOST
  std::string port = {};  // KUBERNETES_SERVICE_PORT
  std::string directory = "/var/run/secrets/kubernetes.io/serviceaccount";

  static InClusterSources from_environment();
  bool is_available() const { return !host.empty() && !port.empty(); }
};

Result<ClientConfig> in_cluster_config(const InClusterSources& sources);

struct ConfigSources {
  KubeconfigSources kubeconfig = {};
  InClusterSources in_cluster = {};
  ContextChoice choice = {};

  static ConfigSources from_environment();
};

Result<ClientConfig> load_client_config(const ConfigSources& sources);

}  // namespace fairway::kube
