#include "graph/path.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <optional>
#include <queue>

#include "base/text.hpp"
#include "graph/json_lists.hpp"

namespace fairway::graph {
namespace {

constexpr std::size_t kMostChannels = 64;
using Cost = std::pair<std::size_t, std::size_t>;  // more important part first
constexpr Cost kUnreached{std::numeric_limits<std::size_t>::max(), 0};

struct Step {
  std::uint32_t node;
  const Document::Edge* edge;
};

class PathFinder {
 public:
  PathFinder(const Document& document, const PathRequest& request) : document_(document), request_(request) {}

  Result<Path> run() {
    FAIRWAY_TRY(const std::uint32_t from, version(request_.from));
    FAIRWAY_TRY(const std::uint32_t to, version(request_.to));
    FAIRWAY_CHECKED(read_channels());
    search(from);
    if (cost_[to] == kUnreached) return no_way(from);
    return trace(from, to);
  }

 private:
  Result<std::uint32_t> version(const std::string& text) const {
    if (const auto id = document_.find(text)) return *id;
    std::vector<std::string> known;
    known.reserve(document_.nodes.size());
    for (const auto& node : document_.nodes) known.push_back(node.text);
    const auto near = nearest(text, known);
    return fail(ErrorCode::NotFound, fmt::format("expected a version of the graph, found {}{}", quoted(text),
                                                 near ? fmt::format("; did you mean {}?", *near) : ""));
  }

  Result<void> read_channels() {
    if (request_.channels.size() > kMostChannels) {
      return fail(ErrorCode::Invalid, fmt::format("expected at most {} channels, found {}", kMostChannels,
                                                  request_.channels.size()));
    }
    masks_.assign(document_.nodes.size(), request_.channels.empty() ? 1 : 0);
    for (std::uint32_t id = 0; id < document_.nodes.size() && !request_.channels.empty(); ++id) {
      for (const std::string& channel : document_.channels_of(id)) {
        const auto place = std::ranges::find(request_.channels, channel) - request_.channels.begin();
        if (place < static_cast<std::ptrdiff_t>(request_.channels.size()))
          masks_[id] |= std::uint64_t{1} << place;
      }
    }
    return {};
  }

  RiskVerdict judge(std::uint32_t risk) {
    if (!request_.judge) return RiskVerdict::Unknown;
    const auto [place, is_new] = verdicts_.try_emplace(risk, RiskVerdict::Unknown);
    if (is_new) place->second = request_.judge(document_.risks[risk]);
    return place->second;
  }

  bool counts(std::uint32_t risk) {
    return !request_.accepted.contains(document_.risks[risk].name) &&
           judge(risk) != RiskVerdict::DoesNotApply;
  }

  // Each list of risks is weighed once, however many edges have it.
  std::size_t risks_on(const Document::Edge& edge) {
    if (!edge.is_conditional()) return 0;
    const auto [place, is_new] = weights_.try_emplace(edge.risks, 0);
    if (is_new) {
      const auto& list = document_.risk_lists[edge.risks];
      place->second = static_cast<std::size_t>(
          std::ranges::count_if(list, [&](std::uint32_t risk) { return counts(risk); }));
    }
    return place->second;
  }

  void search(std::uint32_t from) {
    cost_.assign(document_.nodes.size(), kUnreached);
    came_.assign(document_.nodes.size(), nullptr);
    using Entry = std::pair<Cost, std::uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> waiting;
    cost_[from] = {0, 0};
    waiting.emplace(cost_[from], from);
    while (!waiting.empty()) {
      const auto [cost, node] = waiting.top();
      waiting.pop();
      if (cost != cost_[node]) continue;
      for (const Document::Edge& edge : document_.edges_from(node)) {
        if ((masks_[edge.from] & masks_[edge.to]) == 0) continue;
        const std::size_t risks = risks_on(edge);
        if (request_.only_recommended && risks > 0) continue;
        const bool hops_first = request_.objective == PathRequest::Objective::FewestHops;
        const Cost next = hops_first ? Cost{cost.first + 1, cost.second + risks}
                                     : Cost{cost.first + risks, cost.second + 1};
        if (next >= cost_[edge.to]) continue;
        cost_[edge.to] = next;
        came_[edge.to] = &edge;
        waiting.emplace(next, edge.to);
      }
    }
  }

  Result<Path> no_way(std::uint32_t from) const {
    std::uint32_t highest = from;
    for (std::uint32_t id = 0; id < cost_.size(); ++id) {
      if (cost_[id] != kUnreached) highest = std::max(highest, id);
    }
    std::string where = request_.channels.empty() ? "" : fmt::format(" in {}", join(request_.channels, ", "));
    if (request_.only_recommended) where += " without a risk that is left";
    return fail(ErrorCode::NotFound,
                fmt::format("there is no way from {} to {}{}; {}", request_.from, request_.to, where,
                            highest == from ? fmt::format("no update leads away from {}", request_.from)
                                            : fmt::format("the highest version within reach is {}",
                                                          document_.nodes[highest].text)));
  }

  Path trace(std::uint32_t from, std::uint32_t to) {
    std::vector<const Document::Edge*> edges;
    for (std::uint32_t at = to; at != from; at = came_[at]->from) edges.push_back(came_[at]);
    Path path;
    std::uint64_t current = 0;
    for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge) {
      PathStep step{.from = document_.nodes[(*edge)->from].text, .to = document_.nodes[(*edge)->to].text};
      if (!request_.channels.empty()) {
        const std::uint64_t possible = masks_[(*edge)->from] & masks_[(*edge)->to];
        if ((possible & current) == 0) current = possible & (~possible + 1);  // the first that was asked for
        step.channel = request_.channels[static_cast<std::size_t>(__builtin_ctzll(current))];
      }
      if ((*edge)->is_conditional()) add_risks(document_.risk_lists[(*edge)->risks], step);
      path.steps.push_back(std::move(step));
    }
    return path;
  }

  void add_risks(const std::vector<std::uint32_t>& list, PathStep& step) {
    for (const std::uint32_t risk : list) {
      const std::string& name = document_.risks[risk].name;
      if (judge(risk) == RiskVerdict::DoesNotApply) {
        step.not_applying.push_back(name);
      } else {
        (request_.accepted.contains(name) ? step.accepted : step.risks).push_back(name);
      }
    }
  }

  const Document& document_;
  const PathRequest& request_;
  std::vector<std::uint64_t> masks_;  // requested channels of each node
  std::vector<Cost> cost_;
  std::vector<const Document::Edge*> came_;
  std::map<std::uint32_t, RiskVerdict> verdicts_;
  std::map<std::uint32_t, std::size_t> weights_;
};

}  // namespace

std::vector<std::string> Path::risks() const {
  std::set<std::string> names;
  for (const PathStep& step : steps) names.insert(step.risks.begin(), step.risks.end());
  return {names.begin(), names.end()};
}

Result<Path> find_path(const Document& document, const PathRequest& request) {
  return PathFinder(document, request).run();
}

std::string to_text(const Path& path) {
  std::string text;
  for (const PathStep& step : path.steps) {
    text += fmt::format("{} -> {}", step.from, step.to);
    if (!step.channel.empty()) text += fmt::format("  in {}", step.channel);
    if (!step.risks.empty()) text += fmt::format("  risks: {}", join(step.risks, ", "));
    if (!step.accepted.empty()) text += fmt::format("  accepted: {}", join(step.accepted, ", "));
    if (!step.not_applying.empty()) text += fmt::format("  not applying: {}", join(step.not_applying, ", "));
    text += '\n';
  }
  return text;
}

json::Object to_json(const Path& path) {
  json::Array steps;
  for (const PathStep& step : path.steps) {
    json::Object object{{"from", step.from}, {"to", step.to}};
    if (!step.channel.empty()) object["channel"] = step.channel;
    object["risks"] = to_array(step.risks);
    if (!step.accepted.empty()) object["accepted"] = to_array(step.accepted);
    if (!step.not_applying.empty()) object["notApplying"] = to_array(step.not_applying);
    steps.push_back(std::move(object));
  }
  return json::Object{
      {"hops", path.steps.size()}, {"risks", to_array(path.risks())}, {"steps", std::move(steps)}};
}

}  // namespace fairway::graph
