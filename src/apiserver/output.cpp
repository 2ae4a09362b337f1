#include "apiserver/output.hpp"

#include <fmt/format.h>

#include "apiserver/events_view.hpp"
#include "apiserver/objects.hpp"
#include "http/accept.hpp"
#include "json/member_text.hpp"
#include "json/schema_prune.hpp"
#include "json/yaml.hpp"

namespace fairway::apiserver {
namespace {

using json::Object;
using json::Value;

constexpr std::string_view kOffered = "application/json, application/yaml";

const Text& comma() {
  static const Text text = share(",");
  return text;
}

// {"type":"ADDED","object": … for each type, shared by all events of all watches.
const Text& event_prefix(std::string_view type) {
  static const Text added = share("{\"type\":\"ADDED\",\"object\":");
  static const Text modified = share("{\"type\":\"MODIFIED\",\"object\":");
  static const Text deleted = share("{\"type\":\"DELETED\",\"object\":");
  static const Text bookmark = share("{\"type\":\"BOOKMARK\",\"object\":");
  static const Text error = share("{\"type\":\"ERROR\",\"object\":");
  if (type == "ADDED") return added;
  if (type == "MODIFIED") return modified;
  if (type == "DELETED") return deleted;
  if (type == "BOOKMARK") return bookmark;
  FAIRWAY_CHECK(type == "ERROR", "a watch event of a type that there is not");
  return error;
}

const Text& event_suffix() {
  static const Text text = share("}\n");
  return text;
}

http::Body framed(std::string_view type, Text object) {
  http::Body body;
  body.pieces = {event_prefix(type), std::move(object), event_suffix()};
  return body;
}

// The form that one media range asks for; nothing when we cannot give it.
std::optional<OutputForm> form_of(const http::MediaRange& range) {
  OutputForm form;
  if (range.quality <= 0) return std::nullopt;
  if (range.covers("application/json")) {
    form.encoding = OutputForm::Encoding::Json;
  } else if (range.covers("application/yaml")) {
    form.encoding = OutputForm::Encoding::Yaml;
  } else {
    return std::nullopt;
  }
  const std::string_view as = range.parameter("as");
  if (as.empty()) return form;
  const std::string_view version = range.parameter("v");
  if (range.parameter("g") != "meta.k8s.io" || (version != "v1" && version != "v1beta1")) return std::nullopt;
  form.meta_version = std::string(version);
  if (as == "Table") {
    form.kind = OutputForm::Kind::Table;
  } else if (as == "PartialObjectMetadata" || as == "PartialObjectMetadataList") {
    form.kind = OutputForm::Kind::PartialMetadata;
  } else {
    return std::nullopt;
  }
  return form;
}

// The first of those accepted that we can give.
std::optional<OutputForm> form_accepted(const std::string& accept) {
  if (accept == "application/json") return OutputForm{};  // almost always
  const auto accepted = http::parse_accept(accept);
  if (!accepted) return std::nullopt;
  for (const http::MediaRange& range : *accepted) {
    if (auto form = form_of(range)) return form;
  }
  return std::nullopt;
}

ListMetadata list_metadata(const ListHead& head) {
  return {fmt::to_string(head.revision), head.continue_token, head.remaining};
}

}  // namespace

std::string OutputForm::content_type() const {
  return encoding == Encoding::Json ? "application/json" : "application/yaml";
}

ApiResult<OutputForm> OutputForm::negotiate(const http::Headers& headers, const http::Query& query) {
  auto form = form_accepted(headers.joined("accept"));
  if (!form) return refuse(not_acceptable(kOffered));
  const auto include = parse_include_object(query.get("includeObject").value_or("Metadata"));
  if (!include) {
    return refuse(bad_request(
        "includeObject: Unsupported value: supported values: \"None\", \"Metadata\", \"Object\""));
  }
  form->include_object = *include;
  form->pretty = query.get("pretty") == "true" || query.get("pretty") == "1";
  return *std::move(form);
}

Presenter::Presenter(const Resource& resource, const ServedVersion& version, OutputForm form, WallTime now,
                     store::Revision schema_since)
    : resource_(resource), version_(version), form_(std::move(form)), now_(now), schema_since_(schema_since) {
  const bool is_storage = &version == &resource.storage_version();
  is_verbatim_ = form_.is_plain() && is_storage && !is_events_view(resource);
  is_metadata_cut_ = form_.kind == OutputForm::Kind::PartialMetadata &&
                     form_.encoding == OutputForm::Encoding::Json && !form_.pretty;
}

Object Presenter::object(const Text& stored) const {
  Object object = parse_stored(stored);
  if (is_events_view(resource_)) return to_events_view(std::move(object));
  object["apiVersion"] = resource_.api_version(version_);
  if (resource_.is_custom) {
    // Another version, or a newer schema, may know fewer fields, and others by default.
    Value value = std::move(object);
    json::prune(*version_.schema, value);
    json::apply_defaults(*version_.schema, value);
    object = std::move(value.get_object());
  }
  return object;
}

Object Presenter::shaped(const Object& object, bool with_columns) const {
  if (form_.kind == OutputForm::Kind::Object) return object;
  if (form_.kind == OutputForm::Kind::PartialMetadata) return partial_metadata(object, form_.meta_version);
  return TableMaker(resource_, version_, {form_.meta_version, form_.include_object, now_})
      .table_of(object, with_columns);
}

Text Presenter::shaped_text(const Text& stored, bool with_columns) const {
  // The rest of the object may be much: it is not read.
  if (is_metadata_cut_) {
    return share(
        fmt::format(R"({{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/{}","metadata":{}}})",
                    form_.meta_version, json::member_text(*stored, "metadata")));
  }
  return share(json::serialize(shaped(object(stored), with_columns)));
}

http::Response Presenter::encode(int status, const Value& value) const {
  std::string text;
  if (form_.encoding == OutputForm::Encoding::Yaml) {
    text = json::to_yaml(value);
  } else {
    text = (form_.pretty ? json::serialize_pretty(value) : json::serialize(value)) + "\n";
  }
  return {status,
          {{"Content-Type", form_.content_type()}, {"Cache-Control", "no-cache, private"}},
          std::move(text)};
}

http::Response Presenter::encode(int status, const Text& stored) const {
  return is_metadata_cut_ ? send(status, shaped_text(stored, true))
                          : encode(status, shaped(object(stored), true));
}

http::Response Presenter::send(int status, const Text& text) const {
  http::Response response{
      status, {{"Content-Type", "application/json"}, {"Cache-Control", "no-cache, private"}}, {}};
  response.body.pieces.push_back(text);
  return response;
}

http::Response Presenter::one(int status, const store::Entry& entry) const {
  return is_verbatim(entry) ? send(status, entry.value) : encode(status, entry.value);
}

http::Response Presenter::one(int status, const Text& stored) const {
  return is_verbatim_ ? send(status, stored) : encode(status, stored);
}

http::Response Presenter::list(const ListHead& head, const std::vector<store::EntryPtr>& entries) const {
  const ListMetadata metadata = list_metadata(head);
  const std::string api_version = resource_.api_version(version_);
  if (is_verbatim_ || is_metadata_cut_) {
    const bool is_cut = is_metadata_cut_;
    http::Response response{
        200, {{"Content-Type", "application/json"}, {"Cache-Control", "no-cache, private"}}, {}};
    auto& pieces = response.body.pieces;
    pieces.reserve(entries.size() * 2 + 2);
    pieces.push_back(share(fmt::format("{{\"apiVersion\":\"{}\",\"kind\":\"{}\",\"metadata\":{},\"items\":[",
                                       is_cut ? "meta.k8s.io/" + form_.meta_version : api_version,
                                       is_cut ? "PartialObjectMetadataList" : resource_.list_kind,
                                       json::serialize(metadata.to_object()))));
    for (const store::EntryPtr& entry : entries) {
      if (entry != entries.front()) pieces.push_back(comma());
      pieces.push_back(is_verbatim(*entry) ? entry->value : shaped_text(entry->value, false));
    }
    pieces.push_back(share("]}\n"));
    return response;
  }
  json::Array items;
  items.reserve(entries.size());
  if (form_.kind == OutputForm::Kind::Table) {
    const TableMaker maker(resource_, version_, {form_.meta_version, form_.include_object, now_});
    for (const store::EntryPtr& entry : entries) items.push_back(maker.row(object(entry->value)));
    return encode(200, maker.table(std::move(items), metadata));
  }
  for (const store::EntryPtr& entry : entries) items.push_back(shaped(object(entry->value), false));
  if (form_.kind == OutputForm::Kind::PartialMetadata) {
    return encode(200, partial_metadata_list(std::move(items), metadata, form_.meta_version));
  }
  return encode(200, Object{{"apiVersion", api_version},
                            {"kind", resource_.list_kind},
                            {"metadata", metadata.to_object()},
                            {"items", std::move(items)}});
}

http::Body Presenter::event(std::string_view type, const Text& stored, bool first) const {
  if (is_verbatim_) return framed(type, stored);
  return framed(type, shaped_text(stored, first));
}

http::Body Presenter::event(std::string_view type, const store::Entry& entry, bool first) const {
  if (is_verbatim(entry)) return framed(type, entry.value);
  return framed(type, shaped_text(entry.value, first));
}

http::Body Presenter::bookmark(store::Revision revision, bool ends_initial_events, bool first) const {
  Object metadata{{"resourceVersion", fmt::to_string(revision)}, {"creationTimestamp", nullptr}};
  if (ends_initial_events) metadata["annotations"] = Object{{"k8s.io/initial-events-end", "true"}};
  Object object{{"kind", resource_.kind},
                {"apiVersion", resource_.api_version(version_)},
                {"metadata", std::move(metadata)}};
  return framed("BOOKMARK", share(json::serialize(shaped(object, first))));
}

http::Body error_event(const ApiError& error) {
  return framed("ERROR", share(json::serialize(error.to_object())));
}

}  // namespace fairway::apiserver
