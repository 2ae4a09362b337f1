// What a ConfigurationPolicy asks for, read from the object. Pure.
//
// Words are read in any case, as the reference does. What cannot be understood is a fault of one template and
// is told in its status; it never turns into a wish that nobody had.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "fleet/agent/comparison.hpp"
#include "json/value.hpp"
#include "kube/core/gvk.hpp"
#include "kube/core/selector.hpp"

namespace fairway::fleet::agent {

enum class Recreate : std::uint8_t { None, IfRequired, Always };
enum class RecordDiff : std::uint8_t { Default, InStatus, Log, Censored, None };
enum class Prune : std::uint8_t { None, DeleteIfCreated, DeleteAll };
enum class TerminatingInclusion : std::uint8_t { Default, IfMatch, Never };

struct ObjectTemplate {
  ComparisonRules rules = {};
  Recreate recreate = Recreate::None;
  RecordDiff record_diff = RecordDiff::Default;
  std::optional<kube::Selector> selector = {};  // of objects, where the definition has no name
  json::Object definition = {};

  // Of an entry of object-templates.
  static Result<ObjectTemplate> from(const json::Value& entry);
};

// How long a finding stands.
struct Interval {
  enum class Kind : std::uint8_t { Watch, Never, Every };
  Kind kind = Kind::Watch;
  Duration every = {};

  static Interval from(std::optional<std::string_view> text);  // watch where it cannot be read
  bool operator==(const Interval&) const = default;
};

struct NamespaceSelector {
  std::vector<std::string> include = {};
  std::vector<std::string> exclude = {};
  std::optional<kube::Selector> labels = {};  // none: the policy gives none
  TerminatingInclusion terminating = TerminatingInclusion::Default;
  std::string problem = {};  // what is wrong with its labels
};

struct Configuration {
  bool is_enforced = false;
  bool resolves_templates = true;
  Prune prune = Prune::None;
  Interval when_compliant = {};
  Interval when_noncompliant = {};
  NamespaceSelector namespaces = {};
  std::string message_compliant = {};  // customMessage; empty: the usual ones
  std::string message_noncompliant = {};
  std::vector<json::Value> entries = {};  // object-templates, as written
  std::optional<std::string> raw = {};    // object-templates-raw

  static Configuration from(const json::Object& policy);
};

Result<kube::GroupVersionKind> kind_of_definition(const json::Object& definition);

}  // namespace fairway::fleet::agent
