// Acceptance, its first step: what spec.desiredUpdate asks for. Pure.
//
// A field that is wrong counts as if it were empty: a wrong desiredUpdate leaves the cluster where it is, a
// wrong upstream or clusterID does not stop an update that is well asked for. All errors together are the
// Invalid condition, in the words of Kubernetes' field errors. A version alone stands for the one available
// update of that version; anything else needs its image.
//
//   const auto errors = validate(spec, status, settings);
//   const Request request = judge_request(spec, status, settings);
//   if (auto invalid = invalid_condition(errors)) kube::set_condition(conditions, *invalid, now);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "clusterversion/types.hpp"

namespace fairway::clusterversion {

struct AcceptanceSettings {
  bool accepts_risks = false;  // desiredUpdate.acceptRisks means something
};

struct FieldError {
  std::string field;  // spec.desiredUpdate.version
  std::string text;   // Invalid value: "4.x": must be a semantic version (1.2.3[-...])

  std::string to_string() const;
  bool operator==(const FieldError&) const = default;
};
using FieldErrors = std::vector<FieldError>;

// In the order upstream, clusterID, desiredUpdate.
FieldErrors validate(const ClusterVersionSpec& spec, const ClusterVersionStatus& status,
                     const AcceptanceSettings& settings);

// Nothing is asked for that is not so already, or nothing that can be had now.
struct Stay {
  bool operator==(const Stay&) const = default;
};

struct Wanted {
  Release target = {};  // version, which may be empty when an image was given; image; architecture
  bool force = false;
  bool operator==(const Wanted&) const = default;
};

struct InvalidRequest {
  FieldErrors errors = {};  // all of validate(), at least one of them about desiredUpdate
  bool operator==(const InvalidRequest&) const = default;
};

using Request = std::variant<Stay, Wanted, InvalidRequest>;

// Where a request for the release that status.desired names is, the answer is Stay. Whether a release is
// initialised at all, which comes before any request, is the caller's knowledge.
Request judge_request(const ClusterVersionSpec& spec, const ClusterVersionStatus& status,
                      const AcceptanceSettings& settings);

inline constexpr std::string_view kInvalid = "Invalid";
inline constexpr std::string_view kInvalidClusterVersion = "InvalidClusterVersion";

// Invalid=True; nothing when there are no errors: the condition is there only while it is true.
std::optional<kube::Condition> invalid_condition(const FieldErrors& errors);

}  // namespace fairway::clusterversion
