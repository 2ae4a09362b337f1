#include "apiserver/discovery.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "http/accept.hpp"

namespace fairway::apiserver {
namespace {

// v2 or v2beta1 where the client prefers the aggregated form; empty where it wants the old one.
std::string aggregated_version(const http::Request& request) {
  const auto accepted = http::parse_accept(request.headers.joined("accept"));
  if (!accepted) return {};
  for (const http::MediaRange& range : *accepted) {
    if (!range.covers("application/json")) continue;
    if (range.parameter("as").empty()) return {};
    const std::string_view version = range.parameter("v");
    const bool is_known = version == "v2" || version == "v2beta1";
    if (range.parameter("g") == "apidiscovery.k8s.io" && range.parameter("as") == "APIGroupDiscoveryList" &&
        is_known) {
      return std::string(version);
    }
  }
  return {};
}

http::Response aggregated_response(const http::Request& request, const json::Object& document,
                                   std::string_view version) {
  std::string text = json::serialize(document);
  const std::string tag = fmt::format("\"{}\"", document_hash(text));
  http::Headers headers{
      {"Content-Type",
       fmt::format("application/json;g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList", version)},
      {"ETag", tag},
      {"Vary", "Accept"},
      {"Cache-Control", "public"}};
  if (request.headers.has_token("if-none-match", tag)) return {304, std::move(headers), {}};
  return {200, std::move(headers), std::move(text)};
}

}  // namespace

ApiResult<http::Response> discovery_answer(const http::Request& request, const RequestInfo& info,
                                           const Catalog& catalog) {
  std::vector<std::string_view> parts = split_words(info.path, "/");
  if (parts.empty() || (parts[0] != "api" && parts[0] != "apis")) return refuse(path_not_found());
  const bool is_core = parts[0] == "api";
  if (parts.size() == 1) {
    const std::string version = aggregated_version(request);
    if (!version.empty())
      return aggregated_response(request, aggregated_discovery(catalog, is_core, version), version);
    return json_response(
        200, is_core ? api_versions(request.headers.find("host").value_or("")) : api_group_list(catalog));
  }
  const std::string_view group = is_core ? std::string_view() : parts[1];
  if (!is_core && parts.size() == 2) {
    const auto document = api_group(catalog, group);
    if (!document) return refuse(path_not_found());
    return json_response(200, *document);
  }
  const std::string_view version = parts[is_core ? 1 : 2];
  const auto document =
      parts.size() == (is_core ? 2U : 3U) ? api_resource_list(catalog, group, version) : std::nullopt;
  if (!document) return refuse(path_not_found());
  return json_response(200, *document);
}

}  // namespace fairway::apiserver
