// MemberProfile: what one member cluster of `fairway up` is like. Pure: it follows from its number alone.
//
// Members differ so that risks do: the first runs on vSphere behind a proxy, the second on AWS, of the third
// there are no metrics; from the seventh on they repeat. What is here is a member's birth: the objects are
// created once, the metrics are written once, and both are the user's from then on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "cloud/addresses.hpp"
#include "json/value.hpp"
#include "kube/core/resource_type.hpp"

namespace fairway::cli {

inline constexpr std::size_t kMostMembers = 100;  // addresses of the loopback are laid out for so many

struct MemberProfile {
  std::size_t number = 1;
  std::string name = {};      // member1
  std::string platform = {};  // as Infrastructure calls it
  bool has_proxy = false;
  bool has_metrics = true;
  std::string cluster_id = {};
  std::string domain = {};
  // Of the loopback; no two members share an address.
  cloud::Network external = {};
  cloud::Network internal = {};
  cloud::Network pods = {};
};
// `number` is from 1 to kMostMembers.
MemberProfile member_profile(std::size_t number);

// What its monitoring would say, in Prometheus' text format; nothing where there is none.
std::optional<std::string> member_metrics(const MemberProfile& profile);

// The release that a new member has run for a while.
struct RunningRelease {
  std::string version;
  std::string image;
};
// The release of the example graph; others may be given for another graph.
RunningRelease example_running_release();

// `status`, where the object has one, is written after the object, as its own subresource.
struct MemberObject {
  kube::ResourceType type;
  json::Object object;
};
// In the order of creation; ClusterVersion is the last. A member that has one with a history has all.
std::vector<MemberObject> member_objects(const MemberProfile& profile, const RunningRelease& running,
                                         const std::string& update_service, WallTime now);

// Remembers the update service that was written into spec.upstream: while both are the same, the user has
// chosen no other, and the address of this start takes its place.
inline constexpr const char* kUpstreamAnnotation = "up.fairway.dev/upstream";
// The patch that does so; nothing when there is nothing to do.
std::optional<json::Object> upstream_patch(const json::Object& cluster_version,
                                           const std::string& update_service);

kube::ResourceType cluster_version_type();
kube::ResourceType namespace_type();
// apiVersion, kind and a name.
json::Object named(const kube::ResourceType& type, const std::string& name);

}  // namespace fairway::cli
