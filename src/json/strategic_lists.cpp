#include "json/strategic_lists.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

#include "json/schema_errors.hpp"
#include "json/schema_lists.hpp"

namespace fairway::json {
namespace {

std::unexpected<Error> refuse(std::string message) {
  return fail(ErrorCode::Invalid, std::move(message));
}

const Value* directive_of(const Value& item) {
  const Object* object = item.if_object();
  return object ? object->if_contains(kPatchDirective) : nullptr;
}

bool is_deletion(const Value& item) {
  const Value* directive = directive_of(item);
  return directive && directive->is_string() && directive->get_string() == "delete";
}

struct Placed {
  Value item;
  std::string id;
  std::size_t at;
};

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

}  // namespace

Result<std::string> key_text(const Value& item, const std::string& key) {
  if (key.empty()) return canonical_text(item);
  const Object* object = item.if_object();
  if (!object) {
    return refuse(fmt::format("expected a map[string]interface {{}}, but received a {}", go_type(item)));
  }
  const Value* value = object->if_contains(key);
  if (!value)
    return refuse(fmt::format("map: {} does not contain declared merge key: {}", go_plain(item), key));
  return canonical_text(*value);
}

KeyIndex::KeyIndex(const Array& list, const std::string& key) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (const auto id = key_text(list[i], key)) add(*id, i);
  }
}

std::optional<std::size_t> KeyIndex::find(const std::string& id) const {
  const auto found = places_.find(id);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

void KeyIndex::add(const std::string& id, std::size_t at) {
  places_.try_emplace(id, at);
}

Result<bool> are_objects(const Array& left, const Array& right) {
  std::string_view kind;
  for (const Array* list : {&left, &right}) {
    for (const Value& item : *list) {
      if (item.is_array()) return refuse("lists of lists are not supported");
      if (kind.empty()) kind = go_type(item);
      if (kind != go_type(item)) {
        return refuse(
            fmt::format("list element types are not identical: [{} {}]", go_plain(left), go_plain(right)));
      }
    }
  }
  return kind == go_type(Object{});
}

Array without_scalars(const Array& list, const Array& removed) {
  std::unordered_set<std::string> ids;
  for (const Value& item : removed) ids.insert(canonical_text(item));
  Array out;
  for (const Value& item : list) {
    if (!ids.contains(canonical_text(item))) out.push_back(item);
  }
  return out;
}

Result<Array> merge_scalars(const Array& server, const Array& patch) {
  std::unordered_set<std::string> seen;
  Array merged;
  for (const Array* list : {&server, &patch}) {
    for (const Value& item : *list) {
      if (seen.insert(canonical_text(item)).second) merged.push_back(item);
    }
  }
  return in_order(std::move(merged), patch, server, "");
}

Result<bool> apply_directives(Array& original, Array& patch, const std::string& key) {
  bool is_replaced = false;
  std::unordered_set<std::string> deleted;
  Array kept;
  for (Value& item : patch) {
    const Value* directive = directive_of(item);
    if (!directive) {
      kept.push_back(std::move(item));
      continue;
    }
    const std::string name = go_plain(*directive);
    if (name == "merge") return refuse("merging lists cannot yet be specified in the patch");
    if (name == "delete") {
      FAIRWAY_TRY(std::string id, key_text(item, key));
      deleted.insert(std::move(id));
    } else if (name == "replace") {
      is_replaced = true;
    } else {
      return refuse(fmt::format("unknown patch type: {} in map: {}", name, go_plain(item)));
    }
  }
  patch = std::move(kept);
  if (deleted.empty()) return is_replaced;
  Array left;
  for (Value& item : original) {
    const auto id = key_text(item, key);
    if (!id || !deleted.contains(*id)) left.push_back(std::move(item));
  }
  original = std::move(left);
  return is_replaced;
}

Result<void> check_order(const Array& patch, const Array& order, const std::string& key) {
  if (patch.empty() || order.empty()) return {};
  std::vector<const Value*> kept;
  for (const Value& item : patch) {
    if (!is_deletion(item)) kept.push_back(&item);
  }
  std::size_t at = 0, next = 0;
  while (at < kept.size() && next < order.size()) {
    if (directive_of(*kept[at])) {
      ++at;
      continue;
    }
    FAIRWAY_TRY(const std::string id, key_text(*kept[at], key));
    FAIRWAY_TRY(const std::string candidate, key_text(order[next++], key));
    if (candidate == id) ++at;
  }
  if (at == kept.size()) return {};
  return refuse(fmt::format("the order in patch list:\n{}\n doesn't match $setElementOrder list:\n{}",
                            go_plain(patch), go_plain(order)));
}

Array order_after(const Array& before, const Array& patch, const std::string& key) {
  if (key.empty()) return before;
  std::unordered_set<std::string> deleted;
  bool is_replaced = false;
  for (const Value& item : patch) {
    const auto id = key_text(item, key);
    if (id && is_deletion(item)) deleted.insert(*id);
    is_replaced = is_replaced || (directive_of(item) && !is_deletion(item));
  }
  Array out;
  std::unordered_set<std::string> present;
  for (const Value& item : before) {
    const auto id = key_text(item, key);
    if (id && deleted.contains(*id)) continue;
    if (id) present.insert(*id);
    out.push_back(item);
  }
  for (const Value& item : patch) {
    if (is_replaced || out.size() >= before.size()) break;
    const auto id = key_text(item, key);
    if (id && !directive_of(item) && present.insert(*id).second) out.push_back(item);
  }
  return out;
}

Result<Array> in_order(Array items, const Array& order, const Array& server, const std::string& key) {
  for (const Value& item : order) FAIRWAY_CHECKED(key_text(item, key));
  const KeyIndex in_patch(order, key);
  const KeyIndex in_server(server, key);
  std::vector<Placed> ours, theirs;  // of the patch, of the server only
  for (Value& item : items) {
    FAIRWAY_TRY(std::string id, key_text(item, key));
    const auto at = in_patch.find(id);
    auto& into = at ? ours : theirs;
    const std::size_t place = at ? *at : in_server.find(id).value_or(kNowhere);
    into.push_back({std::move(item), std::move(id), place});
  }
  std::ranges::stable_sort(ours, {}, &Placed::at);
  std::ranges::stable_sort(theirs, {}, &Placed::at);
  Array out;
  std::size_t o = 0, t = 0;
  while (o < ours.size() || t < theirs.size()) {
    bool take_theirs = o == ours.size();
    if (!take_theirs && t < theirs.size()) {
      const auto left = in_server.find(theirs[t].id);
      const auto right = in_server.find(ours[o].id);
      take_theirs = left && right && *left < *right;
    }
    out.push_back(std::move(take_theirs ? theirs[t++].item : ours[o++].item));
  }
  return out;
}

}  // namespace fairway::json
