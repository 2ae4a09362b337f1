#include "clusterversion/decide.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::clusterversion {
namespace {

// The conditions that this operator says; any of them that it does not say now is taken back.
constexpr std::array<std::string_view, 9> kOwnConditions = {
    "Available",         "Failing",     "Progressing", "RetrievedUpdates",
    "ReleaseAccepted",   "Upgradeable", "Invalid",     "ImplicitlyEnabledCapabilities",
    kExposedToKnownRisks};

const Release& running(const Observed& seen) {
  const Release& desired = seen.object->status.desired;
  const bool is_known = !desired.version.empty() || !desired.image.empty();
  return is_known ? desired : seen.settings->rollout.initial;
}

// Updates of another version are of no use, however they came to be here.
const Offer* usable_offer(const Observed& seen, const GraphRequest& request) {
  const RetrievalState& state = seen.memory.retrieval;
  const bool is_for_this = state.request && state.request->question.version == request.question.version;
  return is_for_this ? state.offer.get() : nullptr;
}

AcceptedNames accepted_names(const ClusterVersionSpec& spec) {
  AcceptedNames names;
  if (!spec.desired_update) return names;
  for (const AcceptedRisk& risk : spec.desired_update->accept_risks) names.insert(risk.name);
  return names;
}

// Known risks of the running release that apply now and that nobody has accepted: a change of configuration
// has brought them about.
std::optional<kube::Condition> exposure(const std::vector<const Risk*>& exposures, const Release& current,
                                        const ClusterVersionStatus& status) {
  const std::string accepted = status.history.empty() ? "" : status.history.front().accepted_risks;
  std::vector<std::string> names;
  std::vector<std::string> parts;
  for (const Risk* risk : exposures) {
    if (accepted.find(risk->url) != std::string::npos) continue;
    names.push_back(risk->name);
    parts.push_back(exposure_text(*risk));
  }
  if (names.empty()) return std::nullopt;
  return kube::Condition{
      .type = std::string(kExposedToKnownRisks),
      .status = std::string(kube::kConditionTrue),
      .reason = names.size() == 1 ? "ExposedToKnownRisk" : "MultipleReasons",
      .message = fmt::format("The running release {} has known risks that apply to this cluster as "
                             "it is configured now: {}.\n\n{}",
                             current.version, join(names, ", "), join(parts, "\n\n"))};
}

// Sets what is said, takes back what is not.
void set_conditions(kube::Conditions& conditions, kube::Conditions said, WallTime now) {
  for (const std::string_view own : kOwnConditions) {
    if (std::ranges::find(said, own, &kube::Condition::type) == said.end())
      kube::remove_condition(conditions, own);
  }
  for (kube::Condition& condition : said) kube::set_condition(conditions, std::move(condition), now);
}

// What the release's own metadata does not say is filled in from the graph, and follows it.
void fill_in(Release& release, const Release& by_graph, const RetrievedRelease* own) {
  if (release.version != by_graph.version) return;
  if (release.url.empty()) release.url = by_graph.url;
  const bool has_own = own != nullptr && !own->payload->release.channels.empty();
  if (!has_own && !by_graph.channels.empty()) release.channels = by_graph.channels;
}

// A copy of everything else: the updates are most of a status, and most looks replace them.
ClusterVersionStatus without_updates(const ClusterVersionStatus& status) {
  return {.desired = status.desired,
          .history = status.history,
          .observed_generation = status.observed_generation,
          .version_hash = status.version_hash,
          .conditions = status.conditions,
          .unknown = status.unknown};
}

// After a start, until the first answer: what was published for this very spec stays.
bool is_published_still_good(const Observed& seen) {
  const RetrievalState& state = seen.memory.retrieval;
  const bool knows_nothing = !state.offer && !state.failure;
  return knows_nothing && seen.object->status.observed_generation == seen.object->metadata.generation;
}

// The decision, part by part.
class Judge {
 public:
  explicit Judge(const Observed& seen)
      : seen_(seen),
        object_(*seen.object),
        settings_(*seen.settings),
        request_(graph_request(object_.spec, running(seen), settings_.retrieval)) {
    const Offer* offer = request_ ? usable_offer(seen, *request_) : nullptr;
    evaluated_ =
        evaluate_offer(offer, seen.memory.queries, accepted_names(object_.spec), object_.status, seen.now,
                       {.accepts_risks = settings_.accepts_risks,
                        .cluster_id = settings_.fills_cluster_id ? object_.spec.cluster_id : std::string()});
    judge_status(offer);
  }

  const ClusterVersionStatus& status() const { return status_; }

  kube::Plan<Action> plan() {
    if (status_ != object_.status) plan_.actions.emplace_back(WriteStatus{seen_.object, status_});
    plan_retrieval();
    plan_queries();
    plan_rollout();
    return std::move(plan_);
  }

 private:
  void judge_status(const Offer* offer) {
    const WallTime now = std::chrono::floor<std::chrono::seconds>(seen_.now.wall);
    if (request_ && is_published_still_good(seen_)) {
      status_ = object_.status;
    } else {
      status_ = without_updates(object_.status);
      status_.available_updates = std::move(evaluated_.available);
      status_.conditional_updates = std::move(evaluated_.conditional);
      status_.conditional_update_risks = std::move(evaluated_.risks);
    }
    status_.observed_generation = object_.metadata.generation;
    kube::Conditions said = {retrieval_condition()};
    if (auto made = upgradeable(object_.spec, running(seen_), seen_.facts)) said.push_back(*std::move(made));
    if (auto made = exposure(evaluated_.exposures, running(seen_), object_.status))
      said.push_back(*std::move(made));
    set_conditions(status_.conditions, said, now);
    rollout_ = decide_rollout(object_.spec, status_, seen_.memory.rollout, seen_.now, settings_.rollout);
    said.insert(said.end(), rollout_.conditions.begin(), rollout_.conditions.end());
    said.push_back({.type = "ImplicitlyEnabledCapabilities",
                    .status = std::string(kube::kConditionFalse),
                    .reason = "AsExpected",
                    .message = "Capabilities match configured spec"});
    status_.conditions = object_.status.conditions;
    set_conditions(status_.conditions, std::move(said), now);
    status_.desired = rollout_.desired;
    status_.history = rollout_.history;
    status_.version_hash = rollout_.version_hash;
    if (offer != nullptr)
      fill_in(status_.desired, offer->current, seen_.memory.rollout.payload_of(status_.desired.image));
  }

  kube::Condition retrieval_condition() const {
    const auto* published = kube::find_condition(object_.status.conditions, "RetrievedUpdates");
    if (request_ && published != nullptr && is_published_still_good(seen_)) return *published;
    if (request_) return retrieved_updates(seen_.memory.retrieval);
    RetrievalState refused;
    refused.failure = request_.error();
    return retrieved_updates(refused);
  }

  void wake(SteadyTime when, std::string reason) {
    plan_.wake(seen_.now.wall + std::max(when - seen_.now.steady, Duration::zero()), std::move(reason));
  }

  void plan_retrieval() {
    if (!request_) return;
    const FetchDecision fetch =
        when_to_fetch(seen_.memory.retrieval, *request_, settings_.retrieval, seen_.now.steady);
    if (fetch.is_due) plan_.actions.emplace_back(FetchGraph{*request_, fetch.failure_clears, fetch.why});
    if (fetch.next) wake(*fetch.next, "the graph is asked for again");
    for (const std::string& warning : warnings()) plan_.notes.push_back(warning);
  }

  std::vector<std::string> warnings() const {
    const auto& offer = seen_.memory.retrieval.offer;
    return offer ? offer->warnings : std::vector<std::string>();
  }

  void plan_queries() {
    if (evaluated_.wanted.empty()) return;
    const QuerySchedule& queries = seen_.memory.queries;
    if (auto query = queries.next(evaluated_.wanted, seen_.now.steady)) {
      plan_.actions.emplace_back(AskQuery{*std::move(query), evaluated_.wanted});
    } else if (const auto when = queries.next_time(evaluated_.wanted, seen_.now.steady)) {
      wake(*when, "a query is due");
    }
    if (queries.is_overfull(evaluated_.wanted.size())) {
      plan_.notes.push_back(fmt::format("{} queries cannot all be refreshed before their answers expire",
                                        evaluated_.wanted.size()));
    }
  }

  void plan_rollout() {
    for (RetrieveRelease& retrieval : rollout_.retrievals) plan_.actions.emplace_back(std::move(retrieval));
    if (rollout_.check) plan_.actions.emplace_back(*std::move(rollout_.check));
    for (ApplyManifest& application : rollout_.applications)
      plan_.actions.emplace_back(std::move(application));
    if (rollout_.retry) wake(*rollout_.retry, "a step of the update is tried again");
  }

  const Observed& seen_;
  const ClusterVersion& object_;
  const OperatorSettings& settings_;
  std::expected<GraphRequest, RetrievalFailure> request_;
  Evaluated evaluated_;
  RolloutDecision rollout_;
  ClusterVersionStatus status_;
  kube::Plan<Action> plan_;
};

struct Describe {
  std::string operator()(const WriteStatus& action) const {
    return fmt::format("write the status: {} recommended, {} conditional updates",
                       action.status.available_updates.size(), action.status.conditional_updates.size());
  }
  std::string operator()(const FetchGraph& action) const {
    return fmt::format("ask for the graph: {} ({})", action.request.url, action.why);
  }
  std::string operator()(const AskQuery& action) const {
    return fmt::format("ask the query {}", action.query);
  }
  std::string operator()(const RetrieveRelease& action) const {
    return fmt::format("retrieve the release {} {}", action.wanted.target.version,
                       action.wanted.target.image);
  }
  std::string operator()(const ApplyManifest& action) const {
    return fmt::format("{} {}", action.is_unmanaged ? "leave alone" : "apply", action.what);
  }
  std::string operator()(const CheckManifest& action) const { return fmt::format("look at {}", action.what); }
};

bool is_gone(const Observed& seen) {
  return !seen.object || seen.object->metadata.deletion_timestamp.has_value();
}

}  // namespace

std::string describe(const Action& action) {
  return std::visit(Describe{}, action);
}

ClusterVersionStatus wanted_status(const Observed& seen) {
  return is_gone(seen) ? ClusterVersionStatus{} : Judge(seen).status();
}

kube::Plan<Action> decide(const Observed& seen) {
  if (is_gone(seen)) return {.notes = {"there is no ClusterVersion named version"}};
  return Judge(seen).plan();
}

}  // namespace fairway::clusterversion
