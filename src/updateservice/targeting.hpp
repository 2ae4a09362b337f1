// Targeting: seed 000's decision by a cluster's id, kept up to date.
//
// Each distinct query is a Rule with the answer that it last gave. Server threads read answers without locks
// (verdicts()); everything else happens on the control loop: asking a query, one flight at a time however
// many clients wait for it, warming up new ones, forgetting those that no graph has any more. Any number of
// ids costs the same memory, and no number of requests makes a query run more often than its least pause.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "async/notify.hpp"
#include "async/task.hpp"
#include "async/task_group.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "graph/graph.hpp"
#include "updateservice/prometheus.hpp"
#include "updateservice/rule_answer.hpp"

namespace fairway::updateservice {

class Rule {
 public:
  explicit Rule(std::string query);

  const std::string& query() const { return query_; }  // as the graph data has it
  std::shared_ptr<const RuleAnswer> answer() const { return answer_.load(std::memory_order_acquire); }

 private:
  friend class Targeting;
  std::string query_;
  std::string asked_form_;  // for all clusters; empty when the query cannot be read
  std::atomic<std::shared_ptr<const RuleAnswer>> answer_;
  bool is_asking_ = false;  // the rest belongs to the control loop
  async::Notify answered_;
};

// By the graph's RuleId.
using Rules = std::vector<std::shared_ptr<Rule>>;

struct Verdicts {
  std::vector<graph::RuleId> allowed;  // of those that were asked about, in order
  std::vector<graph::RuleId> expired;  // worth asking again before answering
};

class Targeting {
 public:
  using Ask = std::function<Task<ClusterIds>(std::string query)>;

  Targeting(Ask ask, const Lifetimes& lifetimes, TimerClock& clock, async::TaskGroup& tasks,
            metrics::Registry& registry);

  // From any thread.
  Verdicts verdicts(const Rules& rules, std::span<const graph::RuleId> of, const IdKey& id) const;

  // The rest on the control loop. The rules of a graph; those that the graph before had keep their answers.
  Rules adopt(const graph::Graph& graph);
  // Asks the expired ones, as far as they may be asked, and waits for all of them. Never fails: what could
  // not be asked blocks.
  boost::asio::awaitable<void> refresh(Rules rules, std::vector<graph::RuleId> expired);
  // Asks what has no answer yet, in the background.
  void warm_up(const Rules& rules);

  // Rules whose last query failed, with the reason; for status pages.
  std::vector<std::pair<std::string, std::string>> failures() const;

 private:
  Task<void> ask_rule(std::shared_ptr<Rule> rule);
  void publish(Rule& rule, Result<ClusterIds> answer, SteadyTime asked);
  void count_ids();
  void start(const std::shared_ptr<Rule>& rule);

  Ask ask_;
  Lifetimes lifetimes_;
  TimerClock& clock_;
  async::TaskGroup& tasks_;
  std::map<std::string, std::weak_ptr<Rule>> known_;  // by query
  metrics::Family<metrics::Counter>& queries_;
  metrics::Family<metrics::Counter>& failures_;
  metrics::Gauge& failing_;
  metrics::Gauge& ids_;
  metrics::Gauge& bytes_;
};

}  // namespace fairway::updateservice
