// The update service's answer, from bytes to what the operator publishes: nothing crashes, and whatever comes
// out can be stored, because one field that the API server refuses would cost the whole status.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "clusterversion/evaluation.hpp"
#include "json/codec.hpp"
#include "json/schema_uri.hpp"

#include "fuzzer.hpp"

namespace fairway::clusterversion {
namespace {

constexpr std::size_t kMostReasonBytes = 1024;

bool is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}
bool is_word(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

// ^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$
bool fits_as_reason(std::string_view text) {
  return !text.empty() && text.size() <= kMostReasonBytes && is_letter(text.front()) &&
         is_word(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_word(c) || c == ',' || c == ':'; });
}

void check_conditions(const kube::Conditions& conditions) {
  for (const kube::Condition& condition : conditions) {
    FAIRWAY_CHECK(fits_as_reason(condition.reason), "a condition's reason cannot be stored");
    FAIRWAY_CHECK(condition.message.size() <= kMostMessageBytes, "a condition's message is too long");
    FAIRWAY_CHECK(condition.last_transition_time, "a condition does not say since when");
  }
}

void check_risk(const Risk& risk, const Storable& storable) {
  FAIRWAY_CHECK(!risk.name.empty() && risk.name.size() <= kMostRiskNameBytes,
                "a risk's name cannot be stored");
  FAIRWAY_CHECK(json::is_request_uri(risk.url), "a risk's url cannot be stored");
  FAIRWAY_CHECK(!risk.message.empty() && risk.message.size() <= kMostMessageBytes,
                "a risk's message cannot be stored");
  FAIRWAY_CHECK(storable.allows_none || !risk.matching_rules.empty(), "a risk has no rule");
  for (const MatchingRule& rule : risk.matching_rules) {
    FAIRWAY_CHECK(!rule.type.empty(), "a rule has no type");
    FAIRWAY_CHECK(storable.any_type || is_recognized(rule), "a rule is of a type that cannot be stored");
    FAIRWAY_CHECK(!rule.promql || !rule.promql->promql.empty(), "a rule has an empty query");
  }
  check_conditions(risk.conditions);
}

void check_update(const ConditionalUpdate& update, const Storable& storable) {
  FAIRWAY_CHECK(!update.release.image.empty(), "an update has no image");
  FAIRWAY_CHECK(!update.risks.empty() && update.risks.size() <= kMostRisks,
                "an update has no risk, or too many");
  std::set<std::string_view> names;
  for (const Risk& risk : update.risks) {
    check_risk(risk, storable);
    FAIRWAY_CHECK(names.insert(risk.name).second, "two risks of an update have one name");
  }
  check_conditions(update.conditions);
  const kube::Condition* verdict = recommended(update);
  FAIRWAY_CHECK(verdict != nullptr, "an update has no verdict");
}

void check_channels(const Release& release) {
  FAIRWAY_CHECK(
      std::ranges::adjacent_find(release.channels, std::ranges::greater_equal()) == release.channels.end(),
      "channels are not a sorted set");
}

void check(const Evaluated& all, const Storable& storable) {
  FAIRWAY_CHECK(all.conditional.size() <= kMostTargets, "there are too many conditional updates");
  FAIRWAY_CHECK(all.risks.size() <= kMostTargets, "there are too many risks");
  FAIRWAY_CHECK(std::ranges::is_sorted(all.available, is_newer), "available updates are not in order");
  std::set<std::string_view> available;
  for (const Release& release : all.available) {
    check_channels(release);
    FAIRWAY_CHECK(available.insert(release.image).second, "an update is available twice");
  }
  for (const ConditionalUpdate& update : all.conditional) {
    check_channels(update.release);
    check_update(update, storable);
    FAIRWAY_CHECK(is_recommended(update) == available.contains(update.release.image),
                  "a conditional update is available against its verdict");
  }
  for (const Risk& risk : all.risks) check_risk(risk, storable);
}

// Queries answer as their length says, so that an input decides about its own verdicts.
QueryOutcome answer_to(std::string_view query) {
  if (query.size() % 3 == 2) return std::unexpected(QueryFailure{"no such metric"});
  return query.size() % 3 == 1;
}

void evaluate_with(const Offer& offer, const Storable& storable, bool accepts_risks) {
  const Moment now{SteadyTime(std::chrono::hours(1)), WallTime(std::chrono::hours(480'000))};
  const EvaluationSettings settings{.accepts_risks = accepts_risks, .cluster_id = accepts_risks ? "id" : ""};
  QuerySchedule queries;
  const Evaluated before = evaluate_offer(&offer, queries, {}, {}, now, settings);
  check(before, storable);
  for (const ConditionalUpdate& update : before.conditional)
    FAIRWAY_CHECK(!is_recommended(update), "an update is recommended before any of its risks was evaluated");
  for (const std::string& query : before.wanted) queries.record(query, answer_to(query), now);
  const Evaluated after = evaluate_offer(&offer, queries, {}, {}, now, settings);
  check(after, storable);
  ClusterVersionStatus status;
  status.available_updates = after.available;
  status.conditional_updates = after.conditional;
  status.conditional_update_risks = after.risks;
  const auto again = json::from_json<ClusterVersionStatus>(json::to_json(status));
  FAIRWAY_CHECK(again && again->conditional_updates == status.conditional_updates &&
                    again->available_updates == status.available_updates,
                "what is written is not what is read again");
}

}  // namespace

FAIRWAY_FUZZER(graph_answer, text) {
  if (text.size() > 1 << 16) return;
  const auto answer = read_graph_answer(text, {.version = "4.6.23", .channel = "stable-4.6"});
  if (!answer) {
    FAIRWAY_CHECK(fits_as_reason(answer.error().reason) && !answer.error().message.empty(),
                  "a failure cannot be published");
    return;
  }
  for (const Storable& storable : {Storable{}, Storable{false, false, false}}) {
    const Offer offer = make_offer(*answer, storable);
    for (const bool accepts_risks : {false, true}) evaluate_with(offer, storable, accepts_risks);
  }
}

}  // namespace fairway::clusterversion
