// Arena: memory for the values of one piece of work, given back all at once when the work is done.
//
// Values that are made in it cost a pointer's move each and nothing to destroy. A copy of such a value, and
// what it is moved into, is in the arena as well, so nothing made of it but text may outlive it. For work on
// one thread that ends soon; what is freed in between is not used again.
//
//   Arena arena;
//   auto object = parse_object(text, {}, arena.storage());
#pragma once

#include <boost/json/monotonic_resource.hpp>

#include "json/value.hpp"

namespace fairway::json {

class Arena {
 public:
  Arena() : memory_(kFirstBlock) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  Storage storage() { return &memory_; }

 private:
  // An ordinary object of Kubernetes and a changed copy of it; allocators keep blocks of this size at hand.
  static constexpr std::size_t kFirstBlock = 24 * 1024;

  boost::json::monotonic_resource memory_;
};

}  // namespace fairway::json
