#include "apiserver/openapi.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "http/accept.hpp"

namespace fairway::apiserver {
namespace {

constexpr std::string_view kIndex = "/openapi/v3";
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kProtobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
// The name that clients before 1.28 have for it. Its `@` is not allowed in a media type: they ask by this
// name and fail on an answer that has it.
constexpr std::string_view kOldProtobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

// The media type to answer with; empty when none is acceptable.
std::string_view negotiated(const http::Request& request, const std::vector<std::string_view>& offered) {
  const std::string header = replace_all(request.headers.joined("accept"), kOldProtobuf, kProtobuf);
  const auto accepted = http::parse_accept(header);
  return accepted ? http::negotiate(*accepted, offered) : std::string_view();
}

// Where the client stands: a request under /clusters/NAME finds its documents there, too.
std::string prefix_of(const http::Request& request, const RequestInfo& info) {
  return request.target.starts_with("/clusters/") ? fmt::format("/clusters/{}", info.cluster) : std::string();
}

http::Response tagged(const http::Request& request, const Document& document, std::string_view content_type) {
  const std::string tag = fmt::format("\"{}\"", document.hash);
  http::Headers headers{{"ETag", tag}, {"Vary", "Accept"}};
  if (request.headers.find("if-none-match") == tag) return {304, std::move(headers), {}};
  headers.add("Content-Type", std::string(content_type));
  http::Response response{200, std::move(headers), {}};
  response.body.pieces.push_back(document.text);
  return response;
}

}  // namespace

ApiResult<http::Response> OpenApi::answer(const http::Request& request, const RequestInfo& info,
                                          const std::shared_ptr<const Catalog>& catalog) {
  if (info.path == "/openapi/v2") return version_2(request, *catalog);
  if (info.path.starts_with(kIndex)) return version_3(request, info, *catalog);
  return refuse(path_not_found());
}

ApiResult<http::Response> OpenApi::version_2(const http::Request& request, const Catalog& catalog) {
  const std::string_view type = negotiated(request, {kJson, kProtobuf});
  if (type.empty()) return refuse(not_acceptable(fmt::format("{}, {}", kJson, kProtobuf)));
  if (type == kJson) return tagged(request, documents_.version_2(catalog), kJson);
  return tagged(request, documents_.version_2_protobuf(catalog), kProtobuf);
}

ApiResult<http::Response> OpenApi::version_3(const http::Request& request, const RequestInfo& info,
                                             const Catalog& catalog) {
  std::string_view path = std::string_view(info.path).substr(kIndex.size());
  if (!path.empty() && path.front() != '/') return refuse(path_not_found());
  while (path.starts_with('/')) path.remove_prefix(1);
  if (negotiated(request, {kJson}).empty()) return refuse(not_acceptable(kJson));
  const std::string prefix = prefix_of(request, info);
  if (path.empty()) return json_response(200, documents_.index(catalog, prefix));
  const auto document = documents_.version_3(catalog, path);
  if (!document) return refuse(path_not_found());
  const auto asked = info.query.get("hash");
  if (asked && !asked->empty() && *asked != document->hash) {
    return http::Response{
        301, {{"Location", fmt::format("{}{}/{}?hash={}", prefix, kIndex, path, document->hash)}}, {}};
  }
  http::Response response = tagged(request, *document, kJson);
  // What stands under its own hash never changes.
  if (asked && !asked->empty()) response.headers.set("Cache-Control", "public, immutable, max-age=31536000");
  return response;
}

}  // namespace fairway::apiserver
