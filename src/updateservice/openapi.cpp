#include "updateservice/openapi.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "json/value.hpp"

namespace fairway::updateservice {

std::span<const std::pair<std::string_view, std::string_view>> embedded_files();

namespace {

// A parameter that is described already becomes required; any other is added.
void require_parameter(json::Array& parameters, const std::string& name) {
  for (json::Value& parameter : parameters) {
    if (parameter.is_object() && json::get_string(parameter.get_object(), {"name"}) == name) {
      parameter.get_object()["required"] = true;
      return;
    }
  }
  parameters.push_back(json::Object{{"name", name},
                                    {"in", "query"},
                                    {"required", true},
                                    {"description", "mandatory in this installation"},
                                    {"schema", json::Object{{"type", "string"}}}});
}

bool is_graph_path(std::string_view path) {
  return path == "/graph" || path == "/v1/graph";
}

}  // namespace

std::string openapi_document(std::string_view prefix, const std::set<std::string>& mandatory) {
  auto document = json::parse_object(embedded_files().front().second);
  FAIRWAY_CHECK(document, "the embedded description of the API is not JSON");
  json::Object paths;
  for (const auto& [path, item] : json::ensure_object(*document, {"paths"})) {
    json::Value changed = item;
    if (is_graph_path(json::view(json::String(path)))) {
      json::Object& get = json::ensure_object(changed.get_object(), {"get"});
      if (!get["parameters"].is_array()) get["parameters"] = json::Array{};
      for (const std::string& name : mandatory) require_parameter(get["parameters"].get_array(), name);
    }
    paths[std::string(prefix) + std::string(path)] = std::move(changed);
  }
  (*document)["paths"] = std::move(paths);
  return json::serialize(*document);
}

}  // namespace fairway::updateservice
