// fairway upgrade explain: one risk, why it stands against updates, and why it matches here.
#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/metrics_source.hpp"
#include "cli/upgrade.hpp"
#include "cli/upgrade_session.hpp"
#include "clusterversion/rules.hpp"
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

// Where rules are evaluated besides the cluster's own operator.
struct Place {
  const PrometheusSettings* prometheus = nullptr;
  LoadedMetrics metrics = {};
  WallTime at = {};
};

Result<JudgedRule> judge_query(const std::string& query, const Place& place) {
  const std::string type(clusterversion::kPromql);
  const auto expr = promql::parse(query);
  if (!expr) return JudgedRule{type, unknown(expr.error().to_error(query).describe())};
  if (place.prometheus != nullptr) {
    FAIRWAY_TRY(PrometheusExplanation answered, explain_at(*place.prometheus, *expr, place.at));
    return JudgedRule{type, std::move(answered.verdict), std::move(answered.tree)};
  }
  const SystemClock clock;
  const promql::ExplainOptions options{.eval = {.limits = {.max_time = kLongestEvaluation}, .clock = &clock}};
  promql::Explanation explanation = promql::explain(*expr, place.metrics.store, place.metrics.now, options);
  return JudgedRule{type, promql::judge(explanation.result), std::move(explanation.tree)};
}

Result<JudgedRule> judge_rule(const MatchingRule& rule, const Place& place) {
  if (rule.type == clusterversion::kAlways) return JudgedRule{rule.type, {.kind = Verdict::Kind::Applies}};
  if (rule.type == clusterversion::kPromql && rule.promql) return judge_query(rule.promql->promql, place);
  return JudgedRule{rule.type,
                    unknown(fmt::format("rules of the type {} are not known here", quoted(rule.type)))};
}

// In order, up to the first that gives a verdict: that one counts.
Result<std::vector<JudgedRule>> judge_rules(const std::vector<MatchingRule>& rules, const Place& place) {
  std::vector<JudgedRule> judged;
  for (const MatchingRule& rule : rules) {
    FAIRWAY_TRY(JudgedRule verdict, judge_rule(rule, place));
    judged.push_back(std::move(verdict));
    if (judged.back().verdict.kind != Verdict::Kind::Unknown) break;
  }
  return judged;
}

std::string verdict_text(const Verdict& verdict) {
  return verdict.reason.empty() ? std::string(to_string(verdict.kind))
                                : fmt::format("{} ({})", to_string(verdict.kind), verdict.reason);
}

std::string judged_text(const std::vector<JudgedRule>& judged, const Place& place) {
  std::string text = place.prometheus != nullptr ? fmt::format("\nEvaluated by {}:\n", place.prometheus->url)
                                                 : "\nEvaluated here, on the given metrics:\n";
  for (std::size_t i = 0; i < judged.size(); ++i) {
    text += fmt::format("\n  {}. {}: {}\n", i + 1, judged[i].type, verdict_text(judged[i].verdict));
    if (!judged[i].tree || judged[i].tree->expr.empty()) continue;
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
    if (rule.tree && !rule.tree->expr.empty()) entry["explanation"] = to_json(*rule.tree);
    rules.push_back(std::move(entry));
  }
  return rules;
}

Result<Place> read_place(const UpgradeSettings& settings) {
  Place place{.at = SystemClock().now()};
  if (!settings.prometheus.url.empty()) {
    place.prometheus = &settings.prometheus;
    if (settings.at.empty()) return place;
    FAIRWAY_TRY(const promql::Millis at, parse_time(settings.at));
    place.at = WallTime(std::chrono::milliseconds(at));
    return place;
  }
  FAIRWAY_TRY(place.metrics, load_metrics(settings.metrics, settings.at));
  return place;
}

Result<void> run_explain(const UpgradeSettings& settings, Invocation& invocation) {
  const bool is_judged = !settings.metrics.empty() || !settings.prometheus.url.empty();
  FAIRWAY_TRY(const Place place, read_place(settings));
  FAIRWAY_TRY(const auto session, UpgradeSession::open(settings.cluster, invocation));
  FAIRWAY_TRY(const ClusterVersion cluster, session->read());
  FAIRWAY_TRY(const auto definitions, upgrade::find_risk(cluster, settings.risk));
  std::vector<std::string> texts;
  json::Array documents;
  for (const upgrade::RiskDefinition& definition : definitions) {
    texts.push_back(upgrade::risk_text(cluster, definition));
    json::Object document = upgrade::risk_document(cluster, definition);
    if (is_judged) {
      FAIRWAY_TRY(const auto judged, judge_rules(definition.risk.matching_rules, place));
      texts.back() += judged_text(judged, place);
      document["evaluatedHere"] = judged_document(judged);
    }
    documents.push_back(std::move(document));
  }
  upgrade::Outcome outcome;
  outcome.print(join(texts, "\n"));
  if (is_document(settings.output)) outcome = with_document(outcome, documents, settings.output);
  return session->carry_out(outcome);
}

constexpr const char* kUpgradeExplainDescription =
    "Explain a risk: which updates it stands against, by which rules, and what was found\n"
    "\n"
    "With --metrics the rules are evaluated here as well, on what metrics endpoints answer; with "
    "--prometheus\n"
    "a Prometheus is asked. The value of every sub-expression of a query is shown: why does it match here?";

CLI::Option& add_prometheus_options(CLI::App& command, PrometheusSettings& settings) {
  auto* url = command.add_option("--prometheus", settings.url, "A Prometheus to ask");
  url->type_name("URL");
  command.add_option("--prometheus-token-file", settings.token_file, "A bearer token for it")
      ->type_name("FILE")
      ->needs(url);
  command.add_option("--prometheus-ca", settings.ca_file, "PEM certificates of authorities to trust for it")
      ->type_name("FILE")
      ->needs(url);
  return *url;
}

}  // namespace

void add_upgrade_explain(CLI::App& upgrade, Invocation& invocation, const SharedUpgradeSettings& settings) {
  CLI::App& command =
      add_upgrade_command(upgrade, "explain", kUpgradeExplainDescription,
                          "fairway upgrade explain AuthOAuthProxyLeakedConnections\n"
                          "\n"
                          "# With the metrics of this cluster, in a file\n"
                          "fairway upgrade explain AuthOAuthProxyLeakedConnections --metrics metrics.txt\n"
                          "\n"
                          "# With its Prometheus\n"
                          "fairway upgrade explain AuthOAuthProxyLeakedConnections --prometheus "
                          "https://prometheus.example:9090",
                          *settings, {"json", "yaml"});
  command.add_option("RISK", settings->risk, "The name of the risk")->required();
  auto* metrics = command.add_option("--metrics", settings->metrics,
                                     "Metrics to evaluate it on, a file or a URL; repeatable");
  metrics->type_name("FILE")->take_all()->allow_extra_args(false);
  add_prometheus_options(command, settings->prometheus).excludes(metrics);
  command.add_option("--at", settings->at, "When: a time of RFC 3339, or seconds since 1970")
      ->type_name("TIME")
      ->default_str("the newest sample's time, or now");
  on_upgrade_chosen(command, invocation, settings, run_explain);
}

}  // namespace fairway::cli
