// Profiles: how each cloud that is played is told the scope of a load balancer, whether it can change it on a
// live one, what its addresses look like and how long its work takes. Pure; one table.
//
// A profile is a plain value: flags change its delays, and tests make their own.
#pragma once

#include <boost/describe/enum.hpp>
#include <chrono>
#include <optional>
#include <span>
#include <string_view>

#include "base/clock.hpp"
#include "json/value.hpp"

namespace fairway::cloud {

enum class Scope { External, Internal };
BOOST_DESCRIBE_ENUM(Scope, External, Internal)
std::string_view to_string(Scope scope);

// The annotation of a Service that says its scope.
struct ScopeKey {
  std::string_view key;
  std::string_view internal;
  std::string_view external = {};         // empty: the key is absent
  std::string_view legacy_internal = {};  // means the same
};

enum class AddressForm { Ip, Hostname };
enum class ProxyHeader { None, V1, V2 };
// How a Service asks for a PROXY header in front of each connection.
enum class ProxyStyle { Never, Aws, Ibm };

struct Delays {
  Duration provision = std::chrono::seconds(2);
  Duration deprovision = std::chrono::seconds(2);
  Duration mutate = std::chrono::seconds(2);
};

struct Profile {
  std::string_view platform;
  std::optional<ScopeKey> scope = {};  // none: the platform has no notion of it
  bool is_mutable = false;             // a live load balancer can change its scope
  bool keeps_address = false;          // when it does
  AddressForm form = AddressForm::Ip;
  bool marks_internal_names = false;  // an internal one's host name begins with "internal-"
  ProxyStyle proxy = ProxyStyle::Never;
  bool passes_through = false;  // with a local traffic policy backends see the client's own address
  Delays delays = {};
};

std::span<const Profile> profiles();
// By Infrastructure's name for the platform; null for one that is not known.
const Profile* find_profile(std::string_view platform);

// What the Service asks for: internal only by this platform's key with exactly its value.
Scope asked_scope(const json::Object& service, const Profile& profile);
ProxyHeader asked_proxy_header(const json::Object& service, const Profile& profile);

}  // namespace fairway::cloud
