// State: the current, durable objects, in memory and in order.
//
// One ordered table for each resource of each cluster. Reading never touches the disk; the entries are shared
// with whoever lists them. A list can be told of entries that were different at an earlier revision.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/types.hpp"

namespace fairway::store {

// What stood at some positions of a table at an earlier revision; null where there was nothing.
using Overlay = std::map<Position, EntryPtr>;

struct ResourceCount {
  std::string cluster;
  std::string resource;
  std::size_t count = 0;
};

class State {
 public:
  // False when there is an entry with this key already.
  bool insert(EntryPtr entry);
  void apply(const Change& change);

  EntryPtr get(const Key& key) const;
  // Entries and `has_more`; the revision is the caller's to set.
  Page list(const Query& query, const Overlay& earlier = {}) const;
  std::size_t count(const Scope& resource, const std::optional<std::string>& ns) const;
  std::vector<ResourceCount> resources() const;
  std::size_t size() const { return size_; }

 private:
  struct Table {
    std::map<Position, EntryPtr> entries;
    std::map<std::string, std::size_t> namespaces;  // how many entries each has
  };
  static void remove_from(Table& table, const Position& position);

  std::map<Scope, Table> tables_;
  std::size_t size_ = 0;
};

}  // namespace fairway::store
