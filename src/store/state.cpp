#include "store/state.hpp"

#include <utility>

namespace fairway::store {
namespace {

Scope scope_of(const Key& key) {
  return {.cluster = key.cluster, .resource = key.resource};
}

Position position_of(const Key& key) {
  return {.ns = key.ns, .name = key.name};
}

using Entries = std::map<Position, EntryPtr>;
using Span = std::pair<Entries::const_iterator, Entries::const_iterator>;

// What the query's namespace and starting point leave of an ordered map.
Span span_of(const Entries& entries, const Query& query) {
  auto first = entries.begin();
  auto last = entries.end();
  if (query.ns) {
    first = entries.lower_bound({.ns = *query.ns, .name = {}});
    // The smallest text greater than the namespace is the namespace followed by a NUL.
    last = entries.lower_bound({.ns = *query.ns + '\0', .name = {}});
  }
  if (query.after && (first == last || first->first <= *query.after)) {
    first = entries.upper_bound(*query.after);
    if (query.ns && *query.ns < query.after->ns) first = last;
  }
  return {first, last};
}

// Walks the table and the overlay side by side; where both have a position, the overlay decides.
class MergedWalk {
 public:
  MergedWalk(Span now, Span earlier) : now_(now), earlier_(earlier) {}

  // Null at the end.
  EntryPtr next() {
    for (;;) {
      const bool has_now = now_.first != now_.second;
      const bool has_earlier = earlier_.first != earlier_.second;
      if (!has_now && !has_earlier) return nullptr;
      if (!has_earlier || (has_now && now_.first->first < earlier_.first->first))
        return (now_.first++)->second;
      if (has_now && now_.first->first == earlier_.first->first) ++now_.first;
      if (const EntryPtr& entry = (earlier_.first++)->second) return entry;
    }
  }

 private:
  Span now_;
  Span earlier_;
};

}  // namespace

bool State::insert(EntryPtr entry) {
  Table& table = tables_[scope_of(entry->key)];
  const Position position = position_of(entry->key);
  if (!table.entries.emplace(position, std::move(entry)).second) return false;
  ++table.namespaces[position.ns];
  ++size_;
  return true;
}

void State::remove_from(Table& table, const Position& position) {
  table.entries.erase(position);
  const auto count = table.namespaces.find(position.ns);
  if (--count->second == 0) table.namespaces.erase(count);
}

void State::apply(const Change& change) {
  const Key& key = change.now->key;
  if (change.kind == ChangeKind::Created) {
    insert(change.now);
    return;
  }
  const auto table = tables_.find(scope_of(key));
  if (change.kind == ChangeKind::Updated) {
    table->second.entries.find(position_of(key))->second = change.now;
    return;
  }
  remove_from(table->second, position_of(key));
  --size_;
  if (table->second.entries.empty()) tables_.erase(table);
}

EntryPtr State::get(const Key& key) const {
  const auto table = tables_.find(scope_of(key));
  if (table == tables_.end()) return nullptr;
  const auto entry = table->second.entries.find(position_of(key));
  return entry == table->second.entries.end() ? nullptr : entry->second;
}

Page State::list(const Query& query, const Overlay& earlier) const {
  static const Entries kNone;
  const auto table = tables_.find({.cluster = query.cluster, .resource = query.resource});
  const Entries& entries = table == tables_.end() ? kNone : table->second.entries;
  MergedWalk walk(span_of(entries, query), span_of(earlier, query));
  Page page;
  std::uint64_t remaining = 0;
  while (EntryPtr entry = walk.next()) {
    if (query.matches && !query.matches(*entry)) continue;
    if (query.limit == 0 || page.entries.size() < query.limit) {
      page.entries.push_back(std::move(entry));
      continue;
    }
    page.has_more = true;
    ++remaining;
    if (query.matches) break;  // counting the rest would mean examining it
  }
  if (page.has_more && !query.matches) page.remaining = remaining;
  return page;
}

std::size_t State::count(const Scope& resource, const std::optional<std::string>& ns) const {
  const auto table = tables_.find(resource);
  if (table == tables_.end()) return 0;
  if (!ns) return table->second.entries.size();
  const auto count = table->second.namespaces.find(*ns);
  return count == table->second.namespaces.end() ? 0 : count->second;
}

std::vector<ResourceCount> State::resources() const {
  std::vector<ResourceCount> counts;
  for (const auto& [scope, table] : tables_)
    counts.push_back({scope.cluster, scope.resource, table.entries.size()});
  return counts;
}

}  // namespace fairway::store
