// The templates behind kube/runtime/cache.hpp, which is what to include.
#pragma once

#include "kube/runtime/cache.hpp"

namespace fairway::kube {

extern template class Cache<json::Object>;

template <class T>
typename Cache<T>::Pointer Cache<T>::get(const ObjectKey& key) const {
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : found->second.object;
}

template <class T>
std::vector<typename Cache<T>::Pointer> Cache<T>::all(std::string_view ns) const {
  return select(Selector(), ns);
}

template <class T>
std::vector<typename Cache<T>::Pointer> Cache<T>::select(const Selector& selector,
                                                         std::string_view ns) const {
  std::vector<Pointer> found;
  const auto consider = [&](const ObjectKey& key, const Entry& entry) {
    if ((ns.empty() || key.namespace_ == ns) && selector.matches(entry.facts.labels))
      found.push_back(entry.object);
  };
  if (const auto* keys = candidates(selector)) {
    for (const ObjectKey& key : *keys) consider(key, objects_.at(key));
    return found;
  }
  // Keys are ordered by namespace first.
  auto entry = ns.empty() ? objects_.begin() : objects_.lower_bound({std::string(ns), ""});
  for (; entry != objects_.end() && (ns.empty() || entry->first.namespace_ == ns); ++entry) {
    consider(entry->first, entry->second);
  }
  return found;
}

template <class T>
void Cache<T>::add_index(std::string name, IndexValues values) {
  FAIRWAY_CHECK(!indexes_.contains(name), "an index of this name is already there");
  Index& made = indexes_.emplace(std::move(name), Index{std::move(values), {}}).first->second;
  for (const auto& [key, entry] : objects_) made.keys.put(key, made.values(*entry.object));
}

template <class T>
const typename Cache<T>::Index& Cache<T>::index_named(std::string_view name) const {
  const auto found = indexes_.find(name);
  FAIRWAY_CHECK(found != indexes_.end(), "an index is asked for that was never added");
  return found->second;
}

template <class T>
const std::set<ObjectKey>& Cache<T>::keys_by_index(std::string_view name, std::string_view value) const {
  return index_named(name).keys.find(value);
}

template <class T>
std::vector<typename Cache<T>::Pointer> Cache<T>::by_index(std::string_view name,
                                                           std::string_view value) const {
  const std::set<ObjectKey>& keys = keys_by_index(name, value);
  std::vector<Pointer> found;
  found.reserve(keys.size());
  for (const ObjectKey& key : keys) found.push_back(objects_.at(key).object);
  return found;
}

template <class T>
typename Cache<T>::Subscription Cache<T>::on_change(Handler handler) {
  const std::uint64_t id = next_handler_++;
  const Handler& kept = handlers_.emplace(id, std::move(handler)).first->second;
  // A copy, because a handler may do anything.
  for (const auto& [key, entry] : Entries(objects_)) kept({key, nullptr, entry.object});
  return {alive_.get(), [this, id, alive = std::weak_ptr(alive_)](void*) {
            if (!alive.expired()) handlers_.erase(id);
          }};
}

template <class T>
std::optional<typename Cache<T>::Entry> Cache<T>::decode_entry(const ObjectKey& key, json::Object object) {
  ObjectFacts facts = facts_of(object);
  if constexpr (std::same_as<T, json::Object>) {
    return Entry{std::make_shared<const T>(std::move(object)), std::move(facts)};
  } else {
    auto decoded = decode<T>(object);
    if (!decoded) {
      set_undecodable(key, std::move(decoded.error()));
      return std::nullopt;
    }
    undecodable_.erase(key);
    return Entry{std::make_shared<const T>(*std::move(decoded)), std::move(facts)};
  }
}

template <class T>
void Cache<T>::receive(WatcherEvent event) {
  if (std::holds_alternative<watcher::InitStart>(event)) {
    incoming_.clear();
    incoming_undecodable_.clear();
  } else if (auto* listed = std::get_if<watcher::InitObject>(&event)) {
    const ObjectKey key = key_of(listed->object);
    if (auto entry = decode_entry(key, std::move(listed->object))) {
      incoming_.insert_or_assign(key, *std::move(entry));
    } else {
      incoming_undecodable_.insert(key);
      if (const auto last = objects_.find(key); last != objects_.end())
        incoming_.insert_or_assign(key, last->second);
    }
  } else if (std::holds_alternative<watcher::InitDone>(event)) {
    replace_all();
  } else if (auto* applied = std::get_if<watcher::Applied>(&event)) {
    const ObjectKey key = key_of(applied->object);
    if (auto entry = decode_entry(key, std::move(applied->object))) put(key, *std::move(entry));
  } else {
    const ObjectKey key = key_of(std::get<watcher::Deleted>(event).object);
    undecodable_.erase(key);
    erase(key);
  }
}

template <class T>
void Cache<T>::put(const ObjectKey& key, Entry entry) {
  Entry& slot = objects_[key];
  const Entry before = std::exchange(slot, std::move(entry));
  const Entry after = slot;
  index(key, after);
  tell(key, before.object ? &before : nullptr, &after);
}

template <class T>
void Cache<T>::erase(const ObjectKey& key) {
  auto gone = objects_.extract(key);
  if (gone.empty()) return;
  unindex(key);
  tell(key, &gone.mapped(), nullptr);
}

template <class T>
void Cache<T>::replace_all() {
  Entries before = std::exchange(objects_, std::exchange(incoming_, {}));
  // A copy: handlers are told of this list, whatever they make us receive meanwhile.
  const Entries after = objects_;
  for (const auto& [key, entry] : before) {
    if (!after.contains(key)) unindex(key);
  }
  std::erase_if(undecodable_,
                [this](const auto& each) { return !incoming_undecodable_.contains(each.first); });
  for (const auto& [key, entry] : after) index(key, entry);
  for (const auto& [key, entry] : before) {
    if (!after.contains(key)) tell(key, &entry, nullptr);
  }
  for (const auto& [key, entry] : after) {
    const auto old = before.find(key);
    tell(key, old == before.end() ? nullptr : &old->second, &entry);
  }
  set_synced();
}

template <class T>
void Cache<T>::index(const ObjectKey& key, const Entry& entry) {
  index_labels(key, entry.facts.labels);
  for (auto& [name, each] : indexes_) each.keys.put(key, each.values(*entry.object));
}

template <class T>
void Cache<T>::unindex(const ObjectKey& key) {
  forget_labels(key);
  for (auto& [name, each] : indexes_) each.keys.remove(key);
}

template <class T>
void Cache<T>::tell(const ObjectKey& key, const Entry* before, const Entry* after) {
  if (before != nullptr && after != nullptr) {
    if (before->facts.uid != after->facts.uid) {
      tell_handlers({key, before->object, nullptr});
      return tell_handlers({key, nullptr, after->object});
    }
    if (!after->facts.version.empty() && before->facts.version == after->facts.version) return;
  }
  tell_handlers(
      {key, before == nullptr ? nullptr : before->object, after == nullptr ? nullptr : after->object});
}

template <class T>
void Cache<T>::tell_handlers(const Change<T>& change) {
  // A handler may add or end subscriptions, its own included.
  std::vector<std::uint64_t> ids;
  ids.reserve(handlers_.size());
  for (const auto& [id, handler] : handlers_) ids.push_back(id);
  for (const std::uint64_t id : ids) {
    const auto found = handlers_.find(id);
    if (found == handlers_.end()) continue;
    const Handler handler = found->second;
    handler(change);
  }
}

}  // namespace fairway::kube
