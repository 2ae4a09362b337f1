// fairway controllers: the controllers, against any Kubernetes API server.
#include <array>
#include <fmt/format.h>
#include <ostream>
#include <random>
#include <unistd.h>

#include "async/event_loop.hpp"
#include "async/task_group.hpp"
#include "base/text.hpp"
#include "cli/build_facts.hpp"
#include "cli/cluster_options.hpp"
#include "cli/command.hpp"
#include "cli/config_file.hpp"
#include "cli/options.hpp"
#include "cli/server_process.hpp"
#include "cli/status_server.hpp"
#include "cli/usage_error.hpp"
#include "clusterversion/controller.hpp"

namespace fairway::cli {
namespace {

constexpr std::string_view kClusterVersion = "cluster-version";
constexpr std::array<std::string_view, 1> kControllers = {kClusterVersion};

struct ControllersFlags {
  std::string config;
  std::vector<std::string> only;
  ClusterSettings cluster;
  StatusServerSettings status;
  bool elects_leader = false;
  std::string leader_namespace = "default";
  clusterversion::ControllerSettings version;
  Duration retrieval_period = std::chrono::minutes(2);
  std::vector<std::string> prometheus;
  clusterversion::PrometheusAccess prometheus_access;
  clusterversion::ScrapeSettings scrape;
  std::string first_round = "fast";
};

constexpr const char* kDescription =
    "Run the controllers against any Kubernetes API server\n"
    "\n"
    "cluster-version keeps ClusterVersion/version: it asks the update service which updates there are, finds "
    "out\n"
    "which risks apply to this cluster, publishes what is recommended and why the rest is not, and carries "
    "out\n"
    "the update that spec.desiredUpdate asks for.\n"
    "\n"
    "Risks are judged by queries of a Prometheus (--prometheus) or, without one, by metrics that are read "
    "here\n"
    "(--scrape).";

constexpr const char* kExamples =
    "# With a Prometheus\n"
    "fairway controllers --only cluster-version --kubeconfig kubeconfig --update-service "
    "http://127.0.0.1:8080/graph \\\n"
    "  --prometheus http://127.0.0.1:9090\n"
    "\n"
    "# A cluster without a monitoring stack: metrics of a file and of an endpoint\n"
    "fairway controllers --only cluster-version --scrape cluster.prom --scrape "
    "http://127.0.0.1:9100/metrics\n"
    "\n"
    "# Releases from a mirror, with signatures that are checked\n"
    "fairway controllers --registry-ca mirror.pem --signature-store https://signatures.example/release \\\n"
    "  --signature-keyring release-key.gpg";

void check_names(const std::vector<std::string>& only) {
  const std::vector<std::string> known(kControllers.begin(), kControllers.end());
  for (const std::string& name : only) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const auto near = nearest(name, known);
    refuse(fmt::format("--only: there is no controller {}{}; there are: {}", quoted(name),
                       near ? fmt::format(", did you mean {}?", *near) : "", join(known, ", ")));
  }
}

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

clusterversion::ControllerSettings version_settings(const ControllersFlags& flags) {
  clusterversion::ControllerSettings settings = flags.version;
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

std::string identity() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return fmt::format("{}_{}", host.data(), ::getpid());
}

kube::RuntimeOptions runtime_options(const ControllersFlags& flags, metrics::Registry& registry) {
  kube::RuntimeOptions options{.name = "fairway-controllers", .metrics = &registry};
  if (flags.elects_leader) {
    options.leader_election =
        kube::LeaderElectionOptions{.lease = {flags.leader_namespace, "fairway-controllers"},
                                    .identity = identity(),
                                    .metrics = &registry};
  }
  return options;
}

Readiness readiness(const kube::Runtime& runtime) {
  const kube::Health health = runtime.health();
  Readiness found{.is_ready = health.is_ready};
  for (const std::string& waiting : health.waiting_for)
    found.details += fmt::format("[-] waiting for {}\n", waiting);
  for (const std::string& odd : health.undecodable) found.details += fmt::format("[!] cannot read {}\n", odd);
  found.details += fmt::format("[+] {}\n", health.is_leader ? "leading" : "not leading");
  return found;
}

Task<void> stop(async::TaskGroup& tasks, clusterversion::ClusterVersionController& version,
                http::Server& status) {
  co_await tasks.stop();
  co_await version.stop();
  co_await status.stop();
  co_return Result<void>{};
}

Result<void> run(const ControllersFlags& flags, const clusterversion::ControllerSettings& settings,
                 Invocation& invocation) {
  async::EventLoop loop;
  const StopRequest stop_request(loop);
  metrics::Registry registry;
  FAIRWAY_TRY(ConnectedClient cluster, connect(loop, flags.cluster, {.metrics = &registry}));
  kube::Runtime runtime(*cluster.client, runtime_options(flags, registry));
  std::optional<clusterversion::ClusterVersionController> version;
  {
    const SignalsForMainThread only_here;
    version.emplace(loop, runtime, registry, settings);
  }
  FAIRWAY_TRY(const auto status,
              start_status_server(loop, flags.status, registry, [&runtime] { return readiness(runtime); }));
  FAIRWAY_CHECKED(loop.block_on(version->prepare()));
  std::optional<Error> failure;
  async::TaskGroup tasks(loop.executor(),
                         [&](const std::string& name, const Error& error) { failure = error.within(name); });
  tasks.spawn("the controllers", runtime.run());
  tasks.spawn("reading metrics", version->run());
  invocation.out << fmt::format("controllers on {}: {}\nstatus on {}://{}\n",
                                cluster.client->server().origin(), kClusterVersion,
                                flags.status.certificate_file.empty() ? "http" : "https",
                                to_string(Endpoint{flags.status.listen.address, status->port()}))
                 << std::flush;
  loop.run_until([&] { return stop_request.is_made() || failure; });
  FAIRWAY_CHECKED(loop.block_on(stop(tasks, *version, *status)));
  if (failure) return std::unexpected(*failure);
  return {};
}

void add_retrieval_options(CLI::App& command, ControllersFlags& flags) {
  auto& retrieval = flags.version.decisions.retrieval;
  retrieval.architecture = machine_architecture();
  command
      .add_option("--update-service", retrieval.update_service,
                  "Ask this update service, whatever spec.upstream says")
      ->type_name("URL");
  duration_option(command, "--update-service-period", flags.retrieval_period,
                  "How often it is asked; times a factor between 1 and 2 that is drawn at the start");
  duration_option(command, "--update-service-timeout", flags.version.graph.timeout,
                  "How long one retrieval may take");
  command.add_option("--architecture", retrieval.architecture, "The architecture of this cluster's machines")
      ->type_name("NAME")
      ->default_str(retrieval.architecture);
}

void add_query_options(CLI::App& command, ControllersFlags& flags) {
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
  auto& pacing = flags.version.decisions.pacing;
  duration_option(command, "--promql-between", pacing.between, "The least time between any two queries");
  duration_option(command, "--promql-same", pacing.same_query,
                  "The least time before the same query is asked again");
  choice(*command.add_option("--promql-first-round", flags.first_round,
                             "After a start: ask new queries one a second, or with the usual pauses"),
         {"fast", "paced"})
      .default_str("fast");
}

void add_release_options(CLI::App& command, ControllersFlags& flags) {
  auto& payloads = flags.version.payloads;
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
      .add_option("--signature-store", flags.version.signature_stores,
                  "Where signatures of releases are, unless spec.signatureStores says; may be given again")
      ->type_name("URL|DIR")
      ->allow_extra_args(false);
  command
      .add_option("--signature-keyring", flags.version.verification.keyring_file,
                  "Public keys that releases must be signed with; without it only --force updates")
      ->type_name("FILE");
  auto& initial = flags.version.decisions.rollout.initial;
  command
      .add_option("--release-version", initial.version, "The release that a new cluster runs: its version …")
      ->type_name("VERSION");
  command.add_option("--release-image", initial.image, "… and its image")->type_name("IMAGE");
  command.add_flag("--accept-risks", flags.version.decisions.accepts_risks,
                   "Let spec.desiredUpdate.acceptRisks accept single risks by name");
}

}  // namespace

void add_controllers(CLI::App& root, Invocation& invocation) {
  CLI::App& command = *root.add_subcommand("controllers", kDescription);
  command.group(kRunCommands);
  command.footer(kExamples);
  auto flags = std::make_shared<ControllersFlags>();
  add_config_option(command, flags->config);
  command
      .add_option("--only", flags->only, "Run only these controllers, separated by commas: cluster-version")
      ->type_name("NAMES")
      ->allow_extra_args(false)
      ->delimiter(',');
  add_cluster_options(command, flags->cluster);
  add_retrieval_options(command, *flags);
  add_query_options(command, *flags);
  add_release_options(command, *flags);
  command.add_flag("--leader-elect", flags->elects_leader,
                   "Several copies may run; the one that holds a Lease works");
  command.add_option("--leader-namespace", flags->leader_namespace, "The namespace of that Lease")
      ->type_name("NAME")
      ->default_str(flags->leader_namespace);
  add_status_server_options(command, flags->status);
  command.callback([&command, &invocation, flags] {
    apply_config_file(command, flags->config);
    check_names(flags->only);
    auto settings = std::make_shared<clusterversion::ControllerSettings>(version_settings(*flags));
    invocation.action = [&invocation, flags, settings] { return run(*flags, *settings, invocation); };
  });
}

}  // namespace fairway::cli
