// Which reasons speak against which edges.
#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "graph/builder_parts.hpp"

namespace fairway::graph::building {
namespace {

constexpr std::string_view kAll = "*";

class Judge {
 public:
  Judge(std::span<const Packed> edges, const Nodes& nodes, const NodeIndex& index, const GraphData& data,
        Findings& alerts)
      : edges_(edges), nodes_(nodes), index_(index), data_(data), alerts_(alerts) {
    verdicts_.policies.assign(edges.size(), kNoPolicy);
    first_.assign(nodes.nodes.size() + 1, 0);
    for (const Packed edge : edges) ++first_[to_of(edge) + 1];
    for (std::size_t i = 0; i < nodes.nodes.size(); ++i) first_[i + 1] += first_[i];
  }

  Verdicts run(std::span<const Packed> closing) {
    reject_cycles(closing);
    for (NodeId id = 0; id < nodes_.nodes.size(); ++id) apply_metadata(id);
    apply_cut_off();
    apply_blocks();
    return std::move(verdicts_);
  }

 private:
  ReasonId add(Reason reason) {
    verdicts_.reasons.push_back(std::move(reason));
    return static_cast<ReasonId>(verdicts_.reasons.size() - 1);
  }

  void reject_cycles(std::span<const Packed> closing) {
    if (closing.empty()) return;
    const ReasonId reason = add({.kind = Reason::Kind::Cycle});
    for (const Packed edge : closing) apply(position(edge), reason);
  }

  std::size_t position(Packed edge) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(edges_, edge) - edges_.begin());
  }

  void apply(std::size_t edge, ReasonId reason) {
    PolicyId& policy = verdicts_.policies[edge];
    policy = verdicts_.table.with(policy, reason);
  }

  void apply_metadata(NodeId id) {
    const Node& node = nodes_.nodes[id];
    if (node.is_abstract) return;
    if (const auto list = node.metadata.find(key::kPreviousRemove); list != node.metadata.end()) {
      remove_previous(id, list->second);
    }
    if (const auto text = node.metadata.find(key::kPreviousRemoveRegex); text != node.metadata.end()) {
      remove_matching(id, text->second);
    }
    if (const auto list = node.metadata.find(key::kNextRemove); list != node.metadata.end()) {
      remove_next(id, list->second);
    }
  }

  // The file is named when raw metadata says so; otherwise it is the release's own word.
  ReasonId metadata_reason(NodeId id, std::string_view name) {
    const auto raw = data_.raw.find(nodes_.nodes[id].plain);
    const bool is_raw = raw != data_.raw.end() && raw->second.contains(name);
    return add({.kind = Reason::Kind::Metadata,
                .file = is_raw ? "raw/metadata.json" : "",
                .detail = fmt::format("{} of {}", name, nodes_.nodes[id].text)});
  }

  template <class Visit>
  void for_each_listed(NodeId id, std::string_view name, std::string_view list, Visit visit) {
    for (std::string_view part : split(list, ',')) {
      const std::string_view text = trim(part);
      if (text.empty()) continue;
      const auto version = SemVer::parse(text);
      if (!version) {
        alerts_.push_back(
            {.id = "metadata-version",
             .message = fmt::format("{} of {}: {}", name, nodes_.nodes[id].text, version.error().message),
             .fix = "write full versions, separated by commas",
             .refuses = true});
        continue;
      }
      if (const NodeId* other = index_.find(nodes_.nodes[id].arch, plain_text(*version))) visit(*other);
    }
  }

  void remove(Packed edge, ReasonId reason) {
    const std::size_t at = position(edge);
    if (at < edges_.size() && edges_[at] == edge) apply(at, reason);
  }

  void remove_previous(NodeId id, std::string_view list) {
    const ReasonId reason = metadata_reason(id, key::kPreviousRemove);
    if (trim(list) == kAll) {
      for (std::size_t edge = first_[id]; edge < first_[id + 1]; ++edge) apply(edge, reason);
      return;
    }
    for_each_listed(id, key::kPreviousRemove, list, [&](NodeId other) { remove(pack(other, id), reason); });
  }

  void remove_next(NodeId id, std::string_view list) {
    const ReasonId reason = metadata_reason(id, key::kNextRemove);
    if (trim(list) == kAll) {
      cut_off_.emplace(id, reason);
      return;
    }
    for_each_listed(id, key::kNextRemove, list, [&](NodeId other) { remove(pack(id, other), reason); });
  }

  // Edges lie by target, so all sources are served in one pass.
  void apply_cut_off() {
    if (cut_off_.empty()) return;
    for (std::size_t edge = 0; edge < edges_.size(); ++edge) {
      const auto reason = cut_off_.find(from_of(edges_[edge]));
      if (reason != cut_off_.end()) apply(edge, reason->second);
    }
  }

  void remove_matching(NodeId id, std::string_view text) {
    Patterns patterns;
    const auto pattern = patterns.add(text);
    if (!pattern) {
      alerts_.push_back({.id = "metadata-regex",
                         .message = fmt::format("{} of {}: {}", key::kPreviousRemoveRegex,
                                                nodes_.nodes[id].text, pattern.error().message),
                         .fix = "correct the expression",
                         .refuses = true});
      return;
    }
    const ReasonId reason = metadata_reason(id, key::kPreviousRemoveRegex);
    for (std::size_t edge = first_[id]; edge < first_[id + 1]; ++edge) {
      if (patterns.matches(*pattern, nodes_.nodes[from_of(edges_[edge])].text)) apply(edge, reason);
    }
  }

  void apply_blocks() {
    if (data_.blocks.empty()) return;
    std::vector<std::string_view> texts;
    texts.reserve(nodes_.nodes.size());
    for (const Node& node : nodes_.nodes) texts.push_back(node.text);
    const Patterns::Matches matches = data_.patterns.match_all(texts);
    for (std::size_t i = 0; i < data_.blocks.size(); ++i) {
      const Block& block = data_.blocks[i];
      const ReasonId reason = add(block_reason(block, i));
      const std::string plain = plain_text(block.to);
      for (ArchId arch = 0; arch < nodes_.architectures.size(); ++arch) {
        const NodeId* id =
            is_meant_for(block, nodes_.architectures[arch]) ? index_.find(arch, plain) : nullptr;
        if (id != nullptr) apply_block(*id, block.pattern, reason, matches);
      }
    }
  }

  void apply_block(NodeId id, PatternId pattern, ReasonId reason, const Patterns::Matches& matches) {
    // Neighbouring edges mostly have the same policy; asking the table once for a run of them is enough.
    PolicyId seen = kNoPolicy;
    PolicyId result = kNoPolicy;
    for (std::size_t edge = first_[id]; edge < first_[id + 1]; ++edge) {
      if (!matches.test(pattern, from_of(edges_[edge]))) continue;
      PolicyId& policy = verdicts_.policies[edge];
      if (result == kNoPolicy || policy != seen) {
        seen = policy;
        result = verdicts_.table.with(policy, reason);
      }
      policy = result;
    }
  }

  Reason block_reason(const Block& block, std::size_t index) {
    Reason reason{.kind = Reason::Kind::Block, .file = block.file, .block = index};
    if (block.is_unconditional()) return reason;
    if (!block.rules.empty()) reason.risk = add_risk(block.risk());
    reason.kind = Reason::Kind::Risk;
    if (!block.query) return reason;
    reason.kind = Reason::Kind::Targeted;
    reason.rule = add_rule(*block.query, block.file);
    if (block.has_reason())
      reason.refusal = add_risk({block.url, block.name, block.message, {always_rule()}});
    return reason;
  }

  RiskId add_risk(Risk risk) {
    const auto [place, is_new] =
        risk_ids_.try_emplace(json::serialize(to_json(risk)), static_cast<RiskId>(verdicts_.risks.size()));
    if (is_new) verdicts_.risks.push_back(std::move(risk));
    return place->second;
  }

  RuleId add_rule(const std::string& query, const std::string& file) {
    const auto [place, is_new] = rule_ids_.try_emplace(query, static_cast<RuleId>(verdicts_.rules.size()));
    if (is_new) verdicts_.rules.push_back({.query = query, .files = {}});
    verdicts_.rules[place->second].files.push_back(file);
    return place->second;
  }

  std::span<const Packed> edges_;
  const Nodes& nodes_;
  const NodeIndex& index_;
  const GraphData& data_;
  Findings& alerts_;
  std::vector<std::size_t> first_;  // edge into each node
  std::unordered_map<NodeId, ReasonId> cut_off_;
  Verdicts verdicts_;
  std::unordered_map<std::string, RiskId> risk_ids_;
  std::unordered_map<std::string, RuleId> rule_ids_;
};

}  // namespace

Verdicts judge_edges(std::span<const Packed> edges, std::span<const Packed> closing, const Nodes& nodes,
                     const NodeIndex& index, const GraphData& data, Findings& alerts) {
  return Judge(edges, nodes, index, data, alerts).run(closing);
}

}  // namespace fairway::graph::building
