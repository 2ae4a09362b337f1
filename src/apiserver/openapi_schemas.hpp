// Schemas for publication: the definitions of a catalog's kinds, in the dialects of OpenAPI v2 and v3.
//
// Built-in definitions are written with references beside other keywords; v3 wants those wrapped in allOf. A
// structural schema says more than v2 can, and kubectl 1.20 takes what it does not understand for a
// prohibition, so that v2 is given less, by the rules of apiextensions-apiserver. Internal to the openapi
// files.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "apiserver/catalog.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {

enum class OpenApiDialect { V2, V3 };

// By name: all definitions that the given resources in the given versions need, lists and referenced ones
// included.
class PublishedSchemas {
 public:
  explicit PublishedSchemas(OpenApiDialect dialect) : dialect_(dialect) {}

  void add(const Resource& resource, const ServedVersion& version);
  // A built-in definition, with what it refers to.
  void add_definition(std::string_view name);
  json::Object take();  // sorted by name

 private:
  json::Value convert(const json::Value& schema);
  json::Object convert_object(const json::Object& schema);
  json::Value reference(std::string_view name);
  json::Object custom_schema(const Resource& resource, const ServedVersion& version);
  json::Object list_schema(const Resource& resource, const ServedVersion& version);
  void add_embedded_fields(json::Object& schema);

  OpenApiDialect dialect_;
  std::map<std::string, json::Object, std::less<>> schemas_;
};

}  // namespace fairway::apiserver
