#include "kube/client/client_config.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "async/files.hpp"
#include "base/text.hpp"

namespace fairway::kube {
namespace {

std::unexpected<Error> invalid(std::string message) {
  return fail(ErrorCode::Invalid, std::move(message));
}

std::string one_of(const std::vector<std::string>& names) {
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

// Base64 in the kubeconfig wins over a path.
Result<PemSource> pem_source(const std::string& data, const std::string& path, std::string_view field) {
  if (data.empty()) return PemSource{.path = path};
  auto text = decode_base64(data);
  if (!text) return invalid(fmt::format("{}-data: expected base64, found something else", field));
  return PemSource{.text = *std::move(text)};
}

Result<http::Url> server_url(const std::string& server) {
  if (server.empty()) return invalid("server: expected a URL, found none");
  auto url = http::Url::parse(server);
  if (!url) return std::unexpected(std::move(url.error()).within("server"));
  // The base path stays: a logical cluster lives below /clusters/NAME.
  while (url->path.ends_with('/')) url->path.pop_back();
  if (url->path.find_first_of("?#") != std::string::npos) {
    return invalid(
        fmt::format("server: expected a URL without query and fragment, found {}", quoted(server)));
  }
  return url;
}

Result<void> apply_cluster(const KubeconfigCluster& cluster, ClientConfig& config) {
  FAIRWAY_TRY(config.server, server_url(cluster.server));
  FAIRWAY_TRY(config.authority, pem_source(cluster.certificate_authority_data, cluster.certificate_authority,
                                           "certificate-authority"));
  config.tls_server_name = cluster.tls_server_name;
  config.is_insecure = cluster.insecure_skip_tls_verify;
  if (config.is_insecure && !config.authority.is_empty()) {
    return invalid(
        "expected either insecure-skip-tls-verify or a certificate-authority, found both: remove one");
  }
  if (cluster.proxy_url.empty()) return {};
  auto proxy = http::Url::parse(cluster.proxy_url);
  if (!proxy) return std::unexpected(std::move(proxy.error()).within("proxy-url"));
  if (proxy->scheme != "http") {
    return fail(ErrorCode::Unsupported, fmt::format("proxy-url: expected a URL of an http proxy, found {}",
                                                    quoted(cluster.proxy_url)));
  }
  config.proxy = *std::move(proxy);
  return {};
}

Result<void> check_plugin(const ExecPlugin& plugin) {
  constexpr std::string_view kV1 = "client.authentication.k8s.io/v1";
  if (plugin.command.empty()) return invalid("exec.command: expected a program, found none");
  if (plugin.api_version != kV1 && plugin.api_version != "client.authentication.k8s.io/v1beta1") {
    return invalid(
        fmt::format("exec.apiVersion: expected {0} or {0}beta1, found {1}", kV1, quoted(plugin.api_version)));
  }
  const std::string& mode = plugin.interactive_mode;
  if (mode.empty() && plugin.api_version == kV1) {
    return invalid("exec.interactiveMode: expected Never, IfAvailable or Always, found none");
  }
  if (!mode.empty() && mode != "Never" && mode != "IfAvailable" && mode != "Always") {
    return invalid(
        fmt::format("exec.interactiveMode: expected Never, IfAvailable or Always, found {}", quoted(mode)));
  }
  if (mode == "Always") {
    return fail(
        ErrorCode::Unsupported,
        "exec.interactiveMode: the plugin needs a terminal, which is not given to plugins here: use one that "
        "also works without (IfAvailable)");
  }
  return {};
}

Result<void> apply_user(const KubeconfigUser& user, Authentication& authentication) {
  if (!user.auth_provider.is_null()) {
    return fail(ErrorCode::Unsupported,
                "auth-provider: not supported, as in current clients: use an exec plugin instead");
  }
  FAIRWAY_TRY(authentication.certificate,
              pem_source(user.client_certificate_data, user.client_certificate, "client-certificate"));
  FAIRWAY_TRY(authentication.key, pem_source(user.client_key_data, user.client_key, "client-key"));
  if (authentication.certificate.is_empty() != authentication.key.is_empty()) {
    return invalid("expected client-certificate and client-key together, found only one of them");
  }
  const bool has_token = !user.token.empty() || !user.token_file.empty();
  if (has_token && !user.username.empty()) {
    return invalid("expected one way to authenticate, found a token and a username: remove one");
  }
  if (user.exec) FAIRWAY_CHECKED(check_plugin(*user.exec));
  if (user.as.empty() && (!user.as_uid.empty() || !user.as_groups.empty() || !user.as_user_extra.empty())) {
    return invalid("expected a user in \"as\" together with as-uid, as-groups and as-user-extra, found none");
  }
  authentication.token = user.token;
  authentication.token_file = user.token_file;
  authentication.username = user.username;
  authentication.password = user.password;
  authentication.exec = user.exec;
  authentication.impersonation = {user.as, user.as_uid, user.as_groups, user.as_user_extra};
  return {};
}

}  // namespace

Result<ClientConfig> resolve_context(const Kubeconfig& kubeconfig, const ContextChoice& choice) {
  const std::string& name = choice.context.empty() ? kubeconfig.current_context : choice.context;
  if (name.empty()) {
    return invalid(fmt::format("the kubeconfig has no current context: choose one with --context (it has {})",
                               one_of(kubeconfig.context_names())));
  }
  const KubeconfigContext* context = kubeconfig.context(name);
  if (context == nullptr) {
    return fail(ErrorCode::NotFound, fmt::format("expected a context of the kubeconfig (it has {}), found {}",
                                                 one_of(kubeconfig.context_names()), quoted(name)));
  }
  const KubeconfigCluster* cluster = kubeconfig.cluster(context->cluster);
  if (cluster == nullptr) {
    return invalid(fmt::format("the context {} names the cluster {}, which the kubeconfig does not have",
                               quoted(name), quoted(context->cluster)));
  }
  ClientConfig config{.name = name};
  if (auto applied = apply_cluster(*cluster, config); !applied) {
    return std::unexpected(
        std::move(applied.error()).within(fmt::format("cluster {}", quoted(context->cluster))));
  }
  if (!context->user.empty()) {
    const KubeconfigUser* user = kubeconfig.user(context->user);
    if (user == nullptr) {
      return invalid(fmt::format("the context {} names the user {}, which the kubeconfig does not have",
                                 quoted(name), quoted(context->user)));
    }
    if (auto applied = apply_user(*user, config.authentication); !applied) {
      return std::unexpected(
          std::move(applied.error()).within(fmt::format("user {}", quoted(context->user))));
    }
  }
  if (!context->namespace_.empty()) config.default_namespace = context->namespace_;
  if (!choice.namespace_.empty()) config.default_namespace = choice.namespace_;
  return config;
}

InClusterSources InClusterSources::from_environment() {
  InClusterSources sources;
  if (const char* host = std::getenv("KUBERNETES_SERVICE_HOST")) sources.host = host;
  if (const char* port = std::getenv("KUBERNETES_SERVICE_PORT")) sources.port = port;
  return sources;
}

Result<ClientConfig> in_cluster_config(const InClusterSources& sources) {
  if (!sources.is_available()) {
    return fail(ErrorCode::NotFound,
                "not inside a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  }
  const auto port = parse_unsigned(sources.port);
  if (!port || *port == 0 || *port > 65'535) {
    return invalid(fmt::format("KUBERNETES_SERVICE_PORT: expected a port, found {}", quoted(sources.port)));
  }
  ClientConfig config{.name = "in-cluster"};
  config.server = {.scheme = "https", .host = sources.host, .port = static_cast<std::uint16_t>(*port)};
  config.authority.path = sources.directory + "/ca.crt";
  config.authentication.token_file = sources.directory + "/token";
  // Both must be there from the start: a service account that is not mounted is the usual mistake.
  for (const std::string& path : {config.authority.path, config.authentication.token_file}) {
    if (auto text = read_file(path); !text) {
      return std::unexpected(std::move(text.error()).within("in-cluster configuration"));
    }
  }
  if (auto text = read_file(sources.directory + "/namespace"); text && !trim(*text).empty()) {
    config.default_namespace = trim(*text);
  }
  return config;
}

ConfigSources ConfigSources::from_environment() {
  return {KubeconfigSources::from_environment(), InClusterSources::from_environment(), {}};
}

Result<ClientConfig> load_client_config(const ConfigSources& sources) {
  FAIRWAY_TRY(const Kubeconfig kubeconfig, load_kubeconfig(sources.kubeconfig));
  const bool is_empty = kubeconfig.contexts.empty() && kubeconfig.clusters.empty();
  if (!is_empty || !sources.choice.context.empty()) return resolve_context(kubeconfig, sources.choice);
  if (sources.in_cluster.is_available()) {
    FAIRWAY_TRY(ClientConfig config, in_cluster_config(sources.in_cluster));
    if (!sources.choice.namespace_.empty()) config.default_namespace = sources.choice.namespace_;
    return config;
  }
  return fail(
      ErrorCode::NotFound,
      fmt::format(
          "expected a kubeconfig with a context, found none (looked at {}): set KUBECONFIG or --kubeconfig",
          one_of(sources.kubeconfig.files())));
}

}  // namespace fairway::kube
