#include <fmt/format.h>

#include "base/text.hpp"
#include "fleet/templates/functions.hpp"
#include "fleet/templates/values.hpp"
#include "json/yaml.hpp"

namespace fairway::fleet::templates {
namespace {

using Answer = Result<json::Value>;

Answer decoded(const Call& call) {
  const auto bytes = decode_base64(text_at(call, 0));
  if (!bytes) return fail(ErrorCode::Invalid, "the text is not base64");
  if (!is_valid_utf8(*bytes)) return fail(ErrorCode::Invalid, "what is encoded is no text");
  return json::Value(*bytes);
}

Answer from_json(const Call& call) {
  FAIRWAY_TRY(json::Value value,
              json::parse(text_at(call, 0), {.max_depth = call.session.settings().limits.max_depth}));
  return value;
}

Answer from_yaml(const Call& call) {
  FAIRWAY_TRY(json::Value value,
              json::parse_yaml(text_at(call, 0), {.max_depth = call.session.settings().limits.max_depth,
                                                  .max_nodes = call.session.settings().limits.max_steps}));
  return value;
}

Answer to_json(const Call& call) {
  return json::Value(json::serialize(call.arguments[0]));
}

Answer to_yaml(const Call& call) {
  std::string text = json::to_yaml(call.arguments[0], {.sort_keys = true});
  if (text.ends_with('\n')) text.pop_back();
  return json::Value(text);
}

// Every line after `blanks`; with `skips_first`, every line but the first.
Answer indented(const Call& call, std::int64_t blanks, std::string_view text, bool skips_first) {
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(0, blanks));
  const std::string before(std::min<std::size_t>(count, 1000), ' ');
  std::string made;
  for (const std::string_view line : split(text, '\n')) {
    FAIRWAY_CHECKED(call.session.charge(0, before.size()));
    const bool is_first = made.empty() && line.data() == text.data();
    if (!is_first) made += '\n';
    if (!is_first || !skips_first) made += before;
    made += line;
  }
  return json::Value(made);
}

Answer indent(const Call& call) {
  FAIRWAY_TRY(const std::int64_t blanks, whole_at(call, 0));
  return indented(call, blanks, text_at(call, 1), false);
}

// An empty text has nothing to hide.
Answer protect(const Call& call) {
  if (call.session.settings().side != Side::Hub)
    return fail(
        ErrorCode::Invalid,
        "this belongs into a template of the hub, {{hub … | protect hub}}; what is here was already sent");
  const std::string text = text_at(call, 0);
  if (text.empty()) return json::Value("");
  FAIRWAY_TRY(const std::string made, call.session.encrypt(text));
  return json::Value(made);
}

constexpr FunctionEntry kEncodingFunctions[] = {
    {"protect", protect, 1, 1},
    {"base64enc", [](const Call& call) -> Answer { return json::Value(encode_base64(text_at(call, 0))); }, 1,
     1},
    {"b64enc", [](const Call& call) -> Answer { return json::Value(encode_base64(text_at(call, 0))); }, 1, 1},
    {"base64dec", decoded, 1, 1},
    {"b64dec", decoded, 1, 1},
    {"toJson", to_json, 1, 1},
    {"mustToJson", to_json, 1, 1},
    {"toRawJson", to_json, 1, 1},
    {"mustToRawJson", to_json, 1, 1},
    {"toPrettyJson",
     [](const Call& call) -> Answer { return json::Value(json::serialize_pretty(call.arguments[0])); }, 1, 1},
    {"fromJson", from_json, 1, 1},
    {"mustFromJson", from_json, 1, 1},
    {"toYaml", to_yaml, 1, 1},
    {"mustToYaml", to_yaml, 1, 1},
    {"fromYaml", from_yaml, 1, 1},
    {"mustFromYaml", from_yaml, 1, 1},
    // What it gives is the value, not a text that looks like it; see resolve.cpp.
    {"toLiteral", [](const Call& call) -> Answer { return call.arguments[0]; }, 1, 1},
    {"indent", indent, 2, 2},
    {"nindent",
     [](const Call& call) -> Answer {
       FAIRWAY_TRY(const json::Value text, indent(call));
       return json::Value("\n" + to_text(text));
     },
     2, 2},
    {"autoindent",
     [](const Call& call) {
       return indented(call, static_cast<std::int64_t>(call.indent), text_at(call, 0), true);
     },
     1, 1},
};

}  // namespace

std::span<const FunctionEntry> encoding_functions() {
  return kEncodingFunctions;
}

}  // namespace fairway::fleet::templates
