// The protobuf messages of the built-in kinds: what stands behind each field number.
//
// Made once, on first use, from the schemas of api/builtin and the numbers of api/builtin/protobuf.yaml; a
// disagreement between the two ends the process, in the first test that looks. Everything here lives until
// the process ends and is safe to read from any thread. Only protobuf.cpp uses it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace fairway::apiserver {

struct ProtobufMessage;

struct ProtobufField {
  enum class Kind {
    Text,
    Bytes,  // base64 in JSON
    Integer,
    Boolean,
    Number,
    Texts,  // a message around a list of texts: the values of `extra`
    Message,
    Time,
    MicroTime,
    Quantity,
    IntOrString,
    RawJson,  // a message around the text of a JSON value
    SchemaOrArray,
    SchemaOrBool,
    SchemaOrTexts,
  };
  enum class Shape { One, List, Map };

  std::string name;
  Kind kind = Kind::Message;
  Shape shape = Shape::One;
  const ProtobufMessage* message = nullptr;  // of a Message; the schema of a schema or something else
  bool is_inline = false;                    // its fields belong to the object itself
  bool is_required = false;
  bool keeps_zero = false;  // written only when set
};

struct ProtobufMessage {
  std::map<std::uint32_t, ProtobufField> fields;
};

// Null when the kind is not built in.
const ProtobufMessage* protobuf_message(std::string_view api_version, std::string_view kind);

}  // namespace fairway::apiserver
