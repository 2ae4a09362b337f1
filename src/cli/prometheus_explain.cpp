#include "cli/prometheus_explain.hpp"

#include <fmt/format.h>

#include "async/event_loop.hpp"
#include "base/text.hpp"
#include "cli/promql_sources.hpp"
#include "clusterversion/prometheus_queries.hpp"
#include "clusterversion/query_answer.hpp"
#include "http/client.hpp"
#include "http/credential_files.hpp"
#include "json/value.hpp"
#include "promql/printer.hpp"

namespace fairway::cli {
namespace {

using clusterversion::QueryOutcome;
using promql::ExplainedNode;
using promql::Verdict;

constexpr std::size_t kMostSeries = 10;  // shown of each sub-expression
constexpr std::size_t kMostQuestions = 200;

promql::Labels labels_of(const json::Object& metric) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& label : metric) {
    if (const auto* value = label.value().if_string()) {
      pairs.emplace_back(label.key(), json::view(*value));
    }
  }
  return promql::Labels::from(std::move(pairs));
}

// [1435781451.781, "1"]
std::optional<promql::Sample> sample_of(const json::Value* value) {
  const json::Array* pair = value == nullptr ? nullptr : value->if_array();
  if (pair == nullptr || pair->size() != 2 || !(*pair)[1].is_string()) return std::nullopt;
  const auto number = promql::parse_value(json::view((*pair)[1].get_string()));
  if (!number) return std::nullopt;
  return promql::Sample{.value = *number};
}

void add_series(const json::Object& series, ExplainedNode& node) {
  const json::Object* metric = json::get_object(series, {"metric"});
  if (metric == nullptr) return;
  ++node.series_count;
  if (const auto* samples = json::get_array(series, {"values"})) node.sample_count += samples->size();
  const auto sample = sample_of(json::find(series, {"value"}));
  if (sample && node.series.size() < kMostSeries) node.series.push_back({labels_of(*metric), {*sample}});
}

// What the server answered, as the node's value; unchanged when that was no answer.
void read_value(std::string_view body, ExplainedNode& node) {
  const auto answer = json::parse_object(body);
  const json::Value* result = answer ? json::find(*answer, {"data", "result"}) : nullptr;
  const json::Array* entries = result == nullptr ? nullptr : result->if_array();
  if (entries == nullptr) return;
  node.is_evaluated = true;
  if (node.type == promql::ValueType::Scalar) {
    if (const auto sample = sample_of(result)) {
      node.series_count = 1;
      node.series.push_back({{}, {*sample}});
    }
    return;
  }
  for (const json::Value& entry : *entries) {
    if (const auto* series = entry.if_object()) add_series(*series, node);
  }
}

class Questions {
 public:
  static Result<std::unique_ptr<Questions>> open(const PrometheusSettings& settings, WallTime at) {
    std::unique_ptr<Questions> questions(new Questions(settings, at));
    FAIRWAY_TRY(questions->base_, http::Url::parse(settings.url));
    FAIRWAY_CHECKED(http::add_bearer_token(questions->headers_, settings.token_file));
    http::ClientOptions options;
    FAIRWAY_TRY(options.tls, http::tls_for(questions->base_, settings.ca_file));
    async::EventLoop& loop = questions->loop_;
    questions->client_ = std::make_unique<http::Client>(loop.executor(), loop.clock(), std::move(options));
    return questions;
  }

  Result<http::Response> ask(const std::string& query) {
    http::ClientRequest request{.url = clusterversion::query_url(base_, query, at_),
                                .headers = headers_,
                                .timeout = settings_.timeout};
    return loop_.block_on(client_->send(std::move(request)));
  }

  // The parts of a node whose own answer may be known. As deep as the query nests, which the parser bounds.
  ExplainedNode explain(const promql::Expr& query, promql::NodeId id, const http::Response* known = nullptr) {
    const promql::Node& asked = query.node(id);
    ExplainedNode node{.expr = promql::to_string(query, id), .type = asked.type};
    const bool is_literal = asked.as<promql::NumberLiteral>() || asked.as<promql::StringLiteral>();
    if (known != nullptr) {
      read_value(known->body.to_string(), node);
    } else if (!is_literal && left_-- > 0) {
      if (const auto answer = ask(node.expr)) read_value(answer->body.to_string(), node);
    }
    if (asked.as<promql::MatrixSelector>()) return node;
    for (std::size_t i = 0; i < child_count(asked); ++i) {
      node.children.push_back(explain(query, child(asked, i)));
    }
    return node;
  }

 private:
  Questions(const PrometheusSettings& settings, WallTime at) : settings_(settings), at_(at) {}

  const PrometheusSettings& settings_;
  WallTime at_;
  http::Url base_;
  http::Headers headers_{{"Accept", "application/json"}};
  async::EventLoop loop_;
  std::unique_ptr<http::Client> client_;
  std::ptrdiff_t left_ = kMostQuestions;
};

Verdict verdict_of(const QueryOutcome& outcome) {
  if (!outcome) return {.kind = Verdict::Kind::Unknown, .reason = outcome.error().why};
  return {.kind = *outcome ? Verdict::Kind::Applies : Verdict::Kind::DoesNotApply};
}

}  // namespace

Result<PrometheusExplanation> explain_at(const PrometheusSettings& settings, const promql::Expr& query,
                                         WallTime at) {
  FAIRWAY_TRY(const auto questions, Questions::open(settings, at));
  const auto answer = questions->ask(promql::to_string(query));
  const QueryOutcome outcome =
      answer ? clusterversion::read_query_answer(answer->status, answer->body.to_string())
             : std::unexpected(clusterversion::unreachable(settings.url, answer.error().describe()));
  PrometheusExplanation explanation{.verdict = verdict_of(outcome), .tree = {}};
  // Where nobody answers, nobody will answer for the parts.
  if (answer) explanation.tree = questions->explain(query, query.root_id(), &*answer);
  return explanation;
}

}  // namespace fairway::cli
