// How fast queries are parsed, checked and printed: queries and megabytes a second of processor time, on one
// core.
//
//   promql_parse_bench [FILE]
//
// FILE is a JSON list of {"q": query}; without it the queries that real graph data ever used, where they lie
// beside the project, else a few of their kind. The peer is Prometheus' own parser in Go, which Debian does
// not package as a library: the ratio to it is not measured here. `fairway promql check --batch` answers the
// same lines as a small Go program around parser.ParseExpr does, for whoever has both.
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <iterator>

#include "json/value.hpp"
#include "promql/lint.hpp"
#include "promql/parser.hpp"
#include "promql/printer.hpp"

namespace fairway::bench {
namespace {

std::vector<std::string> queries_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> out;
  const auto value = json::parse(text);
  if (!value || !value->is_array()) return out;
  for (const json::Value& row : value->as_array()) {
    if (!row.is_object()) continue;
    if (const auto query = json::get_string(row.as_object(), {"q"})) out.emplace_back(*query);
  }
  return out;
}

std::vector<std::string> load(int count, char** arguments) {
  const auto shared =
      std::filesystem::path(FAIRWAY_SOURCE_DIR) / "../shared/data/promql/real_queries_history.json";
  auto queries = queries_in(count > 1 ? std::filesystem::path(arguments[1]) : shared);
  if (!queries.empty()) return queries;
  fmt::print("no file of queries: a few of their kind instead\n");
  return {
      "(\n  group(cluster_operator_conditions{name=\"aro\"})\n  or\n  0 * "
      "group(cluster_operator_conditions)\n)\n",
      "group by (_id, invoker) (cluster_installer{_id=\"\",invoker=\"hypershift\"})\nor\n0 * group by (_id, "
      "invoker) "
      "(cluster_installer{_id=\"\"})\n",
      "topk(1, label_replace(max_over_time(a{_id=\"\"}[1h]), \"b\", \"$1\", \"c\", \"(.*)\") == 1) or on "
      "(_id) 0 * "
      "group(a{_id=\"\",x=~\"y|z.*\"})\n"};
}

// The best of several rounds, in processor time: on a busy machine the wall clock measures the neighbours.
void measure(std::string_view name, const std::vector<std::string>& queries,
             const std::function<void(const std::string&)>& work) {
  constexpr int kRounds = 7;
  constexpr std::size_t kRepeat = 200;
  std::size_t bytes = 0;
  for (const std::string& query : queries) bytes += query.size();
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::clock_t began = std::clock();
    for (std::size_t i = 0; i < kRepeat; ++i) {
      for (const std::string& query : queries) work(query);
    }
    const double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    best = std::max(best, static_cast<double>(queries.size() * kRepeat) / seconds);
  }
  const double mean = static_cast<double>(bytes) / static_cast<double>(queries.size());
  fmt::print("{:<28}{:>12.0f} queries/s{:>10.1f} MB/s{:>10.2f} µs/query\n", name, best, best * mean / 1e6,
             1e6 / best);
}

int run(int count, char** arguments) {
  const auto queries = load(count, arguments);
  std::size_t bytes = 0;
  for (const std::string& query : queries) bytes += query.size();
  fmt::print("{} queries, {} bytes on average\n", queries.size(), bytes / queries.size());
  std::size_t kept = 0;
  measure("parse and type check", queries, [&](const std::string& query) {
    const auto parsed = promql::parse(query);
    kept += parsed ? parsed->nodes().size() : 0;
  });
  measure("and canonical form", queries, [&](const std::string& query) {
    const auto parsed = promql::parse(query);
    kept += parsed ? promql::to_string(*parsed).size() : 0;
  });
  measure("limits and lint", queries,
          [&](const std::string& query) { kept += promql::lint(query).findings.size(); });
  fmt::print("peer: Prometheus' parser in Go: not measured, there is no Go here\n");
  return kept > 0 ? 0 : 1;
}

}  // namespace
}  // namespace fairway::bench

int main(int count, char** arguments) {
  return fairway::bench::run(count, arguments);
}
