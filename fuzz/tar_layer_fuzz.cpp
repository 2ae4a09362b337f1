// Layers from outside: never crash, never leak, never pass a limit, and every name stays below the root.
//
// The first byte says in pieces of which size the rest arrives, and whether files are wanted.
#include <cstdint>
#include <string>
#include <string_view>

#include "oci/entry_path.hpp"
#include "oci/layer.hpp"
#include "oci/union_view.hpp"

namespace {

using namespace fairway;

constexpr oci::LayerLimits kLimits{.max_file_bytes = 4096, .max_total_bytes = 1 << 20, .max_entries = 64};

oci::LayerHandlers checked(oci::LayerHandlers inner, std::size_t& entries, bool takes_files) {
  return {.on_entry =
              [inner, &entries, takes_files](const oci::Entry& entry) {
                FAIRWAY_CHECK(++entries <= kLimits.max_entries, "more entries than allowed");
                FAIRWAY_CHECK(oci::normalise_path(entry.path) == entry.path, "a path that is not normal");
                FAIRWAY_CHECK(!entry.path.empty() || entry.kind == oci::EntryKind::Opaque,
                              "an entry without a name");
                const oci::Wish wish = inner.on_entry(entry);
                return takes_files ? wish : oci::Wish::Skip;
              },
          .on_file =
              [inner](const oci::Entry& entry, std::string bytes) {
                FAIRWAY_CHECK(bytes.size() <= kLimits.max_file_bytes, "a file larger than allowed");
                FAIRWAY_CHECK(bytes.size() == entry.size, "a file of another size than its entry");
                return inner.on_file(entry, std::move(bytes));
              }};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 1 << 18) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t piece = data[0] < 128 ? bytes.size() + 1 : 64 * (data[0] - 127U);
  oci::LayerCollector collector({}, {.max_wanted_bytes = 1 << 16, .max_path_bytes = 1 << 14});
  std::size_t entries = 0;
  oci::LayerReader reader(kLimits, checked(collector.handlers(), entries, data[0] % 2 == 0));
  Result<void> fed;
  for (std::size_t at = 0; fed && at < bytes.size(); at += piece) fed = reader.feed(bytes.substr(at, piece));
  if (fed) fed = reader.finish();
  FAIRWAY_CHECK(fed || !reader.feed("x"), "an error that does not stay");
  const oci::LayerContent content = collector.take();
  oci::UnionView view;
  view.cover(content);
  for (const auto& [path, file] : content.files) FAIRWAY_CHECK(view.hides(path), "a file that does not hide");
  return 0;
}
