// Cache<T>: the objects of one collection as the server last told us, with indexes and handlers. T is
// json::Object or a described struct.
//
// Objects are shared and immutable: what a reader holds never changes under it. A new list replaces
// everything at once; readers never see half of it. Handlers are called after the cache has changed, in
// order, once for each object that is really different; an object that was deleted and made again is a
// deletion and an addition. An object that cannot be decoded keeps its last good value and is listed in
// undecodable(): not being able to read it does not mean that it is gone. Belongs to one event loop. Fed by a
// Watcher through receive().
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "async/notify.hpp"
#include "async/task.hpp"
#include "kube/core/resource_type.hpp"
#include "kube/core/selector.hpp"
#include "kube/runtime/key_index.hpp"
#include "kube/runtime/watcher_state.hpp"

namespace fairway::kube {

// What an object of a cache tells of itself.
struct ObjectFacts {
  std::string uid;
  std::string version;
  Labels labels;
};
ObjectFacts facts_of(const json::Object& object);

// What caches of all types have in common.
class CacheBase {
 public:
  CacheBase() = default;
  virtual ~CacheBase() = default;
  CacheBase(const CacheBase&) = delete;
  CacheBase& operator=(const CacheBase&) = delete;

  virtual void receive(WatcherEvent event) = 0;
  virtual std::size_t size() const = 0;

  // Whether a whole list has been taken over at least once.
  bool has_synced() const { return has_synced_; }
  Task<void> wait_synced();
  // Objects that could not be decoded, and why.
  const std::map<ObjectKey, Error>& undecodable() const { return undecodable_; }

 protected:
  void set_synced();
  void set_undecodable(const ObjectKey& key, Error error);
  // The keys that a selector can match at most, by its labels; null when its labels say nothing.
  const std::set<ObjectKey>* candidates(const Selector& selector) const;
  void index_labels(const ObjectKey& key, const Labels& labels);
  void forget_labels(const ObjectKey& key) { by_label_.remove(key); }

  std::map<ObjectKey, Error> undecodable_;

 private:
  bool has_synced_ = false;
  async::Notify synced_;
  KeyIndex by_label_;
};

template <class T>
struct Change {
  ObjectKey key;
  std::shared_ptr<const T> before;  // null: added
  std::shared_ptr<const T> after;   // null: deleted
};

template <class T>
class Cache final : public CacheBase {
 public:
  using Pointer = std::shared_ptr<const T>;
  using IndexValues = std::function<std::vector<std::string>(const T&)>;
  using Handler = std::function<void(const Change<T>&)>;
  // Ends the subscription when it goes.
  using Subscription = std::shared_ptr<void>;

  Pointer get(const ObjectKey& key) const;
  // All below are in the order of their keys.
  std::vector<Pointer> all(std::string_view ns = {}) const;
  std::vector<Pointer> select(const Selector& selector, std::string_view ns = {}) const;
  std::size_t size() const override { return objects_.size(); }

  // Before or after the first list, once for each name.
  void add_index(std::string name, IndexValues values);
  std::vector<Pointer> by_index(std::string_view name, std::string_view value) const;
  const std::set<ObjectKey>& keys_by_index(std::string_view name, std::string_view value) const;

  // Objects that are already there are told of as added.
  [[nodiscard]] Subscription on_change(Handler handler);

  void receive(WatcherEvent event) override;

 private:
  struct Entry {
    Pointer object;
    ObjectFacts facts;
  };
  struct Index {
    IndexValues values;
    KeyIndex keys;
  };
  using Entries = std::map<ObjectKey, Entry>;

  std::optional<Entry> decode_entry(const ObjectKey& key, json::Object object);
  void put(const ObjectKey& key, Entry entry);
  void erase(const ObjectKey& key);
  void replace_all();
  void index(const ObjectKey& key, const Entry& entry);
  void unindex(const ObjectKey& key);
  void tell(const ObjectKey& key, const Entry* before, const Entry* after);
  void tell_handlers(const Change<T>& change);
  const Index& index_named(std::string_view name) const;

  Entries objects_;
  Entries incoming_;  // of a list that is not complete yet
  std::set<ObjectKey> incoming_undecodable_;
  std::map<std::string, Index, std::less<>> indexes_;
  std::map<std::uint64_t, Handler> handlers_;
  std::uint64_t next_handler_ = 0;
  std::shared_ptr<char> alive_ = std::make_shared<char>();  // so that a subscription may outlive the cache
};

using ObjectCache = Cache<json::Object>;

}  // namespace fairway::kube

#include "kube/runtime/cache_impl.hpp"  // IWYU pragma: export
