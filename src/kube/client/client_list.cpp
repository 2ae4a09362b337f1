#include <fmt/format.h>

#include "base/text.hpp"
#include "kube/client/client.hpp"

namespace fairway::kube {
namespace {

// Items of a list of a built-in kind do not say what they are; the list does.
void complete_type(json::Object& item, std::string_view api_version, std::string_view item_kind) {
  if (kind_of(item).empty() && !item_kind.empty()) item["kind"] = item_kind;
  if (api_version_of(item).empty() && !api_version.empty()) item["apiVersion"] = api_version;
}

Result<ObjectList> read_list(json::Object answer, const Resource& resource) {
  const auto unexpected = [&](std::string_view what) {
    return std::unexpected(
        Error{ErrorCode::Internal, fmt::format("expected a list with {}, found none", what)}.within(
            "listing " + resource.type.group_resource().to_string()));
  };
  ObjectList list;
  const json::Object* metadata = json::get_object(answer, {"metadata"});
  if (metadata == nullptr) return unexpected("metadata");
  FAIRWAY_TRY(list.metadata, json::from_json<ListMeta>(*metadata));
  const std::string api_version(api_version_of(answer));
  std::string_view kind = kind_of(answer);
  if (kind.ends_with("List")) kind.remove_suffix(4);
  const std::string item_kind(kind);
  json::Value* items = json::find(answer, {"items"});
  if (items == nullptr || items->is_null()) return list;
  if (!items->is_array()) return unexpected("an array of items");
  list.items.reserve(items->get_array().size());
  for (json::Value& item : items->get_array()) {
    // What is not an object cannot be an item; it is left out rather than failing all others.
    if (!item.is_object()) continue;
    complete_type(item.get_object(), api_version, item_kind);
    list.items.push_back(std::move(item.get_object()));
  }
  return list;
}

}  // namespace

Task<ObjectList> Client::list(Resource resource, ListOptions options) {
  FAIRWAY_CO_TRY(json::Object answer, co_await send(list_request(resource, options)));
  co_return read_list(std::move(answer), resource);
}

Task<ObjectList> Client::list_all(Resource resource, ListOptions options) {
  if (options.limit == 0) options.limit = options_.page_size;
  FAIRWAY_CO_TRY(ObjectList all, co_await list(resource, options));
  while (!all.metadata.continue_.empty()) {
    ListOptions more = options;
    more.continue_ = all.metadata.continue_;
    // The token says which version it continues.
    more.resource_version.clear();
    more.resource_version_match.clear();
    auto page = co_await list(resource, std::move(more));
    if (!page && page.error().code == ErrorCode::Gone) {
      options.limit = 0;
      co_return co_await list(std::move(resource), std::move(options));
    }
    if (!page) co_return std::unexpected(std::move(page.error()));
    std::ranges::move(page->items, std::back_inserter(all.items));
    all.metadata = std::move(page->metadata);
  }
  co_return all;
}

}  // namespace fairway::kube
