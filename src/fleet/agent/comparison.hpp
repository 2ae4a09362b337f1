// Comparison of an object with what a policy says of it: whether it is so, and what it would have to become.
// Pure, total, deterministic.
//
// Only what the definition mentions is looked at. musthave merges the definition over the live value and asks
// whether anything changed; mustonlyhave replaces. Lists have no order; items that are maps with the same
// `name` are the same item. A zero value (null, false, 0, "", an empty list or map) equals absence. Numbers
// and booleans equal their text; texts that are quantities of which at least one has a unit, a fraction or an
// exponent equal by their value, but two plain decimals (4.1 and 4.10: versions) and everything in metadata,
// ConfigMaps and Secrets are texts. `status` is compared and never corrected.
#pragma once

#include <cstdint>
#include <string_view>

#include "json/value.hpp"

namespace fairway::fleet::agent {

enum class Rule : std::uint8_t { MustHave, MustOnlyHave, MustNotHave };

struct ComparisonRules {
  Rule rule = Rule::MustHave;           // MustNotHave is compared as MustHave
  Rule metadata_rule = Rule::MustHave;  // of labels and annotations
};

struct Comparison {
  bool has_correction = false;  // something besides the status differs
  bool has_status_mismatch = false;
  json::Object corrected = {};  // the live object put right, its status as it is; empty without correction

  bool is_match() const { return !has_correction && !has_status_mismatch; }
};

Comparison compare(const json::Object& definition, const json::Object& live, const ComparisonRules& rules);

// The definition as it is sent to make the object: without its status, in the namespace.
json::Object as_created(const json::Object& definition, std::string_view ns);

// Whether both are the same apart from what the server keeps about every write.
bool is_same_object(const json::Object& left, const json::Object& right);

}  // namespace fairway::fleet::agent
