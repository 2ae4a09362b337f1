// What one change of scope costs the ingress operator when there are many controllers: its requests, its
// looks, and the time until the status tells of it.
//
//   ingress_bench [CONTROLLERS] [ROUNDS]
//
// The operator runs against an embedded API server in this process, over TLS; cloud and pods are played by
// the program, which writes the statuses that they would. The peer, in the same run, is the same operator
// with a single controller: a change costs one look at one object when the ratio is about one.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "apiserver/server.hpp"
#include "async/event_loop.hpp"
#include "async/task_group.hpp"
#include "base/text.hpp"
#include "ingress/operands.hpp"
#include "ingress/operator.hpp"
#include "kube/client/api.hpp"
#include "kube/client/kubeconfig.hpp"
#include "kube/client/transport.hpp"
#include "kube/runtime/runtime.hpp"

#include "counting.hpp"

namespace fairway::ingress {
namespace {

using bench::accepted;
using bench::give_up;
using bench::total;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Cost {
  double requests = 0;
  double looks = 0;
  double milliseconds = 0;
  double publishing_seconds = 0;  // of all controllers
  double publishing_requests = 0;
};

class World {
 public:
  explicit World(int controllers) : count_(controllers) {
    server_ = accepted(loop_.block_on(apiserver::ApiServer::start(loop_, {})));
    const auto kubeconfig =
        accepted(kube::parse_kubeconfig(server_->kubeconfig(), "the server's kubeconfig"));
    config_ = accepted(kube::resolve_context(kubeconfig));
    user_ = client(nullptr);
    operators_client_ = client(&registry_);
    create(operand_type("Namespace").in(""), "v1", "Namespace", std::string(kOperatorNamespace));
    runtime_ = std::make_unique<kube::Runtime>(*operators_client_, kube::RuntimeOptions{.name = "ingress"});
    operator_ =
        std::make_unique<IngressOperator>(*runtime_, OperatorSettings{.platform = "IBMCloud"}, registry_);
    accepted(loop_.block_on(operator_->prepare()));
    controllers_ = &runtime_->cache<IngressController>({.namespace_ = std::string(kOperatorNamespace)});
    services_ = &runtime_->cache(operand_type("Service"), {.namespace_ = std::string(kOperandNamespace)});
    tasks_.spawn("runtime", runtime_->run());
  }
  ~World() {
    tasks_.cancel();
    loop_.run_until([this] { return tasks_.size() == 0; });
    accepted(loop_.block_on(stop_server()));
  }

  Cost measure(int rounds) {
    Cost cost;
    const SteadyTime began = loop_.clock().steady();
    const double before = requests();
    publish_all();
    cost.publishing_seconds = std::chrono::duration<double>(loop_.clock().steady() - began).count();
    cost.publishing_requests = (requests() - before) / count_;
    std::vector<double> times, looks, sent;
    for (int round = 0; round < rounds; ++round) {
      const std::string name = name_of(count_ / 2);
      const double requests_before = requests();
      const double looks_before = total(registry_, "controller_runtime_reconcile_total");
      const SteadyTime start = loop_.clock().steady();
      set_scope(name, "Internal");
      await(name, "True");
      times.push_back(std::chrono::duration<double, std::milli>(loop_.clock().steady() - start).count());
      set_scope(name, "External");
      await(name, "False");
      // What follows from the second change, such as a look that finds nothing to do, belongs to it.
      loop_.run_until([&] { return is_idle(); });
      sent.push_back((requests() - requests_before) / 2);
      looks.push_back((total(registry_, "controller_runtime_reconcile_total") - looks_before) / 2);
    }
    cost.milliseconds = median(times);
    cost.requests = median(sent);
    cost.looks = median(looks);
    return cost;
  }

 private:
  static std::string name_of(int i) { return fmt::format("edge-{:04}", i); }
  double requests() const { return total(registry_, "rest_client_requests_total"); }
  // Asked at every turn of the loop, so without the text of all metrics.
  bool is_idle() {
    auto& depths =
        registry_.gauge("workqueue_depth", "Current depth of workqueue by workqueue", {"name", "controller"});
    auto& workers = registry_.gauge("controller_runtime_active_workers",
                                    "Number of currently used workers per controller", {"controller"});
    return std::ranges::all_of(std::array{"ingress", "ingress-summary"}, [&](const std::string& name) {
      return depths.with({name, name}).value() == 0 && workers.with({name}).value() == 0;
    });
  }

  std::unique_ptr<kube::Client> client(metrics::Registry* registry) {
    auto transport = accepted(kube::make_transport(loop_.executor(), loop_.clock(), config_));
    return std::make_unique<kube::Client>(std::move(transport), loop_.clock(), config_.server,
                                          kube::ClientOptions{.requests_per_second = 0, .metrics = registry});
  }
  Task<void> stop_server() {
    co_await server_->stop(Duration::zero());
    co_return Result<void>{};
  }
  void create(kube::Resource place, std::string_view version, std::string_view kind, const std::string& name,
              json::Object spec = {}) {
    json::Object object{{"apiVersion", version}, {"kind", kind}, {"metadata", json::Object{{"name", name}}}};
    if (!spec.empty()) object["spec"] = std::move(spec);
    accepted(loop_.block_on(user_->create(std::move(place), std::move(object))));
  }
  void patch(kube::Resource place, std::string_view text) {
    accepted(loop_.block_on(
        user_->patch(std::move(place), kube::PatchKind::Merge, accepted(json::parse_object(text)))));
  }
  static json::Object strategy(std::string_view scope) {
    json::Object made{{"type", kLoadBalancerService}};
    made["loadBalancer"] = json::Object{{"scope", scope}};
    return made;
  }
  void set_scope(const std::string& name, std::string_view scope) {
    json::Object spec;
    spec["endpointPublishingStrategy"] = strategy(scope);
    json::Object change;
    change["spec"] = std::move(spec);
    patch(operand_type("IngressController").in(std::string(kOperatorNamespace), name),
          json::serialize(change));
  }
  // What cloud and pods say.
  void provide(const std::string& name, int i) {
    patch(
        operand_type("Service").in(std::string(kOperandNamespace), router_name(name), "status"),
        fmt::format(R"({{"status":{{"loadBalancer":{{"ingress":[{{"hostname":"lb-{}.example"}}]}}}}}})", i));
    patch(operand_type("Deployment").in(std::string(kOperandNamespace), router_name(name), "status"),
          R"({"status":{"observedGeneration":1,"replicas":2,"updatedReplicas":2,"readyReplicas":2,
              "availableReplicas":2,"conditions":[{"type":"Available","status":"True"}]}})");
  }
  void publish_all() {
    for (int i = 0; i < count_; ++i) {
      json::Object spec{{"domain", fmt::format("{}.example.com", name_of(i))}, {"replicas", 2}};
      spec["endpointPublishingStrategy"] = strategy("External");
      create(operand_type("IngressController").in(std::string(kOperatorNamespace)),
             "operator.openshift.io/v1", "IngressController", name_of(i), std::move(spec));
    }
    for (int i = 0; i < count_; ++i) {
      loop_.run_until([&] {
        return services_->get({std::string(kOperandNamespace), router_name(name_of(i))}) != nullptr;
      });
      provide(name_of(i), i);
    }
    for (int i = 0; i < count_; ++i) await(name_of(i), "False");
    loop_.run_until([&] { return is_idle(); });
  }
  void await(const std::string& name, std::string_view progressing) {
    loop_.run_until([&] {
      const auto found = controllers_->get({std::string(kOperatorNamespace), name});
      const auto* said = found ? kube::find_condition(found->status.conditions, "Progressing") : nullptr;
      return said != nullptr && said->status == progressing;
    });
  }

  int count_;
  async::EventLoop loop_;
  metrics::Registry registry_;
  kube::ClientConfig config_;
  std::unique_ptr<apiserver::ApiServer> server_;
  std::unique_ptr<kube::Client> user_;
  std::unique_ptr<kube::Client> operators_client_;
  std::unique_ptr<kube::Runtime> runtime_;
  std::unique_ptr<IngressOperator> operator_;
  kube::Cache<IngressController>* controllers_ = nullptr;
  kube::ObjectCache* services_ = nullptr;
  async::TaskGroup tasks_{loop_.executor()};
};

void print(const char* what, const Cost& cost) {
  fmt::print("{:<22}{:>10.1f}{:>10.1f}{:>12.2f} ms{:>14.2f} s{:>12.1f}\n", what, cost.requests, cost.looks,
             cost.milliseconds, cost.publishing_seconds, cost.publishing_requests);
}

int run(int controllers, int rounds) {
  fmt::print("{:<22}{:>10}{:>10}{:>15}{:>16}{:>12}\n", "a change of scope", "requests", "looks", "until told",
             "publishing all", "requests");
  const Cost one = World(1).measure(rounds);
  print("1 controller", one);
  const Cost many = World(controllers).measure(rounds);
  print(fmt::format("{} controllers", controllers).c_str(), many);
  fmt::print("{:<22}{:>10.2f}{:>10.2f}{:>12.2f}\n", "ratio", many.requests / one.requests,
             many.looks / one.looks, many.milliseconds / one.milliseconds);
  return 0;
}

}  // namespace
}  // namespace fairway::ingress

int main(int count, char** arguments) {
  const auto number = [&](int at, std::uint64_t otherwise) {
    const auto given = count > at ? fairway::parse_unsigned(arguments[at]) : std::nullopt;
    return static_cast<int>(std::max<std::uint64_t>(given.value_or(otherwise), 1));
  };
  return fairway::ingress::run(number(1, 1000), number(2, 50));
}
