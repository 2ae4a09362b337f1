// ResourceType: what a kind of object is called, where it is found and whether it lives in namespaces.
//
// A struct that is used with Api<T> or Cache<T> says so beside its description, found by argument-dependent
// lookup:
//
//   inline kube::ResourceType resource_type(const Widget*) {
//     return {.kind = {"example.test", "v1", "Widget"}, .resource = "widgets", .is_namespaced = true};
//   }
#pragma once

#include <concepts>
#include <string>
#include <utility>

#include "json/codec.hpp"
#include "kube/core/gvk.hpp"
#include "kube/core/object.hpp"
#include "kube/core/request.hpp"

namespace fairway::kube {

struct ResourceType {
  GroupVersionKind kind;
  std::string resource;  // the plural, as in URLs
  bool is_namespaced = true;

  GroupVersionResource gvr() const { return {kind.group, kind.version, resource}; }
  // The collection in a namespace (all namespaces when it is empty), or an object in it. The namespace of a
  // cluster-scoped type is ignored.
  Resource in(std::string ns, std::string name = {}, std::string subresource = {}) const {
    return {gvr(), is_namespaced ? std::move(ns) : std::string(), std::move(name), std::move(subresource)};
  }
  Resource at(const ObjectKey& key, std::string subresource = {}) const {
    return in(key.namespace_, key.name, std::move(subresource));
  }
  auto operator<=>(const ResourceType&) const = default;
};

// A described struct that is an object of the API. It keeps what it does not know, so that writing back what
// was read loses nothing.
template <class T>
concept TypedObject = requires(T& object, const T* type) {
  { resource_type(type) } -> std::same_as<ResourceType>;
  { object.metadata } -> std::same_as<ObjectMeta&>;
  { object.unknown } -> std::same_as<json::Object&>;
};

// As JSON, with apiVersion and kind.
template <TypedObject T>
json::Object encode(const T& object) {
  const ResourceType type = resource_type(static_cast<const T*>(nullptr));
  json::Object encoded = json::to_object(object);
  encoded["apiVersion"] = type.kind.api_version();
  encoded["kind"] = type.kind.kind;
  return encoded;
}

// A reference to the object as the controller of what it owns.
template <TypedObject T>
OwnerReference controller_reference(const T& owner) {
  const ResourceType type = resource_type(static_cast<const T*>(nullptr));
  return {.api_version = type.kind.api_version(),
          .kind = type.kind.kind,
          .name = owner.metadata.name,
          .uid = owner.metadata.uid,
          .controller = true,
          .block_owner_deletion = true};
}

template <TypedObject T>
Result<T> decode(const json::Object& object) {
  auto decoded = json::from_json<T>(object);
  if (!decoded) {
    const ResourceType type = resource_type(static_cast<const T*>(nullptr));
    return std::unexpected(
        std::move(decoded.error()).within(type.kind.kind + " " + key_of(object).to_string()));
  }
  return decoded;
}

}  // namespace fairway::kube
