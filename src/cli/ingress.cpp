// fairway ingress: what a change of a load balancer's scope would cost, and where every controller stands.
#include <fmt/format.h>
#include <ostream>

#include "async/event_loop.hpp"
#include "base/text.hpp"
#include "cli/cluster_options.hpp"
#include "cli/command.hpp"
#include "cli/ingress_platform.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "ingress/operands.hpp"
#include "ingress/preview.hpp"
#include "kube/client/api.hpp"

namespace fairway::cli {
namespace {

using ingress::IngressController;

constexpr const char* kIngressDescription =
    "See what a change of ingress would cost, and where it stands\n"
    "\n"
    "Only reads. The controllers are looked after by 'fairway controllers --only ingress', or by the "
    "cluster's "
    "own\n"
    "operator.";

constexpr const char* kPlanDescription =
    "Say what another scope of a load balancer would cost, without changing anything\n"
    "\n"
    "In place or by a new load balancer, what becomes of the address, who has to agree, what was set on the "
    "Service\n"
    "by hand and would be lost, and the commands to do it and to go back.";

struct IngressSettings {
  ClusterSettings cluster;
  std::string platform;
  std::string output;
  std::string name;
  std::string scope;
};

// One cluster, read for this command.
class IngressReader {
 public:
  static Result<std::unique_ptr<IngressReader>> open(const IngressSettings& settings) {
    std::unique_ptr<IngressReader> reader(new IngressReader);
    FAIRWAY_TRY(reader->connected_, connect(reader->loop_, settings.cluster));
    FAIRWAY_TRY(const auto infrastructure, reader->config_object("infrastructures"));
    FAIRWAY_TRY(const auto cluster_ingress, reader->config_object("ingresses"));
    FAIRWAY_TRY(const auto dns, reader->config_object("dnses"));
    reader->config_ = ingress::read_config(infrastructure ? &*infrastructure : nullptr,
                                           cluster_ingress ? &*cluster_ingress : nullptr,
                                           dns ? &*dns : nullptr, settings.platform);
    if (reader->config_.platform == nullptr) {
      return fail(
          ErrorCode::Invalid,
          fmt::format("the platform {} is not known; expected Infrastructure \"cluster\" to say it, or "
                      "--platform",
                      quoted(reader->config_.platform_name)));
    }
    return reader;
  }

  Result<IngressController> controller(const std::string& name) { return loop_.block_on(api().get(name)); }
  Result<std::vector<IngressController>> controllers() {
    FAIRWAY_TRY(auto list, loop_.block_on(api().list()));
    if (!list.undecodable.empty()) return std::unexpected(list.undecodable.front().error);
    return std::move(list.items);
  }
  // What the preview and the overview look at.
  Result<ingress::Observed> observe(IngressController controller) {
    const std::string service = ingress::router_name(controller.metadata.name);
    ingress::Observed seen{.config = config_, .now = loop_.clock().now()};
    FAIRWAY_TRY(auto found,
                find(ingress::operand_type("Service").in(std::string(ingress::kOperandNamespace), service)));
    if (found) seen.service = std::make_shared<const json::Object>(*std::move(found));
    seen.controller = std::make_shared<const IngressController>(std::move(controller));
    return seen;
  }

 private:
  IngressReader() = default;

  kube::Api<IngressController> api() {
    return kube::Api<IngressController>(*connected_.client, std::string(ingress::kOperatorNamespace));
  }
  Result<std::optional<json::Object>> find(kube::Resource place) {
    auto found = loop_.block_on(connected_.client->get(std::move(place)));
    if (found) return std::optional(*std::move(found));
    if (found.error().code == ErrorCode::NotFound) return std::optional<json::Object>();
    return std::unexpected(std::move(found).error());
  }
  Result<std::optional<json::Object>> config_object(std::string resource) {
    return find({.type = {"config.openshift.io", "v1", std::move(resource)}, .name = "cluster"});
  }

  async::EventLoop loop_;
  ConnectedClient connected_;
  ingress::ClusterConfig config_;
};

Result<void> run_plan(const IngressSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto reader, IngressReader::open(settings));
  FAIRWAY_TRY(IngressController controller, reader->controller(settings.name));
  FAIRWAY_TRY(const ingress::Observed seen, reader->observe(std::move(controller)));
  const ingress::ScopePreview preview = ingress::preview_scope(seen, ingress::scope_of(settings.scope));
  print(invocation, settings.output, ingress::to_json(preview), ingress::to_text(preview));
  return {};
}

Result<void> run_status(const IngressSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto reader, IngressReader::open(settings));
  FAIRWAY_TRY(auto controllers, reader->controllers());
  std::vector<ingress::Standing> all;
  for (IngressController& each : controllers) {
    if (!settings.name.empty() && each.metadata.name != settings.name) continue;
    FAIRWAY_TRY(const ingress::Observed seen, reader->observe(std::move(each)));
    all.push_back(ingress::standing_of(seen));
  }
  if (!settings.name.empty() && all.empty())
    return fail(ErrorCode::NotFound, fmt::format("there is no IngressController {} in the namespace {}",
                                                 quoted(settings.name), ingress::kOperatorNamespace));
  print(invocation, settings.output, json::to_json(all), ingress::to_text(all));
  return {};
}

void add_common_options(CLI::App& command, IngressSettings& settings) {
  command.group(kSubcommands);
  add_platform_option(command, settings.platform);
  choice(*command.add_option("-o,--output", settings.output, "For programs"), {"json", "yaml"});
  add_cluster_options(command, settings.cluster);
}

}  // namespace

void add_ingress(CLI::App& root, Invocation& invocation) {
  CLI::App& command = *root.add_subcommand("ingress", kIngressDescription);
  command.group(kClusterCommands);
  command.require_subcommand(1);

  auto planned = std::make_shared<IngressSettings>();
  CLI::App& plan = *command.add_subcommand("plan", kPlanDescription);
  plan.footer("fairway ingress plan default --scope Internal");
  plan.add_option("NAME", planned->name, "The IngressController")->required()->type_name("NAME");
  choice(*plan.add_option("--scope", planned->scope, "The scope that it would be given")->required(),
         {"Internal", "External"});
  add_common_options(plan, *planned);
  on_chosen(plan, invocation, planned, run_plan);

  auto shown = std::make_shared<IngressSettings>();
  CLI::App& status =
      *command.add_subcommand("status", "Show every IngressController, and what waits for somebody");
  status.footer("fairway ingress status");
  status.add_option("NAME", shown->name, "Only this one")->type_name("NAME");
  add_common_options(status, *shown);
  on_chosen(status, invocation, shown, run_status);
}

}  // namespace fairway::cli
