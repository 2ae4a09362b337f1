// From a CustomResourceDefinition to the resource that it describes.
//
// The definition is an apiextensions.k8s.io/v1 object that validate_crd() (crd_resource_rules.hpp) found
// nothing wrong with; names are the accepted ones of its status, once there are any. Compiling a large schema
// takes milliseconds and every logical cluster has the same definitions, so that whoever makes catalogs keeps
// one ResourceCache: equal definitions share one Resource, for as long as some catalog uses it.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>

#include "apiserver/catalog.hpp"
#include "base/result.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {

Result<ResourcePtr> resource_of_crd(const json::Object& crd);

// Safe to use from several threads.
class ResourceCache {
 public:
  Result<ResourcePtr> resource(const json::Object& crd);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<const Resource>> known_;  // by what the resource depends on
};

// Whether the server may serve it: condition Established is True.
bool is_established(const json::Object& crd);

}  // namespace fairway::apiserver
