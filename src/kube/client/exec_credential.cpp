#include "kube/client/exec_credential.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "json/codec.hpp"
#include "json/value.hpp"

namespace fairway::kube {
namespace {

struct CredentialStatus {
  std::string token;
  std::string client_certificate_data;
  std::string client_key_data;
  std::optional<WallTime> expiration_timestamp;
};
BOOST_DESCRIBE_STRUCT(CredentialStatus, (),
                      (token, client_certificate_data, client_key_data, expiration_timestamp))

struct CredentialAnswer {
  std::string api_version;
  std::string kind;
  std::optional<CredentialStatus> status;
};
BOOST_DESCRIBE_STRUCT(CredentialAnswer, (), (api_version, kind, status))

std::unexpected<Error> bad_answer(const ExecPlugin& plugin, std::string message) {
  return std::unexpected(Error{ErrorCode::Forbidden, std::move(message)}.within(
      fmt::format("the credential plugin {}", quoted(plugin.command))));
}

json::Object cluster_info(const ClientConfig& config, const std::string& authority_pem) {
  json::Object cluster;
  cluster["server"] = config.server.origin() + config.server.path;
  if (!config.tls_server_name.empty()) cluster["tls-server-name"] = config.tls_server_name;
  if (config.is_insecure) cluster["insecure-skip-tls-verify"] = true;
  if (!authority_pem.empty()) cluster["certificate-authority-data"] = encode_base64(authority_pem);
  if (config.proxy) cluster["proxy-url"] = config.proxy->origin();
  return cluster;
}

}  // namespace

Command exec_command(const ExecPlugin& plugin, const ClientConfig& config, const std::string& authority_pem) {
  json::Object spec;
  if (plugin.provide_cluster_info) spec["cluster"] = cluster_info(config, authority_pem);
  spec["interactive"] = false;
  json::Object ask;
  ask["apiVersion"] = plugin.api_version;
  ask["kind"] = "ExecCredential";
  ask["spec"] = std::move(spec);
  Command command{.program = plugin.command, .arguments = plugin.args};
  for (const ExecVariable& variable : plugin.env)
    command.environment.emplace_back(variable.name, variable.value);
  command.environment.emplace_back("KUBERNETES_EXEC_INFO", json::serialize(ask));
  return command;
}

Result<ExecCredential> read_exec_credential(const ExecPlugin& plugin, const ProcessResult& result) {
  if (result.exit_code != 0) {
    return bad_answer(plugin, fmt::format("ended with exit code {}: {}", result.exit_code,
                                          quoted(trim(result.error_output))));
  }
  const auto parsed = json::parse_object(result.output);
  if (!parsed)
    return bad_answer(plugin, "expected an ExecCredential as JSON, found: " + parsed.error().message);
  const auto answer = json::from_json<CredentialAnswer>(*parsed);
  if (!answer) return bad_answer(plugin, answer.error().message);
  if (answer->kind != "ExecCredential" || answer->api_version != plugin.api_version) {
    return bad_answer(plugin,
                      fmt::format("expected an ExecCredential of {}, found a {} of {}", plugin.api_version,
                                  quoted(answer->kind), quoted(answer->api_version)));
  }
  if (!answer->status) return bad_answer(plugin, "expected a status with credentials, found none");
  const CredentialStatus& status = *answer->status;
  if (status.token.empty() && status.client_certificate_data.empty()) {
    return bad_answer(plugin, "expected a token or a client certificate, found neither");
  }
  if (status.client_certificate_data.empty() != status.client_key_data.empty()) {
    return bad_answer(plugin,
                      "expected clientCertificateData and clientKeyData together, found only one of them");
  }
  return ExecCredential{status.token, status.client_certificate_data, status.client_key_data,
                        status.expiration_timestamp};
}

}  // namespace fairway::kube
