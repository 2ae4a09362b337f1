// What a rollout has to know of a root policy: what it asks for, and how its clusters stand. Pure.
//
// Both parts are immutable and shared by all observations: RootPolicy is made once a generation,
// ComplianceTable once a status. A look-up costs a binary search; nothing of the fleet's size is copied.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "json/value.hpp"

namespace fairway::fleet {

enum class Compliance : std::uint8_t {
  NotMatched,    // no row: the policy is not about the cluster
  Compliant,     //
  NonCompliant,  // also every word that is not known: what cannot be told never counts as done
  Pending,       //
  Unknown,       // a row that says nothing yet
};
Compliance compliance_of(std::string_view text);
std::string_view to_string(Compliance compliance);
// Nothing is left to do there for this policy.
bool is_done(Compliance compliance);

class ComplianceTable {
 public:
  struct Row {
    std::string cluster;
    Compliance compliance = Compliance::Unknown;
    bool operator==(const Row&) const = default;
  };
  // The last of several rows for a cluster counts.
  explicit ComplianceTable(std::vector<Row> rows);
  // status.status of the policy; null when it has no status at all.
  static std::shared_ptr<const ComplianceTable> from(const json::Object& policy);

  Compliance of(std::string_view cluster) const;
  const std::vector<Row>& rows() const { return rows_; }  // by cluster
  bool operator==(const ComplianceTable&) const = default;

 private:
  std::vector<Row> rows_;
};

// Clusters whose row is new, gone or different: what a change of a root policy's status is about.
std::vector<std::string> changed_clusters(const ComplianceTable* before, const ComplianceTable* after);

// As a ClusterVersion object in a policy has them.
struct PlatformFields {
  std::string upstream = {};
  std::string channel = {};
  std::string version = {};
  std::string image = {};
  bool operator==(const PlatformFields&) const = default;
};

struct RootPolicy {
  std::string remediation_action = {};  // in lower case: inform, enforce
  std::optional<Duration> soak = {};
  bool has_unreadable_soak = false;
  bool has_status_section = false;  // in an object template: compliance now says nothing about later
  std::vector<std::string> depends_on = {};
  std::string content = {};  // its Subscriptions as a JSON array; empty without any
  std::vector<PlatformFields> platform = {};
  std::string problem = {};  // what is wrong with its structure

  static std::shared_ptr<const RootPolicy> from(const json::Object& policy);
  bool operator==(const RootPolicy&) const = default;
};

// Text between {{ }} is not YAML: variables become "placeholder", everything else goes.
std::string strip_templates(std::string_view text);

// A root policy by its name and namespace, with its children.
struct PolicyView {
  std::string namespace_ = {};
  std::string name = {};
  std::shared_ptr<const RootPolicy> root = {};             // null: there are only children
  std::shared_ptr<const ComplianceTable> compliance = {};  // null: it has no status
  std::vector<std::string> children = {};                  // clusters that have one, sorted
  std::vector<std::string> unresolved = {};  // clusters where a hub template was left in it, sorted

  // Without any status nobody complies.
  Compliance compliance_on(std::string_view cluster) const;
  bool operator==(const PolicyView&) const = default;
};

// By the bare name: several when namespaces share it.
using Policies = std::map<std::string, std::vector<std::shared_ptr<const PolicyView>>, std::less<>>;
const PolicyView* find_policy(const Policies& policies, std::string_view ns, std::string_view name);

}  // namespace fairway::fleet
