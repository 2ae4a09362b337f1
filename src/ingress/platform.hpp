// Platforms: how each cloud is told the scope of a load balancer, and whether it can change it on a live one.
// Pure; one table, no special cases elsewhere.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "ingress/types.hpp"
#include "json/value.hpp"

namespace fairway::ingress {

// The annotation of a Service by which a cloud is told the scope.
struct ScopeAnnotation {
  std::string_view key;
  std::string_view internal;
  std::string_view external = {};         // empty: the key is absent
  std::string_view legacy_internal = {};  // of old releases; means the same
};

struct Platform {
  std::string_view name;
  std::optional<ScopeAnnotation> scope = {};  // none: the platform has no notion of it
  bool is_mutable = false;                    // a live load balancer can change its scope
  bool is_default_load_balancer = false;      // the strategy where the spec is silent
  bool is_traffic_local = true;               // externalTrafficPolicy: Local, else Cluster
};

inline constexpr std::string_view kAws = "AWS";
inline constexpr std::string_view kAzure = "Azure";
inline constexpr std::string_view kGcp = "GCP";
inline constexpr std::string_view kIbmCloud = "IBMCloud";
inline constexpr std::string_view kPowerVs = "PowerVS";
inline constexpr std::string_view kOpenStack = "OpenStack";

std::span<const Platform> platforms();
// By Infrastructure's name for it; null for one that is not known.
const Platform* find_platform(std::string_view name);

// What the Service asks of this platform: internal only by this platform's key with exactly its value.
Scope observed_scope(const json::Object& service, const Platform& platform);

}  // namespace fairway::ingress
