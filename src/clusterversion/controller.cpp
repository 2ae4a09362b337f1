#include "clusterversion/controller.hpp"

#include <fmt/format.h>

#include "async/notify.hpp"
#include "base/log.hpp"
#include "kube/client/discovery.hpp"

namespace fairway::clusterversion {
namespace {

constexpr std::size_t kThreads = 2;
constexpr std::string_view kGroup = "config.openshift.io";
const kube::Resource kDefinition{{"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
                                 "",
                                 "clusterversions.config.openshift.io",
                                 ""};

http::ClientOptions signature_options() {
  http::ClientOptions options;
  if (auto context = http::make_client_context({})) options.tls = *std::move(context);
  return options;
}

}  // namespace

ClusterVersionController::ClusterVersionController(async::EventLoop& loop, kube::Runtime& runtime,
                                                   metrics::Registry& registry, ControllerSettings settings)
    : settings_(std::move(settings)),
      runtime_(runtime),
      pool_("clusterversion", kThreads),
      process_(loop.clock()),
      signature_client_(loop.executor(), loop.clock(), signature_options()),
      graph_(settings_.graph, loop.executor(), runtime.client(), pool_),
      payloads_(settings_.payloads, loop.executor(), loop.clock(), pool_),
      verifier_(settings_.verification, signature_client_, loop.clock(), pool_, process_),
      retriever_(payloads_, verifier_, settings_.signature_stores),
      operator_(runtime, loop.executor(), std::make_shared<const OperatorSettings>(settings_.decisions),
                parts(), registry) {
  if (settings_.prometheus) prometheus_.emplace(*settings_.prometheus, loop.executor(), loop.clock());
  if (settings_.scrape) scraped_.emplace(*settings_.scrape, loop.executor(), loop.clock(), pool_);
}

ClusterVersionController::~ClusterVersionController() = default;

OperatorParts ClusterVersionController::parts() {
  return {.fetch_graph = [this](GraphRequest request) { return graph_.fetch(std::move(request)); },
          .ask = [this](std::string query) { return ask(std::move(query)); },
          .retrieve = [this](RetrieveRelease asked) { return retriever_.retrieve(std::move(asked)); }};
}

// What a query costs is judged here, before anyone is burdened with it.
Task<QueryOutcome> ClusterVersionController::ask(std::string query) {
  auto parsed = promql::parse_within(query, {}, settings_.query_limits);
  if (!parsed)
    co_return QueryOutcome(std::unexpect, fmt::format("query not sent: {}", parsed.error().describe(query)));
  if (prometheus_) co_return co_await prometheus_->ask(std::move(query));
  if (scraped_) co_return co_await scraped_->ask(*std::move(parsed));
  co_return QueryOutcome(std::unexpect, "there is no source of metrics: give --prometheus or --scrape",
                         false);
}

Task<void> ClusterVersionController::prepare() {
  kube::Client& client = runtime_.client();
  const auto definition = co_await client.get(kDefinition);
  if (!definition && definition.error().code == ErrorCode::NotFound) {
    co_return fail(ErrorCode::NotFound,
                   "the API server does not know ClusterVersion: apply "
                   "api/crds/config.openshift.io_clusterversions.yaml first");
  }
  // Who may not read definitions may still do the work; the strict form is then the safe one.
  if (!definition && definition.error().code != ErrorCode::Forbidden)
    co_return std::unexpected(definition.error());
  operator_.set_storable(definition ? storable_fields(*definition) : storable_fields({}));
  const auto known = co_await client.discovery().find({std::string(kGroup), "v1", "ClusterOperator"});
  if (known) operator_.watch_operators();
  co_return Result<void>{};
}

Task<void> ClusterVersionController::run() {
  if (scraped_) co_return co_await scraped_->run();
  co_return Result<void>{};
}

boost::asio::awaitable<void> ClusterVersionController::stop() {
  return operator_.stop();
}

}  // namespace fairway::clusterversion
