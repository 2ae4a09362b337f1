// ServiceUse: which cluster addresses and node ports the Services of a cluster have.
//
// Read from the store when somebody asks, but each Service is parsed once a revision: making one Service
// among thousands costs a walk over pointers. Belongs to the event loop.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "store/store.hpp"

namespace fairway::apiserver {

struct UsedByServices {
  std::set<std::string, std::less<>> addresses = {};
  std::set<std::int64_t> node_ports = {};  // health checks' included
};

class ServiceUse {
 public:
  UsedByServices of(const store::Store& store, const std::string& cluster);

 private:
  struct Known {
    store::Revision revision = 0;
    std::string address = {};
    std::vector<std::int64_t> node_ports = {};
  };
  static Known read(const store::Entry& entry);

  std::map<std::string, std::map<store::Key, Known>> known_;  // by cluster
};

}  // namespace fairway::apiserver
