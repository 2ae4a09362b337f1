#include "updateservice/problem.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "json/value.hpp"

namespace fairway::updateservice {

std::string Problem::to_json() const {
  return json::serialize(json::Object{{"kind", kind}, {"value", value}});
}

Problem invalid_content_type() {
  return {406, "invalid_content_type",
          "invalid Content-Type requested: expected Accept to allow application/json or "
          "application/vnd.redhat.cincinnati.v1+json"};
}

Problem missing_parameters(std::span<const std::string> names) {
  return {400, "missing_params", fmt::format("mandatory client parameters missing: {}", join(names, ", "))};
}

Problem invalid_parameters(std::string_view why) {
  return {400, "invalid_params", fmt::format("invalid client parameters: {}", why)};
}

Problem no_graph(std::string_view why) {
  return {500, "failed_upstream_fetch", fmt::format("failed to fetch upstream graph: {}", why)};
}

Problem no_graph_data(std::string_view why) {
  return {500, "file_open_err", fmt::format("failed to open file: {}", why)};
}

Problem does_not_exist(std::string_view what) {
  return {404, "does_not_exist", fmt::format("does not exist: {}", what)};
}

Problem unauthorized() {
  return {401, "unauthorized",
          "this service decides by the id only for clients with a token: send Authorization: Bearer, or "
          "leave out "
          "the id"};
}

Problem too_many_requests(std::string_view source) {
  return {429, "too_many_requests",
          fmt::format("too many requests with an id from {}: try again later", source)};
}

Problem overloaded(std::string_view what) {
  return {503, "overloaded", fmt::format("too many {} at a time: try again later", what)};
}

}  // namespace fairway::updateservice
