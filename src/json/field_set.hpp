// FieldSet: a set of paths into an object, as managedFields store who owns what.
//
// A path is a list of elements: a field's name, the key fields of a list item, an item's value, or an index.
// The set is a trie kept sorted, so that the operations below walk two sets side by side, and its FieldsV1
// form is byte for byte what structured-merge-diff writes. A value; copies share what they have in common,
// which is never changed in place.
//
//   FieldSet::decode({"f:spec":{"f:replicas":{}}})   holds   .spec.replicas
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "json/schema.hpp"
#include "json/value.hpp"

namespace fairway::json {

// The order that structured-merge-diff gives values: numbers, text, booleans, lists, objects, null.
int compare_values(const Value& left, const Value& right);

class PathElement {
 public:
  using KeyFields = std::vector<std::pair<std::string, Value>>;  // sorted by name

  static PathElement field(std::string name);
  static PathElement key(KeyFields fields);
  static PathElement value(Value value);
  static PathElement index(std::int64_t index);

  // Null unless it is a field's name.
  const std::string* field_name() const { return std::get_if<std::string>(content_.get()); }
  bool is_key() const { return std::holds_alternative<KeyFields>(*content_); }

  std::string text() const;    // .name  [name="x"]  [="x"]  [3]
  std::string encode() const;  // f:name  k:{"name":"x"}  v:"x"  i:3
  // An element of a kind that we do not know is Unsupported; anything else wrong is Invalid.
  static Result<PathElement> decode(std::string_view text);

  std::weak_ordering operator<=>(const PathElement& other) const;
  bool operator==(const PathElement& other) const { return (*this <=> other) == 0; }

 private:
  struct Item {
    Value value;
  };
  using Content = std::variant<std::string, KeyFields, Item, std::int64_t>;
  explicit PathElement(Content content) : content_(std::make_shared<const Content>(std::move(content))) {}

  std::shared_ptr<const Content> content_;
};

using FieldPath = std::vector<PathElement>;
std::string path_text(const FieldPath& path);  // .spec.containers[name="a"].image

class FieldSet {
 public:
  struct Entry;
  using Entries = std::vector<Entry>;  // sorted by element, never empty ones

  FieldSet() = default;
  FieldSet(std::initializer_list<FieldPath> paths);
  // From entries in any order; those with the same element are united.
  static FieldSet from_entries(Entries entries);

  bool empty() const { return !entries_; }
  std::size_t size() const;  // how many paths
  bool has(const FieldPath& path) const;
  bool has_member(const PathElement& element) const;
  const FieldSet& children(const PathElement& element) const;  // empty when there are none
  const Entries& entries() const;

  void insert(const FieldPath& path);

  FieldSet unite(const FieldSet& other) const;
  FieldSet intersect(const FieldSet& other) const;
  // A path goes only where the other set has that very path: {a, a.b} - {a} is {a.b}.
  FieldSet subtract(const FieldSet& other) const;
  // A path goes with all below it: {a, a.b} - {a} is empty.
  FieldSet subtract_recursively(const FieldSet& other) const;
  // The paths that lead to no other path of the set.
  FieldSet leaves() const;
  // With every struct field that the schema names and that has something below it in the set.
  FieldSet with_named_fields(const Schema& schema) const;

  // Members of each level before what is below them, each in order.
  void for_each(const std::function<void(const FieldPath&)>& visit) const;
  std::string text() const;  // one path a line

  Value encode(const Storage& storage = {}) const;  // FieldsV1
  // Unknown kinds of elements are dropped, as newer writers may add them.
  static Result<FieldSet> decode(const Value& fields);

  bool operator==(const FieldSet& other) const;
  // Whether it is the other or a copy of it, not merely equal.
  bool is_copy_of(const FieldSet& other) const { return entries_ == other.entries_; }

 private:
  // From entries in order, none of them empty.
  static FieldSet of(Entries entries);

  std::shared_ptr<const Entries> entries_;  // null when there are none
};

struct FieldSet::Entry {
  PathElement element;
  bool is_member = false;
  FieldSet below = {};

  bool operator==(const Entry&) const = default;
};

}  // namespace fairway::json
