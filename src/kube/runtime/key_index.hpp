// KeyIndex: which keys have a value, for looking objects up by something else than their name.
//
// One key may have several values and one value many keys. This is how a controller finds, without a scan,
// the objects that refer to one that has changed.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kube/core/object.hpp"

namespace fairway::kube {

class KeyIndex {
 public:
  // Replaces the values of the key.
  void put(const ObjectKey& key, std::vector<std::string> values);
  void remove(const ObjectKey& key);
  // Sorted; empty when no key has the value.
  const std::set<ObjectKey>& find(std::string_view value) const;

 private:
  void erase_values(const ObjectKey& key, const std::vector<std::string>& values);

  // Values are long and begin alike: names of objects with their namespaces.
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  std::unordered_map<std::string, std::set<ObjectKey>, Hash, std::equal_to<>> keys_;
  std::map<ObjectKey, std::vector<std::string>> values_;
};

}  // namespace fairway::kube
