#include "cli/tour_steps.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "async/files.hpp"
#include "base/text.hpp"
#include "cli/device_reporting.hpp"
#include "clusterversion/types.hpp"
#include "fleet/hub/kinds.hpp"
#include "ingress/types.hpp"
#include "kube/client/api.hpp"
#include "kube/core/conditions.hpp"

namespace fairway::cli {

// upgrade.yaml and upgrade-accepted.yaml.
std::span<const std::pair<std::string_view, std::string_view>> tour_files();

namespace {

constexpr const char* kHub = "hub";
constexpr const char* kCanary = "member1";  // on vSphere, behind a proxy: two of the risks are its own
constexpr const char* kSound = "member2";   // on AWS
constexpr const char* kDark = "member3";    // without metrics
constexpr const char* kTarget = "4.7.4";
constexpr const char* kRollout = "upgrade";
constexpr const char* kDevice = "pier-7";

kube::Resource version() {
  return kube::Api<clusterversion::ClusterVersion>::type().in("", "version");
}

kube::Resource rollout() {
  return fleet::kRollouts.in("default", kRollout);
}

kube::Resource ingress_controller() {
  return kube::Api<ingress::IngressController>::type().in("openshift-ingress-operator", "default");
}

bool has(const json::Object& object, std::string_view condition) {
  return kube::is_condition_true(kube::conditions_of(object), condition);
}

bool has_not(const json::Object& object, std::string_view condition) {
  return kube::is_condition_false(kube::conditions_of(object), condition);
}

// Whether the operator has an opinion about every update that is conditional.
bool is_judged(const json::Object& cluster) {
  const json::Array* updates = json::get_array(cluster, {"status", "conditionalUpdates"});
  if (updates == nullptr) return false;
  return std::ranges::all_of(*updates, [](const json::Value& update) {
    const json::Array* conditions = json::get_array(update.get_object(), {"conditions"});
    return conditions != nullptr && std::ranges::any_of(*conditions, [](const json::Value& each) {
             const json::Object& condition = each.get_object();
             return json::get_string(condition, {"type"}) == "Recommended" &&
                    json::get_string(condition, {"reason"}) != "EvaluationPending";
           });
  });
}

bool runs(const json::Object& cluster, std::string_view release) {
  const json::Array* history = json::get_array(cluster, {"status", "history"});
  if (history == nullptr || history->empty()) return false;
  const json::Object& newest = history->front().get_object();
  return json::get_string(newest, {"version"}) == release &&
         json::get_string(newest, {"state"}) == "Completed";
}

std::string scope_of(const json::Object& controller) {
  return std::string(
      json::get_string(controller, {"status", "endpointPublishingStrategy", "loadBalancer", "scope"})
          .value_or(""));
}

// Whether the object is there and is so; what is not there yet is not so.
Result<bool> is_now(TourGuide& guide, const char* context, const kube::Resource& object,
                    const std::function<bool(const json::Object&)>& is_so) {
  const auto read = guide.read(context, object);
  if (!read && read.error().code == ErrorCode::NotFound) return false;
  if (!read) return std::unexpected(read.error());
  return is_so(*read);
}

// Below DATA/tour, so that it can be read and changed.
Result<std::string> file_of_tour(const TourGuide& guide, std::string_view name) {
  std::string path = fmt::format("{}/tour-{}", guide.place().data, name);
  for (const auto& [each, text] : tour_files()) {
    if (each != name) continue;
    FAIRWAY_CHECKED(replace_file(path, text));
    return path;
  }
  return fail(ErrorCode::Internal, fmt::format("the tour has no file {}", quoted(name)));
}

Result<bool> never(TourGuide&) {
  return false;
}

// Then there is nothing left to judge.
Result<bool> is_updated(TourGuide& guide) {
  return is_now(guide, kCanary, version(), [](const json::Object& seen) { return runs(seen, kTarget); });
}

Result<bool> has_rolled_out(TourGuide& guide) {
  return is_now(guide, kHub, rollout(), [](const json::Object& seen) { return has(seen, "Succeeded"); });
}

Result<void> see_risks(TourGuide& guide) {
  for (const char* each : {kCanary, kSound, kDark})
    FAIRWAY_CHECKED(guide.wait(fmt::format("{} has judged its updates", each), each, version(), is_judged));
  FAIRWAY_TRY(const std::string canary, guide.run({"fairway", "upgrade", "recommend", "--context", kCanary}));
  FAIRWAY_CHECKED(
      guide.expect(canary.contains("vSphere clusters leveraging"),
                   fmt::format("{} is on vSphere, and told why {} is not for it", kCanary, kTarget)));
  FAIRWAY_TRY(const std::string sound, guide.run({"fairway", "upgrade", "recommend", "--context", kSound}));
  FAIRWAY_CHECKED(
      guide.expect(!sound.contains("Reason:"), fmt::format("{} is on AWS: it is recommended", kSound)));
  FAIRWAY_TRY(const std::string dark, guide.run({"fairway", "upgrade", "recommend", "--context", kDark}));
  return guide.expect(dark.contains("Could not evaluate"),
                      fmt::format("{} has no metrics: what cannot be told is never recommended", kDark));
}

Result<void> see_why(TourGuide& guide) {
  FAIRWAY_TRY(const std::string why,
              guide.run({"fairway", "upgrade", "explain", "VSphereNodeNameChanges", "--context", kCanary}));
  FAIRWAY_CHECKED(guide.expect(why.contains("PromQL"), "the rule that decided is shown"));
  FAIRWAY_TRY(const std::string refused,
              guide.run({"fairway", "upgrade", "--to", kTarget, "--context", kCanary}, {3}));
  FAIRWAY_CHECKED(guide.expect(refused.contains("--allow-not-recommended"),
                               "the update is refused, and says how to accept its risks"));
  guide.say("\nWe do not accept them yet.");
  return {};
}

Result<bool> has_failed_once(TourGuide& guide) {
  return is_now(guide, kHub, fleet::kPolicies.in("default", kRollout),
                [](const json::Object& policy) { return json::serialize(policy).contains("acceptRisks"); });
}

Result<void> roll_out(TourGuide& guide) {
  FAIRWAY_TRY(const std::string file, file_of_tour(guide, "upgrade.yaml"));
  FAIRWAY_CHECKED(guide.run({"kubectl", "apply", "-f", file}));
  FAIRWAY_CHECKED(guide.wait("the rollout has ended", kHub, rollout(), [](const json::Object& seen) {
    return has_not(seen, "Succeeded") || has(seen, "Succeeded");
  }));
  FAIRWAY_TRY(const std::string status, guide.run({"fairway", "rollout", "status", kRollout}));
  FAIRWAY_CHECKED(
      guide.expect(!status.contains("Succeeded"), "the canary did not make it, and the rollout stopped"));
  FAIRWAY_TRY(const json::Object other, guide.read(kSound, version()));
  return guide.expect(!runs(other, kTarget),
                      fmt::format("nobody else was touched: {} runs what it ran", kSound));
}

Result<void> fix_and_resume(TourGuide& guide) {
  FAIRWAY_TRY(const std::string file, file_of_tour(guide, "upgrade-accepted.yaml"));
  FAIRWAY_CHECKED(guide.run({"kubectl", "apply", "-f", file}));
  FAIRWAY_TRY(const bool is_over, has_rolled_out(guide));
  if (!is_over) FAIRWAY_CHECKED(guide.run({"fairway", "rollout", "rerun", kRollout}, {0, 1}));
  FAIRWAY_CHECKED(guide.wait("all have the update", kHub, rollout(),
                             [](const json::Object& seen) { return has(seen, "Succeeded"); }));
  FAIRWAY_CHECKED(guide.run({"fairway", "rollout", "status", kRollout}));
  FAIRWAY_TRY(const std::string history, guide.run({"fairway", "upgrade", "history", "--context", kCanary}));
  FAIRWAY_TRY(const json::Object canary, guide.read(kCanary, version()));
  return guide.expect(
      runs(canary, kTarget) && history.contains(kTarget),
      fmt::format("{} runs {}, and its history says which risks were accepted", kCanary, kTarget));
}

Result<bool> is_internal(TourGuide& guide) {
  return is_now(guide, kSound, ingress_controller(),
                [](const json::Object& seen) { return scope_of(seen) == "Internal"; });
}

Result<void> change_scope(TourGuide& guide) {
  FAIRWAY_TRY(const std::string plan, guide.run({"fairway", "ingress", "plan", "default", "--scope",
                                                 "Internal", "--context", kSound}));
  FAIRWAY_CHECKED(guide.expect(plan.contains("outage"), "the cost is known before anything is changed"));
  FAIRWAY_CHECKED(guide.run(
      {"kubectl", "--context", kSound, "-n", "openshift-ingress-operator", "patch",
       "ingresscontrollers/default", "--type=merge",
       R"(--patch={"spec":{"endpointPublishingStrategy":{"type":"LoadBalancerService","loadBalancer":{"scope":"Internal"}}}})"}));
  FAIRWAY_CHECKED(guide.wait(
      "it asks for consent", kSound, ingress_controller(),
      [](const json::Object& seen) { return has(seen, "Progressing") || scope_of(seen) == "Internal"; }));
  FAIRWAY_TRY(const std::string pending, guide.run({"fairway", "ingress", "status", "--context", kSound}));
  FAIRWAY_CHECKED(
      guide.expect(pending.contains("External"), "nothing has happened yet: traffic flows as before"));
  guide.say("\nWe consent:");
  FAIRWAY_CHECKED(
      guide.run({"kubectl", "--context", kSound, "-n", "openshift-ingress", "delete", "svc/router-default"}));
  FAIRWAY_CHECKED(guide.wait("the new load balancer is there", kSound, ingress_controller(),
                             [](const json::Object& seen) {
                               return scope_of(seen) == "Internal" && has(seen, "LoadBalancerReady");
                             }));
  FAIRWAY_TRY(const std::string done, guide.run({"fairway", "ingress", "status", "--context", kSound}));
  return guide.expect(done.contains("Internal"), "the scope has changed, with consent");
}

Result<void> cut_power(TourGuide& guide) {
  const std::string folder = guide.place().data + "/tour-device";
  FAIRWAY_TRY(const std::string story,
              guide.run({"fairway", "device", "simulate", folder, "--report", kDevice}));
  FAIRWAY_CHECKED(
      guide.expect(story.contains("what it was before the update"), "the device came back with its data"));
  FAIRWAY_CHECKED(guide.run({"fairway", "device", "status", "--root", folder}));
  FAIRWAY_TRY(const std::string devices, guide.run({"kubectl", "get", "devices"}));
  return guide.expect(devices.contains(kDevice), "and the hub knows about it");
}

}  // namespace

std::vector<TourStep> tour_steps() {
  return {
      {.name = "risks",
       .title = "An update that is not for everybody",
       .text = "The update service offers 4.7.4 with three risks. Each cluster asks its own metrics whether "
               "they apply to "
               "it.",
       .is_taken = is_updated,
       .take = see_risks},
      {.name = "why",
       .title = "Why here, and accept it or not",
       .text = "A risk says what can happen; the cluster says what it found. Nobody is updated into it by "
               "accident.",
       .is_taken = is_updated,
       .take = see_why},
      {.name = "rollout",
       .title = "A fleet, the canary first",
       .text = "A policy asks the members for 4.7.4; a rollout enforces it on member1 first, then on two at "
               "a time.\n"
               "member1 will refuse, so this takes its third of a minute.",
       .is_taken = has_failed_once,
       .take = roll_out},
      {.name = "resume",
       .title = "Fix it, and go on",
       .text = "We have read the risks and accept them by name, in the policy. The rollout takes up what is "
               "left.",
       .is_taken = has_rolled_out,
       .take = fix_and_resume},
      {.name = "ingress",
       .title = "A disruptive change, with consent",
       .text =
           "The load balancer of member2 shall be internal. On AWS that means another one, and an outage.",
       .is_taken = is_internal,
       .take = change_scope},
      {.name = "device",
       .title = "A device whose power is cut",
       .text = "A device with no cluster around it: its update is cut in the middle of copying its data.",
       .is_taken = never,
       .take = cut_power},
  };
}

}  // namespace fairway::cli
