#include "graph/explain.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::graph {
namespace {

using Verdict = Explanation::Verdict;

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const auto near = nearest(word, candidates);
  return near ? fmt::format("; did you mean {}?", *near) : "";
}

class Explainer {
 public:
  Explainer(const Graph& graph, const EdgeQuestion& question, const AllowedRules& allowed)
      : graph_(graph), question_(question), allowed_(allowed) {}

  Explanation run() {
    const auto arch = graph_.find_architecture(question_.arch);
    if (!arch) {
      return say(
          Verdict::NoSuchArchitecture,
          fmt::format("there are no releases for {}; there are for {}", quoted(question_.arch),
                      graph_.architectures().empty() ? "nothing" : join(graph_.architectures(), ", ")));
    }
    const auto from = graph_.find(question_.from, *arch);
    const auto to = graph_.find(question_.to, *arch);
    if (!exists(from)) return no_version(question_.from, *arch);
    if (!exists(to)) return no_version(question_.to, *arch);
    if (question_.channel) {
      const auto channel = graph_.find_channel(*question_.channel);
      if (!channel) {
        return say(Verdict::NoSuchChannel, fmt::format("there is no channel {}{}", quoted(*question_.channel),
                                                       did_you_mean(*question_.channel, graph_.channels())));
      }
      for (const NodeId end : {*from, *to}) {
        if (!graph_.is_member(end, *channel)) return not_in_channel(end);
      }
    }
    return explain(*from, *to);
  }

 private:
  static Explanation say(Verdict verdict, std::string summary) { return {verdict, std::move(summary)}; }

  bool exists(std::optional<NodeId> id) const { return id && !graph_.node(*id).is_abstract; }

  Explanation no_version(const std::string& version, ArchId arch) const {
    std::vector<std::string> known;
    for (const Node& node : graph_.nodes()) {
      if (node.arch == arch && !node.is_abstract) known.push_back(node.plain);
    }
    return say(Verdict::NoSuchVersion,
               fmt::format("{} is not a release for {}{}", quoted(version), graph_.architectures()[arch],
                           did_you_mean(version, known)));
  }

  Explanation not_in_channel(NodeId id) const {
    const Node& node = graph_.node(id);
    const auto channels = node.metadata.find(key::kChannels);
    return say(
        Verdict::NotInChannel,
        fmt::format("{} is not in channel {}; it is in {}", node.plain, *question_.channel,
                    channels == node.metadata.end() ? "none" : replace_all(channels->second, ",", ", ")));
  }

  Explanation explain(NodeId from, NodeId to) const {
    const std::string ends = fmt::format("the update from {} to {}", question_.from, question_.to);
    const Edge* edge = graph_.find_edge(from, to);
    if (edge == nullptr) {
      const bool is_down = from >= to;
      return say(Verdict::NotDeclared, fmt::format("{} does not exist: neither release names the other{}",
                                                   ends, is_down ? ", and it would not lead up" : ""));
    }
    const Outcomes outcomes(graph_, allowed_);
    const Outcome outcome = outcomes.of(edge->policy);
    const bool is_absent = outcome.kind == Outcome::Kind::Absent;
    Explanation explanation;
    for (const ReasonId id : graph_.policy(edge->policy))
      add_cause(graph_.reason(id), is_absent, explanation);
    if (is_absent) {
      explanation.verdict = Verdict::Blocked;
      explanation.summary = fmt::format("{} is recommended to no cluster", ends);
    } else if (outcome.kind == Outcome::Kind::Conditional) {
      explanation.verdict = Verdict::Conditional;
      explanation.summary =
          fmt::format("{} is recommended to clusters that {} not apply to", ends,
                      outcomes.risk_list(outcome.risks).size() == 1 ? "this risk does" : "these risks do");
    } else {
      explanation.verdict = Verdict::Recommended;
      explanation.summary = fmt::format("{} is recommended to every cluster", ends);
    }
    return explanation;
  }

  void add_cause(const Reason& reason, bool is_absent, Explanation& into) const {
    switch (reason.kind) {
      case Reason::Kind::Block:
        into.causes.push_back({reason.file, "blocks it for every cluster"});
        return;
      case Reason::Kind::Metadata:
        into.causes.push_back({reason.file, fmt::format("removes it: {}", reason.detail)});
        return;
      case Reason::Kind::Cycle:
        into.causes.push_back({reason.file, "it leads down and closes a cycle"});
        return;
      case Reason::Kind::Risk:
        into.causes.push_back({reason.file,
                               is_absent ? "makes it conditional, which the block for every cluster overrules"
                                         : "makes it conditional",
                               graph_.risks()[*reason.risk]});
        return;
      case Reason::Kind::Targeted:
        add_targeted(reason, into);
    }
  }

  void add_targeted(const Reason& reason, Explanation& into) const {
    const std::string& query = graph_.targeted_rules()[*reason.rule].query;
    if (!allowed_.allows(*reason.rule)) {
      into.causes.push_back({reason.file,
                             fmt::format("the service's query does not allow this client: {}", trim(query)),
                             reason.refusal ? std::optional(graph_.risks()[*reason.refusal]) : std::nullopt});
      return;
    }
    into.causes.push_back({reason.file,
                           fmt::format("the service's query allows this client: {}", trim(query)),
                           reason.risk ? std::optional(graph_.risks()[*reason.risk]) : std::nullopt});
  }

  const Graph& graph_;
  const EdgeQuestion& question_;
  const AllowedRules& allowed_;
};

std::string describe(const Rule& rule) {
  if (rule.type != "PromQL") return rule.type;
  return fmt::format("PromQL {}", trim(rule.promql));
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::Recommended:
      return "Recommended";
    case Verdict::Conditional:
      return "Conditional";
    case Verdict::Blocked:
      return "Blocked";
    case Verdict::NotDeclared:
      return "NotDeclared";
    case Verdict::NotInChannel:
      return "NotInChannel";
    case Verdict::NoSuchVersion:
      return "NoSuchVersion";
    case Verdict::NoSuchChannel:
      return "NoSuchChannel";
    case Verdict::NoSuchArchitecture:
      return "NoSuchArchitecture";
  }
  return "NotDeclared";
}

Explanation explain_edge(const Graph& graph, const EdgeQuestion& question, const AllowedRules& allowed) {
  return Explainer(graph, question, allowed).run();
}

std::string to_text(const Explanation& explanation) {
  std::string text = explanation.summary + "\n";
  for (const Explanation::Cause& cause : explanation.causes) {
    text += fmt::format("  {}: {}\n", cause.file.empty() ? "the release" : cause.file, cause.what);
    if (!cause.risk) continue;
    text += fmt::format("    {}: {}\n    {}\n", cause.risk->name,
                        replace_all(trim(cause.risk->message), "\n", "\n    "), cause.risk->url);
    for (const Rule& rule : cause.risk->rules)
      text += fmt::format("    applies when: {}\n", replace_all(describe(rule), "\n", "\n      "));
  }
  return text;
}

json::Object to_json(const Explanation& explanation) {
  json::Array causes;
  for (const Explanation::Cause& cause : explanation.causes) {
    json::Object object{{"what", cause.what}};
    if (!cause.file.empty()) object["file"] = cause.file;
    if (cause.risk) object["risk"] = to_json(*cause.risk);
    causes.push_back(std::move(object));
  }
  return json::Object{{"verdict", to_string(explanation.verdict)},
                      {"summary", explanation.summary},
                      {"causes", std::move(causes)}};
}

}  // namespace fairway::graph
