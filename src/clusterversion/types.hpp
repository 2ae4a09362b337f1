// ClusterVersion of config.openshift.io/v1, as described structs: the version of a cluster, the wish for
// another one, and the updates that are on offer. Pure.
//
// Spec and status keep the fields that they do not know, so that writing back what was read loses nothing.
// Status is written as the API asks for it: availableUpdates is always there, null when empty, and so is the
// completionTime of a history entry; empty reasons and messages of conditions are left out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "json/codec.hpp"
#include "kube/core/conditions.hpp"
#include "kube/core/object.hpp"
#include "kube/core/resource_type.hpp"

namespace fairway::clusterversion {

inline constexpr std::string_view kObjectName = "version";  // there is one object of the kind

struct Release {
  std::string version;
  std::string image;
  std::string url = {};
  std::vector<std::string> channels = {};  // sorted
  std::string architecture = {};           // "Multi", or empty for a single one
  bool operator==(const Release&) const = default;
};
BOOST_DESCRIBE_STRUCT(Release, (), (version, image, url, channels, architecture))
constexpr auto json_fields(const Release*) {
  return std::array{json::Field{.member = "url", .omit_empty = true},
                    json::Field{.member = "architecture", .omit_empty = true}};
}

// null in JSON when it is empty.
struct AvailableUpdates : std::vector<Release> {
  using std::vector<Release>::vector;
};

struct PromqlRule {
  std::string promql;
  bool operator==(const PromqlRule&) const = default;
};
BOOST_DESCRIBE_STRUCT(PromqlRule, (), (promql))

// A rule that tells whether a cluster is exposed to a risk. What a type that we do not know brings along is
// not kept: the schema of the object has no place for it.
struct MatchingRule {
  std::string type;
  std::optional<PromqlRule> promql = {};
  bool operator==(const MatchingRule&) const = default;
};
BOOST_DESCRIBE_STRUCT(MatchingRule, (), (type, promql))

struct Risk {
  std::string url;
  std::string name;
  std::string message;
  std::vector<MatchingRule> matching_rules = {};  // best first
  kube::Conditions conditions = {};               // "Applies", where risks are told one by one
  bool operator==(const Risk&) const = default;
};
BOOST_DESCRIBE_STRUCT(Risk, (), (url, name, message, matching_rules, conditions))
constexpr auto json_fields(const Risk*) {
  return std::array{json::Field{.member = "matching_rules", .keep_empty = true}};
}

inline constexpr std::string_view kRecommended = "Recommended";
inline constexpr std::string_view kEvaluating = "Evaluating";

struct ConditionalUpdate {
  Release release = {};
  std::vector<Risk> risks = {};
  std::vector<std::string> risk_names = {};
  kube::Conditions conditions = {};  // Evaluating, Recommended
  bool operator==(const ConditionalUpdate&) const = default;
};
BOOST_DESCRIBE_STRUCT(ConditionalUpdate, (), (release, risks, risk_names, conditions))

struct AcceptedRisk {
  std::string name;
  bool operator==(const AcceptedRisk&) const = default;
};
BOOST_DESCRIBE_STRUCT(AcceptedRisk, (), (name))

struct DesiredUpdate {
  std::string architecture = {};  // "Multi" or empty
  std::string version = {};
  std::string image = {};
  bool force = false;
  std::vector<AcceptedRisk> accept_risks = {};
  json::Object unknown = {};
  bool operator==(const DesiredUpdate&) const = default;
};
BOOST_DESCRIBE_STRUCT(DesiredUpdate, (), (architecture, version, image, force, accept_risks, unknown))
constexpr auto json_fields(const DesiredUpdate*) {
  return std::array{json::Field{.member = "*", .omit_empty = true}};
}

// An object of the release that is left alone.
struct Override {
  std::string kind;
  std::string group;
  std::string namespace_;
  std::string name;
  bool unmanaged = false;
  bool operator==(const Override&) const = default;
};
BOOST_DESCRIBE_STRUCT(Override, (), (kind, group, namespace_, name, unmanaged))

struct SignatureStore {
  std::string url;
  json::Object unknown = {};
  bool operator==(const SignatureStore&) const = default;
};
BOOST_DESCRIBE_STRUCT(SignatureStore, (), (url, unknown))

struct ClusterVersionSpec {
  std::string cluster_id;
  std::string channel = {};
  std::string upstream = {};
  std::optional<DesiredUpdate> desired_update = {};
  std::vector<Override> overrides = {};
  std::vector<SignatureStore> signature_stores = {};
  json::Object unknown = {};
  bool operator==(const ClusterVersionSpec&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClusterVersionSpec, (),
                      (cluster_id, channel, upstream, desired_update, overrides, signature_stores, unknown))
constexpr auto json_fields(const ClusterVersionSpec*) {
  return std::array{json::Field{.member = "cluster_id", .json = "clusterID"},
                    json::Field{.member = "channel", .omit_empty = true},
                    json::Field{.member = "upstream", .omit_empty = true}};
}

// A time that is null, not absent, when there is none.
struct NullableTime {
  std::optional<WallTime> time = {};
  bool operator==(const NullableTime&) const = default;
};

inline constexpr std::string_view kCompleted = "Completed";
inline constexpr std::string_view kPartial = "Partial";

struct HistoryEntry {
  std::string state;  // Completed or Partial
  std::optional<WallTime> started_time = {};
  NullableTime completion_time = {};
  std::string version = {};
  std::string image = {};
  bool verified = false;
  std::string accepted_risks = {};
  json::Object unknown = {};
  bool operator==(const HistoryEntry&) const = default;
};
BOOST_DESCRIBE_STRUCT(HistoryEntry, (),
                      (state, started_time, completion_time, version, image, verified, accepted_risks,
                       unknown))
constexpr auto json_fields(const HistoryEntry*) {
  return std::array{json::Field{.member = "accepted_risks", .omit_empty = true}};
}

// The conditions of the object itself, whose reason and message may be absent.
struct ObjectConditions : kube::Conditions {
  using kube::Conditions::Conditions;
};

struct ClusterVersionStatus {
  Release desired = {};
  std::vector<HistoryEntry> history = {};  // newest first
  std::int64_t observed_generation = 0;
  std::string version_hash = {};
  ObjectConditions conditions = {};
  AvailableUpdates available_updates = {};
  std::vector<ConditionalUpdate> conditional_updates = {};
  std::vector<Risk> conditional_update_risks = {};
  json::Object unknown = {};
  bool operator==(const ClusterVersionStatus&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClusterVersionStatus, (),
                      (desired, history, observed_generation, version_hash, conditions, available_updates,
                       conditional_updates, conditional_update_risks, unknown))

struct ClusterVersion {
  kube::ObjectMeta metadata = {};
  ClusterVersionSpec spec = {};
  ClusterVersionStatus status = {};
  json::Object unknown = {};
  bool operator==(const ClusterVersion&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClusterVersion, (), (metadata, spec, status, unknown))
inline kube::ResourceType resource_type(const ClusterVersion*) {
  return {.kind = {"config.openshift.io", "v1", "ClusterVersion"},
          .resource = "clusterversions",
          .is_namespaced = false};
}

// The verdict of a conditional update; null when it has none yet.
inline const kube::Condition* recommended(const ConditionalUpdate& update) {
  return kube::find_condition(update.conditions, kRecommended);
}
bool is_recommended(const ConditionalUpdate& update);

// Decreasing precedence; versions that cannot be read last; then build metadata and image, for stability.
bool is_newer(const Release& left, const Release& right);

// sha256:… of a pull specification; empty when it has none.
std::string_view digest_of(std::string_view image);
// The same image: equal, or with equal digests (a mirror).
bool is_same_image(std::string_view left, std::string_view right);

}  // namespace fairway::clusterversion

namespace fairway::json {

template <>
struct Codec<clusterversion::AvailableUpdates> {
  static Result<clusterversion::AvailableUpdates> read(const Value& value);
  static Value write(const clusterversion::AvailableUpdates& updates);
  static bool is_empty(const clusterversion::AvailableUpdates& updates) { return updates.empty(); }
};

template <>
struct Codec<clusterversion::NullableTime> {
  static Result<clusterversion::NullableTime> read(const Value& value);
  static Value write(const clusterversion::NullableTime& time);
  static bool is_empty(const clusterversion::NullableTime& time) { return !time.time; }
};

template <>
struct Codec<clusterversion::ObjectConditions> {
  static Result<clusterversion::ObjectConditions> read(const Value& value);
  static Value write(const clusterversion::ObjectConditions& conditions);
  static bool is_empty(const clusterversion::ObjectConditions& conditions) { return conditions.empty(); }
};

}  // namespace fairway::json
