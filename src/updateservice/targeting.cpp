#include "updateservice/targeting.hpp"

#include <fmt/format.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "promql/aggregated.hpp"

namespace fairway::updateservice {

Rule::Rule(std::string query) : query_(std::move(query)) {
  if (auto form = promql::for_all_clusters(query_)) asked_form_ = *std::move(form);
}

Targeting::Targeting(Ask ask, const Lifetimes& lifetimes, TimerClock& clock, async::TaskGroup& tasks,
                     metrics::Registry& registry)
    : ask_(std::move(ask)),
      lifetimes_(lifetimes),
      clock_(clock),
      tasks_(tasks),
      queries_(registry.counter("fairway_update_service_targeted_queries_total",
                                "queries asked of Prometheus for targeted blocks, by result", {"result"})),
      failures_(registry.counter("fairway_update_service_targeted_failures_total",
                                 "queries that failed and block everyone, by reason", {"reason"})),
      failing_(registry
                   .gauge("fairway_update_service_targeted_failing_rules",
                          "targeted blocks whose last query failed: they block everyone")
                   .with()),
      ids_(registry.gauge("fairway_update_service_targeted_ids", "cluster ids known, over all queries")
               .with()),
      bytes_(
          registry.gauge("fairway_update_service_targeted_bytes", "memory of the known cluster ids").with()) {
  for (const char* result : {"ok", "failed"}) queries_.with({result});
}

Verdicts Targeting::verdicts(const Rules& rules, std::span<const graph::RuleId> of, const IdKey& id) const {
  Verdicts verdicts;
  const SteadyTime now = clock_.steady();
  for (const graph::RuleId rule : of) {
    const auto answer = rules[rule]->answer();
    const Judgement judgement = judge(answer.get(), id, lifetimes_, now);
    if (judgement.allows) verdicts.allowed.push_back(rule);
    // Too early to ask again: what is known now has to do.
    if (judgement.is_expired && may_ask(answer.get(), lifetimes_, now)) verdicts.expired.push_back(rule);
  }
  return verdicts;
}

Rules Targeting::adopt(const graph::Graph& graph) {
  std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
  Rules rules;
  for (const graph::TargetedRule& targeted : graph.targeted_rules()) {
    std::weak_ptr<Rule>& known = known_[targeted.query];
    auto rule = known.lock();
    if (!rule) {
      rule = std::make_shared<Rule>(targeted.query);
      known = rule;
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

void Targeting::start(const std::shared_ptr<Rule>& rule) {
  if (rule->is_asking_) return;
  rule->is_asking_ = true;
  const auto started = tasks_.spawn("targeted query", ask_rule(rule));
  if (started == async::TaskGroup::kRefused) rule->is_asking_ = false;
}

boost::asio::awaitable<void> Targeting::refresh(Rules rules, std::vector<graph::RuleId> expired) {
  const SteadyTime now = clock_.steady();
  for (const graph::RuleId id : expired) {
    if (may_ask(rules[id]->answer().get(), lifetimes_, now)) start(rules[id]);
  }
  for (const graph::RuleId id : expired) {
    while (rules[id]->is_asking_) {
      if (!co_await rules[id]->answered_.wait()) co_return;  // cancelled
    }
  }
}

void Targeting::warm_up(const Rules& rules) {
  for (const auto& rule : rules) {
    if (!rule->answer()) start(rule);
  }
}

Task<void> Targeting::ask_rule(std::shared_ptr<Rule> rule) {
  const SteadyTime asked = clock_.steady();
  Result<ClusterIds> answer = fail(ErrorCode::Invalid, "the query is not PromQL (see fairway graph lint)");
  if (!rule->asked_form_.empty()) answer = co_await ask_(rule->asked_form_);
  const bool was_cancelled = !answer && answer.error().code == ErrorCode::Cancelled;
  if (!was_cancelled) publish(*rule, std::move(answer), asked);
  rule->is_asking_ = false;
  rule->answered_.notify();
  co_return Result<void>{};
}

void Targeting::publish(Rule& rule, Result<ClusterIds> answer, SteadyTime asked) {
  auto next = std::make_shared<RuleAnswer>();
  next->asked = asked;
  if (answer) {
    next->ids = std::move(answer->ids);
    queries_.with({"ok"}).add();
    if (answer->without_id > 0 || answer->with_other_value > 0 || answer->warnings > 0) {
      log::warning("a targeted query gave samples that cannot allow anyone",
                   {{"query", rule.query_},
                    {"without_id", std::to_string(answer->without_id)},
                    {"neither_0_nor_1", std::to_string(answer->with_other_value)},
                    {"warnings", std::to_string(answer->warnings)}});
    }
  } else {
    next->failure = answer.error().describe();
    queries_.with({"failed"}).add();
    failures_.with({std::string(to_string(answer.error().code))}).add();
    log::error("a targeted query failed: its edges are blocked for everyone",
               {{"query", rule.query_}, {"error", *next->failure}});
  }
  rule.answer_.store(std::move(next), std::memory_order_release);
  count_ids();
}

void Targeting::count_ids() {
  std::size_t ids = 0;
  std::size_t bytes = 0;
  std::size_t failing = 0;
  for (const auto& [query, known] : known_) {
    const auto live = known.lock();
    const auto current = live ? live->answer() : nullptr;
    if (!current) continue;
    ids += current->ids.allowed() + current->ids.blocked();
    bytes += current->ids.footprint();
    failing += current->failure ? 1 : 0;
  }
  ids_.set(static_cast<double>(ids));
  bytes_.set(static_cast<double>(bytes));
  failing_.set(static_cast<double>(failing));
}

std::vector<std::pair<std::string, std::string>> Targeting::failures() const {
  std::vector<std::pair<std::string, std::string>> failures;
  for (const auto& [query, known] : known_) {
    const auto rule = known.lock();
    const auto answer = rule ? rule->answer() : nullptr;
    if (answer && answer->failure) failures.emplace_back(query, *answer->failure);
  }
  return failures;
}

}  // namespace fairway::updateservice
