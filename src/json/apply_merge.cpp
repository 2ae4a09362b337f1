#include <algorithm>
#include <optional>
#include <set>

#include "json/apply_shape.hpp"
#include "json/apply_typed.hpp"

namespace fairway::json {
namespace {

std::optional<Value> merged(const Schema& schema, const Value* live, const Value* patch, std::size_t depth);

std::optional<Value> merged_fields(const Schema& schema, const Object* live, const Object* patch,
                                   std::size_t depth) {
  Object out;
  const auto take = [&](std::string_view name, const Value* left, const Value* right) {
    auto value = merged(map_value_schema(schema, name), left, right, depth + 1);
    if (value) out.emplace(name, *std::move(value));
  };
  if (live) {
    for (const auto& [name, value] : *live) take(name, &value, patch ? patch->if_contains(name) : nullptr);
  }
  if (patch) {
    for (const auto& [name, value] : *patch) {
      if (!live || !live->contains(name)) take(name, nullptr, &value);
    }
  }
  if (out.empty()) return std::nullopt;
  return Value(std::move(out));
}

// The items of two lists in one order: the patch's where it says one; a live item that the patch does not
// mention stays behind the one it followed.
class ItemMerge {
 public:
  ItemMerge(const Schema& schema, const Array* live, const Array* patch, std::size_t depth)
      : schema_(schema),
        live_(index_list(schema, list_relation(schema), live)),
        patch_(index_list(schema, list_relation(schema), patch)),
        depth_(depth) {
    for (const auto& place : patch_.order) {
      if (live_.by_element.contains(place.element)) shared_.push_back(&place.element);
    }
  }

  Array run() {
    std::size_t l = 0, p = 0;
    while (l < live_.order.size() || p < patch_.order.size()) {
      const bool has_live = l < live_.order.size();
      const bool has_patch = p < patch_.order.size();
      if (has_live && has_patch) {
        const PathElement& element = live_.order[l].element;
        if (element == patch_.order[p].element) {
          take_patch(patch_.order[p++]);
          ++l;
          next_shared();
          continue;
        }
        if (in_patch(element) && shared_at_ < shared_.size() && *shared_[shared_at_] != element) {
          ++l;  // shared, but its turn comes later
          continue;
        }
      }
      if (has_live) {
        const auto& place = live_.order[l];
        if (!in_patch(place.element)) {
          take(place.item, nullptr);
          ++l;
          continue;
        }
        if (taken_.contains(place.element)) ++l;
      }
      if (has_patch) {
        const auto& place = patch_.order[p++];
        take_patch(place);
        if (shared_at_ < shared_.size() && *shared_[shared_at_] == place.element) next_shared();
      }
    }
    return std::move(out_);
  }

 private:
  bool in_patch(const PathElement& element) const { return patch_.by_element.contains(element); }
  void next_shared() { ++shared_at_; }

  // An item that is live twice is replaced, for nobody can say which of them to merge into.
  void take_patch(const ListIndex::Place& place) {
    const auto live = live_.by_element.find(place.element);
    const bool is_single = live != live_.by_element.end() && live->second.size() == 1;
    taken_.insert(place.element);
    take(is_single ? live->second.front() : nullptr, place.item);
  }

  void take(const Value* live, const Value* patch) {
    auto value = merged(list_item_schema(schema_), live, patch, depth_ + 1);
    if (value) out_.push_back(*std::move(value));
  }

  const Schema& schema_;
  ListIndex live_, patch_;
  std::size_t depth_;
  std::vector<const PathElement*> shared_;
  std::size_t shared_at_ = 0;
  std::set<PathElement> taken_;
  Array out_;
};

std::optional<Value> merged_items(const Schema& schema, const Array* live, const Array* patch,
                                  std::size_t depth) {
  Array out = ItemMerge(schema, live, patch, depth).run();
  if (out.empty()) return std::nullopt;
  return Value(std::move(out));
}

std::optional<Value> merged(const Schema& schema, const Value* live, const Value* patch, std::size_t depth) {
  const Value& leaf = patch ? *patch : *live;
  if (depth > kMaxSchemaDepth) return leaf;
  switch (shape_of(schema, leaf)) {
    case Shape::Scalar:
      return leaf;
    case Shape::List: {
      const Array* left = as_array(live);
      const Array* right = as_array(patch);
      const bool is_leaf = list_relation(schema).type == Schema::ListType::Atomic || (!left && !right);
      return is_leaf ? leaf : merged_items(schema, left, right, depth);
    }
    case Shape::Map: {
      const Object* left = as_object(live);
      const Object* right = as_object(patch);
      const bool is_leaf = schema.atomic_map || (!left && !right);
      return is_leaf ? leaf : merged_fields(schema, left, right, depth);
    }
  }
  return leaf;
}

// The change of one value: of itself, and of what is below it.
struct Change {
  bool added = false, modified = false, removed = false;
  Comparison below = {};

  bool is_none() const { return !added && !modified && !removed && below.is_same(); }
};

class Comparer {
 public:
  Change run(const Schema& schema, const Value* before, const Value* after, std::size_t depth) {
    Change out;
    const auto shape = [&](const Value& value) { return shape_of(schema, value); };
    if (!after) {
      walk(shape(*before), schema, before, after, depth, out);
    } else if (!before || shape(*before) == shape(*after)) {
      walk(shape(*after), schema, before, after, depth, out);
    } else {
      // The value has become another kind of thing: all of the old goes, all of the new comes.
      Change old;
      walk(shape(*before), schema, before, after, depth, old);
      walk(shape(*after), schema, before, after, depth, out);
      out.modified = out.modified || old.modified;
      unite(out.below, old.below);
    }
    return out;
  }

 private:
  static void unite(Comparison& into, const Comparison& from) {
    into.added = into.added.unite(from.added);
    into.modified = into.modified.unite(from.modified);
    into.removed = into.removed.unite(from.removed);
  }

  static void leaf(const Value* before, const Value* after, Change& out) {
    out.added = !before;
    out.removed = !after;
    out.modified = before && after && !same_value(*before, *after);
  }

  void walk(Shape shape, const Schema& schema, const Value* before, const Value* after, std::size_t depth,
            Change& out) {
    if (shape == Shape::Scalar || depth > kMaxSchemaDepth) return leaf(before, after, out);
    if (shape == Shape::List) {
      const Array* left = as_array(before);
      const Array* right = as_array(after);
      const bool is_leaf = list_relation(schema).type == Schema::ListType::Atomic || (!left && !right);
      if (is_leaf) return leaf(before, after, out);
      out.below = items(schema, left, right, depth);
    } else {
      const Object* left = as_object(before);
      const Object* right = as_object(after);
      if (schema.atomic_map || (!left && !right)) return leaf(before, after, out);
      out.below = fields(schema, left, right, depth);
    }
    out.added = !before;
    out.removed = !after;
  }

  struct Parts {
    FieldSet::Entries added, modified, removed;

    void add(const PathElement& element, Change&& change) {
      added.push_back({element, change.added, std::move(change.below.added)});
      modified.push_back({element, change.modified, std::move(change.below.modified)});
      removed.push_back({element, change.removed, std::move(change.below.removed)});
    }
    Comparison collect() && {
      return {FieldSet::from_entries(std::move(added)), FieldSet::from_entries(std::move(modified)),
              FieldSet::from_entries(std::move(removed))};
    }
  };

  Comparison fields(const Schema& schema, const Object* before, const Object* after, std::size_t depth) {
    Parts parts;
    const auto add = [&](std::string_view name, const Value* left, const Value* right) {
      Change change = run(map_value_schema(schema, name), left, right, depth + 1);
      if (!change.is_none()) parts.add(PathElement::field(std::string(name)), std::move(change));
    };
    if (before) {
      for (const auto& [name, value] : *before) add(name, &value, after ? after->if_contains(name) : nullptr);
    }
    if (after) {
      for (const auto& [name, value] : *after) {
        if (!before || !before->contains(name)) add(name, nullptr, &value);
      }
    }
    return std::move(parts).collect();
  }

  Comparison items(const Schema& schema, const Array* before, const Array* after, std::size_t depth) {
    // Mostly nothing changed, and that is seen without an index.
    const auto is_same = [](const Value& left, const Value& right) { return same_value(left, right); };
    if (before && after && std::ranges::equal(*before, *after, is_same)) return {};
    const ListRelation relation = list_relation(schema);
    const ListIndex left = index_list(schema, relation, before);
    const ListIndex right = index_list(schema, relation, after);
    static const std::vector<const Value*> kNone;
    Parts parts;
    const auto add = [&](const PathElement& element) {
      const auto l = left.by_element.find(element);
      const auto r = right.by_element.find(element);
      Change change = repeated(schema, l == left.by_element.end() ? kNone : l->second,
                               r == right.by_element.end() ? kNone : r->second, depth);
      if (!change.is_none()) parts.add(element, std::move(change));
    };
    for (const auto& [element, values] : left.by_element) add(element);
    for (const auto& [element, values] : right.by_element) {
      if (!left.by_element.contains(element)) add(element);
    }
    return std::move(parts).collect();
  }

  // Items of one element: normally one on each side. Repeated ones are compared as a whole.
  Change repeated(const Schema& schema, const std::vector<const Value*>& before,
                  const std::vector<const Value*>& after, std::size_t depth) {
    const Schema& item = list_item_schema(schema);
    const auto only = [](const auto& values) { return values.empty() ? nullptr : values.front(); };
    if (before.size() <= 1 && after.size() <= 1) return run(item, only(before), only(after), depth + 1);
    Change out;
    if (before.size() >= 2 && after.size() >= 2) {
      out.modified = !std::ranges::equal(before, after,
                                         [](const Value* l, const Value* r) { return same_value(*l, *r); });
    } else if (before.size() >= 2) {
      if (!after.empty()) out = run(item, nullptr, after.front(), depth + 1);
      out.removed = true;
    } else {
      if (!before.empty()) out = run(item, before.front(), nullptr, depth + 1);
      out.added = true;
    }
    return out;
  }
};

}  // namespace

Value merge_typed(const Schema& schema, const Value& live, const Value& patch) {
  return merged(schema, &live, &patch, 0).value_or(Value());
}

Comparison compare(const Schema& schema, const Value& before, const Value& after) {
  return Comparer().run(schema, &before, &after, 0).below;
}

}  // namespace fairway::json
