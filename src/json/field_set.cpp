#include "json/field_set.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "json/apply_typed.hpp"
#include "json/schema_errors.hpp"

namespace fairway::json {
namespace {

using Entry = FieldSet::Entry;
using Entries = FieldSet::Entries;

Entries::const_iterator position(const Entries& entries, const PathElement& element) {
  return std::ranges::lower_bound(entries, element, std::ranges::less{}, &Entry::element);
}

const Entry* find(const Entries& entries, const PathElement& element) {
  const auto at = position(entries, element);
  return at != entries.end() && at->element == element ? &*at : nullptr;
}

// Walks two sorted lists side by side; either pointer is null where only the other list has the element.
void zip(const Entries& left, const Entries& right, auto&& visit) {
  auto a = left.begin();
  auto b = right.begin();
  while (a != left.end() || b != right.end()) {
    if (b == right.end()) {
      visit(&*a++, nullptr);
    } else if (a == left.end()) {
      visit(nullptr, &*b++);
    } else if (const auto order = a->element <=> b->element; order < 0) {
      visit(&*a++, nullptr);
    } else if (order > 0) {
      visit(nullptr, &*b++);
    } else {
      visit(&*a++, &*b++);
    }
  }
}

void add(Entries& entries, const PathElement& element, bool is_member, FieldSet below) {
  if (is_member || !below.empty()) entries.push_back({element, is_member, std::move(below)});
}

void visit_paths(const FieldSet& set, FieldPath& path, const std::function<void(const FieldPath&)>& visit) {
  for (const Entry& entry : set.entries()) {
    if (!entry.is_member) continue;
    path.push_back(entry.element);
    visit(path);
    path.pop_back();
  }
  for (const Entry& entry : set.entries()) {
    path.push_back(entry.element);
    visit_paths(entry.below, path, visit);
    path.pop_back();
  }
}

}  // namespace

FieldSet::FieldSet(std::initializer_list<FieldPath> paths) {
  for (const FieldPath& path : paths) insert(path);
}

FieldSet FieldSet::of(Entries entries) {
  FieldSet out;
  if (!entries.empty()) out.entries_ = std::make_shared<const Entries>(std::move(entries));
  return out;
}

FieldSet FieldSet::from_entries(Entries entries) {
  const auto is_empty = [](const Entry& entry) { return !entry.is_member && entry.below.empty(); };
  const auto is_out_of_order = [](const Entry& a, const Entry& b) { return !(a.element < b.element); };
  if (std::ranges::none_of(entries, is_empty) &&
      std::ranges::adjacent_find(entries, is_out_of_order) == entries.end()) {
    return of(std::move(entries));
  }
  std::ranges::stable_sort(entries, std::ranges::less{}, &Entry::element);
  Entries kept;
  kept.reserve(entries.size());
  for (Entry& entry : entries) {
    if (!kept.empty() && kept.back().element == entry.element) {
      kept.back().is_member = kept.back().is_member || entry.is_member;
      kept.back().below = kept.back().below.unite(entry.below);
    } else if (!is_empty(entry)) {
      kept.push_back(std::move(entry));
    }
  }
  return of(std::move(kept));
}

const FieldSet::Entries& FieldSet::entries() const {
  static const Entries kNone;
  return entries_ ? *entries_ : kNone;
}

std::size_t FieldSet::size() const {
  std::size_t count = 0;
  for (const Entry& entry : entries()) count += (entry.is_member ? 1 : 0) + entry.below.size();
  return count;
}

bool FieldSet::has(const FieldPath& path) const {
  const FieldSet* set = this;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Entry* entry = find(set->entries(), path[i]);
    if (!entry) return false;
    if (i + 1 == path.size()) return entry->is_member;
    set = &entry->below;
  }
  return false;
}

bool FieldSet::has_member(const PathElement& element) const {
  const Entry* entry = find(entries(), element);
  return entry && entry->is_member;
}

const FieldSet& FieldSet::children(const PathElement& element) const {
  static const FieldSet kNothing;
  const Entry* entry = find(entries(), element);
  return entry ? entry->below : kNothing;
}

void FieldSet::insert(const FieldPath& path) {
  FieldSet single;
  for (std::size_t i = path.size(); i-- > 0;) single = of({Entry{path[i], i + 1 == path.size(), single}});
  *this = unite(single);
}

bool FieldSet::operator==(const FieldSet& other) const {
  return entries_ == other.entries_ || entries() == other.entries();
}

FieldSet FieldSet::unite(const FieldSet& other) const {
  if (empty() || entries_ == other.entries_) return other;
  if (other.empty()) return *this;
  Entries out;
  out.reserve(entries().size() + other.entries().size());
  zip(entries(), other.entries(), [&](const Entry* a, const Entry* b) {
    if (!a || !b) {
      out.push_back(a ? *a : *b);
    } else {
      out.push_back({a->element, a->is_member || b->is_member, a->below.unite(b->below)});
    }
  });
  return of(std::move(out));
}

FieldSet FieldSet::intersect(const FieldSet& other) const {
  if (empty() || other.empty()) return {};
  Entries out;
  zip(entries(), other.entries(), [&](const Entry* a, const Entry* b) {
    if (a && b) add(out, a->element, a->is_member && b->is_member, a->below.intersect(b->below));
  });
  return of(std::move(out));
}

FieldSet FieldSet::subtract(const FieldSet& other) const {
  if (empty() || other.empty()) return *this;
  Entries out;
  zip(entries(), other.entries(), [&](const Entry* a, const Entry* b) {
    if (a && b) {
      add(out, a->element, a->is_member && !b->is_member, a->below.subtract(b->below));
    } else if (a) {
      out.push_back(*a);
    }
  });
  return of(std::move(out));
}

FieldSet FieldSet::subtract_recursively(const FieldSet& other) const {
  if (empty() || other.empty()) return *this;
  Entries out;
  zip(entries(), other.entries(), [&](const Entry* a, const Entry* b) {
    if (a && !b) {
      out.push_back(*a);
    } else if (a && !b->is_member) {
      add(out, a->element, a->is_member, a->below.subtract_recursively(b->below));
    }
  });
  return of(std::move(out));
}

FieldSet FieldSet::leaves() const {
  Entries out;
  for (const Entry& entry : entries()) {
    add(out, entry.element, entry.is_member && entry.below.empty(), entry.below.leaves());
  }
  return of(std::move(out));
}

FieldSet FieldSet::with_named_fields(const Schema& schema) const {
  Entries out;
  out.reserve(entries().size());
  for (const Entry& entry : entries()) {
    const std::string* name = entry.element.field_name();
    const bool is_named = name && !entry.below.empty() && is_struct_field(schema, *name);
    const Schema& inner = name                     ? map_value_schema(schema, *name)
                          : entry.element.is_key() ? list_item_schema(schema)
                                                   : any_schema();
    out.push_back({entry.element, entry.is_member || is_named, entry.below.with_named_fields(inner)});
  }
  return of(std::move(out));
}

void FieldSet::for_each(const std::function<void(const FieldPath&)>& visit) const {
  FieldPath path;
  visit_paths(*this, path, visit);
}

std::string FieldSet::text() const {
  std::vector<std::string> lines;
  for_each([&](const FieldPath& path) { lines.push_back(path_text(path)); });
  return join(lines, "\n");
}

}  // namespace fairway::json
