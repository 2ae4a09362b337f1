// fairway upgrade explain: one risk, why it stands against updates, and why it matches here.
#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/metrics_source.hpp"
#include "cli/upgrade.hpp"
#include "cli/upgrade_session.hpp"
#include "clusterversion/upgrade/explain.hpp"
#include "clusterversion/upgrade/view.hpp"
#include "promql/evaluator.hpp"
#include "promql/explain.hpp"
#include "promql/parser.hpp"
#include "promql/verdict.hpp"

namespace fairway::cli {
namespace {

namespace upgrade = clusterversion::upgrade;
using clusterversion::ClusterVersion;
using clusterversion::MatchingRule;
using promql::Verdict;

constexpr Duration kLongestEvaluation = std::chrono::seconds(10);

struct JudgedRule {
  std::string type;
  Verdict verdict;
  std::optional<promql::ExplainedNode> tree = {};
};

Verdict unknown(std::string why) {
  return {.kind = Verdict::Kind::Unknown, .reason = std::move(why)};
}

JudgedRule judge_query(const std::string& query, const LoadedMetrics& metrics) {
  const auto expr = promql::parse(query);
  if (!expr) return {"PromQL", unknown(expr.error().to_error(query).describe())};
  const SystemClock clock;
  const promql::ExplainOptions options{.eval = {.limits = {.max_time = kLongestEvaluation}, .clock = &clock}};
  promql::Explanation explanation = promql::explain(*expr, metrics.store, metrics.now, options);
  return {"PromQL", promql::judge(explanation.result), std::move(explanation.tree)};
}

JudgedRule judge_rule(const MatchingRule& rule, const LoadedMetrics& metrics) {
  if (rule.type == "Always") return {rule.type, {.kind = Verdict::Kind::Applies}};
  if (rule.type == "PromQL" && rule.promql) return judge_query(rule.promql->promql, metrics);
  return {rule.type, unknown(fmt::format("rules of the type {} are not known here", quoted(rule.type)))};
}

// In order, up to the first that gives a verdict: that one counts.
std::vector<JudgedRule> judge_rules(const std::vector<MatchingRule>& rules, const LoadedMetrics& metrics) {
  std::vector<JudgedRule> judged;
  for (const MatchingRule& rule : rules) {
    judged.push_back(judge_rule(rule, metrics));
    if (judged.back().verdict.kind != Verdict::Kind::Unknown) break;
  }
  return judged;
}

std::string verdict_text(const Verdict& verdict) {
  return verdict.reason.empty() ? std::string(to_string(verdict.kind))
                                : fmt::format("{} ({})", to_string(verdict.kind), verdict.reason);
}

std::string judged_text(const std::vector<JudgedRule>& judged) {
  std::string text = "\nEvaluated here, on the given metrics:\n";
  for (std::size_t i = 0; i < judged.size(); ++i) {
    text += fmt::format("\n  {}. {}: {}\n", i + 1, judged[i].type, verdict_text(judged[i].verdict));
    if (!judged[i].tree) continue;
    text += fmt::format("       {}\n", upgrade::indented(trim(to_text(*judged[i].tree)), 7));
  }
  const Verdict verdict = judged.empty() ? unknown("it has no rules") : judged.back().verdict;
  return text + fmt::format("\nThe risk here: {}\n", to_string(verdict.kind));
}

json::Array judged_document(const std::vector<JudgedRule>& judged) {
  json::Array rules;
  for (const JudgedRule& rule : judged) {
    json::Object entry{{"type", rule.type}, {"verdict", to_string(rule.verdict.kind)}};
    if (!rule.verdict.reason.empty()) entry["reason"] = rule.verdict.reason;
    if (rule.tree) entry["explanation"] = to_json(*rule.tree);
    rules.push_back(std::move(entry));
  }
  return rules;
}

Result<void> run_explain(const UpgradeSettings& settings, Invocation& invocation) {
  LoadedMetrics metrics;
  const bool is_judged = !settings.metrics.empty();
  if (is_judged) {
    FAIRWAY_TRY(metrics, load_metrics(settings.metrics, settings.at));
  }
  FAIRWAY_TRY(const auto session, UpgradeSession::open(settings.cluster, invocation));
  FAIRWAY_TRY(const ClusterVersion cluster, session->read());
  FAIRWAY_TRY(const auto definitions, upgrade::find_risk(cluster, settings.risk));
  std::vector<std::string> texts;
  json::Array documents;
  for (const upgrade::RiskDefinition& definition : definitions) {
    texts.push_back(upgrade::risk_text(cluster, definition));
    json::Object document = upgrade::risk_document(cluster, definition);
    if (is_judged) {
      const auto judged = judge_rules(definition.risk.matching_rules, metrics);
      texts.back() += judged_text(judged);
      document["evaluatedHere"] = judged_document(judged);
    }
    documents.push_back(std::move(document));
  }
  upgrade::Outcome outcome;
  outcome.print(join(texts, "\n"));
  if (is_document(settings.output)) outcome = with_document(outcome, documents, settings.output);
  return session->carry_out(outcome);
}

constexpr const char* kDescription =
    "Explain a risk: which updates it stands against, by which rules, and what was found\n"
    "\n"
    "With --metrics the rules are evaluated here as well, on what metrics endpoints answer, and the value "
    "of\n"
    "every sub-expression of a query is shown: why does it match here?";

}  // namespace

void add_upgrade_explain(CLI::App& upgrade, Invocation& invocation, const SharedUpgradeSettings& settings) {
  CLI::App& command =
      add_upgrade_command(upgrade, "explain", kDescription,
                          "fairway upgrade explain AuthOAuthProxyLeakedConnections\n"
                          "\n"
                          "# With the metrics of this cluster, in a file\n"
                          "fairway upgrade explain AuthOAuthProxyLeakedConnections --metrics metrics.txt",
                          *settings, {"json", "yaml"});
  command.add_option("RISK", settings->risk, "The name of the risk")->required();
  command
      .add_option("--metrics", settings->metrics, "Metrics to evaluate it on, a file or a URL; repeatable")
      ->type_name("FILE")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--at", settings->at, "When: a time of RFC 3339, or seconds since 1970")
      ->type_name("TIME")
      ->default_str("the newest sample's time, or now");
  on_upgrade_chosen(command, invocation, settings, run_explain);
}

}  // namespace fairway::cli
