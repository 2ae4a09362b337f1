#include "updateservice/tools.hpp"

#include <fmt/format.h>

#include "base/result.hpp"
#include "base/text.hpp"
#include "graph/diff.hpp"
#include "graph/document.hpp"
#include "graph/explain.hpp"
#include "graph/path.hpp"
#include "graph/view.hpp"
#include "updateservice/question.hpp"

namespace fairway::updateservice {
namespace {

constexpr std::size_t kMostChannels = 64;  // of find_path()
constexpr std::size_t kMostAccepted = 1000;

std::string hint(std::string_view name, std::span<const std::string> known) {
  const auto near = nearest(name, known);
  return near ? fmt::format(" (did you mean {}?)", *near) : "";
}

Judged<graph::ArchId> find_arch(const graph::Graph& graph, std::string_view query) {
  FAIRWAY_TRY(const std::string arch, read_arch(query));
  const auto found = graph.find_architecture(arch);
  if (!found) {
    return std::unexpected(does_not_exist(
        fmt::format("architecture {}; there are releases for {}", arch, join(graph.architectures(), ", "))));
  }
  return *found;
}

Judged<graph::ChannelId> find_channel(const graph::Graph& graph, std::string name) {
  FAIRWAY_TRY(const std::string channel, checked_channel(std::move(name)));
  const auto found = graph.find_channel(channel);
  if (!found)
    return std::unexpected(
        does_not_exist(fmt::format("channel {}{}", channel, hint(channel, graph.channels()))));
  return *found;
}

Judged<bool> read_flag(std::string_view query, std::string_view name) {
  const auto value = parameter(query, name);
  if (!value || *value == "false") return false;
  if (value->empty() || *value == "true") return true;
  return std::unexpected(
      invalid_parameters(fmt::format("expected {} to be true or false, found '{}'", name, *value)));
}

Judged<graph::PathRequest::Objective> read_objective(std::string_view query) {
  const auto value = parameter(query, "fewest");
  if (!value || *value == "hops") return graph::PathRequest::Objective::FewestHops;
  if (*value == "risks") return graph::PathRequest::Objective::FewestRisks;
  return std::unexpected(
      invalid_parameters(fmt::format("expected fewest to be hops or risks, found '{}'", *value)));
}

}  // namespace

Judged<std::string> explain(const graph::Graph& graph, const graph::AllowedRules& allowed,
                            std::string_view query) {
  graph::EdgeQuestion question;
  FAIRWAY_TRY(question.from, required_parameter(query, "from"));
  FAIRWAY_TRY(question.to, required_parameter(query, "to"));
  FAIRWAY_TRY(question.arch, read_arch(query));
  if (auto channel = parameter(query, "channel")) {
    FAIRWAY_TRY(question.channel, checked_channel(*std::move(channel)));
  }
  return json::serialize(to_json(explain_edge(graph, question, allowed)));
}

Judged<std::string> find_way(const graph::Graph& graph, const graph::AllowedRules& allowed,
                             std::string_view query) {
  graph::PathRequest request;
  FAIRWAY_TRY(request.from, required_parameter(query, "from"));
  FAIRWAY_TRY(request.to, required_parameter(query, "to"));
  FAIRWAY_TRY(const graph::ArchId arch, find_arch(graph, query));
  for (std::string& name : parameters(query, "channel")) {
    FAIRWAY_TRY(const graph::ChannelId channel, find_channel(graph, std::move(name)));
    request.channels.push_back(graph.channels()[channel]);
  }
  if (request.channels.size() > kMostChannels)
    return std::unexpected(invalid_parameters(fmt::format("expected at most {} channels", kMostChannels)));
  FAIRWAY_TRY(request.objective, read_objective(query));
  FAIRWAY_TRY(request.only_recommended, read_flag(query, "recommended"));
  for (std::string& risk : parameters(query, "accept")) {
    if (request.accepted.size() >= kMostAccepted)
      return std::unexpected(
          invalid_parameters(fmt::format("expected at most {} accepted risks", kMostAccepted)));
    request.accepted.insert(std::move(risk));
  }
  const graph::Document document = document_of(graph, std::nullopt, arch, graph::Outcomes(graph, allowed));
  const auto path = find_path(document, request);
  if (!path) return std::unexpected(does_not_exist(path.error().describe()));
  return json::serialize(to_json(*path));
}

Judged<std::string> compare(const graph::Graph& before, const graph::Graph& after,
                            const graph::AllowedRules& allowed, std::string_view query) {
  FAIRWAY_TRY(const std::string name, required_parameter(query, "channel"));
  FAIRWAY_TRY(const graph::ChannelId channel, find_channel(after, name));
  FAIRWAY_TRY(const graph::ArchId arch, find_arch(after, query));
  FAIRWAY_TRY(const graph::ChannelId older, find_channel(before, parameter(query, "with").value_or(name)));
  FAIRWAY_TRY(const graph::ArchId older_arch, find_arch(before, query));
  const graph::Diff difference =
      diff(document_of(before, older, older_arch, graph::Outcomes(before, allowed)),
           document_of(after, channel, arch, graph::Outcomes(after, allowed)));
  return json::serialize(to_json(difference));
}

Judged<std::string> render(const graph::Graph& graph, const graph::AllowedRules& allowed,
                           std::string_view query) {
  FAIRWAY_TRY(std::string name, required_parameter(query, "channel"));
  FAIRWAY_TRY(const std::string channel, checked_channel(std::move(name)));
  FAIRWAY_TRY(const std::string arch, read_arch(query));
  const auto found_channel = graph.find_channel(channel);
  const auto found_arch = graph.find_architecture(arch);
  if (!found_channel || !found_arch) return graph::empty_view();
  return graph::ViewRenderer(graph, allowed).render(*found_channel, *found_arch);
}

std::string list_channels(const graph::Graph& graph) {
  json::Array channels;
  for (graph::ChannelId channel = 0; channel < graph.channels().size(); ++channel) {
    json::Object releases;
    for (graph::ArchId arch = 0; arch < graph.architectures().size(); ++arch) {
      const std::size_t count = graph.members(channel, arch).size();
      if (count > 0) releases[graph.architectures()[arch]] = count;
    }
    channels.push_back(json::Object{{"name", graph.channels()[channel]}, {"releases", std::move(releases)}});
  }
  return json::serialize(json::Object{{"channels", std::move(channels)}});
}

}  // namespace fairway::updateservice
