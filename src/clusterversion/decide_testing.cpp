#include "clusterversion/decide_testing.hpp"

#include <fmt/format.h>

namespace fairway::clusterversion::testing {
namespace {

struct Act {
  SimulatedCluster& world;
  const Observed& seen;

  Result<void> operator()(const WriteStatus& action) const {
    if (action.object->metadata.resource_version != world.object.metadata.resource_version)
      return fail(ErrorCode::Conflict, "the object was changed");
    world.object.status = action.status;
    world.object.metadata.resource_version = std::to_string(++world.version);
    ++world.writes;
    return {};
  }
  Result<void> operator()(const FetchGraph& action) const {
    begin_fetch(world.memory.retrieval, action.request, world.now);
    ++world.fetches;
    std::expected<GraphAnswer, RetrievalFailure> outcome = world.graph;
    if (world.graph_failure) outcome = std::unexpected(*world.graph_failure);
    end_fetch(world.memory.retrieval, std::move(outcome), action.failure_clears, {}, world.now);
    return {};
  }
  Result<void> operator()(const AskQuery& action) const {
    world.memory.queries.begin(action.query, action.wanted, world.now);
    world.asked.push_back(action.query);
    const auto found = world.answers.find(action.query);
    world.memory.queries.record(
        action.query,
        found != world.answers.end() ? found->second : QueryOutcome(std::unexpect, "nobody answers", false),
        world.now);
    return {};
  }
  Result<void> operator()(const RetrieveRelease& action) const {
    begin_retrieval(world.memory.rollout, action, world.object.status.desired.image);
    const auto found = world.releases.find(action.wanted.target.image);
    Retrieval outcome =
        found != world.releases.end()
            ? found->second
            : Retrieval{.failure = PayloadFailure{"RetrievePayload", "there is no such release"}};
    // As the retriever does: without a signature only by force, and the running release as it is.
    if (action.is_local) {
      outcome.verification.clear();
    } else if (!outcome.verification.empty() && !action.wanted.force) {
      outcome = {.failure = verification_failure(action.wanted.target, outcome.verification)};
    }
    end_retrieval(world.memory.rollout, action, std::move(outcome), world.now.steady);
    return {};
  }
  Result<void> operator()(const ApplyManifest& action) const {
    RolloutMemory& rollout = world.memory.rollout;
    const auto payload = next_step(rollout, action.image, action.index);
    if (!payload || rollout.application.is_applied) return {};
    if (action.is_unmanaged) {
      skip_step(rollout);
      return {};
    }
    const auto refusal = world.refused.find(action.what);
    if (refusal != world.refused.end()) {
      settle_step(rollout, *payload, action.index, std::unexpected(refusal->second), world.now.steady);
      return {};
    }
    world.applied.push_back(fmt::format("{} {}", action.image, action.what));
    settle_step(rollout, *payload, action.index, look_at(*payload, action.index, action.what),
                world.now.steady);
    return {};
  }
  Result<void> operator()(const CheckManifest& action) const {
    const auto payload = next_step(world.memory.rollout, action.image, action.index);
    if (!payload) return {};
    settle_step(world.memory.rollout, *payload, action.index, look_at(*payload, action.index, action.what),
                world.now.steady);
    return {};
  }

  json::Object look_at(const Payload& payload, std::size_t index, const std::string& what) const {
    const auto found = world.live.find(what);
    return found != world.live.end() ? found->second : payload.manifests[index].object;
  }
};

}  // namespace

SimulatedCluster::SimulatedCluster() {
  object.metadata.name = "version";
  object.metadata.uid = "u1";
  object.metadata.resource_version = "1";
  object.metadata.generation = 1;
  object.spec = {.cluster_id = "5f0b3c2e-7c3b-4f0e-9f54-2d3a1b6e7c11", .channel = "stable-4.7"};
  object.status.desired = {.version = "4.6.23", .image = kOldImage};
  object.status.history = {{.state = std::string(kCompleted),
                            .started_time = now.wall - std::chrono::hours(100),
                            .completion_time = {now.wall - std::chrono::hours(99)},
                            .version = "4.6.23",
                            .image = kOldImage,
                            .verified = true}};
  graph.current = {.version = "4.6.23", .image = kOldImage};
  facts.admin_gates = ConfigData{};
}

Observed SimulatedCluster::observe() const {
  Observed seen{.object = std::make_shared<const ClusterVersion>(object),
                .memory = memory,
                .facts = facts,
                .now = now,
                .settings = settings};
  seen.memory.queries.expire(now.steady);
  return seen;
}

Result<void> SimulatedCluster::act(const Observed& seen, const Action& action) {
  return std::visit(Act{*this, seen}, action);
}

std::string SimulatedCluster::settle(int most_rounds) {
  std::string story;
  for (int round = 0; round < most_rounds; ++round) {
    const Observed seen = observe();
    const kube::Plan<Action> plan = decide(seen);
    if (plan.actions.empty()) return story;
    for (const Action& action : plan.actions) {
      if (!act(seen, action)) break;
      story += describe(action) + "\n";
    }
  }
  return story + "there is always more to do\n";
}

void SimulatedCluster::pass(Duration time) {
  now.steady += time;
  now.wall += time;
}

void SimulatedCluster::restart() {
  memory = Memory{.queries = QuerySchedule(settings->pacing)};
}

SimulatedCluster large_cluster(int updates, int queries) {
  SimulatedCluster cluster;
  cluster.releases[kOldImage] = release_with("4.6.23", kOldImage, {"one"});
  const auto query = [](int i) {
    return fmt::format(
        "max by (_id) (cluster_operator_conditions{{name=\"operator-{0}\"}}) or 0 * group by "
        "(_id) (cluster_operator_conditions{{name!=\"operator-{0}\"}})",
        i);
  };
  for (int i = 0; i < queries; ++i) cluster.memory.queries.record(query(i), i % 2 == 1, cluster.now);
  for (int i = 0; i < updates; ++i) {
    ConditionalTarget target{.release = {.version = fmt::format("4.7.{}", i),
                                         .image = fmt::format("registry.example/release@sha256:{:064x}", i),
                                         .url = fmt::format("https://errata.example/{}", i),
                                         .channels = {"candidate-4.7", "fast-4.7", "stable-4.7"}}};
    for (int j = 0; j < 3; ++j) {
      const int number = (i + j * 8) % queries;
      target.risks.push_back(
          {.url = fmt::format("https://issues.example/browse/BUG-{}", number),
           .name = fmt::format("OperatorLosesConnections{}", number),
           .message =
               "Clusters with this operator may lose connections to the cloud's interface while control "
               "plane machines restart, and then report degraded operators until somebody looks.",
           .matching_rules = {{.type = "PromQL", .promql = PromqlRule{query(number)}}}});
    }
    cluster.graph.conditional.push_back(std::move(target));
  }
  cluster.settle();
  return cluster;
}

Retrieval release_with(const std::string& version, const std::string& image,
                       const std::vector<std::string>& names) {
  Payload payload{.release = {.version = version, .image = image}, .hash = "hash-of-" + version};
  for (const std::string& name : names) {
    payload.manifests.push_back(
        {.file = name + ".yaml",
         .object = {{"apiVersion", "v1"},
                    {"kind", "ConfigMap"},
                    {"metadata", json::Object{{"name", name}, {"namespace", "default"}}}}});
  }
  return {.payload = std::make_shared<const Payload>(std::move(payload)), .is_verified = true};
}

}  // namespace fairway::clusterversion::testing
