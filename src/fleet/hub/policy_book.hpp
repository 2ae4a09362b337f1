// PolicyBook: what rollouts know of policies, kept from the cache of all policies, roots and children.
//
// Each change is told as what it means for rollouts: which rows of a root are different (that is what wakes
// them; children are not), who got or lost a child, whether the root itself is another. Views are shared; one
// that nobody holds any more is changed in place. Belongs to the runtime's event loop.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/policies.hpp"
#include "kube/runtime/cache.hpp"

namespace fairway::fleet {

class PolicyBook {
 public:
  struct Change {
    std::string policy = {};                 // its bare name
    std::vector<std::string> clusters = {};  // whose row is new, gone or different
    std::optional<std::string> child = {};   // the cluster whose child came, went or can now be read
    bool is_other_root = false;              // it came, went or asks for something else

    bool operator==(const Change&) const = default;
  };

  Change take(const kube::Change<json::Object>& change);
  // Of every namespace that has a policy of this name.
  std::vector<std::shared_ptr<const PolicyView>> find(std::string_view policy) const;

 private:
  using ByNamespace = std::map<std::string, std::shared_ptr<PolicyView>>;

  PolicyView& view(const kube::ObjectKey& key);
  void drop_if_empty(const kube::ObjectKey& key);
  void take_root(const kube::Change<json::Object>& change, Change& told);
  void take_child(const kube::Change<json::Object>& change, const kube::ObjectKey& root, Change& told);

  std::map<std::string, ByNamespace, std::less<>> by_name_;
};

}  // namespace fairway::fleet
