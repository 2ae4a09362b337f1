// HubTemplates: {{hub … hub}} of child policies, with what they look up read from caches.
//
// What a policy may look up is its own namespace and the cluster's ManagedCluster. A kind that is asked for
// is followed from then on, in that namespace: when an object of it changes, on_change is told the namespace,
// and the children there are resolved anew. A policy that names a service account is not given the
// controller's own rights instead: its lookups fail, and say so in the child. What protect encrypts with is
// the Secret of the cluster (fleet/protection.hpp), which is made when it is first needed and read for each
// child that needs it. Belongs to the runtime's event loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "fleet/templates/hub.hpp"
#include "kube/runtime/runtime.hpp"

namespace fairway::fleet {

class HubTemplates {
 public:
  HubTemplates(kube::Runtime& runtime, std::function<void(const std::string& ns)> on_change)
      : runtime_(runtime), on_change_(std::move(on_change)) {}

  // The child as its cluster gets it; a template that fails says so in it. `have`: the child that is there,
  // whose initialization vector stays, so that the same values are encrypted to the same texts; may be null.
  Task<json::Object> resolve(json::Object child, templates::HubFacts facts,
                             std::shared_ptr<const json::Object> have);

 private:
  Task<templates::Cipher> encryption_for(std::string cluster, std::string vector);
  Task<json::Object> encryption_secret(std::string cluster);
  Task<void> answer(templates::Lookup lookup, templates::Answers& answers);
  Task<kube::ObjectCache*> cache_for(templates::Lookup lookup);

  kube::Runtime& runtime_;
  std::function<void(const std::string& ns)> on_change_;
  std::map<std::string, std::shared_ptr<void>> followed_;  // by kind and namespace
};

}  // namespace fairway::fleet
