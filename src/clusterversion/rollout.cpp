#include "clusterversion/rollout.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "clusterversion/accepted_risks.hpp"
#include "clusterversion/history.hpp"
#include "clusterversion/manifest_state.hpp"
#include "clusterversion/preconditions.hpp"

namespace fairway::clusterversion {
namespace {

constexpr Duration kFirstPause = std::chrono::seconds(5);
constexpr Duration kLongestPause = std::chrono::minutes(5);
constexpr Duration kLongestLook = std::chrono::seconds(15);  // between two looks at what is waited for

// The reason of Failing for an error while applying.
std::string failing_reason(ErrorCode code) {
  switch (code) {
    case ErrorCode::Invalid:
    case ErrorCode::Unsupported:
      return "UpdatePayloadResourceInvalid";
    case ErrorCode::Forbidden:
      return "UpdatePayloadResourceForbidden";
    case ErrorCode::NotFound:
      return "UpdatePayloadResourceNotFound";
    default:
      return "UpdatePayloadClusterError";
  }
}

// What may pass by itself is called a failure only when it does not pass.
constexpr int kPatience = 3;

bool may_pass(ErrorCode code) {
  return retry_of(code) != Retry::Never;
}

kube::Condition condition(std::string_view type, std::string_view status, std::string reason,
                          std::string message) {
  return {.type = std::string(type),
          .status = std::string(status),
          .reason = std::move(reason),
          .message = std::move(message)};
}

std::string named(const Release& release) {
  return release.version.empty() ? release.image : release.version;
}

// version="4.7.4" image="…", as the messages about a release name it.
std::string identity(const Release& release) {
  return fmt::format("version={} image={}", quoted(release.version), quoted(release.image));
}

class RolloutJudge {
 public:
  RolloutJudge(const ClusterVersionSpec& spec, const ClusterVersionStatus& status,
               const RolloutMemory& memory, Moment now, const RolloutSettings& settings)
      : spec_(spec), status_(status), memory_(memory), now_(now), settings_(settings) {
    const bool is_known = !status.desired.version.empty() || !status.desired.image.empty();
    made_.desired = is_known ? status.desired : settings.initial;
    made_.version_hash = status.version_hash;
  }

  RolloutDecision decide() {
    const AcceptanceSettings acceptance{.accepts_risks = settings_.accepts_risks};
    const FieldErrors errors = validate(spec_, status_, acceptance);
    const Request request = judge_request(spec_, status_, acceptance);
    AppliedRelease applied{.is_completed = is_complete(), .is_local = true};
    if (const auto* wanted = std::get_if<Wanted>(&request)) {
      consider(*wanted, applied);
    } else {
      say_accepted();
    }
    if (!is_accepting_) apply(applied);
    applied.release = made_.desired;
    made_.history =
        merge_history(status_.history, applied, std::chrono::floor<std::chrono::seconds>(now_.wall));
    if (auto invalid = invalid_condition(errors)) {
      stop_as_invalid(*invalid, std::holds_alternative<InvalidRequest>(request));
    }
    say_available();
    return std::move(made_);
  }

 private:
  // As it is on record: the newest entry is the running release, and done.
  bool is_complete() const {
    if (status_.history.empty()) return false;
    const HistoryEntry& newest = status_.history.front();
    return newest.state == kCompleted && newest.image == made_.desired.image;
  }

  void say(kube::Condition made) { made_.conditions.push_back(std::move(made)); }

  void say_accepted() {
    if (made_.desired.image.empty() && made_.desired.version.empty()) return;
    const std::string& multi = made_.desired.architecture;
    say(condition("ReleaseAccepted", kube::kConditionTrue, "PayloadLoaded",
                  fmt::format("Payload loaded {} architecture={}", identity(made_.desired),
                              quoted(multi.empty() ? settings_.architecture : multi))));
  }

  void look_again(SteadyTime when) { made_.retry = made_.retry ? std::min(*made_.retry, when) : when; }

  // Asks for the release unless it is on its way, or was tried a moment ago. True when it is asked for.
  bool retrieve(const RetrievedRelease* known, Wanted wanted, bool is_local) {
    if (known != nullptr && known->is_under_way) return true;
    if (known != nullptr && now_.steady < known->retry) {
      look_again(known->retry);
      return false;
    }
    RetrieveRelease asked{std::move(wanted), is_local, known == nullptr ? 1 : known->tries + 1};
    for (const SignatureStore& store : spec_.signature_stores) asked.signature_stores.push_back(store.url);
    made_.retrievals.push_back(std::move(asked));
    return true;
  }

  // A request for another release: it is retrieved, then checked, then accepted.
  void consider(const Wanted& wanted, AppliedRelease& applied) {
    const RetrievedRelease* known = memory_.find(wanted);
    if (known != nullptr && known->payload) return check(wanted, *known, applied);
    const bool is_asked = retrieve(known, wanted, false);
    if (is_asked || !known->failure) {
      return say(condition("ReleaseAccepted", kube::kConditionUnknown, "RetrievePayload",
                           fmt::format("Retrieving and verifying payload {}", identity(wanted.target))));
    }
    say(condition("ReleaseAccepted", kube::kConditionFalse, known->failure->step, known->failure->text));
  }

  void check(const Wanted& wanted, const RetrievedRelease& known, AppliedRelease& applied) {
    Release target = known.payload->release;
    target.image = wanted.target.image;
    const Objections objections = check_preconditions(spec_, status_, target);
    if (is_blocked(objections, wanted.force)) {
      return say(condition("ReleaseAccepted", kube::kConditionFalse, "PreconditionChecks",
                           fmt::format("Preconditions failed for payload loaded {}: {}", identity(target),
                                       describe(objections, wanted.force))));
    }
    const std::string unverified =
        known.verification.empty() ? "" : describe_unverified(target, known.verification);
    applied = {.is_verified = known.is_verified,
               .accepted_risks = describe_accepted_risks({.spec = spec_,
                                                          .status = status_,
                                                          .target = target,
                                                          .objections = objections,
                                                          .verification = unverified,
                                                          .force = wanted.force,
                                                          .accepts_risks = settings_.accepts_risks})};
    made_.desired = std::move(target);
    made_.version_hash = known.payload->hash;
    is_accepting_ = true;
    say_accepted();
    say_progress(0, known.payload->manifests.size(), "");
  }

  // What is on record as accepted, and not complete, is applied.
  void apply(AppliedRelease& applied) {
    const std::string version = named(made_.desired);
    if (version.empty()) return;
    if (applied.is_completed) {
      say(condition("Failing", kube::kConditionFalse, "", ""));
      return say(
          condition("Progressing", kube::kConditionFalse, "", fmt::format("Cluster version is {}", version)));
    }
    const RetrievedRelease* known = memory_.payload_of(made_.desired.image);
    if (known == nullptr) return retrieve_running(version);
    made_.version_hash = known->payload->hash;
    const std::size_t total = known->payload->manifests.size();
    const bool is_mine = memory_.application.image == made_.desired.image;
    const Application application = is_mine ? memory_.application : Application{.image = made_.desired.image};
    if (application.done >= total) {
      applied.is_completed = true;
      say(condition("Failing", kube::kConditionFalse, "", ""));
      return say(
          condition("Progressing", kube::kConditionFalse, "", fmt::format("Cluster version is {}", version)));
    }
    go_on(*known->payload, application);
    say_application(application, total);
  }

  // After a restart: the release is on record, its manifests are not at hand.
  void retrieve_running(const std::string& version) {
    const Wanted running{.target = made_.desired};
    const auto known = std::ranges::find_if(memory_.releases, [&](const RetrievedRelease& release) {
      return release.is_local && release.wanted.target.image == made_.desired.image;
    });
    const RetrievedRelease* found = known == memory_.releases.end() ? nullptr : &*known;
    if (retrieve(found, running, true) || !found->failure) {
      say(condition("Failing", kube::kConditionFalse, "", ""));
      return say(condition("Progressing", kube::kConditionTrue, "DownloadingUpdate",
                           fmt::format("Working towards {}: retrieving the release", version)));
    }
    say(condition("Failing", kube::kConditionTrue, found->failure->step, found->failure->text));
    say(condition("Progressing", kube::kConditionTrue, found->failure->step,
                  fmt::format("Unable to apply {}: {}", version, found->failure->text)));
  }

  void go_on(const Payload& payload, const Application& application) {
    if (application.obstacle && now_.steady < application.obstacle->retry)
      return look_again(application.obstacle->retry);
    const std::size_t from = application.done;
    if (application.is_applied) {
      made_.check = CheckManifest{application.image, from, describe_manifest(payload.manifests[from])};
      return;
    }
    const std::size_t until = std::min(from + settings_.batch, payload.manifests.size());
    for (std::size_t i = from; i < until; ++i) {
      made_.applications.push_back({.image = application.image,
                                    .index = i,
                                    .what = describe_manifest(payload.manifests[i]),
                                    .is_unmanaged = is_overridden(payload.manifests[i], spec_.overrides)});
    }
  }

  void say_application(const Application& application, std::size_t total) {
    const std::string version = named(made_.desired);
    if (!application.obstacle || application.obstacle->reason.empty()) {
      say(condition("Failing", kube::kConditionFalse, "", ""));
      return say_progress(application.done, total, application.obstacle ? application.obstacle->text : "");
    }
    const Obstacle& obstacle = *application.obstacle;
    say(condition("Failing", kube::kConditionTrue, obstacle.reason, obstacle.text));
    say(condition("Progressing", kube::kConditionTrue, obstacle.reason,
                  fmt::format("Unable to apply {}: {}", version, obstacle.text)));
  }

  void say_progress(std::size_t done, std::size_t total, const std::string& detail) {
    say(condition(
        "Progressing", kube::kConditionTrue, "",
        fmt::format("Working towards {}: {} of {} done ({}% complete){}{}", named(made_.desired), done, total,
                    total == 0 ? 100 : done * 100 / total, detail.empty() ? "" : ", ", detail)));
  }

  void stop_as_invalid(const kube::Condition& invalid, bool is_request) {
    say(invalid);
    if (!is_request) return;
    const auto progressing = std::ranges::find(made_.conditions, "Progressing", &kube::Condition::type);
    if (progressing == made_.conditions.end()) return;
    progressing->status = kube::kConditionFalse;
    progressing->reason = invalid.reason;
    progressing->message = fmt::format("Stopped at {}: the cluster version is invalid", named(made_.desired));
  }

  void say_available() {
    const auto completed = std::ranges::find(made_.history, kCompleted, &HistoryEntry::state);
    const bool was_applied = completed != made_.history.end();
    say(was_applied ? condition("Available", kube::kConditionTrue, "",
                                fmt::format("Done applying {}", completed->version))
                    : condition("Available", kube::kConditionFalse, "", ""));
  }

  const ClusterVersionSpec& spec_;
  const ClusterVersionStatus& status_;
  const RolloutMemory& memory_;
  Moment now_;
  const RolloutSettings& settings_;
  RolloutDecision made_;
  bool is_accepting_ = false;  // now: it is applied once that is on record
};

}  // namespace

const RetrievedRelease* RolloutMemory::find(const Wanted& wanted) const {
  const auto found = std::ranges::find_if(releases, [&](const RetrievedRelease& release) {
    return !release.is_local && release.wanted == wanted;
  });
  return found == releases.end() ? nullptr : &*found;
}

const RetrievedRelease* RolloutMemory::payload_of(std::string_view image) const {
  const auto found = std::ranges::find_if(releases, [&](const RetrievedRelease& release) {
    return release.payload && release.wanted.target.image == image;
  });
  return found == releases.end() ? nullptr : &*found;
}

RolloutDecision decide_rollout(const ClusterVersionSpec& spec, const ClusterVersionStatus& status,
                               const RolloutMemory& memory, Moment now, const RolloutSettings& settings) {
  return RolloutJudge(spec, status, memory, now, settings).decide();
}

void begin_retrieval(RolloutMemory& memory, const RetrieveRelease& asked, std::string_view running) {
  std::erase_if(memory.releases, [&](const RetrievedRelease& known) {
    // What else is known of the running release may have changed since: the image is what is retrieved.
    const bool is_same = known.is_local == asked.is_local &&
                         (asked.is_local ? known.wanted.target.image == asked.wanted.target.image
                                         : known.wanted == asked.wanted);
    return is_same || (known.wanted.target.image != running && !known.is_under_way);
  });
  memory.releases.push_back(
      {.wanted = asked.wanted, .is_local = asked.is_local, .is_under_way = true, .tries = asked.tries});
}

void end_retrieval(RolloutMemory& memory, const RetrieveRelease& asked, Retrieval outcome, SteadyTime now) {
  for (RetrievedRelease& known : memory.releases) {
    if (known.wanted != asked.wanted || known.is_local != asked.is_local) continue;
    known.is_under_way = false;
    known.payload = std::move(outcome.payload);
    known.is_verified = outcome.is_verified;
    known.verification = std::move(outcome.verification);
    known.failure = std::move(outcome.failure);
    known.retry = now + retry_pause(known.tries);
    return;
  }
}

std::shared_ptr<const Payload> next_step(RolloutMemory& memory, const std::string& image, std::size_t index) {
  if (memory.application.image != image) memory.application = {.image = image};
  const RetrievedRelease* release = memory.payload_of(image);
  const bool is_due =
      release != nullptr && memory.application.done == index && index < release->payload->manifests.size();
  return is_due ? release->payload : nullptr;
}

void skip_step(RolloutMemory& memory) {
  memory.application = {.image = memory.application.image, .done = memory.application.done + 1};
}

void settle_step(RolloutMemory& memory, const Payload& payload, std::size_t index,
                 const Result<json::Object>& live, SteadyTime now) {
  Application& application = memory.application;
  const std::string what = describe_manifest(payload.manifests[index]);
  const int tries = application.obstacle ? application.obstacle->tries + 1 : 1;
  Obstacle obstacle{.tries = tries, .retry = now + retry_pause(tries)};
  if (!live) {
    // Someone may have removed it: it is applied again.
    if (live.error().code == ErrorCode::NotFound) application.is_applied = false;
    obstacle.text = fmt::format("Could not update {} ({} of {}): {}", what, index + 1,
                                payload.manifests.size(), live.error().describe());
    if (!may_pass(live.error().code) || tries >= kPatience)
      obstacle.reason = failing_reason(live.error().code);
    application.obstacle = std::move(obstacle);
    return;
  }
  const ManifestState state = state_of(*live, {.version = payload.release.version});
  if (std::holds_alternative<Ready>(state)) return skip_step(memory);
  if (const auto* failed = std::get_if<Failed>(&state)) {
    obstacle.text = fmt::format("{} does not get ready: {}", what, failed->why);
    obstacle.reason = "UpdatePayloadFailed";
  } else {
    obstacle.text = fmt::format("waiting on {}: {}", what, std::get<Waiting>(state).why);
    obstacle.retry = now + std::min(retry_pause(tries), kLongestLook);
  }
  application.is_applied = true;
  application.obstacle = std::move(obstacle);
}

Duration retry_pause(int tries) {
  Duration pause = kFirstPause;
  for (int i = 1; i < tries && pause < kLongestPause; ++i) pause *= 2;
  return std::min(pause, kLongestPause);
}

std::string describe_manifest(const PayloadManifest& manifest) {
  return fmt::format("{} {}", kube::kind_of(manifest.object), kube::key_of(manifest.object).to_string());
}

}  // namespace fairway::clusterversion
