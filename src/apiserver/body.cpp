#include "apiserver/body.hpp"

#include <fmt/format.h>

#include "apiserver/protobuf.hpp"
#include "base/text.hpp"
#include "http/accept.hpp"
#include "json/yaml.hpp"

namespace fairway::apiserver {
namespace {

constexpr json::ParseLimits kJsonLimits{.max_depth = 256, .max_bytes = 3 * 1024 * 1024};
constexpr std::string_view kObjectTypes =
    "application/json, application/yaml, application/vnd.kubernetes.protobuf";
constexpr std::string_view kCustomObjectTypes = "application/json, application/yaml";
constexpr std::string_view kPatchTypes =
    "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
constexpr std::string_view kBuiltinPatchTypes =
    "application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, "
    "application/apply-patch+yaml";

// type/subtype in lower case; JSON when the client did not say.
ApiResult<std::string> media_type(const http::Request& request, std::string_view offered) {
  const auto header = request.headers.find("content-type");
  if (!header || trim(*header).empty()) return "application/json";
  const auto parsed = http::parse_media_type(*header);
  if (!parsed) return refuse(unsupported_media_type(*header, offered));
  return parsed->type + "/" + parsed->subtype;
}

ApiResult<json::Value> read_yaml(std::string_view text) {
  auto value =
      json::parse_yaml(text, {.max_bytes = kJsonLimits.max_bytes, .max_depth = kJsonLimits.max_depth});
  if (!value) return refuse(bad_request("error decoding YAML: " + value.error().describe()));
  return *std::move(value);
}

ApiResult<json::Value> read_json(std::string_view text, json::Storage storage = {}) {
  auto value = json::parse(text, kJsonLimits, std::move(storage));
  if (!value) {
    const std::string why = value.error().describe();
    const bool is_duplicate = why.find("stands twice") != std::string::npos;
    return refuse(bad_request((is_duplicate ? "strict decoding error: duplicate field: "
                                            : "the object provided is unrecognized: ") +
                              why));
  }
  return *std::move(value);
}

ApiResult<json::Object> read_protobuf(std::string_view bytes) {
  auto object = decode_protobuf_body(bytes);
  if (object) return *std::move(object);
  if (object.error().code == ErrorCode::Unsupported)
    return refuse(unsupported_media_type(kProtobufMediaType, kCustomObjectTypes));
  return refuse(bad_request("the object provided is unrecognized: " + object.error().describe()));
}

// Custom objects have no protobuf form.
ApiResult<json::Object> read_any(const http::Request& request, bool is_custom = false,
                                 json::Storage storage = {}) {
  const std::string_view offered = is_custom ? kCustomObjectTypes : kObjectTypes;
  auto type = media_type(request, offered);
  if (!type) return refuse(std::move(type.error()));
  if (*type == kProtobufMediaType && !is_custom) return read_protobuf(request.body);
  const bool is_yaml = *type == "application/yaml" || *type == "application/x-yaml" || *type == "text/yaml";
  if (!is_yaml && *type != "application/json") return refuse(unsupported_media_type(*type, offered));
  auto value = is_yaml ? read_yaml(request.body) : read_json(request.body, std::move(storage));
  if (!value) return refuse(std::move(value.error()));
  if (!value->is_object()) {
    return refuse(bad_request(fmt::format("expected an object as body, found {}", json::a_kind(*value))));
  }
  return std::move(value->get_object());
}

}  // namespace

ApiResult<void> check_type(const json::Object& object, std::string_view api_version, std::string_view kind) {
  const auto found_version = json::get_string(object, {"apiVersion"}).value_or("");
  const auto found_kind = json::get_string(object, {"kind"}).value_or("");
  if (found_kind.empty())
    return refuse(bad_request("Object 'Kind' is missing: set kind to \"" + std::string(kind) + "\""));
  if (found_version.empty()) {
    return refuse(bad_request("Object 'apiVersion' is missing: set apiVersion to \"" +
                              std::string(api_version) + "\""));
  }
  if (found_version != api_version) {
    return refuse(bad_request(
        fmt::format("the API version in the data ({}) does not match the expected API version ({})",
                    found_version, api_version)));
  }
  if (found_kind != kind) {
    return refuse(bad_request(
        fmt::format("the kind in the data ({}) does not match the expected kind ({})", found_kind, kind)));
  }
  return {};
}

ApiResult<json::Object> read_object(const http::Request& request, const Resource& resource,
                                    const ServedVersion& version, json::Storage storage) {
  auto object = read_any(request, resource.is_custom, std::move(storage));
  if (!object) return object;
  // The path says what a built-in object is; only a custom one must say it itself.
  if (!resource.is_custom && !object->contains("kind") && !object->contains("apiVersion")) {
    (*object)["kind"] = resource.kind;
    (*object)["apiVersion"] = resource.api_version(version);
  }
  const auto found_kind = json::get_string(*object, {"kind"}).value_or("");
  if (!resource.is_custom && !found_kind.empty() && found_kind != resource.kind) {
    return refuse(bad_request(fmt::format("{} in version {} cannot be handled as a {}: it is of another kind",
                                          found_kind, quoted(version.name), resource.kind)));
  }
  if (auto typed = check_type(*object, resource.api_version(version), resource.kind); !typed) {
    return refuse(std::move(typed.error()));
  }
  return object;
}

ApiResult<json::Object> read_options(const http::Request& request) {
  if (trim(request.body).empty()) return json::Object{};
  return read_any(request);
}

ApiResult<PatchBody> read_patch(const http::Request& request, const Resource& resource) {
  const std::string_view offered = resource.is_custom ? kPatchTypes : kBuiltinPatchTypes;
  auto type = media_type(request, offered);
  if (!type) return refuse(std::move(type.error()));
  PatchBody body;
  if (*type == "application/apply-patch+yaml") {
    body.kind = PatchBody::Kind::Apply;
    auto value = read_yaml(request.body);
    if (!value) return refuse(std::move(value.error()));
    body.patch = *std::move(value);
    return body;
  }
  if (*type == "application/json-patch+json") {
    body.kind = PatchBody::Kind::Json;
  } else if (*type == "application/merge-patch+json") {
    body.kind = PatchBody::Kind::Merge;
  } else if (*type == "application/strategic-merge-patch+json" && !resource.is_custom) {
    body.kind = PatchBody::Kind::Strategic;
  } else {
    return refuse(unsupported_media_type(*type, offered));
  }
  auto value = read_json(request.body);
  if (!value) return refuse(std::move(value.error()));
  body.patch = *std::move(value);
  return body;
}

}  // namespace fairway::apiserver
