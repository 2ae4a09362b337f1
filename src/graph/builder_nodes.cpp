// Nodes, their metadata and their channels.
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "base/text.hpp"
#include "graph/builder_parts.hpp"

namespace fairway::graph::building {
namespace {

// Releases in order, each version and architecture once.
std::vector<const Release*> distinct_releases(std::span<const Release> releases, const BuildOptions& options,
                                              Findings& alerts) {
  std::vector<const Release*> sorted;
  sorted.reserve(releases.size());
  for (const Release& release : releases) {
    const auto remove = release.metadata.find(key::kRemove);
    if (options.drop_removed && remove != release.metadata.end() && remove->second == "true") continue;
    sorted.push_back(&release);
  }
  // Among equal versions the smallest payload stands first: whatever the order of arrival, the same one is
  // kept.
  std::ranges::sort(sorted, [](const Release* a, const Release* b) {
    const auto order = a->version <=> b->version;
    return order != 0 ? order < 0 : a->payload < b->payload;
  });
  std::vector<const Release*> distinct;
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto last =
        std::find_if(first, sorted.end(), [&](const Release* r) { return r->version != (*first)->version; });
    const bool agree =
        std::all_of(first, last, [&](const Release* r) { return r->digest() == (*first)->digest(); });
    if (agree) {
      distinct.push_back(*first);
    } else {
      alerts.push_back(
          {.id = "release-conflict",
           .severity = Severity::Error,
           .message = fmt::format("{} is there with two digests, {} and {}; it is left out",
                                  (*first)->version.to_string(), (*first)->digest(), (*(last - 1))->digest()),
           .fix = "remove the tag that should not be there",
           .refuses = !options.exclude_conflicts});
    }
    first = last;
  }
  return distinct;
}

std::vector<std::string> architectures_of(std::span<const Release* const> releases) {
  std::vector<std::string> names;
  for (const Release* release : releases) {
    if (names.empty() || names.back() != release->arch) names.push_back(release->arch);
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Node make_node(const Release& release, ArchId arch) {
  return {.version = release.version,
          .text = release.version.to_string(),
          .plain = plain_text(release.version),
          .arch = arch,
          .payload = release.payload,
          .metadata = release.metadata};
}

// Neighbours were read as versions, so this one parses.
Node make_abstract(std::string_view plain, const std::string& arch_name, ArchId arch) {
  auto version = SemVer::parse(plain);
  FAIRWAY_CHECK(version.has_value(), "a neighbour is not a version");
  version->build = arch_name;
  std::string text = version->to_string();
  return {.version = *std::move(version),
          .text = std::move(text),
          .plain = std::string(plain),
          .arch = arch,
          .is_abstract = true};
}

// Puts the nodes in order and renames the ends of edges accordingly.
void order_nodes(Nodes& nodes) {
  std::vector<NodeId> order(nodes.nodes.size());
  std::iota(order.begin(), order.end(), NodeId{0});
  std::ranges::sort(order,
                    [&](NodeId a, NodeId b) { return nodes.nodes[a].version < nodes.nodes[b].version; });
  std::vector<NodeId> place(order.size());
  std::vector<Node> ordered(order.size());
  for (NodeId i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    ordered[i] = std::move(nodes.nodes[order[i]]);
  }
  nodes.nodes = std::move(ordered);
  for (Packed& edge : nodes.edges) edge = pack(place[from_of(edge)], place[to_of(edge)]);
}

// Finds neighbours, and makes abstract nodes of those that are missing.
class NeighbourFinder {
 public:
  NeighbourFinder(Nodes& nodes, std::span<const Release* const> releases)
      : nodes_(nodes), index_(nodes.architectures.size()) {
    plain_.reserve(releases.size());
    for (NodeId id = 0; id < nodes.nodes.size(); ++id) {
      plain_.push_back(nodes.nodes[id].plain);
      index_.add(nodes.nodes[id].arch, plain_.back(), id);
    }
  }

  // `plain` outlives the finder: it belongs to a release.
  NodeId find(ArchId arch, const std::string& plain) {
    if (const NodeId* id = index_.find(arch, plain)) return *id;
    const auto id = static_cast<NodeId>(nodes_.nodes.size());
    nodes_.nodes.push_back(make_abstract(plain, nodes_.architectures[arch], arch));
    index_.add(arch, plain, id);
    return id;
  }

 private:
  Nodes& nodes_;
  NodeIndex index_;
  std::vector<std::string> plain_;  // nodes move while more are found; these do not
};

}  // namespace

Nodes collect_nodes(std::span<const Release> releases, const BuildOptions& options, Findings& alerts) {
  const auto distinct = distinct_releases(releases, options, alerts);
  Nodes nodes;
  nodes.architectures = architectures_of(distinct);
  std::size_t edge_count = 0;
  for (const Release* release : distinct) {
    const auto arch =
        std::ranges::lower_bound(nodes.architectures, release->arch) - nodes.architectures.begin();
    nodes.nodes.push_back(make_node(*release, static_cast<ArchId>(arch)));
    edge_count += release->previous.size() + release->next.size();
  }
  nodes.edges.reserve(edge_count);
  NeighbourFinder finder(nodes, distinct);
  for (NodeId id = 0; id < distinct.size(); ++id) {
    const ArchId arch = nodes.nodes[id].arch;
    for (const std::string& plain : distinct[id]->previous)
      nodes.edges.push_back(pack(finder.find(arch, plain), id));
    for (const std::string& plain : distinct[id]->next)
      nodes.edges.push_back(pack(id, finder.find(arch, plain)));
  }
  if (nodes.nodes.size() > distinct.size()) order_nodes(nodes);
  return nodes;
}

NodeIndex index_nodes(const Nodes& nodes) {
  NodeIndex index(nodes.architectures.size());
  for (NodeId id = 0; id < nodes.nodes.size(); ++id)
    index.add(nodes.nodes[id].arch, nodes.nodes[id].plain, id);
  return index;
}

void join_raw_metadata(const GraphData& data, std::vector<Node>& nodes) {
  if (data.raw.empty()) return;
  for (Node& node : nodes) {
    const auto raw = data.raw.find(node.plain);
    if (node.is_abstract || raw == data.raw.end()) continue;
    for (const auto& [name, value] : raw->second) {
      std::string& text = node.metadata[name];
      if (!text.empty()) text += ',';
      text += value;
    }
  }
}

Membership join_channels(const GraphData& data, Nodes& nodes, const NodeIndex& index) {
  Membership membership;
  for (const Channel& channel : data.channels) {
    if (!channel.is_internal) membership.channels.push_back(channel.name);
  }
  std::ranges::sort(membership.channels, channel_less);
  membership.channels.erase(std::unique(membership.channels.begin(), membership.channels.end()),
                            membership.channels.end());

  const std::size_t arches = nodes.architectures.size();
  std::vector<std::vector<NodeId>> lists(membership.channels.size() * arches);
  for (const Channel& channel : data.channels) {
    if (channel.is_internal) continue;
    const auto place = std::ranges::lower_bound(membership.channels, channel.name, channel_less) -
                       membership.channels.begin();
    for (const SemVer& version : channel.versions) {
      const std::string plain = plain_text(version);
      for (ArchId arch = 0; arch < arches; ++arch) {
        if (!version.build.empty() && version.build != nodes.architectures[arch]) continue;
        const NodeId* id = index.find(arch, plain);
        if (id != nullptr && !nodes.nodes[*id].is_abstract)
          lists[static_cast<std::size_t>(place) * arches + arch].push_back(*id);
      }
    }
  }
  membership.first_member.push_back(0);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    auto& list = lists[i];
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
    membership.members.insert(membership.members.end(), list.begin(), list.end());
    membership.first_member.push_back(membership.members.size());
    for (const NodeId id : list) {
      std::string& channels = nodes.nodes[id].metadata[std::string(key::kChannels)];
      if (!channels.empty()) channels += ',';
      channels += membership.channels[i / arches];
    }
  }
  return membership;
}

}  // namespace fairway::graph::building
