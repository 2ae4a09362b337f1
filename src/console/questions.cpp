// The two questions of the console about risks: why here, and what if.
#include <fmt/format.h>
#include <map>

#include "base/text.hpp"
#include "console/console.hpp"
#include "graph/what_if.hpp"
#include "json/value.hpp"
#include "promql/limits.hpp"
#include "promql/parser.hpp"

namespace fairway::console {
namespace {

constexpr const char* kVersionPath = "/apis/config.openshift.io/v1/clusterversions/version";
constexpr std::string_view kDefaultArch = "amd64";

graph::RiskVerdict verdict_of(const promql::Verdict& verdict) {
  if (verdict.kind == promql::Verdict::Kind::Applies) return graph::RiskVerdict::Applies;
  if (verdict.kind == promql::Verdict::Kind::DoesNotApply) return graph::RiskVerdict::DoesNotApply;
  return graph::RiskVerdict::Unknown;
}

// What somebody else answered, told as ours: only the message of a refusal.
http::Response passed_on(const http::Response& refusal) {
  const auto status = json::parse_object(refusal.body.to_string());
  const auto message = status ? json::get_string(*status, {"message"}) : std::nullopt;
  return problem(refusal.status, message ? *message : fmt::format("answered {}", refusal.status));
}

Result<promql::Expr> read_query(std::string_view text) {
  auto expr = promql::parse(text);
  if (!expr) return fail(ErrorCode::Invalid, expr.error().describe(text));
  if (const auto refusal = promql::check_limits(*expr, {}))
    return fail(ErrorCode::Invalid, promql::Refusal{.limit = refusal}.describe(text));
  return *std::move(expr);
}

graph::RiskVerdict judge(const Explainer& explain, std::string_view text) {
  const auto query = read_query(text);
  if (!explain || !query) return graph::RiskVerdict::Unknown;
  const auto found = explain(*query);
  return found ? verdict_of(found->verdict) : graph::RiskVerdict::Unknown;
}

// What a cluster says about itself.
struct Running {
  std::string version;
  std::string channel;
  std::string arch;
};

Running running(const http::Response& answer) {
  const json::Object object = json::parse_object(answer.body.to_string()).value_or(json::Object{});
  const auto text = [&](json::Path path) { return std::string(json::get_string(object, path).value_or("")); };
  Running found{.version = text({"status", "desired", "version"}),
                .channel = text({"spec", "channel"}),
                .arch = text({"status", "desired", "architecture"})};
  if (found.arch.empty()) found.arch = kDefaultArch;
  return found;
}

struct Touched {
  Running running;
  std::vector<graph::UpdateChange> changes = {};
  graph::RiskVerdict verdict = graph::RiskVerdict::Unknown;  // of the block itself
  std::string reason = {};                                   // why nothing can be told
};

json::Object to_json(const std::string& cluster, const Touched& touched) {
  json::Array updates;
  for (const graph::UpdateChange& each : touched.changes) {
    json::Array risks(each.risks.begin(), each.risks.end());
    updates.push_back(json::Object{{"version", each.to},
                                   {"before", to_string(each.before)},
                                   {"after", to_string(each.after)},
                                   {"risks", std::move(risks)}});
  }
  return {{"name", cluster},
          {"version", touched.running.version},
          {"channel", touched.running.channel},
          {"verdict", graph::to_string(touched.verdict)},
          {"reason", touched.reason},
          {"updates", std::move(updates)}};
}

// Runs on the pool: queries may take their time.
Touched touch(const graph::Document& served, const graph::LoneBlock& lone, Running running,
              const Explainer& explain) {
  Touched touched{.running = std::move(running)};
  const auto ask = [&](std::string_view query) { return judge(explain, query); };
  touched.changes = what_if(served, touched.running.version, touched.running.arch, lone, ask);
  const graph::Block& block = lone.block;
  touched.verdict = block.query                ? graph::RiskVerdict::Unknown
                    : block.is_unconditional() ? graph::RiskVerdict::Applies
                                               : judge_risk(block.risk(), ask);
  if (touched.verdict == graph::RiskVerdict::Unknown) {
    touched.reason = block.query ? "the update service decides by the cluster's id"
                     : explain   ? "the query gives no verdict on the cluster's metrics"
                                 : "the cluster's metrics cannot be read here";
  }
  return touched;
}

}  // namespace

Task<http::Response> Console::read_version(const ConsoleCluster& cluster, const http::Request& request) {
  if (!request.headers.find("Authorization")) co_return problem(401, "a token is needed: sign in");
  co_return co_await fetch(cluster.api, kVersionPath, request.headers);
}

Task<http::Response> Console::why(const http::Request& request) {
  const auto target = http::Target::parse(request.target);
  if (!target) co_return problem(400, target.error().describe());
  const std::string name(target->query.get("cluster").value_or(""));
  const std::string text(target->query.get("query").value_or(""));
  const ConsoleCluster* cluster = find_cluster(name);
  if (cluster == nullptr)
    co_return problem(404, fmt::format("the console knows no cluster {}", quoted(name)));
  FAIRWAY_CO_TRY(const http::Response version, co_await read_version(*cluster, request));
  if (version.status != 200) co_return passed_on(version);
  if (!cluster->explain)
    co_return problem(404, fmt::format("the metrics of {} cannot be read here", quoted(name)));
  auto query = read_query(text);
  if (!query) co_return problem(400, query.error().describe());
  const auto found = co_await pool_.run(
      [explain = cluster->explain, shared = std::make_shared<promql::Expr>(*std::move(query))] {
        return explain(*shared);
      });
  if (!found) co_return problem(502, found.error().describe());
  co_return answer(json::Object{{"verdict", graph::to_string(verdict_of(found->verdict))},
                                {"problem", found->verdict.reason},
                                {"tree", to_json(found->tree)}});
}

Task<http::Response> Console::what_if(const http::Request& request) {
  if (!settings_.updates) co_return problem(404, "there is no update service behind this console");
  auto lone = graph::read_lone_block(request.body);
  if (!lone) co_return problem(400, lone.error().describe());
  const auto shared = std::make_shared<const graph::LoneBlock>(*std::move(lone));
  std::map<std::string, std::shared_ptr<const graph::Document>> graphs;  // by target
  json::Array rows;
  std::int64_t untouched = 0;
  for (const ConsoleCluster& cluster : settings_.clusters) {
    FAIRWAY_CO_TRY(const http::Response version, co_await read_version(cluster, request));
    if (version.status == 401) co_return passed_on(version);
    if (version.status == 404) continue;  // it has no version to update: a hub that is no member
    if (version.status != 200) {
      rows.push_back(
          to_json(cluster.name, {.reason = fmt::format("cannot be read: answered {}", version.status)}));
      continue;
    }
    Running found = running(version);
    const std::string target =
        fmt::format("/graph?channel={}&arch={}", percent_encode(found.channel), percent_encode(found.arch));
    auto& served = graphs[target];
    if (!served) {
      FAIRWAY_CO_TRY(const http::Response graph, co_await fetch(*settings_.updates, target, {}));
      if (graph.status != 200) co_return passed_on(graph);
      auto document = graph::read_document(graph.body.to_string());
      if (!document) co_return problem(502, document.error().describe());
      served = std::make_shared<const graph::Document>(*std::move(document));
    }
    const Touched touched = co_await pool_.run([served = served, shared, found, explain = cluster.explain] {
      return touch(*served, *shared, found, explain);
    });
    if (touched.changes.empty()) {
      ++untouched;
    } else {
      rows.push_back(to_json(cluster.name, touched));
    }
  }
  const graph::Block& block = shared->block;
  json::Array findings;
  for (const graph::Finding& each : shared->findings) findings.push_back(graph::to_json(each));
  co_return answer(json::Object{
      {"block", json::Object{{"to", block.to.to_string()}, {"from", block.from}, {"name", block.name}}},
      {"findings", std::move(findings)},
      {"clusters", std::move(rows)},
      {"untouched", untouched}});
}

}  // namespace fairway::console
