#include "apiserver/request_info.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

#include "base/text.hpp"
#include "kube/core/selector.hpp"

namespace fairway::apiserver {
namespace {

// What may follow a namespace's name and is not a resource inside of it.
constexpr std::array<std::string_view, 2> kNamespaceSubresources{"status", "finalize"};

std::string method_verb(std::string_view method, bool has_name) {
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return has_name ? "delete" : "deletecollection";
  if (method == "GET" || method == "HEAD") return has_name ? "get" : "list";
  return to_lower(method);
}

// The parts after /api/v1 or /apis/GROUP/VERSION.
void read_resource_path(std::vector<std::string> parts, RequestInfo& info) {
  if (parts.size() > 1 && parts[0] == "namespaces") {
    const bool is_subresource = std::ranges::find(kNamespaceSubresources, parts.size() > 2 ? parts[2] : "") !=
                                kNamespaceSubresources.end();
    info.ns = parts[1];
    if (parts.size() > 2 && !is_subresource) parts.erase(parts.begin(), parts.begin() + 2);
  }
  info.resource = parts[0];
  if (parts.size() > 1) info.name = parts[1];
  for (std::size_t i = 2; i < parts.size(); ++i) {
    if (!info.subresource.empty()) info.subresource += '/';
    info.subresource += parts[i];
  }
}

ApiResult<std::vector<std::string>> decoded_parts(std::string_view path) {
  std::vector<std::string> parts;
  for (std::string_view part : split(path, '/')) {
    if (part.empty()) continue;
    auto decoded = percent_decode(part);
    if (!decoded || !is_valid_utf8(*decoded)) {
      return refuse(
          bad_request(fmt::format("expected percent-encoding as %XX in the path, found {}", quoted(part))));
    }
    if (decoded->find('\0') != std::string::npos)
      return refuse(bad_request("a path cannot contain a zero byte"));
    parts.push_back(*std::move(decoded));
  }
  return parts;
}

}  // namespace

ApiResult<bool> query_flag(const http::Query& query, std::string_view name) {
  constexpr std::array<std::string_view, 7> kTrue{"", "1", "t", "T", "true", "TRUE", "True"};
  constexpr std::array<std::string_view, 6> kFalse{"0", "f", "F", "false", "FALSE", "False"};
  const auto value = query.get(name);
  if (!value || std::ranges::find(kFalse, *value) != kFalse.end()) return false;
  if (std::ranges::find(kTrue, *value) != kTrue.end()) return true;
  return refuse(bad_request(
      fmt::format("expected true or false for the parameter {}, found {}", name, quoted(*value))));
}

ApiResult<RequestInfo> RequestInfo::parse(std::string_view method, std::string_view target) {
  auto parsed = http::Target::parse(target);
  if (!parsed) return refuse(bad_request(parsed.error().describe()));
  RequestInfo info;
  info.query = std::move(parsed->query);
  info.verb = to_lower(method);
  auto parts = decoded_parts(parsed->path);
  if (!parts) return refuse(std::move(parts.error()));
  info.path = parsed->path;
  if (parts->size() > 1 && parts->front() == "clusters") {
    info.cluster = (*parts)[1];
    parts->erase(parts->begin(), parts->begin() + 2);
    info.path =
        info.path.substr(info.path.find('/', std::string_view("/clusters/").size()) == std::string::npos
                             ? info.path.size()
                             : info.path.find('/', std::string_view("/clusters/").size()));
    if (info.path.empty()) info.path = "/";
  }
  const bool is_core = !parts->empty() && parts->front() == "api";
  const bool is_group = !parts->empty() && parts->front() == "apis";
  const std::size_t prefix = is_core ? 2 : 3;
  if ((!is_core && !is_group) || parts->size() <= prefix) return info;
  info.is_resource = true;
  info.group = is_core ? "" : (*parts)[1];
  info.version = (*parts)[prefix - 1];
  read_resource_path({parts->begin() + static_cast<std::ptrdiff_t>(prefix), parts->end()}, info);
  info.verb = method_verb(method, !info.name.empty());
  if (info.verb == "list" || (info.verb == "get" && info.subresource.empty())) {
    const auto watch = query_flag(info.query, "watch");
    if (!watch) return refuse(watch.error());
    if (*watch) info.verb = "watch";
  }
  // One object, asked for as a list (kubectl get NAME --watch does): a right to that object is enough.
  const bool is_of_several = info.verb == "list" || info.verb == "watch" || info.verb == "deletecollection";
  if (const auto fields = info.query.get("fieldSelector"); fields && is_of_several && info.name.empty()) {
    const auto selector = kube::FieldSelector::parse(*fields);
    if (selector) info.selected_name = selector->required_value("metadata.name").value_or("");
  }
  return info;
}

}  // namespace fairway::apiserver
