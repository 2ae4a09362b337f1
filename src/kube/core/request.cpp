#include "kube/core/request.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "kube/core/names.hpp"

namespace fairway::kube {
namespace {

// Query parameters in the order they are added; empty ones are left out.
class Query {
 public:
  Query& add(std::string_view key, std::string_view value) {
    if (value.empty()) return *this;
    text_ += fmt::format("{}{}={}", text_.empty() ? '?' : '&', key, percent_encode(value));
    return *this;
  }
  Query& add(std::string_view key, std::optional<std::chrono::seconds> value) {
    return value ? add(key, std::to_string(value->count())) : *this;
  }
  Query& add_if(bool condition, std::string_view key, std::string_view value) {
    return condition ? add(key, value) : *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

Result<void> check_segment(std::string_view what, std::string_view value) {
  const Problems problems = validate_path_segment_name(value);
  if (problems.empty()) return {};
  return fail(ErrorCode::Invalid,
              fmt::format("invalid {} {}: {}", what, quoted(value), join(problems, "; ")));
}

Result<std::string> object_path(const Resource& resource) {
  if (resource.name.empty()) {
    return fail(ErrorCode::Invalid, fmt::format("expected the name of one of {}, found none",
                                                resource.type.group_resource().to_string()));
  }
  return resource.path();
}

Result<std::string> collection_path(const Resource& resource) {
  if (!resource.name.empty()) {
    return fail(ErrorCode::Invalid,
                fmt::format("expected the collection of {}, found the name {}: leave it out",
                            resource.type.group_resource().to_string(), quoted(resource.name)));
  }
  return resource.path();
}

Query selection(const ListOptions& options) {
  Query query;
  query.add("labelSelector", options.label_selector)
      .add("fieldSelector", options.field_selector)
      .add("resourceVersion", options.resource_version)
      .add("resourceVersionMatch", options.resource_version_match)
      .add_if(options.limit > 0, "limit", std::to_string(options.limit))
      .add("continue", options.continue_)
      .add("timeoutSeconds", options.timeout);
  return query;
}

Query writing(const WriteOptions& options) {
  Query query;
  query.add_if(options.dry_run, "dryRun", "All")
      .add("fieldManager", options.field_manager)
      .add("fieldValidation", options.field_validation);
  return query;
}

std::string delete_body(const DeleteOptions& options) {
  json::Object body{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}};
  if (options.grace_period_seconds) body["gracePeriodSeconds"] = *options.grace_period_seconds;
  if (options.propagation) body["propagationPolicy"] = to_string(*options.propagation);
  if (!options.uid.empty()) json::ensure_object(body, {"preconditions"})["uid"] = options.uid;
  if (!options.resource_version.empty()) {
    json::ensure_object(body, {"preconditions"})["resourceVersion"] = options.resource_version;
  }
  if (options.dry_run) body["dryRun"] = json::Array{"All"};
  return json::serialize(body);
}

ApiRequest with_body(std::string method, std::string path_and_query, std::string body,
                     Answer answer = Answer::Object) {
  return {.method = std::move(method),
          .path_and_query = std::move(path_and_query),
          .content_type = std::string(kJson),
          .accept = std::string(answer == Answer::Object ? kJson : kAcceptMetadata),
          .body = std::move(body),
          .is_answer_read = answer != Answer::Nothing};
}

}  // namespace

std::string_view media_type(PatchKind kind) {
  switch (kind) {
    case PatchKind::Json:
      return "application/json-patch+json";
    case PatchKind::Merge:
      return "application/merge-patch+json";
    case PatchKind::Strategic:
      return "application/strategic-merge-patch+json";
    case PatchKind::Apply:
      return "application/apply-patch+yaml";
  }
  FAIRWAY_CHECK(false, "a patch kind outside its enumeration");
}

std::optional<PatchKind> patch_kind_of(std::string_view content_type) {
  const std::string_view type = trim(content_type.substr(0, content_type.find(';')));
  for (PatchKind kind : {PatchKind::Json, PatchKind::Merge, PatchKind::Strategic, PatchKind::Apply}) {
    if (equals_ignoring_case(media_type(kind), type)) return kind;
  }
  return std::nullopt;
}

std::string_view to_string(Propagation propagation) {
  switch (propagation) {
    case Propagation::Background:
      return "Background";
    case Propagation::Foreground:
      return "Foreground";
    case Propagation::Orphan:
      return "Orphan";
  }
  FAIRWAY_CHECK(false, "a propagation policy outside its enumeration");
}

Result<std::string> Resource::path() const {
  FAIRWAY_CHECK(!type.version.empty() && !type.resource.empty(), "a resource without version or type");
  FAIRWAY_CHECKED(check_segment("namespace", namespace_));
  FAIRWAY_CHECKED(check_segment("name", name));
  std::string path = type.group.empty() ? fmt::format("/api/{}", type.version)
                                        : fmt::format("/apis/{}/{}", type.group, type.version);
  if (!namespace_.empty()) path += "/namespaces/" + percent_encode(namespace_);
  path += "/" + type.resource;
  if (!name.empty()) path += "/" + percent_encode(name);
  if (!subresource.empty()) path += "/" + subresource;
  return path;
}

Result<ApiRequest> get_request(const Resource& resource, const GetOptions& options) {
  FAIRWAY_TRY(std::string path, object_path(resource));
  Query query;
  query.add("resourceVersion", options.resource_version);
  return ApiRequest{.method = "GET", .path_and_query = path + query.text()};
}

Result<ApiRequest> list_request(const Resource& resource, const ListOptions& options) {
  FAIRWAY_TRY(std::string path, collection_path(resource));
  return ApiRequest{.method = "GET",
                    .path_and_query = path + selection(options).text(),
                    .managed_fields = options.managed_fields};
}

Result<ApiRequest> watch_request(const Resource& resource, const WatchOptions& options) {
  FAIRWAY_TRY(std::string path, collection_path(resource));
  Query query;
  query.add("watch", "true")
      .add_if(options.allow_bookmarks, "allowWatchBookmarks", "true")
      .add("labelSelector", options.label_selector)
      .add("fieldSelector", options.field_selector)
      .add("resourceVersion", options.resource_version)
      .add("resourceVersionMatch", options.resource_version_match)
      .add("timeoutSeconds", options.timeout);
  if (options.send_initial_events)
    query.add("sendInitialEvents", *options.send_initial_events ? "true" : "false");
  return ApiRequest{.method = "GET", .path_and_query = path + query.text()};
}

Result<ApiRequest> create_request(const Resource& resource, const json::Object& object,
                                  const WriteOptions& options) {
  // A subresource is created on an object: pods/web/eviction.
  FAIRWAY_TRY(std::string path,
              resource.subresource.empty() ? collection_path(resource) : object_path(resource));
  return with_body("POST", path + writing(options).text(), json::serialize(object), options.answer);
}

Result<ApiRequest> update_request(const Resource& resource, const json::Object& object,
                                  const WriteOptions& options) {
  FAIRWAY_TRY(std::string path, object_path(resource));
  return with_body("PUT", path + writing(options).text(), json::serialize(object), options.answer);
}

Result<ApiRequest> patch_request(const Resource& resource, PatchKind kind, const json::Value& patch,
                                 const PatchOptions& options) {
  FAIRWAY_TRY(std::string path, object_path(resource));
  Query query;
  query.add_if(options.dry_run, "dryRun", "All")
      .add("fieldManager", options.field_manager)
      .add("fieldValidation", options.field_validation)
      .add_if(options.force, "force", "true");
  ApiRequest request = with_body("PATCH", path + query.text(), json::serialize(patch), options.answer);
  request.content_type = media_type(kind);
  return request;
}

Result<ApiRequest> apply_request(const Resource& resource, const json::Object& object,
                                 std::string field_manager, bool force, bool dry_run) {
  if (field_manager.empty()) {
    return fail(ErrorCode::Invalid, "expected the name of a field manager for server-side apply, found none");
  }
  return patch_request(resource, PatchKind::Apply, object,
                       {.dry_run = dry_run, .field_manager = std::move(field_manager), .force = force});
}

Result<ApiRequest> delete_request(const Resource& resource, const DeleteOptions& options) {
  FAIRWAY_TRY(std::string path, object_path(resource));
  return with_body("DELETE", std::move(path), delete_body(options));
}

Result<ApiRequest> delete_collection_request(const Resource& resource, const DeleteOptions& options,
                                             const ListOptions& chosen) {
  FAIRWAY_TRY(std::string path, collection_path(resource));
  return with_body("DELETE", path + selection(chosen).text(), delete_body(options));
}

}  // namespace fairway::kube
