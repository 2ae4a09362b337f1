#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <vector>

#include "apiserver/openapi_documents.hpp"
#include "json/yaml.hpp"

namespace fairway::apiserver {
namespace {

// A reader of the wire format that knows nothing of the messages: fields by number.
struct Fields {
  std::multimap<int, std::string> bytes;
  std::multimap<int, std::uint64_t> numbers;
  bool is_whole = true;

  explicit Fields(std::string_view text) {
    while (!text.empty() && is_whole) {
      const std::uint64_t key = varint(text);
      const int field = static_cast<int>(key >> 3);
      switch (key & 7) {
        case 0:
          numbers.emplace(field, varint(text));
          break;
        case 1:
          numbers.emplace(field, fixed(text));
          break;
        case 2: {
          const std::uint64_t size = varint(text);
          is_whole = size <= text.size();
          bytes.emplace(field, text.substr(0, size));
          text.remove_prefix(std::min<std::size_t>(size, text.size()));
          break;
        }
        default:
          is_whole = false;
      }
    }
  }

  std::string text(int field) const {
    const auto found = bytes.find(field);
    return found == bytes.end() ? "" : found->second;
  }
  Fields message(int field) const { return Fields(text(field)); }
  std::vector<Fields> messages(int field) const {
    std::vector<Fields> out;
    for (auto [at, end] = bytes.equal_range(field); at != end; ++at) out.emplace_back(at->second);
    return out;
  }

 private:
  std::uint64_t varint(std::string_view& text) {
    std::uint64_t value = 0;
    for (int shift = 0; !text.empty() && shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(text.front());
      text.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    is_whole = false;
    return 0;
  }
  std::uint64_t fixed(std::string_view& text) {
    std::uint64_t value = 0;
    is_whole = text.size() >= 8;
    for (std::size_t i = 0; i < 8 && i < text.size(); ++i) {
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << (8 * i);
    }
    text.remove_prefix(std::min<std::size_t>(8, text.size()));
    return value;
  }
};

Fields encoded(std::string_view yaml) {
  return Fields(encode_openapi_v2(json::parse_yaml(yaml)->as_object()));
}

TEST(OpenApiProtobuf, EncodesSchemas) {
  const Fields document = encoded(R"(
swagger: '2.0'
info: {title: T, version: v1}
definitions:
  a.B:
    description: A thing.
    type: object
    required: [x, z]
    properties:
      x: {type: integer, format: int32, minimum: -1.5, maxLength: 300, default: 5, enum: [1, 2]}
      z: {$ref: '#/definitions/c.D'}
      m: {type: object, additionalProperties: {type: string}}
      t: {type: object, additionalProperties: true}
      l: {type: array, uniqueItems: true, items: {type: string}}
    x-kubernetes-group-version-kind: [{group: a, kind: B, version: v1}]
)");
  ASSERT_TRUE(document.is_whole);
  EXPECT_EQ(document.text(1), "2.0");
  EXPECT_EQ(document.message(2).text(1), "T");
  EXPECT_EQ(document.message(2).text(2), "v1");
  const Fields named = document.message(9).message(1);
  EXPECT_EQ(named.text(1), "a.B");
  const Fields schema = named.message(2);
  EXPECT_EQ(schema.text(4), "A thing.");
  EXPECT_EQ(schema.message(22).text(1), "object");
  EXPECT_EQ(schema.bytes.count(19), 2u);
  const Fields extension = schema.message(31);
  EXPECT_EQ(extension.text(1), "x-kubernetes-group-version-kind");
  EXPECT_EQ(extension.message(2).text(2), R"([{"group":"a","kind":"B","version":"v1"}])");

  std::map<std::string, Fields> properties;
  for (const Fields& each : schema.message(25).messages(1)) properties.emplace(each.text(1), each.message(2));
  ASSERT_EQ(properties.size(), 5u);
  const Fields& x = properties.at("x");
  EXPECT_EQ(x.message(22).text(1), "integer");
  EXPECT_EQ(x.text(2), "int32");
  EXPECT_EQ(std::bit_cast<double>(x.numbers.find(9)->second), -1.5);
  EXPECT_EQ(x.numbers.find(11)->second, 300u);
  EXPECT_EQ(x.message(5).text(2), "5");
  EXPECT_EQ(x.bytes.count(20), 2u);
  EXPECT_EQ(properties.at("z").text(1), "#/definitions/c.D");
  EXPECT_EQ(properties.at("m").message(21).message(1).message(22).text(1), "string");
  EXPECT_EQ(properties.at("t").message(21).numbers.find(2)->second, 1u);
  EXPECT_EQ(properties.at("l").message(23).message(1).message(22).text(1), "string");
  EXPECT_EQ(properties.at("l").numbers.find(16)->second, 1u);
}

TEST(OpenApiProtobuf, EncodesOperations) {
  const Fields document = encoded(R"(
paths:
  /api/v1/pods/{name}:
    parameters: [{in: path, name: name, type: string, required: true}]
    patch:
      description: partially update
      operationId: patchPod
      tags: [core_v1]
      consumes: [application/json]
      produces: [application/yaml]
      schemes: [https]
      parameters: [{in: body, name: body, required: true, schema: {$ref: '#/definitions/P'}}, {in: query, name: dryRun,
        type: string, uniqueItems: true}]
      responses: {'200': {description: OK, schema: {$ref: '#/definitions/Q'}}}
      x-kubernetes-group-version-kind: {group: '', kind: Pod, version: v1}
)");
  ASSERT_TRUE(document.is_whole);
  const Fields named = document.message(8).message(2);
  EXPECT_EQ(named.text(1), "/api/v1/pods/{name}");
  const Fields item = named.message(2);
  const Fields path = item.message(9).message(1).message(2).message(4);
  EXPECT_EQ(path.text(4), "name");
  EXPECT_EQ(path.text(5), "string");
  EXPECT_EQ(path.numbers.find(1)->second, 1u);
  const Fields patch = item.message(8);
  EXPECT_EQ(patch.text(1), "core_v1");
  EXPECT_EQ(patch.text(3), "partially update");
  EXPECT_EQ(patch.text(5), "patchPod");
  EXPECT_EQ(patch.text(6), "application/yaml");
  EXPECT_EQ(patch.text(7), "application/json");
  EXPECT_EQ(patch.text(10), "https");
  const auto parameters = patch.messages(8);
  ASSERT_EQ(parameters.size(), 2u);
  EXPECT_EQ(parameters[0].message(1).message(1).message(5).text(1), "#/definitions/P");
  const Fields query = parameters[1].message(1).message(2).message(3);
  EXPECT_EQ(query.text(4), "dryRun");
  EXPECT_EQ(query.text(6), "string");
  EXPECT_EQ(query.numbers.find(20)->second, 1u);
  const Fields response = patch.message(9).message(1);
  EXPECT_EQ(response.text(1), "200");
  EXPECT_EQ(response.message(2).message(1).text(1), "OK");
  EXPECT_EQ(response.message(2).message(1).message(2).message(1).text(1), "#/definitions/Q");
  EXPECT_EQ(patch.message(13).message(2).text(2), R"({"group":"","kind":"Pod","version":"v1"})");
}

TEST(OpenApiProtobuf, TheWholeDocumentHasEveryDefinition) {
  const auto catalog = Catalog::make({});
  const json::Object document = openapi_v2(*catalog);
  const Fields message(encode_openapi_v2(document));
  ASSERT_TRUE(message.is_whole);
  EXPECT_EQ(message.message(9).messages(1).size(), document.at("definitions").as_object().size());
  EXPECT_EQ(message.message(8).messages(2).size(), document.at("paths").as_object().size());
}

}  // namespace
}  // namespace fairway::apiserver
