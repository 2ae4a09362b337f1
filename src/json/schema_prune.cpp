#include "json/schema_prune.hpp"

#include <algorithm>

#include "json/schema_errors.hpp"

namespace fairway::json {
namespace {

bool is_meta_field(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

// Keeps the members that `keep` accepts, in their order and in one pass.
void retain(Object& object, auto&& keep) {
  std::vector<std::size_t> dropped;
  std::size_t at = 0;
  for (auto& member : object) {
    if (!keep(member.key(), member.value())) dropped.push_back(at);
    ++at;
  }
  if (dropped.empty()) return;
  Object rest(object.storage());
  rest.reserve(object.size());
  auto next = dropped.begin();
  at = 0;
  for (auto& member : object) {
    if (next != dropped.end() && *next == at++) {
      ++next;
    } else {
      rest.emplace(member.key(), std::move(member.value()));
    }
  }
  object = std::move(rest);
}

class Pruner {
  class Longer {
   public:
    explicit Longer(Pruner& pruner) : pruner_(pruner), length_(pruner.path_.size()) {}
    Longer(const Longer&) = delete;
    Longer& operator=(const Longer&) = delete;
    ~Longer() { pruner_.path_.resize(length_); }

   private:
    Pruner& pruner_;
    std::size_t length_;
  };

  // Runs `action` with the path one step longer; without a list to fill, no path is kept.
  auto at(std::string_view name, auto&& action) {
    const Longer longer(*this);
    if (unknown_) path_ += path_.empty() ? "" : ".";
    if (unknown_) path_ += name;
    return action();
  }

  void at(std::size_t index, auto&& action) {
    const Longer longer(*this);
    if (unknown_) path_ = index_path(path_, index);
    action();
  }

 public:
  explicit Pruner(std::vector<std::string>* unknown) : unknown_(unknown) {}

  // A null schema knows nothing: all fields of objects go, scalars stay.
  void prune(const Schema* schema, Value& value, std::size_t depth) {
    if (depth > kMaxSchemaDepth) return;
    if (schema && schema->preserve_unknown_fields) return keep(schema, value, depth);
    if (Object* object = value.if_object()) {
      retain(*object, [&](std::string_view name, Value& field) {
        return at(name, [&] { return prune_field(schema, name, field, depth); });
      });
    } else if (Array* array = value.if_array()) {
      for (std::size_t i = 0; i < array->size(); ++i) {
        at(i, [&] { prune(schema ? schema->items : nullptr, (*array)[i], depth + 1); });
      }
    }
  }

 private:
  bool prune_field(const Schema* schema, std::string_view name, Value& field, std::size_t depth) {
    if (schema && schema->is_resource() && is_meta_field(name)) {
      if (name == "metadata") prune(&object_meta_schema(), field, depth + 1);
      return true;
    }
    if (const Schema* known = schema ? schema->property(name) : nullptr) {
      prune(known, field, depth + 1);
    } else if (schema && schema->additional != Schema::Additional::Absent) {
      prune(schema->additional_properties, field, depth + 1);
    } else {
      if (unknown_) unknown_->push_back(path_);
      return false;
    }
    return true;
  }

  // Nothing goes here, but what the schema describes further inside is pruned again.
  void keep(const Schema* schema, Value& value, std::size_t depth) {
    if (!schema || depth > kMaxSchemaDepth) return;
    if (Object* object = value.if_object()) {
      for (auto& member : *object) {
        at(member.key(), [&] { keep_field(*schema, member.key(), member.value(), depth); });
      }
    } else if (Array* array = value.if_array()) {
      for (std::size_t i = 0; i < array->size(); ++i) {
        at(i, [&] { keep(schema->items, (*array)[i], depth + 1); });
      }
    }
  }

  void keep_field(const Schema& schema, std::string_view name, Value& field, std::size_t depth) {
    if (schema.is_resource() && is_meta_field(name)) {
      if (name == "metadata") prune(&object_meta_schema(), field, depth + 1);
    } else if (const Schema* known = schema.property(name)) {
      prune(known, field, depth + 1);
    } else if (schema.additional != Schema::Additional::Absent) {
      prune(schema.additional_properties, field, depth + 1);
    }
  }

  std::vector<std::string>* unknown_;
  std::string path_;
};

void drop_nulls(const Schema* schema, Value& value, std::size_t depth) {
  if (depth > kMaxSchemaDepth || !schema) return;
  if (Object* object = value.if_object()) {
    retain(*object, [&](std::string_view name, Value& field) {
      const Schema* known = field_schema(*schema, name);
      if (field.is_null()) return !known || known->nullable || known->default_value;
      drop_nulls(known, field, depth + 1);
      return true;
    });
  } else if (Array* array = value.if_array()) {
    for (Value& item : *array) drop_nulls(schema->items, item, depth + 1);
  }
}

bool wants_default(const Schema* schema, const Value& value) {
  return schema && schema->default_value && value.is_null() && !schema->nullable;
}

void fill(const Schema* schema, Value& value, std::size_t depth) {
  if (depth > kMaxSchemaDepth || !schema) return;
  if (Object* object = value.if_object()) {
    for (const Schema::Property& each : schema->properties) {
      const auto& value_by_default = each.schema->default_value;
      if (value_by_default && !object->contains(each.name)) object->emplace(each.name, *value_by_default);
    }
    for (auto& member : *object) {
      const Schema* known = schema->property(member.key());
      if (!known) known = schema->additional_properties;
      if (wants_default(known, member.value())) member.value() = *known->default_value;
      fill(known, member.value(), depth + 1);
    }
  } else if (Array* array = value.if_array()) {
    for (Value& item : *array) {
      if (wants_default(schema->items, item)) item = *schema->items->default_value;
      fill(schema->items, item, depth + 1);
    }
  }
}

}  // namespace

void prune(const Schema& schema, Value& value, std::vector<std::string>* unknown) {
  const auto before = unknown ? unknown->size() : 0;
  Pruner(unknown).prune(&schema, value, 0);
  if (unknown) std::sort(unknown->begin() + static_cast<std::ptrdiff_t>(before), unknown->end());
}

std::string unknown_field_text(const std::string& path) {
  return "unknown field " + go_quoted(path);
}

void apply_defaults(const Schema& schema, Value& value) {
  drop_nulls(&schema, value, 0);
  fill(&schema, value, 0);
}

}  // namespace fairway::json
