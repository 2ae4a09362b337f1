// KeyIndex: which keys have a value, for looking objects up by something else than their name.
//
// One key may have several values and one value many keys. This is how a controller finds, without a scan,
// the objects that refer to one that has changed.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
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
  std::vector<std::string> values() const;

 private:
  void erase_values(const ObjectKey& key, const std::vector<std::string>& values);

  std::map<std::string, std::set<ObjectKey>, std::less<>> keys_;
  std::map<ObjectKey, std::vector<std::string>> values_;
};

}  // namespace fairway::kube
