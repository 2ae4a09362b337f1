#include "clusterversion/upgrade/channel.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/text.hpp"
#include "clusterversion/upgrade/view.hpp"

namespace fairway::clusterversion::upgrade {
namespace {

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// False when it is refused.
bool judge_channel(const ClusterVersion& cluster, const std::string& name, bool allow_explicit,
                   Outcome& outcome) {
  const auto& known = cluster.status.desired.channels;
  const std::string& current = cluster.spec.channel;
  if (name.empty()) {
    if (!allow_explicit && has(known, current)) {
      outcome.refuse(
          fmt::format("You are requesting to clear the update channel. The current channel {} is one of the "
                      "available channels, you must pass --allow-explicit-channel to continue",
                      quoted(current)));
      return false;
    }
    outcome.warn(
        fmt::format("Clearing channel {}; cluster will no longer request available update recommendations.",
                    quoted(current)));
    return true;
  }
  if (known.empty()) {
    outcome.warn(
        fmt::format("No channels known to be compatible with the current version {}; unable to validate {}. "
                    "Setting the update channel to {} anyway.",
                    quoted(cluster.status.desired.version), quoted(name), quoted(name)));
    return true;
  }
  if (has(known, name)) return true;
  if (!allow_explicit) {
    outcome.refuse(
        fmt::format("the requested channel {} is not one of the available channels ({}), you must pass "
                    "--allow-explicit-channel to continue",
                    quoted(name), join(known, ", ")));
    return false;
  }
  outcome.warn(
      fmt::format("The requested channel {} is not one of the available channels ({}). You have used "
                  "--allow-explicit-channel to proceed anyway. Setting the update channel to {}.",
                  quoted(name), join(known, ", "), quoted(name)));
  return true;
}

struct Edit {
  std::set<std::string> added;
  std::set<std::string> removed;
};

std::optional<std::string> read_edit(const AcceptFlags& flags, Edit& edit) {
  for (const std::string& words : flags.risks) {
    for (const std::string_view word : split(words, ',')) {
      std::string_view name = trim(word);
      const bool is_removed = name.ends_with('-');
      if (is_removed) name.remove_suffix(1);
      if (name.empty() || name.find_first_of(" \t\r\n") != std::string_view::npos) {
        return fmt::format("illegal risk {}", quoted(word));
      }
      (is_removed ? edit.removed : edit.added).emplace(name);
    }
  }
  std::vector<std::string> both;
  std::ranges::set_intersection(edit.added, edit.removed, std::back_inserter(both));
  if (!both.empty()) return fmt::format("requested risks with both Risk and Risk-: {}", join(both, ", "));
  if (flags.replace && !edit.removed.empty()) {
    return "The suffix '-' on risks is not allowed if --replace is specified";
  }
  return std::nullopt;
}

// Those that stay keep their order; new ones come after them, sorted.
std::vector<std::string> edited(const std::vector<std::string>& before, const AcceptFlags& flags, Edit edit) {
  std::vector<std::string> after;
  for (const std::string& name : before) {
    const bool stays = flags.replace ? edit.added.contains(name) : !edit.removed.contains(name);
    if (!flags.clear && stays) after.push_back(name);
    edit.added.erase(name);
  }
  after.insert(after.end(), edit.added.begin(), edit.added.end());
  return after;
}

json::Object acceptance_patch(const std::vector<std::string>& names, bool holds_more) {
  json::Array risks;
  for (const std::string& name : names) risks.push_back(json::Object{{"name", name}});
  json::Value update = nullptr;
  if (!names.empty()) update = json::Object{{"acceptRisks", std::move(risks)}};
  if (names.empty() && holds_more) update = json::Object{{"acceptRisks", nullptr}};
  return {{"spec", json::Object{{"desiredUpdate", std::move(update)}}}};
}

std::vector<std::string> known_risks(const ClusterVersion& cluster) {
  std::set<std::string> names;
  for (const ConditionalUpdate& update : cluster.status.conditional_updates) {
    for (const Risk& risk : update.risks) names.insert(risk.name);
  }
  for (const Risk& risk : cluster.status.conditional_update_risks) names.insert(risk.name);
  return {names.begin(), names.end()};
}

// A name with a typing error in it would be accepted for ever and never meant.
void warn_of_strangers(const ClusterVersion& cluster, const Edit& edit, Outcome& outcome) {
  const auto known = known_risks(cluster);
  for (const std::string& name : edit.added) {
    if (has(known, name)) continue;
    const auto meant = nearest(name, known);
    outcome.warn(fmt::format("no update has a risk named {}{}", quoted(name),
                             meant ? fmt::format("; did you mean {}?", quoted(*meant)) : ""));
  }
}

}  // namespace

Outcome set_channel(const ClusterVersion& cluster, const std::string& name, bool allow_explicit) {
  Outcome outcome;
  if (name == cluster.spec.channel) {
    outcome.print(name.empty() ? "info: Cluster channel is already clear (no change)\n"
                               : fmt::format("info: Cluster is already in {} (no change)\n", name));
    return outcome;
  }
  if (!judge_channel(cluster, name, allow_explicit, outcome)) return outcome;
  const json::Value channel = name.empty() ? json::Value(nullptr) : json::Value(name);
  outcome.change =
      Change{.patch = {{"spec", json::Object{{"channel", channel}}}}, .cannot = "Unable to set channel"};
  return outcome;
}

Outcome accept_risks(const ClusterVersion& cluster, const AcceptFlags& flags) {
  if (flags.clear && flags.replace) return refusal("--clear and --replace are mutually exclusive");
  if (flags.clear && !flags.risks.empty()) return refusal("--clear takes no risks");
  if (!flags.clear && flags.risks.empty()) return refusal("no positional arguments given");
  Edit edit;
  if (const auto fault = read_edit(flags, edit)) return refusal(*fault);
  std::vector<std::string> before;
  if (cluster.spec.desired_update) {
    for (const AcceptedRisk& risk : cluster.spec.desired_update->accept_risks) before.push_back(risk.name);
  }
  const auto after = edited(before, flags, edit);
  Outcome outcome;
  if (after == before) {
    outcome.print("info: Accept risks are not changed\n");
    return outcome;
  }
  warn_of_strangers(cluster, edit, outcome);
  const auto& wanted = cluster.spec.desired_update;
  const bool holds_more = asks_for_update(cluster) || (wanted && !wanted->unknown.empty());
  outcome.change = Change{.patch = acceptance_patch(after, holds_more),
                          .done = fmt::format("info: Accept risks are [{}]\n", join(after, ", ")),
                          .cannot = "Unable to accept risks"};
  return outcome;
}

}  // namespace fairway::clusterversion::upgrade
