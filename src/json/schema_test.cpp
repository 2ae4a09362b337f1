#include "json/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/schema_testing.hpp"
#include "json/schema_validate.hpp"

namespace fairway::json {
namespace {

using ::testing::HasSubstr;
using testing_support::compiled;
using testing_support::compiled_part;
using testing_support::json;
using testing_support::object;
using testing_support::texts;

std::string problem(std::string_view text, const SchemaOptions& options = {}) {
  const auto schema = compile_schema(json(text), options);
  if (schema) return "compiled";
  EXPECT_EQ(schema.error().code, ErrorCode::Invalid);
  return schema.error().message;
}

TEST(CompileSchema, KeepsWhatTheSchemaSays) {
  const auto schema = compiled(R"({
    "type": "object",
    "properties": {
      "spec": {"type": "object", "required": ["size"], "properties": {
        "size": {"type": "integer", "minimum": 1, "default": 3},
        "name": {"type": "string", "nullable": true, "pattern": "^a", "maxLength": 5},
        "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port"],
                  "items": {"type": "object", "required": ["port"], "properties": {"port": {"type": "integer"}}}},
        "color": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "string"}},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true,
                 "x-kubernetes-validations": [{"rule": "self.a > 1"}]},
        "size2": {"x-kubernetes-int-or-string": true}}}}})");
  EXPECT_TRUE(schema->resource_root);
  const Schema& spec = *schema->property("spec");
  EXPECT_EQ(spec.required, std::vector<std::string>{"size"});
  EXPECT_EQ(spec.property("size")->default_value, Value(3));
  EXPECT_EQ(spec.property("size")->rules->minimum, 1.0);
  EXPECT_TRUE(spec.property("name")->nullable);
  EXPECT_EQ(spec.property("name")->rules->max_length, 5);
  EXPECT_EQ(spec.property("tags")->list_type, Schema::ListType::Set);
  EXPECT_EQ(spec.property("tags")->items->type, Schema::Type::String);
  EXPECT_EQ(spec.property("ports")->list_map_keys, std::vector<std::string>{"port"});
  EXPECT_TRUE(spec.property("color")->atomic_map);
  EXPECT_EQ(spec.property("color")->additional, Schema::Additional::Described);
  EXPECT_EQ(serialize(spec.property("free")->validations), R"([{"rule":"self.a > 1"}])");
  EXPECT_TRUE(spec.property("size2")->int_or_string);
  EXPECT_EQ(spec.property("nope"), nullptr);
}

TEST(CompileSchema, OutlivesItsSourceAndItsCompiler) {
  std::shared_ptr<const Schema> spec;
  {
    const auto root = compiled(R"({"type":"object","properties":{"a":{"type":"string","pattern":"^x$"}}})");
    spec = std::shared_ptr<const Schema>(root, root->property("a"));
  }
  EXPECT_TRUE(validate(*spec, "x").empty());
  EXPECT_FALSE(validate(*spec, "y").empty());
}

TEST(CompileSchema, RefusesWhatIsNotASchema) {
  EXPECT_THAT(problem("[]"), HasSubstr("must be an object, found an array"));
  EXPECT_THAT(problem(R"({"type": 5})"), HasSubstr("openAPIV3Schema.type: Invalid value: \"integer\""));
  EXPECT_THAT(
      problem(R"({"type":"object","properties":{"a":{"type":"string","maxLength":"5"}}})"),
      HasSubstr("openAPIV3Schema.properties[a].maxLength: Invalid value: \"string\": must be an integer"));
  EXPECT_THAT(
      problem(R"({"type":"object","properties":{"a":{"type":"string","pattern":"[a"}}})"),
      HasSubstr("must be a valid regular expression, but isn't: error parsing regexp: missing closing ]"));
  EXPECT_THAT(problem(R"({"type":"object","properties":{"a":{}}})"),
              HasSubstr("properties[a].type: Required value: must not be empty for specified object fields"));
}

TEST(CompileSchema, BoundsTheDepthOfHostileSchemas) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += R"({"not":)";
  text += "{}" + std::string(400, '}');
  const auto parsed = parse(R"({"type":"object","properties":{"a":)" + text + "}}", {.max_depth = 2000});
  ASSERT_TRUE(parsed.has_value());
  EXPECT_TRUE(compile_schema(*parsed, {.structural = false}).has_value());
  Value deep = Object{};
  for (int i = 0; i < 600; ++i) deep = Object{{"not", std::move(deep)}};
  const auto refused = compile_schema(deep, {.structural = false});
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("must not be nested so deep"));
}

TEST(CompileSchema, FollowsReferencesAndTakesTheKeywordsBesideThem) {
  const Object definitions = object(R"({
    "Spec": {"type": "object", "properties": {
      "containers": {"type": "array", "items": {"$ref": "#/definitions/Container"},
                     "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name"},
      "strategy": {"$ref": "#/definitions/Strategy", "x-kubernetes-patch-strategy": "retainKeys"},
      "pull": {"allOf": [{"$ref": "#/components/schemas/Pull"}], "default": "Always"},
      "plain": {"$ref": "#/definitions/Strategy"}}},
    "Container": {"type": "object", "properties": {"name": {"type": "string"}}},
    "Strategy": {"type": "object", "properties": {"type": {"type": "string"}}},
    "Pull": {"type": "string"}})");
  const auto schema =
      compiled(R"({"$ref": "#/definitions/Spec"})", {.structural = false, .definitions = &definitions});
  const Schema& containers = *schema->property("containers");
  EXPECT_TRUE(containers.patch_merge);
  EXPECT_EQ(containers.patch_merge_key, "name");
  EXPECT_NE(containers.items->property("name"), nullptr);
  EXPECT_NE(schema->property("strategy")->property("type"), nullptr);
  EXPECT_EQ(schema->property("pull")->default_value, Value("Always"));
  EXPECT_EQ(schema->property("pull")->type, Schema::Type::String);
  EXPECT_EQ(schema->property("plain")->default_value, std::nullopt);
}

TEST(CompileSchema, SharesTheNodesOfCyclicDefinitions) {
  const Object definitions = object(R"({
    "Props": {"type": "object", "properties": {
      "type": {"type": "string"},
      "items": {"$ref": "#/definitions/Props"},
      "not": {"description": "beside", "$ref": "#/definitions/Props"},
      "properties": {"type": "object", "additionalProperties": {"$ref": "#/definitions/Props"}}}}})");
  const auto schema = compiled(R"({"$ref":"#/definitions/Props"})",
                               {.structural = false, .resource_root = false, .definitions = &definitions});
  EXPECT_EQ(schema->property("items"), schema.get());
  EXPECT_TRUE(validate(*schema, json(R"({"items":{"items":{"not":{"type":"a"}}}})")).empty());
  EXPECT_EQ(
      texts(validate(*schema, json(R"({"properties":{"x":{"not":{"items":{"type":1}}}}})"))),
      std::vector<std::string>{"properties.x.not.items.type: Invalid value: \"integer\": "
                               "properties.x.not.items.type in body must be of type string: \"integer\""});
}

TEST(CompileSchema, RefusesReferencesThatNeverReachAValue) {
  const Object definitions = object(R"({
    "A": {"$ref": "#/definitions/B"}, "B": {"$ref": "#/definitions/A"},
    "C": {"type": "object", "anyOf": [{"required": ["x"]}, {"$ref": "#/definitions/C"}]}})");
  const SchemaOptions options{.structural = false, .definitions = &definitions};
  EXPECT_THAT(problem(R"({"$ref":"#/definitions/A"})", options), HasSubstr("leads back to itself"));
  EXPECT_THAT(problem(R"({"$ref":"#/definitions/C"})", options), HasSubstr("leads back to itself"));
  EXPECT_THAT(problem(R"({"$ref":"#/definitions/Nope"})", options), HasSubstr("names no definition"));
}

TEST(CompileSchema, KnowsTheBuiltInKindsThatAreLeaves) {
  const Object definitions = object(R"({
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {"type": "string"},
    "io.k8s.apimachinery.pkg.runtime.RawExtension": {"type": "object"},
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {"type": "string", "format": "int-or-string"}})");
  const auto schema = compiled(R"({"type":"object","properties":{
      "cpu": {"$ref":"#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity"},
      "raw": {"$ref":"#/definitions/io.k8s.apimachinery.pkg.runtime.RawExtension"},
      "port": {"$ref":"#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString"},
      "free": {"type": "object"}}})",
                               {.structural = false, .definitions = &definitions});
  EXPECT_TRUE(schema->property("cpu")->opaque);
  EXPECT_TRUE(schema->property("raw")->opaque);
  EXPECT_TRUE(schema->property("port")->int_or_string);
  EXPECT_TRUE(schema->property("free")->preserve_unknown_fields);
  EXPECT_TRUE(validate(*schema, json(R"({"cpu":1,"port":"http","raw":{"a":[1]},"free":{"b":1}})")).empty());
}

TEST(ObjectMeta, DescribesMetadata) {
  const Schema& meta = object_meta_schema();
  EXPECT_EQ(meta.property("finalizers")->list_type, Schema::ListType::Set);
  EXPECT_EQ(meta.property("ownerReferences")->list_map_keys, std::vector<std::string>{"uid"});
  EXPECT_TRUE(meta.property("ownerReferences")->items->atomic_map);
  EXPECT_EQ(meta.property("labels")->additional_properties->type, Schema::Type::String);
}

TEST(FieldSchema, ImpliesTheFieldsOfBuiltInKindsToo) {
  const auto schema =
      compiled(R"({"type":"object","properties":{"data":{"type":"object"}}})", {.structural = false});
  EXPECT_EQ(field_schema(*schema, "metadata"), &object_meta_schema());
}

TEST(FieldSchema, ImpliesTheFieldsOfResources) {
  const auto schema = compiled(R"({"type":"object","properties":{"spec":{"type":"object"}}})");
  EXPECT_EQ(field_schema(*schema, "metadata"), &object_meta_schema());
  EXPECT_EQ(field_schema(*schema, "kind")->type, Schema::Type::String);
  EXPECT_EQ(field_schema(*schema, "nope"), nullptr);
  EXPECT_EQ(field_schema(*schema->property("spec"), "metadata"), nullptr);
}

}  // namespace
}  // namespace fairway::json
