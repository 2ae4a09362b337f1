// What rollouts over a fleet cost: many small ones at once, and one change in a large fleet.
//
//   FAIRWAY=build/fairway fleet_bench [ROLLOUTS] [CLUSTERS] [POLICIES] [CHANGES]
//
// The API server is the real binary in a process of its own, with durable storage, over TLS on loopback; the
// controllers run in this process. First ROLLOUTS rollouts of one cluster each, from their creation to their
// end, with the `fleet` controller alone: the clusters comply as soon as they are enforced, and the root's
// status is written as the propagator writes it. Then a fleet of CLUSTERS clusters and
// POLICIES policies with all three controllers: how long until a change of compliance on one cluster is in
// the root policy, and from there until the rollout has written what follows, one change after the other. The
// peer, in the same run, is a fleet of ten clusters: cost follows the change when the requests are the same.
#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <set>
#include <unistd.h>

#include "async/event_loop.hpp"
#include "async/notify.hpp"
#include "async/task_group.hpp"
#include "base/memory.hpp"
#include "base/text.hpp"
#include "fleet/hub/kinds.hpp"
#include "fleet/hub/placement_controller.hpp"
#include "fleet/hub/policy_controller.hpp"
#include "fleet/hub/requests.hpp"
#include "fleet/hub/rollout_controller.hpp"
#include "kube/client/kubeconfig.hpp"
#include "kube/client/transport.hpp"

#include "counting.hpp"
#include "server_process.hpp"

namespace fairway::fleet {
namespace {

using namespace std::chrono_literals;

using bench::accepted;
using bench::give_up;
using bench::total;

double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values[std::min(values.size() - 1,
                         static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

std::string cluster_name(int i) {
  return fmt::format("cluster-{:05}", i);
}
std::string policy_name(int i) {
  return fmt::format("policy-{:02}", i);
}

json::Object policy_object(std::string_view name, std::string_view ns) {
  return accepted(json::parse_object(fmt::format(
      R"({{"apiVersion":"policy.open-cluster-management.io/v1","kind":"Policy","metadata":{{"name":"{0}","namespace":"{1}"}},
      "spec":{{"disabled":false,"remediationAction":"inform","policy-templates":[{{"objectDefinition":{{"apiVersion":
      "policy.open-cluster-management.io/v1","kind":"ConfigurationPolicy","metadata":{{"name":"{0}"}},"spec":{{"remediationAction":
      "inform","object-templates":[{{"complianceType":"musthave","objectDefinition":{{"apiVersion":"v1","kind":"ConfigMap",
      "metadata":{{"name":"{0}","namespace":"default"}},"data":{{"key":"value"}}}}}}]}}}}}}]}}}})",
      name, ns)));
}

// A hub, its users and its clusters' agents.
class World {
 public:
  World()
      : user_(client(nullptr)),
        controllers_client_(client(&registry_)),
        runtime_(
            std::make_unique<kube::Runtime>(*controllers_client_, kube::RuntimeOptions{.name = "bench"})) {}
  // Before the controllers go.
  void stop() {
    tasks_.cancel();
    loop_.run_until([this] { return tasks_.size() == 0; });
  }

  // Requests in this order of magnitude side by side.
  void all(std::vector<std::function<Task<void>()>> requests) {
    auto open = std::make_shared<std::deque<std::function<Task<void>()>>>(requests.begin(), requests.end());
    async::TaskGroup group(loop_.executor(),
                           [](const std::string&, const Error& error) { give_up(error.describe()); });
    for (int i = 0; i < 48; ++i) group.spawn("requests", drain(open));
    loop_.run_until([&] { return group.size() == 0; });
  }
  Task<void> create(kube::ResourceType type, json::Object object) {
    const std::string ns(kube::namespace_of(object));
    FAIRWAY_CO_CHECKED(co_await user_->create(type.in(ns), std::move(object)));
    co_return Result<void>{};
  }
  Task<void> patch(kube::Resource place, json::Object change) {
    FAIRWAY_CO_CHECKED(co_await user_->patch(std::move(place), kube::PatchKind::Merge, std::move(change)));
    co_return Result<void>{};
  }
  void await(const std::function<bool()>& condition) { loop_.run_until(condition); }
  void now(Task<void> task) { accepted(loop_.block_on(std::move(task))); }

  void add_clusters(int count) {
    std::vector<std::function<Task<void>()>> requests;
    const kube::ResourceType namespaces{
        .kind = {"", "v1", "Namespace"}, .resource = "namespaces", .is_namespaced = false};
    for (int i = 0; i < count; ++i) {
      requests.push_back([this, namespaces, i] {
        return create(
            namespaces,
            accepted(json::parse_object(fmt::format(
                R"({{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{}"}}}})", cluster_name(i)))));
      });
      requests.push_back([this, i] {
        return create(
            kManagedClusters,
            accepted(json::parse_object(fmt::format(
                R"({{"apiVersion":"cluster.open-cluster-management.io/v1","kind":"ManagedCluster","metadata":
                          {{"name":"{}","labels":{{"vendor":"bench"}}}},"spec":{{"hubAcceptsClient":true}}}})",
                cluster_name(i)))));
      });
    }
    all(std::move(requests));
  }
  json::Object rollout(const std::string& name, int from, int to, int at_once, int policies) {
    json::Array clusters;
    for (int i = from; i < to; ++i) clusters.emplace_back(cluster_name(i));
    json::Array named;
    for (int i = 0; i < policies; ++i) named.emplace_back(policy_name(i));
    json::Object spec{{"clusters", std::move(clusters)}, {"managedPolicies", std::move(named)}};
    spec["remediationStrategy"] = json::Object{{"maxConcurrency", at_once}};
    return json::Object{{"apiVersion", kRollouts.kind.api_version()},
                        {"kind", kRollouts.kind.kind},
                        {"metadata", json::Object{{"name", name}, {"namespace", "default"}}},
                        {"spec", std::move(spec)}};
  }
  Task<json::Object> get(kube::Resource place) { return user_->get(std::move(place)); }
  Task<void> write(WritePolicyStatus action) { return write_status(*user_, std::move(action)); }

  void run() { tasks_.spawn("runtime", runtime_->run()); }
  async::EventLoop& loop() { return loop_; }
  async::TaskGroup& tasks() { return tasks_; }
  kube::Runtime& runtime() { return *runtime_; }
  metrics::Registry& registry() { return registry_; }
  double requests() const { return total(registry_, "rest_client_requests_total"); }
  double server_mib() const { return bench::resident_mib(server_.pid()); }
  double server_seconds() const { return bench::processor_seconds(server_.pid()); }

 private:
  Task<void> drain(std::shared_ptr<std::deque<std::function<Task<void>()>>> open) {
    while (!open->empty()) {
      const auto next = std::move(open->front());
      open->pop_front();
      FAIRWAY_CO_CHECKED(co_await next());
    }
    co_return Result<void>{};
  }
  std::unique_ptr<kube::Client> client(metrics::Registry* registry) {
    const auto kubeconfig = accepted(kube::parse_kubeconfig(server_.kubeconfig(), "the server's kubeconfig"));
    const kube::ClientConfig config = accepted(kube::resolve_context(kubeconfig));
    auto transport = accepted(kube::make_transport(loop_.executor(), loop_.clock(), config));
    return std::make_unique<kube::Client>(std::move(transport), loop_.clock(), config.server,
                                          kube::ClientOptions{.requests_per_second = 0, .metrics = registry});
  }

  bench::ServerProcess server_;
  async::EventLoop loop_;
  metrics::Registry registry_;
  std::unique_ptr<kube::Client> user_;
  std::unique_ptr<kube::Client> controllers_client_;
  std::unique_ptr<kube::Runtime> runtime_;
  async::TaskGroup tasks_{loop_.executor()};
};

double seconds_since(async::EventLoop& loop, SteadyTime start) {
  return std::chrono::duration<double>(loop.clock().steady() - start).count();
}

// Clusters comply when their placement names them; the root's status follows as the propagator writes it.
class PromptClusters {
 public:
  PromptClusters(World& world, int count) : world_(world) {
    for (int i = 0; i < count; ++i) all_.bound.insert(cluster_name(i));
    const json::Object root =
        accepted(world.loop().block_on(world.get(kPolicies.in("default", policy_name(0)))));
    world.now(world.write(*decide({.root = std::make_shared<const json::Object>(root)})));
    auto& placements = world.runtime().cache(kPlacements, {.label_selector = std::string(kRolloutLabel)});
    subscription_ = placements.on_change([this](const kube::Change<json::Object>& change) {
      if (!change.after) return;
      for (std::string& each : clusters_in(*change.after)) compliant_.insert(std::move(each));
    });
    world.tasks().spawn("clusters", write());
  }

 private:
  std::optional<WritePolicyStatus> decide(const PolicyBindings& seen) const {
    return correct_status(seen, all_, [this](const std::string& cluster) -> std::string_view {
      return compliant_.contains(cluster) ? "Compliant" : "NonCompliant";
    });
  }
  Task<void> write() {
    auto& clock = world_.loop().clock();
    const auto& policies = world_.runtime().cache(kPolicies);
    Duration rest = kRollUpInterval;
    for (;;) {
      FAIRWAY_CO_CHECKED(co_await async::sleep_for(clock, rest));
      const SteadyTime start = clock.steady();
      const auto root = policies.get({"default", policy_name(0)});
      auto action = root ? decide({.root = root}) : std::nullopt;
      if (!action) continue;
      const auto written = co_await world_.write(*std::move(action));
      // What the cache has is not yet what was written last: the next look is right.
      if (!written && written.error().code != ErrorCode::Conflict) give_up(written.error().describe());
      const Duration taken = clock.steady() - start;
      rest = rest_after_write(taken) - std::min(taken, kLongestRest);
    }
  }

  World& world_;
  Enforcement all_;
  std::set<std::string> compliant_;
  kube::ObjectCache::Subscription subscription_;
};

void many_rollouts(int count) {
  World world;
  world.add_clusters(count);
  world.now(world.create(kPolicies, policy_object(policy_name(0), "default")));
  std::vector<std::function<Task<void>()>> requests;
  for (int i = 0; i < count; ++i) {
    requests.push_back([&world, i] {
      json::Object child = policy_object("default." + policy_name(0), cluster_name(i));
      kube::set_label(child, kRootLabel, "default." + policy_name(0));
      return world.create(kPolicies, std::move(child));
    });
  }
  world.all(std::move(requests));

  RolloutController fleet(world.runtime(), {}, world.registry());
  world.now(fleet.prepare());
  auto& rollouts = world.runtime().cache<ClusterGroupUpgrade>();
  std::size_t ended = 0;
  const auto subscription = rollouts.on_change([&](const kube::Change<ClusterGroupUpgrade>& change) {
    const bool was_closed = change.before && change.before->status.status.completed_at;
    if (change.after && change.after->status.status.completed_at && !was_closed) ++ended;
  });
  const PromptClusters clusters(world, count);
  world.run();
  world.tasks().spawn("events", fleet.run());
  world.await([&] { return world.runtime().health().is_ready; });

  requests.clear();
  for (int i = 0; i < count; ++i) {
    requests.push_back([&world, i] {
      return world.create(kRollouts, world.rollout(fmt::format("rollout-{:05}", i), i, i + 1, 1, 1));
    });
  }
  const double before = world.requests();
  const double own_before = bench::processor_seconds(::getpid());
  const double server_before = world.server_seconds();
  const SteadyTime start = world.loop().clock().steady();
  world.all(std::move(requests));
  const double created = seconds_since(world.loop(), start);
  world.await([&] { return ended == static_cast<std::size_t>(count); });
  const double taken = seconds_since(world.loop(), start);
  const double own_seconds = bench::processor_seconds(::getpid()) - own_before;
  const double server_seconds = world.server_seconds() - server_before;
  const double events_by_then = total(world.registry(), "fairway_rollout_events_total");
  world.await([&] { return fleet.queued_events() == 0; });
  const double told = seconds_since(world.loop(), start);
  fmt::print(
      "{} rollouts of one cluster to their end{:>12.2f} s  (created after {:.2f} s, all events told after "
      "{:.2f} s)\n",
      count, taken, created, told);
  fmt::print("processor time until then{:>28.2f} s controllers, {:.2f} s server; {:.0f} events told\n",
             own_seconds, server_seconds, events_by_then);
  fmt::print("requests of the controller for each{:>14.1f}  (of these, events {:.1f}; looks {:.1f})\n",
             (world.requests() - before) / count,
             total(world.registry(), "fairway_rollout_events_total") / count,
             total(world.registry(), "controller_runtime_reconcile_total") / count);
  fmt::print("resident memory{:>38.0f} MiB controllers, {:.0f} MiB server\n", bench::resident_mib(::getpid()),
             world.server_mib());
  world.stop();
}

// All controllers, a placement that chooses every cluster, and one rollout over them all.
class LargeFleet {
 public:
  LargeFleet(int clusters, int policies) : clusters_(clusters), policies_(policies) {
    world_.add_clusters(clusters);
    for (int i = 0; i < policies; ++i) bind(i);
    world_.run();
    world_.tasks().spawn("events", fleet_.run());
  }
  ~LargeFleet() { world_.stop(); }
  LargeFleet(const LargeFleet&) = delete;
  LargeFleet& operator=(const LargeFleet&) = delete;

  void prepare() {
    const SteadyTime start = world_.loop().clock().steady();
    const double before = world_.requests();
    const auto wanted = static_cast<std::size_t>(clusters_) * static_cast<std::size_t>(policies_);
    auto& policies = world_.runtime().cache(kPolicies);
    world_.await([&] { return policies.size() >= wanted + static_cast<std::size_t>(policies_); });
    propagated_ = seconds_since(world_.loop(), start);
    propagating_requests_ = (world_.requests() - before) / static_cast<double>(wanted);
    // Every agent says that there is something to do.
    std::vector<std::function<Task<void>()>> requests;
    for (int p = 0; p < policies_; ++p) {
      for (int i = 0; i < clusters_; ++i)
        requests.push_back([this, p, i] { return report(p, i, "NonCompliant"); });
    }
    world_.all(std::move(requests));
    for (int p = 0; p < policies_; ++p) world_.await([&] { return rows_of(p, "NonCompliant") == clusters_; });
    world_.now(
        world_.create(kRollouts, world_.rollout("large", 0, clusters_, std::min(clusters_, 500), policies_)));
    world_.await([&] { return index_of(0) == 0; });
    settle();
  }

  // One cluster after the other complies with its policy: when is it in the root, when has the rollout
  // followed?
  void measure(int changes) {
    std::vector<double> to_root, to_rollout, sent;
    for (int i = 0; i < changes; ++i) {
      const double before = world_.requests();
      const int cluster = i % std::min(clusters_, 500);
      const auto policy = static_cast<int>(index_of(cluster));
      if (policy < 0) continue;
      const SteadyTime start = world_.loop().clock().steady();
      world_.now(report(policy, cluster, "Compliant"));
      world_.await([&] { return row_of(policy, cluster) == "Compliant"; });
      const SteadyTime rolled_up = world_.loop().clock().steady();
      world_.await([&] { return index_of(cluster) != policy; });
      to_root.push_back(std::chrono::duration<double, std::milli>(rolled_up - start).count());
      to_rollout.push_back(seconds_since(world_.loop(), rolled_up) * 1000);
      settle();
      sent.push_back(world_.requests() - before);
    }
    release_free_memory();
    fmt::print(
        "{:>6} x {:<4}{:>10.1f}{:>9.1f}{:>12.1f}{:>9.1f}{:>12.1f}{:>12.1f} s{:>10.1f}{:>10.0f}{:>10.0f}\n",
        clusters_, policies_, quantile(to_root, 0.5), quantile(to_root, 0.99), quantile(to_rollout, 0.5),
        quantile(to_rollout, 0.99), quantile(sent, 0.5), propagated_, propagating_requests_,
        bench::resident_mib(::getpid()), world_.server_mib());
  }

 private:
  void bind(int policy) {
    const std::string name = policy_name(policy);
    world_.now(world_.create(kPolicies, policy_object(name, "default")));
    if (policy == 0) {
      world_.now(world_.create(
          kPlacements,
          accepted(json::parse_object(
              R"({"apiVersion":"cluster.open-cluster-management.io/v1beta1","kind":"Placement","metadata":{"name":"all","namespace":
          "default"},"spec":{"predicates":[{"requiredClusterSelector":{"labelSelector":{"matchLabels":{"vendor":"bench"}}}}]}})"))));
    }
    world_.now(world_.create(
        kPlacementBindings,
        accepted(json::parse_object(fmt::format(
            R"({{"apiVersion":"policy.open-cluster-management.io/v1","kind":"PlacementBinding","metadata":{{"name":"{0}","namespace":
            "default"}},"placementRef":{{"apiGroup":"cluster.open-cluster-management.io","kind":"Placement","name":"all"}},
            "subjects":[{{"apiGroup":"policy.open-cluster-management.io","kind":"Policy","name":"{0}"}}]}})",
            name)))));
  }
  Task<void> report(int policy, int cluster, std::string compliance) {
    const kube::ObjectKey key{cluster_name(cluster), "default." + policy_name(policy)};
    const auto child = world_.runtime().cache(kPolicies).get(key);
    json::Object change;
    change["status"] = json::Object{{"compliant", compliance},
                                    {"observedGeneration", child ? kube::generation_of(*child) : 1}};
    return world_.patch(kPolicies.at(key, "status"), std::move(change));
  }
  std::shared_ptr<const json::Object> root(int policy) {
    return world_.runtime().cache(kPolicies).get({"default", policy_name(policy)});
  }
  int rows_of(int policy, std::string_view word) {
    const json::Array* rows = json::get_array(*root(policy), {"status", "status"});
    if (rows == nullptr) return 0;
    return static_cast<int>(std::ranges::count_if(*rows, [&](const json::Value& each) {
      return json::get_string(each.get_object(), {"compliant"}) == word;
    }));
  }
  std::string row_of(int policy, int cluster) {
    const json::Array* rows = json::get_array(*root(policy), {"status", "status"});
    const auto at = static_cast<std::size_t>(cluster);
    if (rows == nullptr || rows->size() <= at) return "";
    return std::string(json::get_string((*rows)[at].get_object(), {"compliant"}).value_or(""));
  }
  // Where the rollout has the cluster; -1: not in the batch, or through.
  std::int64_t index_of(int cluster) {
    const auto rollout = world_.runtime().cache<ClusterGroupUpgrade>().get({"default", "large"});
    if (!rollout) return -1;
    const auto& progress = rollout->status.status.current_batch_remediation_progress;
    const auto found = progress.find(cluster_name(cluster));
    return found == progress.end() ? -1 : found->second.policy_index.value_or(-1);
  }
  // Until nobody has anything to do, and a root's status may be written at once again.
  void settle() {
    const auto is_idle = [this] {
      auto& depths = world_.registry().gauge("workqueue_depth", "Current depth of workqueue by workqueue",
                                             {"name", "controller"});
      auto& workers =
          world_.registry().gauge("controller_runtime_active_workers",
                                  "Number of currently used workers per controller", {"controller"});
      return std::ranges::all_of(
          std::array{"fleet", "policy", "policy-status", "placement"}, [&](const std::string& name) {
            return depths.with({name, name}).value() == 0 && workers.with({name}).value() == 0;
          });
    };
    int quiet = 0;
    while (quiet < 10) {
      world_.now(async::sleep_for(world_.loop().clock(), kRollUpInterval / 2));
      quiet = is_idle() ? quiet + 1 : 0;
    }
  }

  int clusters_;
  int policies_;
  World world_;
  PlacementController placement_{world_.runtime(), {}, world_.registry()};
  PolicyController policy_{world_.runtime(), {}, world_.registry()};
  RolloutController fleet_{world_.runtime(), {}, world_.registry()};
  bool is_prepared_ = [this] {
    world_.now(placement_.prepare());
    world_.now(policy_.prepare());
    world_.now(fleet_.prepare());
    return true;
  }();
  double propagated_ = 0;
  double propagating_requests_ = 0;
};

void one_change(int clusters, int policies, int changes) {
  LargeFleet fleet(clusters, policies);
  fleet.prepare();
  fleet.measure(changes);
}

int run(int rollouts, int clusters, int policies, int changes) {
  if (rollouts > 0) many_rollouts(rollouts);
  if (clusters <= 0) return 0;
  fmt::print("\n{:<13}{:>19}{:>21}{:>12}{:>14}{:>10}{:>20}\n", "a change of", "until in the root",
             "then in the rollout", "requests", "propagating", "requests", "MiB: controllers, server");
  fmt::print("{:<13}{:>10}{:>9}{:>12}{:>9}\n", "compliance", "p50 ms", "p99 ms", "p50 ms", "p99 ms");
  one_change(10, policies, changes);
  one_change(clusters, policies, changes);
  return 0;
}

}  // namespace
}  // namespace fairway::fleet

int main(int count, char** arguments) {
  const auto number = [&](int at, std::uint64_t otherwise) {
    const auto given = count > at ? fairway::parse_unsigned(arguments[at]) : std::nullopt;
    return static_cast<int>(given.value_or(otherwise));
  };
  return fairway::fleet::run(number(1, 4000), number(2, 10000), number(3, 10), number(4, 100));
}
