// The cluster-version operator among the controllers that `fairway controllers` runs.
#include <fmt/format.h>
#include <random>

#include "base/text.hpp"
#include "cli/build_facts.hpp"
#include "cli/controller_kind.hpp"
#include "cli/options.hpp"
#include "cli/usage_error.hpp"
#include "clusterversion/controller.hpp"

namespace fairway::cli {
namespace {

struct Flags {
  clusterversion::ControllerSettings controller;
  Duration retrieval_period = std::chrono::minutes(2);
  std::vector<std::string> prometheus;
  clusterversion::PrometheusAccess prometheus_access;
  clusterversion::ScrapeSettings scrape;
  std::string first_round = "fast";
};

// What this machine is, as Go and registries name it.
std::string machine_architecture() {
#if defined(__x86_64__)
  return "amd64";
#elif defined(__aarch64__)
  return "arm64";
#elif defined(__powerpc64__)
  return "ppc64le";
#elif defined(__s390x__)
  return "s390x";
#else
  return "";
#endif
}

// What follows from the flags; refuses what excludes one another.
clusterversion::ControllerSettings settings_of(const Flags& flags) {
  clusterversion::ControllerSettings settings = flags.controller;
  if (!flags.prometheus.empty() && !flags.scrape.sources.empty())
    refuse("--prometheus and --scrape exclude one another: queries are asked there or answered here");
  if (!flags.prometheus.empty()) {
    settings.prometheus = flags.prometheus_access;
    for (const std::string& text : flags.prometheus) {
      auto url = http::Url::parse(text);
      if (!url) refuse(fmt::format("--prometheus: {}", url.error().describe()));
      settings.prometheus->urls.push_back(*std::move(url));
    }
  }
  if (!flags.scrape.sources.empty()) {
    settings.scrape = flags.scrape;
    settings.scrape->token_file = flags.prometheus_access.token_file;
    settings.scrape->ca_file = flags.prometheus_access.ca_file;
  }
  std::random_device entropy;
  const double drawn =
      static_cast<double>(entropy()) / (static_cast<double>(std::random_device::max()) + 1.0);
  auto& decisions = settings.decisions;
  decisions.retrieval.interval = clusterversion::retrieval_interval(drawn, flags.retrieval_period);
  decisions.pacing.fast_first_round = flags.first_round == "fast";
  decisions.rollout.accepts_risks = decisions.accepts_risks;
  decisions.rollout.architecture = decisions.retrieval.architecture;
  settings.payloads.architecture = decisions.retrieval.architecture;
  settings.graph.user_agent = fmt::format("ClusterVersionOperator/{}", build::kVersion);
  return settings;
}

void add_retrieval_options(CLI::App& command, Flags& flags) {
  auto& retrieval = flags.controller.decisions.retrieval;
  retrieval.architecture = machine_architecture();
  command
      .add_option("--update-service", retrieval.update_service,
                  "Ask this update service, whatever spec.upstream says")
      ->type_name("URL");
  duration_option(command, "--update-service-period", flags.retrieval_period,
                  "How often it is asked; times a factor between 1 and 2 that is drawn at the start");
  duration_option(command, "--update-service-timeout", flags.controller.graph.timeout,
                  "How long one retrieval may take");
  command.add_option("--architecture", retrieval.architecture, "The architecture of this cluster's machines")
      ->type_name("NAME")
      ->default_str(retrieval.architecture);
}

void add_query_options(CLI::App& command, Flags& flags) {
  command
      .add_option(
          "--prometheus", flags.prometheus,
          "Ask risks' queries here; given again, another one that is asked when this gives no verdict")
      ->type_name("URL")
      ->allow_extra_args(false);
  command
      .add_option("--prometheus-token-file", flags.prometheus_access.token_file,
                  "A bearer token for it, or for what is scraped; read for each request")
      ->type_name("FILE");
  command
      .add_option("--prometheus-ca", flags.prometheus_access.ca_file,
                  "PEM certificates of authorities to trust for it, or for what is scraped")
      ->type_name("FILE");
  duration_option(command, "--prometheus-timeout", flags.prometheus_access.timeout,
                  "How long one query may take");
  command
      .add_option("--scrape", flags.scrape.sources,
                  "Without a Prometheus: answer queries from these metrics, files or endpoints")
      ->type_name("FILE|URL")
      ->allow_extra_args(false);
  duration_option(command, "--scrape-interval", flags.scrape.interval, "How often they are read");
  auto& pacing = flags.controller.decisions.pacing;
  duration_option(command, "--promql-between", pacing.between, "The least time between any two queries");
  duration_option(command, "--promql-same", pacing.same_query,
                  "The least time before the same query is asked again");
  choice(*command.add_option("--promql-first-round", flags.first_round,
                             "After a start: ask new queries one a second, or with the usual pauses"),
         {"fast", "paced"})
      .default_str("fast");
}

void add_release_options(CLI::App& command, Flags& flags) {
  auto& payloads = flags.controller.payloads;
  command.add_option("--releases", payloads.directory, "Take releases from here before asking registries")
      ->type_name("DIR");
  command
      .add_option("--registry-credentials", payloads.registry.credentials_file,
                  "docker's config.json for registries")
      ->type_name("FILE");
  command
      .add_option("--registry-ca", payloads.registry.ca_file,
                  "PEM certificates of authorities to trust for registries")
      ->type_name("FILE");
  command
      .add_option("--plain-registry", payloads.plain_registries,
                  "A registry that is asked without TLS; may be given again")
      ->type_name("HOST[:PORT]")
      ->allow_extra_args(false);
  command
      .add_option("--signature-store", flags.controller.signature_stores,
                  "Where signatures of releases are, unless spec.signatureStores says; may be given again")
      ->type_name("URL|DIR")
      ->allow_extra_args(false);
  command
      .add_option("--signature-keyring", flags.controller.verification.keyring_file,
                  "Public keys that releases must be signed with; without it only --force updates")
      ->type_name("FILE");
  auto& initial = flags.controller.decisions.rollout.initial;
  command
      .add_option("--release-version", initial.version, "The release that a new cluster runs: its version …")
      ->type_name("VERSION");
  command.add_option("--release-image", initial.image, "… and its image")->type_name("IMAGE");
  command.add_flag("--accept-risks", flags.controller.decisions.accepts_risks,
                   "Let spec.desiredUpdate.acceptRisks accept single risks by name");
}

constexpr const char* kControllersClusterVersionDescription =
    "cluster-version keeps ClusterVersion/version: it asks the update service which updates there are, finds "
    "out\n"
    "which risks apply to this cluster, publishes what is recommended and why the rest is not, and carries "
    "out\n"
    "the update that spec.desiredUpdate asks for. Risks are judged by queries of a Prometheus (--prometheus) "
    "or,\n"
    "without one, by metrics that are read here (--scrape).";

ChosenController make(const ControllerHost& host, clusterversion::ControllerSettings settings) {
  auto made = std::make_shared<clusterversion::ClusterVersionController>(host.loop, host.runtime,
                                                                         host.registry, std::move(settings));
  return {.prepare = [made] { return made->prepare(); },
          .run = [made] { return made->run(); },
          .stop = [made] { return made->stop(); }};
}

}  // namespace

ControllerKind cluster_version_kind(CLI::App& command) {
  auto flags = std::make_shared<Flags>();
  add_retrieval_options(command, *flags);
  add_query_options(command, *flags);
  add_release_options(command, *flags);
  return {
      .name = "cluster-version", .description = kControllersClusterVersionDescription, .complete = [flags] {
        return [settings = settings_of(*flags)](const ControllerHost& host) { return make(host, settings); };
      }};
}

}  // namespace fairway::cli
