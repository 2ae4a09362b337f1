// Checks of channels among one another, and of the graph that releases make of the tree.
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/text.hpp"
#include "graph/audit.hpp"
#include "graph/builder.hpp"
#include "graph/lint_parts.hpp"

namespace fairway::graph::linting {
namespace {

void check_channel(LintRun& run, const Channel& channel) {
  if (!channel.is_internal && !is_channel_name(channel.name)) {
    run.report(Severity::Error, "channel-name", channel.file, {"name"},
               fmt::format("no client can ask for channel {}: names have small letters, digits, '-' and '.'",
                           quoted(channel.name)),
               "rename it");
  } else if (!channel.is_internal && channel.name.find('-') == std::string::npos) {
    run.report(
        Severity::Warning, "channel-name", channel.file, {"name"},
        fmt::format("channel {} has no '-', which other services do not survive", quoted(channel.name)),
        "name it like stable-4.7");
  }
  std::set<std::string> seen;
  for (const SemVer& version : channel.versions) {
    const std::string text = version.to_string();
    if (!seen.insert(text).second) {
      run.report_at(Severity::Warning, "channel-version-twice", channel.file,
                    line_of_item(run.text_of(channel.file), text), fmt::format("{} stands twice", text),
                    "remove one");
    }
  }
}

using ByName = std::map<std::string, const Channel*, std::less<>>;

ByName by_name(LintRun& run) {
  ByName channels;
  for (const Channel& channel : run.data.channels) {
    const auto [place, is_new] = channels.try_emplace(channel.name, &channel);
    if (is_new) continue;
    run.report(Severity::Error, "channel-twice", channel.file, {"name"},
               fmt::format("channel {} is defined by {}, too", quoted(channel.name), place->second->file),
               "keep one file for a channel");
  }
  return channels;
}

bool contains(const Channel& channel, const SemVer& version) {
  return std::ranges::any_of(channel.versions,
                             [&](const SemVer& other) { return other.compare_precedence(version) == 0; });
}

// stable is within fast, fast within candidate; 4.1 is older than the rule.
void check_subsets(LintRun& run, const ByName& channels) {
  for (const auto& [narrow, wide] :
       {std::pair<std::string_view, std::string_view>{"stable-", "fast-"}, {"fast-", "candidate-"}}) {
    for (const auto& [name, channel] : channels) {
      if (channel->is_internal || !name.starts_with(narrow)) continue;
      const std::string suffix = name.substr(narrow.size());
      if (suffix == "4.1") continue;
      const auto other = channels.find(fmt::format("{}{}", wide, suffix));
      if (other == channels.end()) {
        run.report(Severity::Error, "channel-subset", channel->file, {"name"},
                   fmt::format("there is no channel {}{} for what is in {}", wide, suffix, name), "add it");
        continue;
      }
      for (const SemVer& version : channel->versions) {
        if (contains(*other->second, version)) continue;
        run.report_at(Severity::Error, "channel-subset", channel->file,
                      line_of_item(run.text_of(channel->file), version.to_string()),
                      fmt::format("{} is in {} but not in {}", version.to_string(), name, other->first),
                      fmt::format("add it to {} first", other->first));
      }
    }
  }
}

void check_tombstones(LintRun& run, const ByName& channels) {
  for (const auto& [name, channel] : channels) {
    if (!channel->feeder) continue;
    const auto feeder = channels.find(channel->feeder->name);
    if (feeder == channels.end()) continue;
    for (const SemVer& dead : feeder->second->tombstones) {
      if (!contains(*channel, dead)) continue;
      run.report_at(Severity::Info, "tombstone-in-channel", channel->file,
                    line_of_item(run.text_of(channel->file), dead.to_string()),
                    fmt::format("{} has a tombstone in {}, the feeder, but is in {}", dead.to_string(),
                                feeder->first, name),
                    "remove it from one of them");
    }
  }
}

void check_versions_exist(LintRun& run, const Graph& graph) {
  const auto exists = [&](const SemVer& version) {
    for (ArchId arch = 0; arch < graph.architectures().size(); ++arch) {
      if (!version.build.empty() && version.build != graph.architectures()[arch]) continue;
      const auto id = graph.find(plain_text(version), arch);
      if (id && !graph.node(*id).is_abstract) return true;
    }
    return false;
  };
  for (const Channel& channel : run.data.channels) {
    for (const SemVer& version : channel.versions) {
      if (exists(version)) continue;
      run.report_at(Severity::Error, "version-unknown", channel.file,
                    line_of_item(run.text_of(channel.file), version.to_string()),
                    fmt::format("{} is no release", version.to_string()),
                    "correct it, or publish the release first");
    }
  }
  for (const Block& block : run.data.blocks) {
    if (block.is_unconditional() && !exists(block.to)) {
      run.report(Severity::Error, "version-unknown", block.file, {"to"},
                 fmt::format("{} is no release", block.to.to_string()), "correct it");
    }
  }
}

void check_blocks_hit(LintRun& run, const Graph& graph) {
  std::vector<bool> used_policies(graph.policy_count(), false);
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    for (const Edge& edge : graph.edges_from(id)) used_policies[edge.policy] = true;
  }
  std::vector<bool> hit(run.data.blocks.size(), false);
  for (PolicyId policy = 0; policy < graph.policy_count(); ++policy) {
    if (!used_policies[policy]) continue;
    for (const ReasonId reason : graph.policy(policy)) {
      if (graph.reason(reason).block) hit[*graph.reason(reason).block] = true;
    }
  }
  for (std::size_t i = 0; i < hit.size(); ++i) {
    if (hit[i]) continue;
    const Block& block = run.data.blocks[i];
    run.report(Severity::Info, "block-no-edge", block.file, {"from"},
               fmt::format("no update from {} to {} exists that it could block", quoted(block.from),
                           block.to.to_string()),
               "check both, or remove the file");
  }
}

void check_dead_ends(LintRun& run, const Graph& graph) {
  const Outcomes outcomes(graph, AllowedRules::all());
  for (const Channel& channel : run.data.channels) {
    const auto id = channel.is_internal ? std::nullopt : graph.find_channel(channel.name);
    if (!id) continue;
    std::map<std::string, std::vector<std::string>> stuck;  // architectures of each version
    for (ArchId arch = 0; arch < graph.architectures().size(); ++arch) {
      for (const std::string& version : audit(document_of(graph, id, arch, outcomes)).without_exit)
        stuck[version].push_back(graph.architectures()[arch]);
    }
    for (const auto& [version, architectures] : stuck) {
      run.report_at(Severity::Info, "dead-end", channel.file,
                    line_of_item(run.text_of(channel.file), version),
                    fmt::format("no update leads away from {} on {}", version, join(architectures, ", ")),
                    "add a release that names it, or soften a block");
    }
  }
}

void check_errata(LintRun& run) {
  if (!run.options.errata_pattern) return;
  Patterns patterns;
  const auto pattern = patterns.add(*run.options.errata_pattern);
  if (!pattern)
    return run.report(Severity::Error, "errata-pattern", "", {}, pattern.error().message,
                      "correct the expression");
  for (const Release& release : *run.options.releases) {
    if (release.version.is_prerelease()) continue;
    const auto url = release.metadata.find("url");
    if (url != release.metadata.end() && patterns.matches(*pattern, url->second)) continue;
    run.report(Severity::Warning, "release-errata", "", {},
               fmt::format("{} has {} as url, which is no erratum", release.version.to_string(),
                           url == release.metadata.end() ? "nothing" : quoted(url->second)),
               "publish its erratum");
  }
}

}  // namespace

void lint_channels(LintRun& run) {
  for (const Channel& channel : run.data.channels) check_channel(run, channel);
  const ByName channels = by_name(run);
  check_subsets(run, channels);
  check_tombstones(run, channels);
}

void lint_graph(LintRun& run) {
  const auto build = build_graph(*run.options.releases, run.data);
  if (!build)
    return run.report(Severity::Error, "graph", "", {}, build.error().message, "correct what it names");
  for (const Finding& alert : build->alerts)
    run.report(alert.severity, alert.id, alert.file, {}, alert.message, alert.fix);
  check_versions_exist(run, *build->graph);
  check_blocks_hit(run, *build->graph);
  check_dead_ends(run, *build->graph);
  check_errata(run);
}

}  // namespace fairway::graph::linting
