// The lists of a strategic merge patch: items by key, directives among them, and the order of the result.
// Internal to strategic.cpp. An empty key means a list of scalars, which are their own keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "json/value.hpp"

namespace fairway::json {

inline constexpr std::string_view kPatchDirective = "$patch";

// What an item is found by; an error when an object has no such key.
Result<std::string> key_text(const Value& item, const std::string& key);

// Where in a list the first item of each key is. Items without the key are not found.
class KeyIndex {
 public:
  KeyIndex(const Array& list, const std::string& key);

  std::optional<std::size_t> find(const std::string& id) const;
  void add(const std::string& id, std::size_t at);

 private:
  std::unordered_map<std::string, std::size_t> places_;
};

// Whether the items of both lists are objects; an error when they are not all of one kind, or lists.
Result<bool> are_objects(const Array& left, const Array& right);

Array without_scalars(const Array& list, const Array& removed);
Result<Array> merge_scalars(const Array& server, const Array& patch);

// Takes the items with `$patch` out of the patch and obeys them: `delete` removes from `original`; true when
// one of them was `replace`.
Result<bool> apply_directives(Array& original, Array& patch, const std::string& key);

// Whether the patch's items come in the order given; items that it deletes do not count.
Result<void> check_order(const Array& patch, const Array& order, const std::string& key);

// The order of `before` as it counts once the patch is merged: without the items that it deletes, whose
// places the new ones take, behind all others, as long as there are any. The API orders lists so.
Array order_after(const Array& before, const Array& patch, const std::string& key);

// Items that `order` mentions in that order, the others in that of `server`, interleaved as they were there.
Result<Array> in_order(Array items, const Array& order, const Array& server, const std::string& key);

}  // namespace fairway::json
