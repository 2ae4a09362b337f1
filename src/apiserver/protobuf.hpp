// Bodies in Kubernetes' protobuf form, read into the JSON form that everything else works on.
//
// Clients built on client-go send built-in kinds this way when asked to (kubectl create since 1.32), and do
// not fall back to JSON. Answers stay JSON: there is no encoder. The result is what the same client would
// have sent as JSON, but that fields which are always written and hold zero are left out. Input is untrusted:
// size and depth are bounded, texts must be UTF-8, unknown field numbers are skipped. Pure and thread-safe.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {

inline constexpr std::string_view kProtobufMediaType = "application/vnd.kubernetes.protobuf";

// The object with its apiVersion and kind. Unsupported when the kind is not built in, Invalid for anything
// that is wrong with the bytes.
Result<json::Object> decode_protobuf_body(std::string_view bytes);

}  // namespace fairway::apiserver
