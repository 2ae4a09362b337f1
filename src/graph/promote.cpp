#include "graph/promote.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "graph/promote_guards.hpp"

namespace fairway::graph {
namespace {

bool holds(const std::vector<SemVer>& versions, const SemVer& version) {
  return std::ranges::any_of(versions,
                             [&](const SemVer& other) { return other.compare_precedence(version) == 0; });
}

class Promoter {
 public:
  Promoter(const GraphData& data, const PromotionFacts& facts) : data_(data), facts_(facts) {
    for (const Channel& channel : data.channels) channels_.try_emplace(channel.name, &channel);
  }

  PromotionPlan run() {
    for (const Channel& channel : data_.channels) {
      if (channel.feeder && channels_.at(channel.name) == &channel) consider(channel);
    }
    if (facts_.releases != nullptr) {
      for (const auto& [name, channel] : channels_)
        warn_unconnected_patches(*channel, *facts_.releases, plan_.findings);
    }
    sort_findings(plan_.findings);
    return std::move(plan_);
  }

 private:
  void consider(const Channel& channel) {
    const auto found = channels_.find(channel.feeder->name);
    if (found == channels_.end()) {
      plan_.findings.push_back({.id = "feeder-unknown",
                                .severity = Severity::Warning,
                                .file = channel.file,
                                .message = fmt::format("the feeder of {}, {}, is not in this tree",
                                                       channel.name, quoted(channel.feeder->name)),
                                .fix = "add its file to internal-channels, or correct the name"});
      return;
    }
    const Channel& feeder = *found->second;
    for (const SemVer& version : feeder.tombstones) {
      if (!holds(channel.versions, version)) continue;
      plan_.findings.push_back({.id = "tombstone-in-channel",
                                .severity = Severity::Warning,
                                .file = channel.file,
                                .message = fmt::format("{} has a tombstone in {} but is in {}",
                                                       version.to_string(), feeder.name, channel.name),
                                .fix = "remove it from one of them"});
    }
    std::vector<SemVer> versions = feeder.versions;
    std::ranges::sort(versions);
    for (const SemVer& version : versions) {
      if (is_candidate(channel, feeder, version)) decide(channel, feeder, version);
    }
  }

  bool is_candidate(const Channel& channel, const Channel& feeder, const SemVer& version) const {
    if (holds(channel.versions, version) || holds(feeder.tombstones, version) ||
        holds(channel.tombstones, version))
      return false;
    return !channel.feeder->filter ||
           data_.patterns.matches_whole(*channel.feeder->filter, version.to_string());
  }

  void decide(const Channel& channel, const Channel& feeder, const SemVer& version) {
    const std::string text = version.to_string();
    const auto reason = ripe(channel, feeder, text);
    if (!reason) return;
    Findings obstacles = undeclared_risks(data_, channel, version);
    if (facts_.releases != nullptr) {
      const Findings stuck = no_way_out(channel, version, *facts_.releases);
      obstacles.insert(obstacles.end(), stuck.begin(), stuck.end());
    }
    if (!obstacles.empty()) {
      plan_.waiting.push_back({channel.name, text, obstacles.front().message});
      plan_.findings.insert(plan_.findings.end(), obstacles.begin(), obstacles.end());
      return;
    }
    plan_.promotions.push_back({channel.name, channel.file, text, *reason});
  }

  // Why it may go on now; nothing, and an entry in `waiting`, when it may not.
  std::optional<std::string> ripe(const Channel& channel, const Channel& feeder, const std::string& version) {
    const Feeder& rule = *channel.feeder;
    if (rule.wants_public_errata && facts_.public_errata.contains(version)) return "its erratum is public";
    if (!rule.delay) {
      plan_.waiting.push_back({channel.name, version,
                               rule.wants_public_errata ? "its erratum is not public yet"
                                                        : "the feeder has neither delay nor errata"});
      return std::nullopt;
    }
    const auto since = facts_.since.find({feeder.name, version});
    if (since == facts_.since.end()) {
      plan_.waiting.push_back(
          {channel.name, version, fmt::format("it is not known since when it is in {}", feeder.name)});
      return std::nullopt;
    }
    const WallTime until = since->second + std::chrono::duration_cast<WallTime::duration>(*rule.delay);
    if (facts_.now > until)
      return fmt::format("it has been in {} for longer than {}", feeder.name, rule.delay_text);
    plan_.waiting.push_back(
        {channel.name, version, fmt::format("it rests in {} for {}", feeder.name, rule.delay_text), until});
    return std::nullopt;
  }

  const GraphData& data_;
  const PromotionFacts& facts_;
  std::map<std::string, const Channel*, std::less<>> channels_;
  PromotionPlan plan_;
};

// The version that a list's line holds: `- 4.7.4  # why`.
std::optional<SemVer> version_on(std::string_view line) {
  std::string_view text = trim(line);
  if (!text.starts_with("- ")) return std::nullopt;
  text = trim(text.substr(2));
  text = trim(text.substr(0, text.find(" #")));
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\''))
    text = text.substr(1, text.size() - 2);
  auto version = SemVer::parse(text);
  return version ? std::optional(*std::move(version)) : std::nullopt;
}

}  // namespace

PromotionPlan decide_promotions(const GraphData& data, const PromotionFacts& facts) {
  return Promoter(data, facts).run();
}

Result<std::string> with_version(std::string_view channel_file, const SemVer& version) {
  const auto lines = split(channel_file, '\n');
  std::optional<std::size_t> before;  // the line to insert at
  std::string indent;
  bool inside = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("versions:")) {
      inside = true;
      before = i + 1;
      continue;
    }
    if (!inside) continue;
    const auto listed = version_on(lines[i]);
    if (!listed && !trim(lines[i]).empty() && !trim(lines[i]).starts_with('#')) break;  // the next key
    if (!listed) continue;
    if (listed->compare_precedence(version) == 0) return std::string(channel_file);
    indent = std::string(lines[i].substr(0, lines[i].find('-')));
    if (*listed < version) before = i + 1;
  }
  if (!before || trim(lines[*before - 1]).ends_with(']')) {
    return fail(ErrorCode::Invalid, "expected a list of versions, one a line below \"versions:\"");
  }
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == *before) text += fmt::format("{}- {}\n", indent, version.to_string());
    text += lines[i];
    if (i + 1 < lines.size()) text += '\n';
  }
  if (*before == lines.size()) text += fmt::format("\n{}- {}\n", indent, version.to_string());
  return text;
}

json::Object to_json(const PromotionPlan& plan) {
  json::Array promotions;
  for (const Promotion& promotion : plan.promotions) {
    promotions.push_back(json::Object{{"channel", promotion.channel},
                                      {"file", promotion.file},
                                      {"version", promotion.version},
                                      {"why", promotion.why}});
  }
  json::Array waiting;
  for (const Waiting& one : plan.waiting) {
    json::Object object{{"channel", one.channel}, {"version", one.version}, {"why", one.why}};
    if (one.until) object["until"] = format_rfc3339(*one.until);
    waiting.push_back(std::move(object));
  }
  json::Array findings;
  for (const Finding& finding : plan.findings) findings.push_back(to_json(finding));
  return json::Object{{"promotions", std::move(promotions)},
                      {"waiting", std::move(waiting)},
                      {"findings", std::move(findings)}};
}

std::string to_text(const PromotionPlan& plan) {
  std::string text;
  for (const Promotion& promotion : plan.promotions)
    text += fmt::format("promote {} to {}: {}\n", promotion.version, promotion.channel, promotion.why);
  for (const Waiting& one : plan.waiting) {
    text += fmt::format("keep {} out of {}: {}{}\n", one.version, one.channel, one.why,
                        one.until ? fmt::format(" until {}", format_rfc3339(*one.until)) : "");
  }
  return text;
}

}  // namespace fairway::graph
