// Patches from outside, on a document from outside: two lines of JSON, the document and the patch.
#include <cstdint>
#include <string_view>

#include "json/patch.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairway;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto line = text.find('\n');
  if (line == std::string_view::npos) return 0;
  const auto document = json::parse(text.substr(0, line), {.max_depth = 64, .max_bytes = 1 << 16});
  const auto patch = json::parse(text.substr(line + 1), {.max_depth = 64, .max_bytes = 1 << 16});
  if (!document || !patch) return 0;
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
  return 0;
}
