// The scale subresource: the replicas of any resource that has them, as autoscaling/v1 Scale. Pure.
#pragma once

#include "apiserver/api_error.hpp"
#include "apiserver/catalog.hpp"
#include "http/message.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {

struct WantedScale {
  std::int64_t replicas = 0;
  std::string resource_version;  // empty: whatever is there
};

json::Object scale_of(const json::Object& object, const ScalePaths& paths);
// From a PUT or a PATCH of the Scale of `object`.
ApiResult<WantedScale> read_scale(const http::Request& request, const json::Object& object,
                                  const ScalePaths& paths);
// The merge patch on the object that brings it about.
json::Value scale_patch(const ScalePaths& paths, const WantedScale& wanted);

}  // namespace fairway::apiserver
