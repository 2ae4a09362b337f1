// Selectors: which objects a list, a watch or a controller is about.
//
// A label selector is read from text (`a=b,c!=d,e in (x,y),!f,g,h notin (z),i>1`) or from the LabelSelector
// struct; a field selector from text (`metadata.name=x,status.phase!=y`, with `\` before `,`, `=` and `\` in
// values). Grammar, error texts and canonical text are those of Kubernetes. Selectors are immutable values;
// matches() does not allocate, so that filtering a large cache costs only the look-ups.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "json/value.hpp"
#include "kube/core/names.hpp"
#include "kube/core/object.hpp"

namespace fairway::kube {

enum class SelectorOperator {
  In,
  NotIn,
  Equals,
  DoubleEquals,
  NotEquals,
  GreaterThan,
  LessThan,
  Exists,
  DoesNotExist,
};

struct Requirement {
  std::string key;
  SelectorOperator op = SelectorOperator::Exists;
  std::vector<std::string> values = {};  // sorted, each once
  std::int64_t bound = 0;                // of GreaterThan and LessThan

  // Checked as Kubernetes does; errors name `key` and `values[0][KEY]`.
  static Result<Requirement> make(std::string key, SelectorOperator op, std::vector<std::string> values);

  // `value` is nothing when the label is absent.
  bool matches(std::optional<std::string_view> value) const;
  std::string to_string() const;
  bool operator==(const Requirement&) const = default;
};

class Selector {
 public:
  Selector() = default;  // everything
  static Selector nothing();
  static Result<Selector> parse(std::string_view text);
  // An empty LabelSelector selects everything. (A missing one selects nothing: that is the caller's to know.)
  static Result<Selector> from(const LabelSelector& selector);
  // All of these labels; not checked.
  static Selector from_labels(const Labels& labels);

  bool matches(const Labels& labels) const;
  bool matches(const json::Object& labels) const;
  // By the metadata.labels of a whole object.
  bool matches_object(const json::Object& object) const;

  bool is_everything() const { return !is_nothing_ && requirements_.empty(); }
  bool is_nothing() const { return is_nothing_; }
  // Sorted by key.
  const std::vector<Requirement>& requirements() const { return requirements_; }
  // The one value that the label must have, for looking up in an index; nothing when others are possible.
  std::optional<std::string_view> required_value(std::string_view key) const;
  // Canonical text, which parse() reads back.
  std::string to_string() const;

  bool operator==(const Selector&) const = default;

 private:
  explicit Selector(std::vector<Requirement> requirements);

  std::vector<Requirement> requirements_;
  bool is_nothing_ = false;
};

class FieldSelector {
 public:
  struct Term {
    std::string field;  // metadata.name
    bool equals = true;
    std::string value;
    bool operator==(const Term&) const = default;
  };

  FieldSelector() = default;  // everything
  static Result<FieldSelector> parse(std::string_view text);

  // By the fields of a whole object: a missing field is the empty text; booleans and numbers are their text.
  bool matches(const json::Object& object) const;

  bool is_everything() const { return terms_.empty(); }
  // Which fields may be selected by depends on the kind: whoever serves it looks at the terms.
  const std::vector<Term>& terms() const { return terms_; }
  std::optional<std::string_view> required_value(std::string_view field) const;
  std::string to_string() const;

  bool operator==(const FieldSelector&) const = default;

 private:
  std::vector<Term> terms_;
};

}  // namespace fairway::kube
