// OpenAPI over HTTP: /openapi/v2, /openapi/v3 and below, with hashes and ETags, so that clients ask once.
//
// The documents themselves: openapi_documents.hpp. One OpenApi serves all logical clusters.
#pragma once

#include <memory>

#include "apiserver/api_error.hpp"
#include "apiserver/catalog.hpp"
#include "apiserver/openapi_documents.hpp"
#include "apiserver/request_info.hpp"
#include "http/message.hpp"

namespace fairway::apiserver {

class OpenApi {
 public:
  ApiResult<http::Response> answer(const http::Request& request, const RequestInfo& info,
                                   const std::shared_ptr<const Catalog>& catalog);

 private:
  ApiResult<http::Response> version_2(const http::Request& request, const Catalog& catalog);
  ApiResult<http::Response> version_3(const http::Request& request, const RequestInfo& info,
                                      const Catalog& catalog);

  OpenApiDocuments documents_;
};

}  // namespace fairway::apiserver
