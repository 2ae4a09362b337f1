#include "cli/status_server.hpp"

#include <fmt/format.h>

#include "async/files.hpp"

namespace fairway::cli {
namespace {

http::Response text(int status, std::string body, std::string_view type = "text/plain; charset=utf-8") {
  return {status, {{"Content-Type", std::string(type)}}, std::move(body)};
}

http::Response answer(const http::Target& target, const metrics::Registry& registry,
                      const std::function<Readiness()>& readiness) {
  if (target.path == "/metrics") return text(200, registry.expose(), metrics::Registry::kContentType);
  if (target.path == "/livez" || target.path == "/healthz") return text(200, "ok");
  if (target.path != "/readyz") return text(404, "this server has /metrics, /livez and /readyz\n");
  const Readiness found = readiness();
  const std::string verdict = found.is_ready ? "ok" : "not ready";
  const bool is_verbose = target.query.has("verbose") || !found.is_ready;
  return text(found.is_ready ? 200 : 503, is_verbose ? found.details + verdict + "\n" : verdict);
}

Result<std::shared_ptr<http::TlsContext>> tls_of(const StatusServerSettings& settings) {
  http::TlsServerSettings tls;
  FAIRWAY_TRY(tls.certificate_pem, read_file(settings.certificate_file));
  FAIRWAY_TRY(tls.key_pem, read_file(settings.key_file));
  if (!settings.client_ca_file.empty()) {
    FAIRWAY_TRY(tls.client_ca_pem, read_file(settings.client_ca_file));
  }
  return http::make_server_context(tls);
}

}  // namespace

void add_status_server_options(CLI::App& command, StatusServerSettings& settings) {
  endpoint_option(command, "--metrics-listen", settings.listen, "Where /metrics, /livez and /readyz are");
  auto* certificate = command
                          .add_option("--metrics-cert", settings.certificate_file,
                                      "Serve them over TLS with this PEM certificate")
                          ->type_name("FILE");
  auto* key = command.add_option("--metrics-key", settings.key_file, "Its PEM key")->type_name("FILE");
  certificate->needs(key);
  key->needs(certificate);
  command
      .add_option("--metrics-client-ca", settings.client_ca_file,
                  "Answer only to clients with a certificate of these authorities")
      ->type_name("FILE")
      ->needs(certificate);
}

Result<std::unique_ptr<http::Server>> start_status_server(async::EventLoop& loop,
                                                          const StatusServerSettings& settings,
                                                          const metrics::Registry& registry,
                                                          std::function<Readiness()> readiness) {
  http::ServerOptions options{.address = settings.listen.address, .port = settings.listen.port};
  if (!settings.certificate_file.empty()) {
    FAIRWAY_TRY(options.tls, tls_of(settings));
  }
  const bool needs_certificate = !settings.client_ca_file.empty();
  auto handler = [&registry, readiness = std::move(readiness), needs_certificate](
                     const http::Request& request, http::ResponseWriter& writer) -> Task<void> {
    const auto target = http::Target::parse(request.target);
    if (!target) return writer.send(text(400, target.error().describe() + "\n"));
    if (needs_certificate && !request.peer.certificate)
      return writer.send(text(401, "client certificate required\n"));
    return writer.send(answer(*target, registry, readiness));
  };
  return http::Server::listen(loop.executor(), loop.clock(), options, std::move(handler));
}

}  // namespace fairway::cli
