#include "graph/promote_guards.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>

#include "base/text.hpp"

namespace fairway::graph {
namespace {

bool same_minor(const SemVer& a, const SemVer& b) {
  return a.major == b.major && a.minor == b.minor;
}

// Among all versions that any channel knows.
std::optional<SemVer> next_lower_patch(const GraphData& data, const SemVer& version) {
  std::optional<SemVer> best;
  for (const Channel& channel : data.channels) {
    for (const SemVer& other : channel.versions) {
      if (!same_minor(other, version) || other.compare_precedence(version) >= 0) continue;
      if (!best || best->compare_precedence(other) < 0) best = other;
    }
  }
  return best;
}

// 4.8 of stable-4.8.
std::optional<std::pair<std::uint64_t, std::uint64_t>> minor_of(std::string_view channel) {
  const auto dash = channel.rfind('-');
  const auto parts = split(dash == std::string_view::npos ? channel : channel.substr(dash + 1), '.');
  if (parts.size() != 2) return std::nullopt;
  const auto major = parse_unsigned(parts[0]);
  const auto minor = parse_unsigned(parts[1]);
  return major && minor ? std::optional(std::pair(*major, *minor)) : std::nullopt;
}

// The channel's nodes, and the version that would join it.
std::vector<bool> members(const Channel& channel, const SemVer* joining, const Document& releases) {
  std::vector<bool> inside(releases.nodes.size(), false);
  const auto add = [&](const SemVer& version) {
    const auto range = std::ranges::lower_bound(
        releases.nodes, version, [](const SemVer& a, const SemVer& b) { return a.compare_precedence(b) < 0; },
        &Document::Node::version);
    if (range != releases.nodes.end() && range->version.compare_precedence(version) == 0)
      inside[static_cast<std::size_t>(range - releases.nodes.begin())] = true;
  };
  for (const SemVer& version : channel.versions) add(version);
  if (joining != nullptr) add(*joining);
  return inside;
}

}  // namespace

Findings undeclared_risks(const GraphData& data, const Channel& channel, const SemVer& version) {
  Findings findings;
  const auto lower = next_lower_patch(data, version);
  if (!lower) return findings;
  const auto declared = [&](const std::string& name) {
    return std::ranges::any_of(data.blocks, [&](const Block& block) {
      return block.name == name && block.to.compare_precedence(version) == 0;
    });
  };
  for (const Block& block : data.blocks) {
    if (block.name.empty() || block.to.compare_precedence(*lower) != 0) continue;
    const bool is_fixed = block.fixed_in && block.fixed_in->compare_precedence(version) <= 0;
    if (is_fixed || declared(block.name)) continue;
    findings.push_back(
        {.id = "risk-not-extended",
         .severity = Severity::Error,
         .file = block.file,
         .message = fmt::format("{} is declared for {}, not for {}, and not said to be fixed by then",
                                block.name, lower->to_string(), version.to_string()),
         .fix = block.auto_extend
                    ? fmt::format("it is marked autoExtend: copy the file for {} before {} takes it",
                                  version.to_string(), channel.name)
                    : fmt::format("declare it for {}, or write fixedIn: {} into the file",
                                  version.to_string(), version.to_string())});
  }
  return findings;
}

Findings no_way_out(const Channel& channel, const SemVer& version, const Document& releases) {
  const auto minor = minor_of(channel.name);
  if (!minor || channel.name.starts_with("candidate") || std::pair(version.major, version.minor) >= *minor)
    return {};
  const auto inside = members(channel, &version, releases);
  const auto start = releases.find(plain_text(version));
  if (!start) return {};
  std::vector<bool> seen(releases.nodes.size(), false);
  std::vector<std::uint32_t> waiting{*start};
  seen[*start] = true;
  while (!waiting.empty()) {
    const std::uint32_t node = waiting.back();
    waiting.pop_back();
    const SemVer& at = releases.nodes[node].version;
    if (std::pair(at.major, at.minor) == *minor) return {};
    for (const Document::Edge& edge : releases.edges_from(node)) {
      if (!inside[edge.to] || seen[edge.to]) continue;
      seen[edge.to] = true;
      waiting.push_back(edge.to);
    }
  }
  return {{.id = "no-way-out",
           .severity = Severity::Error,
           .file = channel.file,
           .message = fmt::format("in {}, no way leads from {} to {}.{}", channel.name, version.to_string(),
                                  minor->first, minor->second),
           .fix = fmt::format("promote a release of {}.{} that it can update to first", minor->first,
                              minor->second)}};
}

void warn_unconnected_patches(const Channel& channel, const Document& releases, Findings& findings) {
  if (channel.is_internal) return;
  const auto inside = members(channel, nullptr, releases);
  std::set<std::pair<std::uint64_t, std::uint64_t>> begun;  // minors whose newest version has passed
  std::set<std::pair<std::uint64_t, std::uint64_t>> warned;
  for (auto id = static_cast<std::uint32_t>(releases.nodes.size()); id-- > 0;) {
    const SemVer& version = releases.nodes[id].version;
    if (!inside[id] || version.is_prerelease()) continue;
    const auto minor = std::pair(version.major, version.minor);
    if (begun.insert(minor).second) continue;  // the newest has nowhere to go within its minor
    const auto exits = releases.edges_from(id);
    const bool is_connected = std::ranges::any_of(exits, [&](const Document::Edge& edge) {
      return !edge.is_conditional() && inside[edge.to] &&
             same_minor(releases.nodes[edge.to].version, version);
    });
    if (is_connected || !warned.insert(minor).second) continue;
    findings.push_back({.id = "patch-unconnected",
                        .severity = Severity::Warning,
                        .file = channel.file,
                        .message = fmt::format("in {}, no recommended update leads from {} to a later {}.{}",
                                               channel.name, version.to_string(), minor.first, minor.second),
                        .fix = "check the blocks of the later releases"});
  }
}

}  // namespace fairway::graph
