// IdSet: which clusters a query allows and which it blocks, at sixteen bytes an id.
//
// A cluster's id is a UUID and kept as its bytes; any other text is kept as a hash of the same size. Built
// once from a query's answer, then only read, by any number of threads. An id that came with several values
// is allowed only if all of them are 1. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fairway::updateservice {

using IdKey = std::array<std::uint8_t, 16>;

IdKey key_of(std::string_view id);

enum class IdVerdict : std::uint8_t {
  Allowed,  // the value was 1
  Blocked,  // the value was 0
  Unknown,  // another value, or none
};

class IdSet {
 public:
  class Builder {
   public:
    void add(std::string_view id, IdVerdict verdict);
    std::size_t size() const { return entries_.size(); }
    IdSet build() &&;  // sorts: for a worker

   private:
    friend class IdSet;
    struct Entry {
      IdKey key;
      IdVerdict verdict;
    };
    std::vector<Entry> entries_;
  };

  IdVerdict find(const IdKey& key) const;
  std::size_t allowed() const { return allowed_.keys.size(); }
  std::size_t blocked() const { return blocked_.keys.size(); }
  std::size_t footprint() const;  // bytes

 private:
  // Sorted keys, and where those of each first two bytes begin: ids are random, so a lookup reads a few of
  // them.
  struct Sorted {
    std::vector<IdKey> keys;
    std::vector<std::uint32_t> first;

    void index();
    bool contains(const IdKey& key) const;
  };
  Sorted allowed_;
  Sorted blocked_;
};

}  // namespace fairway::updateservice
