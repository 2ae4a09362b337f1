// Discovery: what the server serves, told to clients before they ask for anything else. Pure.
//
// The old form (a document for each group and version) and the aggregated one (everything in one, asked for
// by the Accept header) say the same.
#pragma once

#include "apiserver/api_error.hpp"
#include "apiserver/catalog.hpp"
#include "apiserver/discovery_documents.hpp"
#include "apiserver/request_info.hpp"
#include "http/message.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {

// /api, /apis, /api/v1, /apis/GROUP, /apis/GROUP/VERSION; 404 for anything else.
ApiResult<http::Response> discovery_answer(const http::Request& request, const RequestInfo& info,
                                           const Catalog& catalog);

}  // namespace fairway::apiserver
