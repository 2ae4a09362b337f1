// Bodies of requests: what the client sent, as JSON values.
//
// JSON and YAML are read, and protobuf for built-in kinds (protobuf.hpp); patches are never protobuf. Depth
// and size are bounded before anything else looks at the value.
#pragma once

#include "apiserver/api_error.hpp"
#include "apiserver/objects.hpp"
#include "http/message.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {

// An object of the given kind and version; both must be what the URL says.
ApiResult<json::Object> read_object(const http::Request& request, const Resource& resource,
                                    const ServedVersion& version, json::Storage storage = {});
// Any object, or an empty one when there is no body: DeleteOptions.
ApiResult<json::Object> read_options(const http::Request& request);
ApiResult<PatchBody> read_patch(const http::Request& request, const Resource& resource);

// apiVersion and kind, as messages want them.
ApiResult<void> check_type(const json::Object& object, std::string_view api_version, std::string_view kind);

}  // namespace fairway::apiserver
