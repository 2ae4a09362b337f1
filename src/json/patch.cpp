#include "json/patch.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "base/text.hpp"

namespace fairway::json {
namespace {

using Op = Patch::Op;
using Operation = Patch::Operation;

constexpr std::array kOps{Op::Add, Op::Remove, Op::Replace, Op::Move, Op::Copy, Op::Test};

std::size_t count_values(const Value& value) {
  std::size_t count = 1;
  if (const Object* object = value.if_object()) {
    for (const auto& member : *object) count += count_values(member.value());
  } else if (const Array* array = value.if_array()) {
    for (const Value& element : *array) count += count_values(element);
  }
  return count;
}

// Levels of objects and arrays.
std::size_t depth_of(const Value& value) {
  std::size_t deepest = 0;
  if (const Object* object = value.if_object()) {
    for (const auto& member : *object) deepest = std::max(deepest, depth_of(member.value()));
  } else if (const Array* array = value.if_array()) {
    for (const Value& element : *array) deepest = std::max(deepest, depth_of(element));
  } else {
    return 0;
  }
  return deepest + 1;
}

Result<Pointer> parse_pointer_member(const Object& operation, std::string_view name) {
  const Value* text = operation.if_contains(name);
  if (text == nullptr || !text->is_string()) {
    return fail(ErrorCode::Invalid, fmt::format("expected {} to be a JSON pointer, found {}", quoted(name),
                                                text == nullptr ? "nothing" : a_kind(*text)));
  }
  return Pointer::parse(view(text->get_string()));
}

Result<Operation> parse_operation(const Value& value) {
  const Object* object = value.if_object();
  if (object == nullptr) {
    return fail(ErrorCode::Invalid, fmt::format("expected an object, found {}", a_kind(value)));
  }
  const auto name = get_string(*object, {"op"});
  const auto* const op = std::ranges::find(kOps, name.value_or(""), [](Op each) { return to_string(each); });
  if (op == kOps.end()) {
    return fail(ErrorCode::Invalid,
                fmt::format("expected \"op\" to be add, remove, replace, move, copy or test, found {}",
                            name ? quoted(*name) : "nothing"));
  }
  Operation operation{.op = *op, .path = {}};
  FAIRWAY_TRY(operation.path, parse_pointer_member(*object, "path"));
  if (*op == Op::Move || *op == Op::Copy) {
    FAIRWAY_TRY(operation.from, parse_pointer_member(*object, "from"));
  }
  if (*op == Op::Add || *op == Op::Replace || *op == Op::Test) {
    const Value* member = object->if_contains("value");
    if (member == nullptr) return fail(ErrorCode::Invalid, "expected a \"value\", found nothing");
    operation.value = *member;
  }
  return operation;
}

// Carries out the operations of one patch on a document that is thrown away after an error.
class Application {
 public:
  Application(Value& document, const PatchLimits& limits) : document_(document), limits_(limits) {}

  Result<void> run(const Operation& operation);

 private:
  Result<Value*> existing(const Pointer& path);
  Result<void> check_depth(const Pointer& path, const Value& value) const;
  Result<void> add(const Pointer& path, Value value);
  Result<Value> take(const Pointer& path);
  Result<void> replace(const Pointer& path, const Value& value);
  Result<void> move(const Operation& operation);
  Result<void> copy(const Operation& operation);
  Result<void> test(const Operation& operation);

  Value& document_;
  const PatchLimits& limits_;
  std::size_t copied_ = 0;
};

Result<void> Application::run(const Operation& operation) {
  switch (operation.op) {
    case Op::Add:
      return add(operation.path, operation.value);
    case Op::Remove:
      FAIRWAY_CHECKED(take(operation.path));
      return {};
    case Op::Replace:
      return replace(operation.path, operation.value);
    case Op::Move:
      return move(operation);
    case Op::Copy:
      return copy(operation);
    case Op::Test:
      return test(operation);
  }
  FAIRWAY_CHECK(false, "a patch operation outside its enumeration");
}

Result<Value*> Application::existing(const Pointer& path) {
  Value* value = path.find(document_);
  if (value != nullptr) return value;
  return fail(ErrorCode::Invalid,
              fmt::format("expected a value at {}, found none", quoted(path.to_string())));
}

// Values are as deep as the reader allows; only adding one below another can make the document deeper.
Result<void> Application::check_depth(const Pointer& path, const Value& value) const {
  if (path.tokens().size() + depth_of(value) <= limits_.max_depth) return {};
  return fail(ErrorCode::Invalid,
              fmt::format("expected a document nested at most {} deep, found more", limits_.max_depth));
}

Result<void> Application::add(const Pointer& path, Value value) {
  FAIRWAY_CHECKED(check_depth(path, value));
  if (path.is_root()) {
    document_ = std::move(value);
    return {};
  }
  FAIRWAY_TRY(Value * parent, existing(path.parent()));
  const std::string& last = path.tokens().back();
  if (Object* object = parent->if_object()) {
    object->insert_or_assign(last, std::move(value));
    return {};
  }
  Array* array = parent->if_array();
  if (array == nullptr) {
    return fail(ErrorCode::Invalid, fmt::format("expected an object or an array at {}, found {}",
                                                quoted(path.parent().to_string()), a_kind(*parent)));
  }
  const auto index = last == "-" ? array->size() : parse_array_index(last);
  if (!index || *index > array->size()) {
    return fail(ErrorCode::Invalid,
                fmt::format("expected an index from 0 to {} or '-', found {}", array->size(), quoted(last)));
  }
  array->insert(array->begin() + *index, std::move(value));
  return {};
}

Result<Value> Application::take(const Pointer& path) {
  FAIRWAY_TRY(Value * found, existing(path));
  if (path.is_root()) return std::exchange(document_, nullptr);
  Value value = std::move(*found);
  Value& parent = *path.parent().find(document_);
  const std::string& last = path.tokens().back();
  if (Object* object = parent.if_object()) {
    remove(*object, last);
  } else {
    Array& array = parent.get_array();
    array.erase(array.begin() + *parse_array_index(last));
  }
  return value;
}

Result<void> Application::replace(const Pointer& path, const Value& value) {
  FAIRWAY_CHECKED(check_depth(path, value));
  FAIRWAY_TRY(Value * found, existing(path));
  *found = value;
  return {};
}

Result<void> Application::move(const Operation& operation) {
  if (operation.from == operation.path) {
    FAIRWAY_CHECKED(existing(operation.from));
    return {};
  }
  if (operation.from.contains(operation.path)) {
    return fail(ErrorCode::Invalid,
                fmt::format("a value cannot be moved into itself, from {} to {}",
                            quoted(operation.from.to_string()), quoted(operation.path.to_string())));
  }
  FAIRWAY_TRY(Value value, take(operation.from));
  return add(operation.path, std::move(value));
}

Result<void> Application::copy(const Operation& operation) {
  FAIRWAY_TRY(const Value* source, existing(operation.from));
  copied_ += count_values(*source);
  if (copied_ > limits_.max_copied) {
    return fail(ErrorCode::Invalid, fmt::format("expected a patch that copies at most {} values, found more",
                                                limits_.max_copied));
  }
  return add(operation.path, *source);
}

Result<void> Application::test(const Operation& operation) {
  FAIRWAY_TRY(const Value* found, existing(operation.path));
  if (same_value(*found, operation.value)) return {};
  const auto shortened = [](const Value& value) { return quoted(serialize(value)); };
  return fail(ErrorCode::Invalid,
              fmt::format("expected {}, found {}", shortened(operation.value), shortened(*found)));
}

}  // namespace

std::string_view to_string(Patch::Op op) {
  switch (op) {
    case Op::Add:
      return "add";
    case Op::Remove:
      return "remove";
    case Op::Replace:
      return "replace";
    case Op::Move:
      return "move";
    case Op::Copy:
      return "copy";
    case Op::Test:
      return "test";
  }
  FAIRWAY_CHECK(false, "a patch operation outside its enumeration");
}

Result<Patch> Patch::parse(const Value& patch, const PatchLimits& limits) {
  const Array* array = patch.if_array();
  if (array == nullptr) {
    return fail(ErrorCode::Invalid,
                fmt::format("expected a JSON patch, an array of operations, found {}", a_kind(patch)));
  }
  if (array->size() > limits.max_operations) {
    return fail(ErrorCode::Invalid, fmt::format("expected a JSON patch of at most {} operations, found {}",
                                                limits.max_operations, array->size()));
  }
  std::vector<Operation> operations;
  operations.reserve(array->size());
  for (const Value& element : *array) {
    auto operation = parse_operation(element);
    if (!operation) {
      return std::unexpected(
          std::move(operation).error().within(fmt::format("patch operation {}", operations.size())));
    }
    operations.push_back(*std::move(operation));
  }
  return Patch(std::move(operations), limits);
}

Result<void> Patch::apply(Value& document) const {
  Value changed = document;
  Application application(changed, limits_);
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    auto done = application.run(operations_[i]);
    if (!done) {
      return std::unexpected(std::move(done).error().within(
          fmt::format("patch operation {}, {} {}", i, to_string(operations_[i].op),
                      quoted(operations_[i].path.to_string()))));
    }
  }
  document = std::move(changed);
  return {};
}

void apply_merge_patch(Value& target, const Value& patch) {
  const Object* changes = patch.if_object();
  if (changes == nullptr) {
    target = patch;
    return;
  }
  if (!target.is_object()) target.emplace_object();
  Object& object = target.get_object();
  for (const auto& [key, change] : *changes) {
    if (change.is_null()) {
      remove(object, key);
    } else {
      apply_merge_patch(object[key], change);
    }
  }
}

Value make_merge_patch(const Value& before, const Value& after) {
  const Object* old_members = before.if_object();
  const Object* new_members = after.if_object();
  if (old_members == nullptr || new_members == nullptr) return after;
  Object patch;
  for (const auto& member : *old_members) {
    if (!new_members->contains(member.key())) patch.emplace(member.key(), nullptr);
  }
  for (const auto& [key, value] : *new_members) {
    const Value* old_value = old_members->if_contains(key);
    if (old_value == nullptr) {
      patch.emplace(key, value);
    } else if (!same_value(*old_value, value)) {
      patch.emplace(key, make_merge_patch(*old_value, value));
    }
  }
  return patch;
}

}  // namespace fairway::json
