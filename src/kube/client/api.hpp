// Api<T>: the verbs of the API on one described struct, in one namespace or over all.
//
//   Api<Widget> widgets(client, "apps");
//   FAIRWAY_CO_TRY(Widget widget, co_await widgets.get("one"));
//
// What the struct does not know is kept and written back. In a list an object that cannot be decoded is set
// aside with its error; the others are given.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kube/client/client.hpp"
#include "kube/core/resource_type.hpp"

namespace fairway::kube {

template <class T>
struct TypedList {
  struct Undecodable {
    ObjectKey key;
    Error error;
  };

  std::vector<T> items;
  ListMeta metadata = {};
  std::vector<Undecodable> undecodable = {};
};

template <TypedObject T>
class Api {
 public:
  // An empty namespace means all of them for lists, and the object's own for writes.
  explicit Api(Client& client, std::string ns = {}) : client_(client), namespace_(std::move(ns)) {}

  static ResourceType type() { return resource_type(static_cast<const T*>(nullptr)); }

  Task<T> get(std::string name, GetOptions options = {}) const {
    return as_struct(client_.get(at(std::move(name)), std::move(options)));
  }
  Task<TypedList<T>> list(ListOptions options = {}) const {
    return as_list(client_.list_all(type().in(namespace_), std::move(options)));
  }
  Task<T> create(const T& object, WriteOptions options = {}) const {
    return as_struct(client_.create(type().in(namespace_for(object)), encode(object), std::move(options)));
  }
  Task<T> update(const T& object, WriteOptions options = {}) const {
    return as_struct(client_.update(at(object), encode(object), std::move(options)));
  }
  Task<T> update_status(const T& object, WriteOptions options = {}) const {
    return as_struct(client_.update_status(at(object), encode(object), std::move(options)));
  }
  Task<T> patch(std::string name, PatchKind kind, json::Value patch, PatchOptions options = {}) const {
    return as_struct(client_.patch(at(std::move(name)), kind, std::move(patch), std::move(options)));
  }
  Task<T> patch_status(std::string name, PatchKind kind, json::Value patch, PatchOptions options = {}) const {
    return as_struct(client_.patch(type().in(namespace_, std::move(name), "status"), kind, std::move(patch),
                                   std::move(options)));
  }
  Task<T> apply(const T& object, ApplyOptions options = {}) const {
    return as_struct(client_.apply(at(object), encode(object), std::move(options)));
  }
  Task<json::Object> remove(std::string name, DeleteOptions options = {}) const {
    return client_.remove(at(std::move(name)), std::move(options));
  }
  Task<json::Object> remove_collection(DeleteOptions options = {}, ListOptions chosen = {}) const {
    return client_.remove_collection(type().in(namespace_), std::move(options), std::move(chosen));
  }

 private:
  static Task<T> as_struct(Task<json::Object> answer) {
    FAIRWAY_CO_TRY(const json::Object object, co_await std::move(answer));
    co_return decode<T>(object);
  }
  static Task<TypedList<T>> as_list(Task<ObjectList> answer) {
    FAIRWAY_CO_TRY(const ObjectList raw, co_await std::move(answer));
    TypedList<T> list{.items = {}, .metadata = raw.metadata};
    for (const json::Object& object : raw.items) {
      auto item = decode<T>(object);
      if (item) {
        list.items.push_back(*std::move(item));
      } else {
        list.undecodable.push_back({key_of(object), std::move(item.error())});
      }
    }
    co_return list;
  }

  Resource at(std::string name) const { return type().in(namespace_, std::move(name)); }
  Resource at(const T& object) const { return type().in(namespace_for(object), object.metadata.name); }
  std::string namespace_for(const T& object) const {
    return object.metadata.namespace_.empty() ? namespace_ : object.metadata.namespace_;
  }

  Client& client_;
  std::string namespace_;
};

}  // namespace fairway::kube
