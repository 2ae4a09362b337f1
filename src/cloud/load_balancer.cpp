#include "cloud/load_balancer.hpp"

#include <map>

#include "base/text.hpp"
#include "cloud/fields.hpp"
#include "cloud/fingerprint.hpp"

namespace fairway::cloud {

std::optional<LoadBalancer> load_balancer_of(const json::Object& service) {
  const auto text = kube::annotation(service, kRecordAnnotation);
  if (!text) return std::nullopt;
  const auto parsed = json::parse_object(*text);
  if (!parsed) return std::nullopt;
  auto record = json::from_json<LoadBalancer>(*parsed);
  if (!record || record->uid != kube::uid_of(service) || !parse_ipv4(record->address)) return std::nullopt;
  if (record->operation && !record->operation->since) return std::nullopt;
  return *std::move(record);
}

std::set<std::string> addresses_of(const LoadBalancer& record) {
  std::set<std::string> addresses = {record.address};
  if (record.operation && !record.operation->address.empty()) addresses.insert(record.operation->address);
  return addresses;
}

bool has_class(const json::Object& service) {
  return !json::get_string(service, {"spec", "loadBalancerClass"}).value_or("").empty();
}

bool wants_load_balancer(const json::Object& service) {
  return json::get_string(service, {"spec", "type"}) == "LoadBalancer" && !has_class(service) &&
         !kube::is_being_deleted(service);
}

std::string wishes_of(const json::Object& service) {
  std::string text;
  if (const json::Object* spec = json::get_object(service, {"spec"})) text = json::serialize(*spec);
  std::map<std::string_view, const json::Value*> sorted;
  if (const json::Object* annotations = json::get_object(service, {"metadata", "annotations"}))
    for (const auto& [key, value] : *annotations)
      if (key != kRecordAnnotation && key != kScopeAnnotation) sorted.emplace(key, &value);
  for (const auto& [key, value] : sorted) {
    text += '\n';
    text += key;
    text += '=' + json::serialize(*value);
  }
  return fingerprint_text(text);
}

std::vector<std::string> source_ranges_of(const json::Object& service) {
  std::vector<std::string> ranges;
  for (const json::Value& each : array_at(service, {"spec", "loadBalancerSourceRanges"}))
    if (each.is_string()) ranges.emplace_back(trim(json::view(each.get_string())));
  if (!ranges.empty()) return ranges;
  for (const std::string_view each :
       split(kube::annotation(service, kSourceRangesAnnotation).value_or(""), ','))
    if (!trim(each).empty()) ranges.emplace_back(trim(each));
  return ranges;
}

std::vector<std::string> published_of(const json::Object& service) {
  std::vector<std::string> found;
  for_objects(service, {"status", "loadBalancer", "ingress"}, [&](const json::Object& point) {
    for (const std::string_view field : {"hostname", "ip"})
      if (const auto text = json::get_string(point, {field})) found.emplace_back(*text);
  });
  return found;
}

}  // namespace fairway::cloud
