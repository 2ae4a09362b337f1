#include "apiserver/selection.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "apiserver/events_view.hpp"
#include "base/text.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {
namespace {

bool is_key_field(std::string_view field) {
  return field == "metadata.name" || field == "metadata.namespace";
}

std::optional<std::string_view> label(const store::Labels& labels, std::string_view key) {
  const auto found = std::ranges::lower_bound(labels, key, {},
                                              [](const auto& pair) { return std::string_view(pair.first); });
  if (found == labels.end() || found->first != key) return std::nullopt;
  return found->second;
}

// events.k8s.io names some fields otherwise than the stored events do.
kube::FieldSelector as_stored(const kube::FieldSelector& shown) {
  std::string text;
  for (const kube::FieldSelector::Term& term : shown.terms()) {
    std::string value;
    for (char c : term.value) {
      if (c == '\\' || c == ',' || c == '=') value += '\\';
      value += c;
    }
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ",", core_event_field(term.field),
                        term.equals ? "=" : "!=", value);
  }
  auto stored = kube::FieldSelector::parse(text);
  FAIRWAY_CHECK(stored.has_value(), "a field selector that was put together cannot be read");
  return *std::move(stored);
}

}  // namespace

ApiResult<Selection> Selection::parse(const Resource& resource, const ServedVersion& version,
                                      const http::Query& query) {
  Selection selection;
  if (const auto text = query.get("labelSelector"); text && !text->empty()) {
    auto labels = kube::Selector::parse(*text);
    if (!labels)
      return refuse(bad_request(fmt::format("unable to parse requirement: {}", labels.error().describe())));
    selection.labels_ = *std::move(labels);
  }
  if (const auto text = query.get("fieldSelector"); text && !text->empty()) {
    auto fields = kube::FieldSelector::parse(*text);
    if (!fields) return refuse(bad_request(fields.error().describe()));
    for (const auto& term : fields->terms()) {
      if (is_key_field(term.field)) continue;
      selection.needs_object_ = true;
      if (std::ranges::find(version.field_selectors, term.field) == version.field_selectors.end()) {
        return refuse(bad_request(fmt::format("field label not supported: {}", term.field)));
      }
    }
    selection.fields_ = is_events_view(resource) ? as_stored(*fields) : *std::move(fields);
    if (const auto name = selection.fields_.required_value("metadata.name"))
      selection.name_ = std::string(*name);
  }
  return selection;
}

void Selection::restrict_to(std::optional<std::string> ns, std::optional<std::string> name) {
  ns_ = std::move(ns);
  if (name) name_ = std::move(name);
}

bool Selection::matches(const store::Entry& entry) const {
  if (ns_ && entry.key.ns != *ns_) return false;
  if (name_ && entry.key.name != *name_) return false;
  return matches_labels(entry.labels) && matches_fields(entry);
}

bool Selection::matches_labels(const store::Labels& labels) const {
  if (labels_.is_nothing()) return false;
  return std::ranges::all_of(labels_.requirements(), [&](const kube::Requirement& requirement) {
    return requirement.matches(label(labels, requirement.key));
  });
}

bool Selection::matches_fields(const store::Entry& entry) const {
  if (fields_.is_everything()) return true;
  if (needs_object_) {
    const auto object = json::parse_object(*entry.value);
    return object && fields_.matches(*object);
  }
  return std::ranges::all_of(fields_.terms(), [&](const kube::FieldSelector::Term& term) {
    const std::string& value = term.field == "metadata.name" ? entry.key.name : entry.key.ns;
    return (value == term.value) == term.equals;
  });
}

}  // namespace fairway::apiserver
