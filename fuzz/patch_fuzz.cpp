// Patches from outside, on a document from outside: two lines of JSON, the document and the patch.
#include <string_view>

#include "json/patch.hpp"

#include "fuzzer.hpp"

FAIRWAY_FUZZER(patch, text) {
  using namespace fairway;
  const auto line = text.find('\n');
  if (line == std::string_view::npos) return;
  const auto document = json::parse(text.substr(0, line), {.max_depth = 64, .max_bytes = 1 << 16});
  const auto patch = json::parse(text.substr(line + 1), {.max_depth = 64, .max_bytes = 1 << 16});
  if (!document || !patch) return;
  json::Value merged = *document;
  json::apply_merge_patch(merged, *patch);
  json::Value target = *document;
  if (const auto operations =
          json::Patch::parse(*patch, {.max_operations = 200, .max_copied = 10'000, .max_depth = 128})) {
    const auto applied = operations->apply(target);
    FAIRWAY_CHECK(applied || json::same_value(target, *document), "a patch that failed changed the document");
  }
  const json::Value difference = json::make_merge_patch(*document, merged);
  json::Value remade = *document;
  json::apply_merge_patch(remade, difference);
}
