#include "apiserver/rest.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "apiserver/body.hpp"
#include "apiserver/events_view.hpp"
#include "apiserver/list.hpp"
#include "apiserver/scale.hpp"
#include "apiserver/selection.hpp"
#include "base/text.hpp"
#include "json/arena.hpp"

namespace fairway::apiserver {

struct Rest::Call {
  const RestRequest& request;
  const Resource& resource;
  const ServedVersion& version;
  Place place;
  OutputForm form;
  WallTime now;
  json::Storage storage = {};  // of the object in its body

  const http::Query& query() const { return request.info.query; }
  const std::string& subresource() const { return request.info.subresource; }
  Presenter presenter() const { return Presenter(resource, version, form, now, request.schema_since); }
  ApiResult<WriteOptions> write_options(bool is_apply = false) const;
  ApiResult<Selection> selection() const;
  json::Object in_stored_form(json::Object object) const {
    return is_events_view(resource) ? from_events_view(std::move(object)) : std::move(object);
  }
};

namespace {

using json::FieldError;

std::string_view options_kind(const RequestInfo& info) {
  if (info.verb == "create") return "CreateOptions";
  if (info.verb == "update") return "UpdateOptions";
  return info.verb == "patch" ? "PatchOptions" : "DeleteOptions";
}

ApiResult<bool> dry_run(const RequestInfo& info) {
  static const std::vector<std::string> kSupported{"All"};
  const auto values = info.query.all("dryRun");
  for (std::string_view value : values) {
    if (value == "All") continue;
    return refuse(invalid_options(options_kind(info),
                                  FieldError::not_supported("dryRun", json::Value(value), kSupported)));
  }
  return !values.empty();
}

ApiResult<FieldValidation> field_validation(const RequestInfo& info) {
  static const std::vector<std::string> kSupported{"", "Ignore", "Strict", "Warn"};
  const auto value = info.query.get("fieldValidation").value_or("");
  if (value.empty() || value == "Warn") return FieldValidation::Warn;
  if (value == "Strict") return FieldValidation::Strict;
  if (value == "Ignore") return FieldValidation::Ignore;
  return refuse(invalid_options(
      info.verb, FieldError::not_supported("fieldValidation", json::Value(value), kSupported)));
}

ApiResult<void> check_manager(const RequestInfo& info, bool is_apply) {
  constexpr std::int64_t kLongest = 128;
  const auto manager = info.query.get("fieldManager").value_or("");
  if (manager.empty() && is_apply) {
    return refuse(invalid_options(options_kind(info),
                                  FieldError::required("fieldManager", "is required for apply patch")));
  }
  if (manager.size() > kLongest) {
    return refuse(invalid_options(options_kind(info), FieldError::too_long("fieldManager", kLongest)));
  }
  return {};
}

// The manager that the client names, or the program by its User-Agent, as Kubernetes does.
std::string field_manager(const RestRequest& request) {
  const auto named = request.info.query.get("fieldManager").value_or("");
  if (!named.empty()) return std::string(named);
  const auto agent = request.http.headers.find("user-agent").value_or("unknown");
  return std::string(agent.substr(0, std::min<std::size_t>(agent.find('/'), 128)));
}

bool is_known_subresource(const Resource& resource, const ServedVersion& version, std::string_view name) {
  if (name.empty() || (name == "status" && version.has_status)) return true;
  if (name == "scale") return version.scale.has_value();
  return name == "finalize" && resource.group.empty() && resource.kind == "Namespace";
}

bool can_serve(const Resource& resource, const RequestInfo& info) {
  if (info.subresource.empty()) return resource.has_verb(info.verb);
  return info.verb == "get" || info.verb == "update" || info.verb == "patch";
}

}  // namespace

void add_warnings(http::Response& response, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    std::string text = replace_all(replace_all(warning, "\\", "\\\\"), "\"", "\\\"");
    std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    response.headers.add("Warning", fmt::format("299 - \"{}\"", text));
  }
}

ApiResult<WriteOptions> Rest::Call::write_options(bool is_apply) const {
  WriteOptions options;
  options.version = &version;
  if (is_events_view(resource)) {
    options.version = &place.resource->storage_version();
    options.view = &resource;
  }
  options.subresource = subresource();
  auto dry = apiserver::dry_run(request.info);
  if (!dry) return refuse(std::move(dry.error()));
  auto validation = field_validation(request.info);
  if (!validation) return refuse(std::move(validation.error()));
  options.dry_run = *dry;
  options.validation = *validation;
  if (auto named = check_manager(request.info, is_apply); !named) return refuse(std::move(named.error()));
  options.manager = field_manager(request);
  options.admission = request.admission;
  return options;
}

ApiResult<Selection> Rest::Call::selection() const {
  auto parsed = Selection::parse(resource, version, query());
  if (!parsed) return parsed;
  std::optional<std::string> ns, name;
  if (!place.ns.empty()) ns = place.ns;
  if (!place.name.empty()) name = place.name;
  parsed->restrict_to(std::move(ns), std::move(name));
  return parsed;
}

ApiResult<Rest::Call> Rest::resolve(const RestRequest& request) const {
  const RequestInfo& info = request.info;
  const Resource& resource = request.resource;
  if (!is_known_subresource(resource, request.version, info.subresource)) return refuse(path_not_found());
  if (!can_serve(resource, info)) return refuse(method_not_allowed(request.http.method));
  const bool needs_name = info.verb == "update" || info.verb == "patch";
  if (needs_name == info.name.empty() && (needs_name || info.verb == "create")) {
    return refuse(method_not_allowed(request.http.method));
  }
  if (resource.is_terminating && info.verb == "create") {
    ApiError error = method_not_allowed(request.http.method);
    error.message = "create not allowed while custom resource definition is terminating";
    return refuse(std::move(error));
  }
  const bool is_namespaces = info.group.empty() && info.resource == "namespaces";
  // What is shown in another form is written in its own.
  const Resource* stored = is_events_view(resource) ? request.catalog->find("", "events") : &resource;
  Place place{info.cluster, stored, is_namespaces ? "" : info.ns, info.name};
  const bool needs_namespace = resource.is_namespaced && (info.verb == "create" || !info.name.empty());
  if (needs_namespace && place.ns.empty()) {
    return refuse(bad_request(
        fmt::format("the resource {} is namespaced: name a namespace in the path", resource.plural)));
  }
  if (!resource.is_namespaced && !place.ns.empty()) return refuse(path_not_found());
  auto form = OutputForm::negotiate(request.http.headers, info.query);
  if (!form) return refuse(std::move(form.error()));
  return Call{request, resource, request.version, std::move(place), *std::move(form), clock_.now()};
}

Task<void> Rest::serve(RestRequest request, http::ResponseWriter& writer) {
  auto call = resolve(request);
  if (!call) co_return co_await writer.send(response_of(call.error()));
  // Values in an arena stay until the answer is sent, with all that was made on the way.
  constexpr std::size_t kMostInArena = 64 * 1024;
  json::Arena arena;
  if (request.http.body.size() <= kMostInArena) call->storage = arena.storage();
  if (request.info.verb == "watch") co_return co_await watch(*call, writer);
  auto response = co_await answer(*call);
  if (!response) co_return co_await writer.send(response_of(response.error()));
  if (!call->version.deprecation_warning.empty())
    add_warnings(*response, {call->version.deprecation_warning});
  co_return co_await writer.send(*std::move(response));
}

ApiTask<http::Response> Rest::answer(const Call& call) {
  const std::string& verb = call.request.info.verb;
  if (call.subresource() == "scale") return scale(call);
  if (verb == "get") return get(call);
  if (verb == "list") return list(call);
  if (verb == "create") return create(call);
  if (verb == "update") return update(call);
  if (verb == "patch") return patch(call);
  if (verb == "delete") return remove(call);
  FAIRWAY_CHECK(verb == "deletecollection", "a verb that no resource has");
  return remove_collection(call);
}

Task<void> Rest::watch(const Call& call, http::ResponseWriter& writer) {
  auto selection = call.selection();
  if (!selection) co_return co_await writer.send(response_of(selection.error()));
  auto options = WatchOptions::parse(call.query(), objects_.store().revision());
  if (!options) co_return co_await writer.send(response_of(options.error()));
  co_return co_await serve_watch(objects_.store(), clock_, {call.place.cluster, call.resource.stored_as},
                                 *std::move(selection), call.presenter(), *options, watch_limits_, writer);
}

ApiTask<http::Response> Rest::get(const Call& call) {
  const store::EntryPtr entry = objects_.get(call.place);
  if (!entry) co_return refuse(not_found(call.resource, call.place.name));
  co_return call.presenter().one(200, *entry);
}

ApiTask<http::Response> Rest::list(const Call& call) {
  auto selection = call.selection();
  if (!selection) co_return refuse(std::move(selection.error()));
  auto options = ListOptions::parse(call.query(), objects_.store().revision());
  if (!options) co_return refuse(std::move(options.error()));
  auto found = co_await list_objects(objects_.store(), {call.place.cluster, call.resource.stored_as},
                                     *std::move(selection), *std::move(options));
  if (!found) co_return refuse(std::move(found.error()));
  co_return call.presenter().list(found->head, found->entries);
}

ApiTask<http::Response> Rest::create(const Call& call) {
  auto options = call.write_options();
  if (!options) co_return refuse(std::move(options.error()));
  auto object = read_object(call.request.http, call.resource, call.version, call.storage);
  if (!object) co_return refuse(std::move(object.error()));
  auto written = co_await objects_.create(call.place, call.in_stored_form(*std::move(object)), *options);
  if (!written) co_return refuse(std::move(written.error()));
  auto response = call.presenter().one(201, written->text);
  add_warnings(response, written->warnings);
  co_return response;
}

ApiTask<http::Response> Rest::update(const Call& call) {
  auto options = call.write_options();
  if (!options) co_return refuse(std::move(options.error()));
  auto object = read_object(call.request.http, call.resource, call.version, call.storage);
  if (!object) co_return refuse(std::move(object.error()));
  auto written = co_await objects_.update(call.place, call.in_stored_form(*std::move(object)), *options);
  if (!written) co_return refuse(std::move(written.error()));
  auto response = call.presenter().one(200, written->text);
  add_warnings(response, written->warnings);
  co_return response;
}

ApiTask<http::Response> Rest::patch(const Call& call) {
  auto body = read_patch(call.request.http, call.resource);
  if (!body) co_return refuse(std::move(body.error()));
  const bool is_apply = body->kind == PatchBody::Kind::Apply;
  auto options = call.write_options(is_apply);
  if (!options) co_return refuse(std::move(options.error()));
  if (!is_apply && call.query().has("force")) {
    co_return refuse(invalid_options(
        "PatchOptions", FieldError::forbidden("force", "may not be specified for non-apply patch")));
  }
  if (is_apply) {
    auto force = query_flag(call.query(), "force");
    if (!force) co_return refuse(std::move(force.error()));
    body->force = *force;
    if (!body->patch.is_object()) co_return refuse(bad_request("expected an object to apply"));
    auto typed =
        check_type(body->patch.get_object(), call.resource.api_version(call.version), call.resource.kind);
    if (!typed) co_return refuse(std::move(typed.error()));
    body->patch = call.in_stored_form(std::move(body->patch.get_object()));
  }
  auto written = co_await objects_.patch(call.place, *std::move(body), *options);
  if (!written) co_return refuse(std::move(written.error()));
  auto response = call.presenter().one(written->is_created ? 201 : 200, written->text);
  add_warnings(response, written->warnings);
  co_return response;
}

ApiTask<http::Response> Rest::remove(const Call& call) {
  auto body = read_options(call.request.http);
  if (!body) co_return refuse(std::move(body.error()));
  auto options = DeleteOptions::parse(*body, call.query());
  if (!options) co_return refuse(std::move(options.error()));
  auto dry = dry_run(call.request.info);
  if (!dry) co_return refuse(std::move(dry.error()));
  options->dry_run = options->dry_run || *dry;
  auto deleted = co_await objects_.remove(call.place, *options);
  if (!deleted) co_return refuse(std::move(deleted.error()));
  // Pods are deleted gracefully, and such a deletion is answered with the object even when it is over at
  // once.
  const bool is_graceful = call.resource.group.empty() && call.resource.kind == "Pod";
  if (!deleted->is_removed || is_graceful) co_return call.presenter().one(200, deleted->text);
  co_return json_response(200, success_status(call.resource, call.place.name, deleted->uid));
}

ApiTask<http::Response> Rest::remove_collection(const Call& call) {
  auto body = read_options(call.request.http);
  if (!body) co_return refuse(std::move(body.error()));
  auto options = DeleteOptions::parse(*body, call.query());
  if (!options) co_return refuse(std::move(options.error()));
  auto dry = dry_run(call.request.info);
  if (!dry) co_return refuse(std::move(dry.error()));
  options->dry_run = options->dry_run || *dry;
  auto selection = call.selection();
  if (!selection) co_return refuse(std::move(selection.error()));
  auto listing = ListOptions::parse(call.query(), objects_.store().revision());
  if (!listing) co_return refuse(std::move(listing.error()));
  auto found = co_await list_objects(objects_.store(), {call.place.cluster, call.resource.stored_as},
                                     *std::move(selection), *std::move(listing));
  if (!found) co_return refuse(std::move(found.error()));
  for (const store::EntryPtr& entry : found->entries) {
    auto gone = co_await objects_.remove({entry->key.cluster, &call.resource, entry->key.ns, entry->key.name},
                                         *options);
    if (!gone && gone.error().code != 404) co_return refuse(std::move(gone.error()));
  }
  co_return call.presenter().list(found->head, found->entries);
}

ApiTask<http::Response> Rest::scale(const Call& call) {
  const ScalePaths& paths = *call.version.scale;
  const store::EntryPtr entry = objects_.get(call.place);
  if (!entry) co_return refuse(not_found(call.resource, call.place.name));
  if (call.request.info.verb == "get")
    co_return json_response(200, scale_of(parse_stored(entry->value), paths));
  auto options = call.write_options();
  if (!options) co_return refuse(std::move(options.error()));
  options->subresource.clear();
  auto wanted = read_scale(call.request.http, parse_stored(entry->value), paths);
  if (!wanted) co_return refuse(std::move(wanted.error()));
  PatchBody body;
  body.patch = scale_patch(paths, *wanted);
  auto written = co_await objects_.patch(call.place, std::move(body), *options);
  if (!written) co_return refuse(std::move(written.error()));
  co_return json_response(200, scale_of(parse_stored(written->text), paths));
}

}  // namespace fairway::apiserver
