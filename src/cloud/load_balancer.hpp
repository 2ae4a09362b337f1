// LoadBalancer: what the cloud runs for one Service, as it is written on that Service. Pure.
//
// The record is an annotation of the cloud's own: all that the cloud knows of a load balancer can be read
// back from there, so that a cloud that was killed goes on with the same addresses. A record names the UID it
// was made for: a copy of a Service with its annotations does not own its original's load balancer. A second
// annotation says the provisioned scope for people and programs that want nothing else.
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "cloud/addresses.hpp"
#include "cloud/profile.hpp"
#include "json/codec.hpp"
#include "json/value.hpp"
#include "kube/core/object.hpp"

namespace fairway::cloud {

inline constexpr std::string_view kCleanupFinalizer = "service.kubernetes.io/load-balancer-cleanup";
inline constexpr std::string_view kRecordAnnotation = "cloud.fairway.dev/load-balancer";
inline constexpr std::string_view kScopeAnnotation = "cloud.fairway.dev/provisioned-scope";
inline constexpr std::string_view kSourceRangesAnnotation =
    "service.beta.kubernetes.io/load-balancer-source-ranges";

// Work that takes the cloud a while.
struct Operation {
  enum class Kind { Create, Change, Delete };
  BOOST_DESCRIBE_NESTED_ENUM(Kind, Create, Change, Delete)
  Kind kind = Kind::Create;
  std::optional<json::MicroTime> since = {};
  Scope scope = Scope::External;  // what a change leads to
  std::string address = {};
  bool operator==(const Operation&) const = default;
};
BOOST_DESCRIBE_STRUCT(Operation, (), (kind, since, scope, address))

struct LoadBalancer {
  std::string uid;  // of the Service
  Scope scope = Scope::External;
  std::string address;
  std::string ensured = {};  // fingerprint of the wishes that were last carried out
  std::optional<Operation> operation = {};
  // It takes connections: it has been made and is not going.
  bool is_live() const { return !operation || operation->kind == Operation::Kind::Change; }
  bool operator==(const LoadBalancer&) const = default;
};
BOOST_DESCRIBE_STRUCT(LoadBalancer, (), (uid, scope, address, ensured, operation))

// The Service's own; nothing where there is none, it belongs to another UID or cannot be read.
std::optional<LoadBalancer> load_balancer_of(const json::Object& service);
// All that a record keeps from others.
std::set<std::string> addresses_of(const LoadBalancer& record);

// Of type LoadBalancer, not going, and not another implementation's by its class.
bool wants_load_balancer(const json::Object& service);
bool has_class(const json::Object& service);
// What a change of leads to an update of the load balancer: the spec and the annotations, without ours.
std::string wishes_of(const json::Object& service);
// The field or, where it is empty, the annotation.
std::vector<std::string> source_ranges_of(const json::Object& service);
// Host names and addresses of status.loadBalancer.ingress.
std::vector<std::string> published_of(const json::Object& service);

}  // namespace fairway::cloud
