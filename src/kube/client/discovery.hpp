// Discovery: which resources the server has, by kind.
//
// Asked for when needed, a group version at a time, and remembered. A kind that is not among what is
// remembered makes us ask once more, because it may have been added since (a CRD just created); what is found
// stays until invalidate().
#pragma once

#include <map>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "kube/core/resource_type.hpp"

namespace fairway::kube {

class Client;

class Discovery {
 public:
  explicit Discovery(Client& client) : client_(client) {}

  // An empty version is the one that the server prefers for the group.
  Task<ResourceType> find(GroupVersionKind kind);
  // All of a group version, without subresources.
  Task<std::vector<ResourceType>> resources(GroupVersion group_version);
  void invalidate();

 private:
  Task<std::string> preferred_version(std::string group);
  Task<std::vector<ResourceType>> fetch(GroupVersion group_version);

  Client& client_;
  std::map<GroupVersion, std::vector<ResourceType>> known_;
  std::map<std::string, std::string> preferred_;
};

}  // namespace fairway::kube
