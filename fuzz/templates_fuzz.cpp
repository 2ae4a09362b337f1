// Templates of policies: whatever the text, resolving ends within its limits, and twice gives the same.
#include <string_view>

#include "base/text.hpp"
#include "fleet/templates/templates.hpp"
#include "json/yaml.hpp"

#include "fuzzer.hpp"

namespace {

using namespace fairway;
namespace templates = fleet::templates;

const templates::Answers& answers() {
  static const templates::Answers kAnswers = {
      {{.api_version = "v1", .kind = "ConfigMap", .namespace_ = "n", .name = "c"},
       *json::parse_yaml("{data: {k: v, l: '3'}}")},
      {{.api_version = "v1", .kind = "Node"},
       *json::parse_yaml("{items: [{metadata: {name: a, labels: {x: z}}}]}")},
  };
  return kAnswers;
}

Result<std::string> turned(std::string_view bytes) {
  return std::string(bytes.rbegin(), bytes.rend());
}

void try_one(const json::Value& value, templates::Side side, bool has_key) {
  static const json::Value kContext = *json::parse_yaml(
      "{ManagedClusterName: m, ManagedClusterLabels: {a: b}, List: [1, two, {three: 3}], Number: 7}");
  const templates::Settings settings{.side = side,
                                     .context = kContext.get_object(),
                                     .answers = &answers(),
                                     .now = WallTime{std::chrono::seconds{1'700'000'000}},
                                     .encrypt = turned,
                                     .decrypt = has_key ? turned : templates::Cipher(),
                                     .limits = {.max_output = 20'000, .max_steps = 3'000, .max_lookups = 10}};
  const auto found = templates::resolve(value, settings);
  const auto again = templates::resolve(value, settings);
  FAIRWAY_CHECK(found.has_value() == again.has_value(), "a template is sometimes wrong");
  if (!found) {
    FAIRWAY_CHECK(!found.error().message.empty(), "an error says nothing");
    return;
  }
  FAIRWAY_CHECK(json::serialize(found->value) == json::serialize(again->value),
                "a template is not deterministic");
  FAIRWAY_CHECK(found->asked.size() <= 10, "there are more lookups than allowed");
  const bool is_plain = value.is_string() && !templates::is_template(json::view(value.get_string()), side);
  FAIRWAY_CHECK(has_key || !is_plain || json::same_value(value, found->value), "a plain text was changed");
}

}  // namespace

FAIRWAY_FUZZER(templates, text) {
  if (!is_valid_utf8(text)) return;
  for (const auto side : {templates::Side::Cluster, templates::Side::Hub})
    for (const bool has_key : {false, true}) try_one(json::Value(text), side, has_key);
}
