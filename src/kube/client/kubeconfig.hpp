// Kubeconfig: the files in which users keep clusters, their credentials and contexts, read as kubectl reads
// them.
//
// Several files (the list in KUBECONFIG) are merged: the first file that has a cluster, user, context or
// current-context of a name wins whole. Relative paths are resolved against the file that they stand in.
// Fields that we do not know are kept, so that writing a file back loses nothing. Errors name the file and
// the field. What a context leads to is in client_config.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "json/codec.hpp"

namespace fairway::kube {

struct KubeconfigCluster {
  std::string server = {};
  std::string tls_server_name = {};
  bool insecure_skip_tls_verify = false;
  std::string certificate_authority = {};       // a path
  std::string certificate_authority_data = {};  // base64 of PEM; wins over the path
  std::string proxy_url = {};
  json::Object unknown = {};
  bool operator==(const KubeconfigCluster&) const = default;
};
BOOST_DESCRIBE_STRUCT(KubeconfigCluster, (),
                      (server, tls_server_name, insecure_skip_tls_verify, certificate_authority,
                       certificate_authority_data, proxy_url, unknown))
constexpr auto json_fields(const KubeconfigCluster*) {
  return std::array{json::Field{.member = "*", .omit_empty = true},
                    json::Field{.member = "tls_server_name", .json = "tls-server-name"},
                    json::Field{.member = "insecure_skip_tls_verify", .json = "insecure-skip-tls-verify"},
                    json::Field{.member = "certificate_authority", .json = "certificate-authority"},
                    json::Field{.member = "certificate_authority_data", .json = "certificate-authority-data"},
                    json::Field{.member = "proxy_url", .json = "proxy-url"}};
}

struct ExecVariable {
  std::string name;
  std::string value = {};
  bool operator==(const ExecVariable&) const = default;
};
BOOST_DESCRIBE_STRUCT(ExecVariable, (), (name, value))

// A program that prints credentials (client.authentication.k8s.io).
struct ExecPlugin {
  std::string api_version = {};
  std::string command = {};
  std::vector<std::string> args = {};
  std::vector<ExecVariable> env = {};
  std::string install_hint = {};
  bool provide_cluster_info = false;
  std::string interactive_mode = {};
  json::Object unknown = {};
  bool operator==(const ExecPlugin&) const = default;
};
BOOST_DESCRIBE_STRUCT(ExecPlugin, (),
                      (api_version, command, args, env, install_hint, provide_cluster_info, interactive_mode,
                       unknown))
constexpr auto json_fields(const ExecPlugin*) {
  return std::array{json::Field{.member = "install_hint", .omit_empty = true},
                    json::Field{.member = "interactive_mode", .omit_empty = true}};
}

struct KubeconfigUser {
  std::string client_certificate = {};       // a path
  std::string client_certificate_data = {};  // base64 of PEM; wins over the path
  std::string client_key = {};
  std::string client_key_data = {};
  std::string token = {};
  std::string token_file = {};  // read again and again; wins over the token
  std::string username = {};
  std::string password = {};
  std::string as = {};
  std::string as_uid = {};
  std::vector<std::string> as_groups = {};
  std::map<std::string, std::vector<std::string>> as_user_extra = {};
  std::optional<ExecPlugin> exec = {};
  json::Value auth_provider = {};  // of old clients; refused when the user is chosen
  json::Object unknown = {};
  bool operator==(const KubeconfigUser&) const = default;
};
BOOST_DESCRIBE_STRUCT(KubeconfigUser, (),
                      (client_certificate, client_certificate_data, client_key, client_key_data, token,
                       token_file, username, password, as, as_uid, as_groups, as_user_extra, exec,
                       auth_provider, unknown))
constexpr auto json_fields(const KubeconfigUser*) {
  return std::array{json::Field{.member = "*", .omit_empty = true},
                    json::Field{.member = "client_certificate", .json = "client-certificate"},
                    json::Field{.member = "client_certificate_data", .json = "client-certificate-data"},
                    json::Field{.member = "client_key", .json = "client-key"},
                    json::Field{.member = "client_key_data", .json = "client-key-data"},
                    json::Field{.member = "as_uid", .json = "as-uid"},
                    json::Field{.member = "as_groups", .json = "as-groups"},
                    json::Field{.member = "as_user_extra", .json = "as-user-extra"},
                    json::Field{.member = "auth_provider", .json = "auth-provider"}};
}

struct KubeconfigContext {
  std::string cluster = {};
  std::string user = {};
  std::string namespace_ = {};
  json::Object unknown = {};
  bool operator==(const KubeconfigContext&) const = default;
};
BOOST_DESCRIBE_STRUCT(KubeconfigContext, (), (cluster, user, namespace_, unknown))
constexpr auto json_fields(const KubeconfigContext*) {
  return std::array{json::Field{.member = "namespace_", .omit_empty = true}};
}

struct NamedCluster {
  std::string name;
  KubeconfigCluster cluster = {};
  bool operator==(const NamedCluster&) const = default;
};
BOOST_DESCRIBE_STRUCT(NamedCluster, (), (name, cluster))
struct NamedUser {
  std::string name;
  KubeconfigUser user = {};
  bool operator==(const NamedUser&) const = default;
};
BOOST_DESCRIBE_STRUCT(NamedUser, (), (name, user))
struct NamedContext {
  std::string name;
  KubeconfigContext context = {};
  bool operator==(const NamedContext&) const = default;
};
BOOST_DESCRIBE_STRUCT(NamedContext, (), (name, context))

struct Kubeconfig {
  std::string api_version = "v1";
  std::string kind = "Config";
  std::vector<NamedCluster> clusters = {};
  std::vector<NamedUser> users = {};
  std::vector<NamedContext> contexts = {};
  std::string current_context = {};
  json::Object unknown = {};

  const KubeconfigCluster* cluster(std::string_view name) const;
  const KubeconfigUser* user(std::string_view name) const;
  const KubeconfigContext* context(std::string_view name) const;
  std::vector<std::string> context_names() const;
};
BOOST_DESCRIBE_STRUCT(Kubeconfig, (),
                      (api_version, kind, clusters, users, contexts, current_context, unknown))
constexpr auto json_fields(const Kubeconfig*) {
  return std::array{json::Field{.member = "current_context", .json = "current-context"},
                    json::Field{.member = "clusters", .keep_empty = true},
                    json::Field{.member = "users", .keep_empty = true},
                    json::Field{.member = "contexts", .keep_empty = true}};
}

// `path` is for messages only; resolve_paths() is a step of its own.
Result<Kubeconfig> parse_kubeconfig(std::string_view text, const std::string& path);
std::string to_yaml(const Kubeconfig& config);

// Relative paths become absolute ones, from the directory of the file.
void resolve_paths(Kubeconfig& config, const std::string& directory);
// Adds from `other` what `config` does not have yet.
void merge_into(Kubeconfig& config, const Kubeconfig& other);

// Where to look. The environment is read only here.
struct KubeconfigSources {
  std::string explicit_file = {};              // --kubeconfig: must exist, nothing else is looked at
  std::vector<std::string> listed_files = {};  // KUBECONFIG: those that do not exist are passed over
  std::string home_file = {};                  // ~/.kube/config: may be missing

  static KubeconfigSources from_environment();
  // The files to read, most important first.
  std::vector<std::string> files() const;
};

Result<Kubeconfig> load_kubeconfig(const KubeconfigSources& sources);

// One cluster, one user and the context that joins them, all under one name.
struct ContextEntry {
  std::string name;
  KubeconfigCluster cluster = {};
  KubeconfigUser user = {};
  std::string namespace_ = {};
};

// Puts the entries into the file, which is made when missing; what else it holds stays. The file is replaced
// in one step, readable by its owner only, and locked as kubectl locks it. The current context is changed
// when it is unset or when `make_current` asks for it (the first entry then becomes it).
Result<void> write_contexts(const std::string& path, const std::vector<ContextEntry>& entries,
                            bool make_current);

}  // namespace fairway::kube
