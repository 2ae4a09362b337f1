#include "clusterversion/acceptance.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/semver.hpp"
#include "clusterversion/acceptance_upstream.hpp"
#include "clusterversion/cluster_id.hpp"
#include "promql/go_text.hpp"

namespace fairway::clusterversion {
namespace {

constexpr std::string_view kDesiredUpdate = "spec.desiredUpdate";
constexpr std::string_view kMulti = "Multi";

FieldError invalid(std::string_view field, std::string_view value, std::string_view text) {
  return {std::string(field), fmt::format("Invalid value: {}: {}", promql::go_quoted(value), text)};
}

std::size_t payloads_of(const ClusterVersionStatus& status, std::string_view version) {
  const auto available = std::ranges::count_if(status.available_updates, [&](const Release& release) {
    return release.version == version && !release.image.empty();
  });
  if (available > 0) return static_cast<std::size_t>(available);
  return std::ranges::any_of(status.history, [&](const HistoryEntry& entry) {
    return entry.version == version && !entry.image.empty();
  });
}

std::optional<FieldError> judge_version(const DesiredUpdate& update, const ClusterVersionStatus& status) {
  const auto wrong = [&](std::string_view text) {
    return invalid(fmt::format("{}.version", kDesiredUpdate), update.version, text);
  };
  if (update.version.empty()) return std::nullopt;
  if (!SemVer::parse(update.version)) return wrong("must be a semantic version (1.2.3[-...])");
  if (!update.image.empty()) return std::nullopt;
  switch (payloads_of(status, update.version)) {
    case 0:
      return wrong("when image is empty the update must be an available update");
    case 1:
      return std::nullopt;
    default:
      return wrong("there are multiple possible payloads for this version, specify the exact image");
  }
}

std::optional<FieldError> judge_update(const DesiredUpdate& update, const ClusterVersionStatus& status,
                                       const AcceptanceSettings& settings) {
  if (!settings.accepts_risks && !update.accept_risks.empty()) {
    return FieldError{fmt::format("{}.acceptRisks", kDesiredUpdate),
                      "Forbidden: acceptRisks must not be specified"};
  }
  const bool says_where = !update.architecture.empty() || !update.version.empty() || !update.image.empty();
  if (!says_where && update.accept_risks.empty()) {
    return FieldError{std::string(kDesiredUpdate),
                      settings.accepts_risks
                          ? "Required value: must specify architecture, version, image, or acceptRisks"
                          : "Required value: must specify architecture, version, or image"};
  }
  // The rules of the CRD, for API servers that do not evaluate them; in the words of those that do.
  if (!update.architecture.empty() && !update.image.empty())
    return invalid(kDesiredUpdate, "object", "cannot set both Architecture and Image");
  if (!update.architecture.empty() && update.version.empty())
    return invalid(kDesiredUpdate, "object", "Version must be set if Architecture is set");
  return judge_version(update, status);
}

std::optional<FieldError> judge_cluster_id(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto id = parse_uuid(text);
  if (!id || !id->is_rfc4122()) return invalid("spec.clusterID", text, "must be an RFC4122-variant UUID");
  if (id->version() != 4) return invalid("spec.clusterID", text, "must be a version-4 UUID");
  return std::nullopt;
}

bool is_about_the_update(const FieldError& error) {
  return error.field.starts_with(kDesiredUpdate);
}

// The image of the one available update; history is not asked, because what it names may be gone.
std::optional<Release> find_available(const DesiredUpdate& update, const ClusterVersionStatus& status) {
  // Changing the architecture is an update of its own, to the version that runs.
  const bool becomes_multi = update.architecture == kMulti && status.desired.architecture != kMulti;
  const std::string& version = becomes_multi ? status.desired.version : update.version;
  const auto found = std::ranges::find_if(status.available_updates, [&](const Release& release) {
    return release.version == version && !release.image.empty();
  });
  if (version.empty() || found == status.available_updates.end()) return std::nullopt;
  return Release{.version = found->version,
                 .image = found->image,
                 .architecture = becomes_multi ? std::string(kMulti) : found->architecture};
}

// The version that is asked for has to be the image's, so another one is a request even for the same image.
bool is_already_desired(const Release& target, const Release& desired) {
  return target.image == desired.image && (target.version.empty() || target.version == desired.version);
}

}  // namespace

std::string FieldError::to_string() const {
  return fmt::format("{}: {}", field, text);
}

FieldErrors validate(const ClusterVersionSpec& spec, const ClusterVersionStatus& status,
                     const AcceptanceSettings& settings) {
  FieldErrors errors;
  if (!is_parsable_url(spec.upstream))
    errors.push_back(invalid("spec.upstream", spec.upstream, "must be a valid URL or empty"));
  if (auto error = judge_cluster_id(spec.cluster_id)) errors.push_back(*std::move(error));
  if (spec.desired_update) {
    if (auto error = judge_update(*spec.desired_update, status, settings))
      errors.push_back(*std::move(error));
  }
  return errors;
}

Request judge_request(const ClusterVersionSpec& spec, const ClusterVersionStatus& status,
                      const AcceptanceSettings& settings) {
  if (!spec.desired_update) return Stay{};
  FieldErrors errors = validate(spec, status, settings);
  if (std::ranges::any_of(errors, is_about_the_update)) return InvalidRequest{std::move(errors)};
  const DesiredUpdate& update = *spec.desired_update;
  std::optional<Release> target;
  if (!update.image.empty()) {
    target = Release{.version = update.version, .image = update.image};
  } else {
    target = find_available(update, status);
  }
  if (!target || is_already_desired(*target, status.desired)) return Stay{};
  return Wanted{*std::move(target), update.force};
}

std::optional<kube::Condition> invalid_condition(const FieldErrors& errors) {
  if (errors.empty()) return std::nullopt;
  std::string message = "The cluster version is invalid:";
  if (errors.size() == 1) {
    message += " " + errors.front().to_string();
  } else {
    message += "\n";
    for (const FieldError& error : errors) message += "* " + error.to_string() + "\n";
  }
  return kube::Condition{.type = std::string(kInvalid),
                         .status = std::string(kube::kConditionTrue),
                         .reason = std::string(kInvalidClusterVersion),
                         .message = std::move(message)};
}

}  // namespace fairway::clusterversion
