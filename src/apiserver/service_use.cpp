#include "apiserver/service_use.hpp"

#include "apiserver/kinds_service.hpp"
#include "apiserver/objects.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {

ServiceUse::Known ServiceUse::read(const store::Entry& entry) {
  const json::Object service = parse_stored(entry.value);
  const std::set<std::int64_t> ports = kinds::node_ports_of(service);
  return {.revision = entry.revision,
          .address = std::string(json::get_string(service, {"spec", "clusterIP"}).value_or("")),
          .node_ports = {ports.begin(), ports.end()}};
}

UsedByServices ServiceUse::of(const store::Store& store, const std::string& cluster) {
  // Both are in the order of keys: one walk adds, renews and forgets.
  std::map<store::Key, Known>& all = known_[cluster];
  auto known = all.begin();
  for (const auto& entry : store.list({.cluster = cluster, .resource = "/services"}).entries) {
    while (known != all.end() && known->first < entry->key) known = all.erase(known);
    if (known == all.end() || known->first != entry->key) {
      known = all.emplace_hint(known, entry->key, read(*entry));
    } else if (known->second.revision != entry->revision) {
      known->second = read(*entry);
    }
    ++known;
  }
  all.erase(known, all.end());
  UsedByServices used;
  for (const auto& [key, each] : all) {
    used.addresses.insert(each.address);
    used.node_ports.insert(each.node_ports.begin(), each.node_ports.end());
  }
  return used;
}

}  // namespace fairway::apiserver
