#include "clusterversion/offer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "clusterversion/rules.hpp"
#include "json/schema_uri.hpp"

namespace fairway::clusterversion {
namespace {

// Keeps the rules that can be evaluated. Without any, those of unknown types are still shown.
OfferedRisk checked_rules(Risk risk, std::vector<std::string>& warnings) {
  OfferedRisk checked{.had_rules = !risk.matching_rules.empty()};
  std::vector<MatchingRule> unknown;
  for (MatchingRule& rule : risk.matching_rules) {
    if (!is_recognized(rule)) {
      warnings.push_back(fmt::format("risk {}: skipping unrecognized cluster condition type {}", risk.name,
                                     quoted(rule.type)));
      if (!rule.type.empty()) unknown.push_back({.type = std::move(rule.type)});
    } else if (const auto problem = rule_problem(rule)) {
      warnings.push_back(fmt::format("risk {}: {}", risk.name, *problem));
    } else {
      checked.rules.push_back(std::move(rule));
    }
  }
  risk.matching_rules = checked.rules.empty() ? std::move(unknown) : checked.rules;
  checked.risk = std::move(risk);
  return checked;
}

std::optional<std::string> wrong_metadata(const Risk& risk) {
  if (risk.name.empty()) return "a risk has no name";
  if (risk.name.size() > kMostRiskNameBytes)
    return fmt::format("a risk's name has {} bytes, at most {} can be stored", risk.name.size(),
                       kMostRiskNameBytes);
  if (risk.url.empty()) return fmt::format("risk {} has no url", risk.name);
  if (!json::is_request_uri(risk.url))
    return fmt::format("risk {}: url {} is not a URI", risk.name, quoted(risk.url));
  if (risk.message.empty()) return fmt::format("risk {} has no message", risk.name);
  return std::nullopt;
}

// Joins the risks of all groups that lead to one target: each name once.
std::vector<OfferedRisk> joined(std::vector<Risk> risks, const std::string& version,
                                std::vector<std::string>& warnings) {
  std::vector<OfferedRisk> all;
  std::map<std::string, std::pair<Risk, std::size_t>, std::less<>> seen;  // as sent, and its place
  for (Risk& risk : risks) {
    const auto found = seen.find(risk.name);
    if (found == seen.end()) {
      seen.emplace(risk.name, std::pair{risk, all.size()});
      all.push_back(checked_rules(std::move(risk), warnings));
    } else if (found->second.first != risk) {
      all[found->second.second].is_divergent = true;
      warnings.push_back(fmt::format("update to {}: divergent definitions of risk {}", version, risk.name));
    }
  }
  return all;
}

// Why a target cannot be part of the status.
std::optional<LeftOut> obstacle(const Release& release, const std::vector<OfferedRisk>& risks,
                                const Storable& storable) {
  const auto because = [&](std::string cause, std::string why) {
    return LeftOut{release.version, std::move(cause), std::move(why)};
  };
  if (release.image.empty()) return because("NoImage", "its node has no payload");
  if (risks.empty()) return because("NoRisks", "it is conditional without a risk that says on what");
  if (risks.size() > kMostRisks)
    return because("TooManyRisks",
                   fmt::format("it has {} risks, at most {} can be stored", risks.size(), kMostRisks));
  for (const OfferedRisk& risk : risks) {
    if (auto wrong = wrong_metadata(risk.risk)) return because("InvalidRisk", *std::move(wrong));
    if (!risk.rules.empty()) continue;
    const bool has_unknown = !risk.risk.matching_rules.empty();
    if (has_unknown ? !storable.any_type : !storable.allows_none) {
      return because(
          "NoRecognizedRule",
          fmt::format("risk {} has no rule of a type that this API server can store", risk.risk.name));
    }
  }
  return std::nullopt;
}

struct Group {
  Release release;
  std::vector<Risk> risks;
  std::size_t entries = 0;
  bool has_empty = false;  // a group without a risk: nothing says when the update is safe
};

std::vector<Group> by_image(const std::vector<ConditionalTarget>& targets) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t, std::less<>> places;
  for (const ConditionalTarget& target : targets) {
    const auto [place, is_new] = places.emplace(target.release.image, groups.size());
    if (is_new) groups.push_back({.release = target.release});
    Group& group = groups[place->second];
    ++group.entries;
    group.has_empty |= target.risks.empty();
    group.risks.insert(group.risks.end(), target.risks.begin(), target.risks.end());
  }
  return groups;
}

void add_conditional(Group group, const Storable& storable, Offer& offer) {
  const std::string& version = group.release.version;
  if (group.entries > 1) {
    offer.warnings.push_back(
        fmt::format("the update service declares {} conditional updates to {}; their risks are joined",
                    group.entries, version));
  }
  for (Risk& risk : group.risks) shorten(risk.message, kMostMessageBytes);
  OfferedUpdate update{group.release, joined(std::move(group.risks), version, offer.warnings)};
  if (group.has_empty) update.risks.clear();
  if (auto why_not = obstacle(update.release, update.risks, storable)) {
    offer.warnings.push_back(fmt::format("leaving out the update to {}: {}", version, why_not->why));
    offer.left_out.push_back(*std::move(why_not));
    return;
  }
  offer.conditional.push_back(std::move(update));
}

void keep_highest(Offer& offer) {
  if (offer.conditional.size() <= kMostTargets) return;
  for (std::size_t i = kMostTargets; i < offer.conditional.size(); ++i) {
    offer.left_out.push_back({offer.conditional[i].release.version, "TooManyTargets",
                              fmt::format("only the {} highest targets can be stored", kMostTargets)});
  }
  offer.warnings.push_back(
      fmt::format("{} conditional updates, keeping the {} highest", offer.conditional.size(), kMostTargets));
  offer.conditional.resize(kMostTargets);
}

void add_unconditional(const GraphAnswer& answer, const std::vector<Group>& groups, Offer& offer) {
  std::map<std::string_view, bool> seen;
  for (const Group& group : groups) seen.emplace(group.release.image, true);
  for (const Release& release : answer.updates) {
    const auto [place, is_new] = seen.emplace(release.image, false);
    if (is_new) {
      offer.updates.push_back(release);
    } else if (place->second) {
      offer.warnings.push_back(
          fmt::format("update to {} is among the edges and the conditional edges; it is taken as conditional",
                      release.version));
    }
  }
}

}  // namespace

void shorten(std::string& text, std::size_t most) {
  if (text.size() <= most) return;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  text.resize(end);
}

Storable storable_fields(const json::Object& definition) {
  Storable storable{.any_type = false, .allows_none = false, .tells_risks = false};
  const json::Array* versions = json::get_array(definition, {"spec", "versions"});
  if (versions == nullptr) return storable;
  for (const json::Value& version : *versions) {
    const json::Object* object = version.if_object();
    if (object == nullptr || json::get_string(*object, {"name"}) != "v1") continue;
    const json::Object* status =
        json::get_object(*object, {"schema", "openAPIV3Schema", "properties", "status", "properties"});
    if (status == nullptr) continue;
    storable.tells_risks =
        status->contains("conditionalUpdateRisks") &&
        json::get_object(*status, {"conditionalUpdates", "items", "properties", "riskNames"}) != nullptr;
    const json::Object* rules = json::get_object(*status, {"conditionalUpdates", "items", "properties",
                                                           "risks", "items", "properties", "matchingRules"});
    if (rules == nullptr) continue;
    storable.allows_none = json::get_int(*rules, {"minItems"}).value_or(0) == 0;
    const json::Object* type = json::get_object(*rules, {"items", "properties", "type"});
    storable.any_type = type != nullptr && !type->contains("enum");
  }
  return storable;
}

Offer make_offer(const GraphAnswer& answer, const Storable& storable) {
  Offer offer{.current = answer.current, .tells_risks = storable.tells_risks};
  std::vector<Group> groups = by_image(answer.conditional);
  add_unconditional(answer, groups, offer);
  for (Group& group : groups) add_conditional(std::move(group), storable, offer);
  for (const Risk& risk : answer.known_risks) {
    OfferedRisk known = checked_rules(risk, offer.warnings);
    if (!known.rules.empty() && !wrong_metadata(known.risk)) offer.known_risks.push_back(std::move(known));
  }
  std::ranges::sort(offer.updates, is_newer);
  std::ranges::sort(offer.conditional, is_newer, &OfferedUpdate::release);
  keep_highest(offer);
  return offer;
}

}  // namespace fairway::clusterversion
