// The three laws that every controller of this project keeps, checked by simulation:
//
//   1. The same observation gives the same plan.
//   2. Left alone, acting until the plans are empty takes a bounded number of rounds; and then, where the
//   model says
//      what that is (settled()), the world is as wanted.
//   3. The model's invariant holds after every single action, in every seeded interleaving of reconciles,
//   failures,
//      crashes, stale caches, time and whatever others do.
//
// A Model says what the world is and how it is observed and acted upon; see the concept below. A violation is
// an Error whose message is the story that leads to it and the seed to replay it with.
//
//   EXPECT_EQ(testing::check_laws(MirrorModel{}, world), testing::kLawful);
#pragma once

#include <concepts>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "kube/client/backoff.hpp"
#include "kube/core/object.hpp"
#include "kube/core/plan.hpp"

namespace fairway::kube::testing {

// World is a value: everything outside of the controller, its clock included. act() is guarded as the real
// one: it returns Conflict when what was observed has changed. disturb() is what users and other programs do.
template <class M>
concept Model =
    requires(const M& model, typename M::World& world, const typename M::World& fixed, const ObjectKey& key,
             const typename M::Observed& seen, const typename M::Action& action, Random& random) {
      requires std::copyable<typename M::World>;
      { model.keys(fixed) } -> std::same_as<std::vector<ObjectKey>>;
      { model.observe(fixed, key) } -> std::same_as<typename M::Observed>;
      { model.decide(seen) } -> std::same_as<Plan<typename M::Action>>;
      { model.act(world, seen, action) } -> std::same_as<Result<void>>;
      { model.invariant(fixed) } -> std::same_as<Result<void>>;
      model.disturb(world, random);
    };

struct LawOptions {
  std::uint64_t first_seed = 1;
  int seeds = 100;
  int steps = 150;           // of each interleaving
  int max_rounds = 25;       // until all plans are empty
  double failing = 0.1;      // actions that fail; half of them after they were carried out
  double crashing = 0.02;    // steps at which the controller restarts
  double disturbing = 0.15;  // steps at which others do something
  double stale = 0.2;        // observations of a world that is a few changes old
};

// What happened, for the message of a violation.
class Story {
 public:
  explicit Story(std::uint64_t seed) : seed_(seed) {}

  void tell(std::string line);
  std::unexpected<Error> violation(std::string_view law, std::string_view what) const;

 private:
  std::uint64_t seed_;
  std::deque<std::string> lines_;  // the last ones
};

// "" when the laws hold, else the story; so that a test shows it.
inline const std::string kLawful;

template <Model M>
class LawChecker {
 public:
  using World = typename M::World;
  using Observed = typename M::Observed;
  using Action = typename M::Action;

  LawChecker(const M& model, World world, std::uint64_t seed, const LawOptions& options)
      : model_(model), options_(options), random_(seed), story_(seed), world_(std::move(world)) {}

  Result<void> run() {
    for (int i = 0; i < options_.steps; ++i) FAIRWAY_CHECKED(one_step());
    in_flight_.clear();
    return settle();
  }

 private:
  // A reconcile in progress: what it saw, and the actions that it still has to take.
  struct InFlight {
    Observed seen;
    std::deque<Action> actions;
  };

  bool happens(double share) { return random_.unit() < share; }

  Result<void> one_step() {
    if (happens(options_.crashing)) {
      story_.tell("the controller restarts");
      in_flight_.clear();
    } else if (happens(options_.disturbing)) {
      story_.tell("others do something");
      change([&](World& world) { model_.disturb(world, random_); });
      return {};
    } else if (const auto keys = model_.keys(world_); !keys.empty()) {
      const ObjectKey key = keys[random_.below(keys.size())];
      return in_flight_.contains(key) ? act_once(key) : begin(key, happens(options_.stale));
    }
    return {};
  }

  Result<void> begin(const ObjectKey& key, bool is_stale) {
    const World& looked_at = is_stale && !past_.empty() ? past_[random_.below(past_.size())] : world_;
    InFlight made{model_.observe(looked_at, key), {}};
    FAIRWAY_TRY(const Plan<Action> plan, decide_twice(made.seen));
    if (plan.actions.empty()) return {};
    story_.tell(key.to_string() + " plans" + (is_stale ? " from a stale cache:\n" : ":\n") +
                to_text(summary(plan)));
    made.actions.assign(plan.actions.begin(), plan.actions.end());
    in_flight_.emplace(key, std::move(made));
    return {};
  }

  Result<Plan<Action>> decide_twice(const Observed& seen) {
    const Observed copy = seen;
    Plan<Action> plan = model_.decide(seen);
    const PlanSummary first = summary(plan);
    const PlanSummary second = summary(model_.decide(copy));
    if (first == second) return plan;
    return story_.violation("the same observation gives the same plan",
                            "first:\n" + to_text(first) + "then:\n" + to_text(second));
  }

  // The next action of a key that is in progress; a failure ends its plan, as it does in PlanExecutor.
  Result<void> act_once(const ObjectKey& key) {
    InFlight& mine = in_flight_.at(key);
    const Action action = mine.actions.front();
    mine.actions.pop_front();
    const bool fails = happens(options_.failing);
    const bool is_carried_out = !fails || random_.below(2) == 0;
    Result<void> acted;
    if (is_carried_out) change([&](World& world) { acted = model_.act(world, mine.seen, action); });
    story_.tell(key.to_string() + (acted ? " does " : " cannot do ") + describe(action) +
                (fails ? (is_carried_out ? ", and never hears of it" : ", in vain") : ""));
    if (fails || !acted || mine.actions.empty()) in_flight_.erase(key);
    if (auto holds = model_.invariant(world_); !holds) {
      return story_.violation("the invariant holds after every action", holds.error().describe());
    }
    return {};
  }

  // Nobody disturbs: all plans become empty.
  Result<void> settle() {
    for (int round = 0; round < options_.max_rounds; ++round) {
      bool is_quiet = true;
      for (const ObjectKey& key : model_.keys(world_)) {
        const Observed seen = model_.observe(world_, key);
        FAIRWAY_TRY(const Plan<Action> plan, decide_twice(seen));
        if (plan.actions.empty()) continue;
        is_quiet = false;
        story_.tell(key.to_string() + " plans, alone:\n" + to_text(summary(plan)));
        for (const Action& action : plan.actions) {
          Result<void> acted;
          change([&](World& world) { acted = model_.act(world, seen, action); });
          if (auto holds = model_.invariant(world_); !holds) {
            return story_.violation("the invariant holds after every action", holds.error().describe());
          }
          if (!acted) break;
        }
      }
      if (is_quiet) return as_wanted();
    }
    return story_.violation("acting until the plan is empty takes bounded steps",
                            "there is always more to do");
  }

  // Where the model says what the world should be when there is nothing left to do.
  Result<void> as_wanted() {
    if constexpr (requires { model_.settled(world_); }) {
      if (auto holds = model_.settled(world_); !holds) {
        return story_.violation("when the plans are empty the world is as wanted", holds.error().describe());
      }
    }
    return {};
  }

  template <class F>
  void change(F function) {
    past_.push_back(world_);
    if (past_.size() > 4) past_.pop_front();
    function(world_);
  }

  const M& model_;
  const LawOptions& options_;
  Random random_;
  Story story_;
  World world_;
  std::deque<World> past_;
  std::map<ObjectKey, InFlight> in_flight_;
};

template <Model M>
std::string check_laws(const M& model, const typename M::World& world, const LawOptions& options = {}) {
  for (int i = 0; i < options.seeds; ++i) {
    const std::uint64_t seed = options.first_seed + static_cast<std::uint64_t>(i);
    if (auto kept = LawChecker<M>(model, world, seed, options).run(); !kept) return kept.error().describe();
  }
  return kLawful;
}

}  // namespace fairway::kube::testing
