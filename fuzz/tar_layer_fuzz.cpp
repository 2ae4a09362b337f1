// Layers from outside: never crash, never leak, never pass a limit, and every name stays below the root.
//
// The first byte says in pieces of which size the rest arrives, and whether files are wanted.
#include <string>
#include <string_view>

#include "oci/entry_path.hpp"
#include "oci/layer.hpp"
#include "oci/union_view.hpp"

#include "fuzzer.hpp"

namespace {

using namespace fairway;

constexpr oci::LayerLimits kLayerLimits{
    .max_file_bytes = 4096, .max_total_bytes = 1 << 20, .max_entries = 64};

oci::LayerHandlers checked(oci::LayerHandlers inner, std::size_t& entries, bool takes_files) {
  return {.on_entry =
              [inner, &entries, takes_files](const oci::Entry& entry) {
                FAIRWAY_CHECK(++entries <= kLayerLimits.max_entries, "more entries than allowed");
                FAIRWAY_CHECK(oci::normalise_path(entry.path) == entry.path, "a path that is not normal");
                FAIRWAY_CHECK(!entry.path.empty() || entry.kind == oci::EntryKind::Opaque,
                              "an entry without a name");
                const oci::Wish wish = inner.on_entry(entry);
                return takes_files ? wish : oci::Wish::Skip;
              },
          .on_file =
              [inner](const oci::Entry& entry, std::string bytes) {
                FAIRWAY_CHECK(bytes.size() <= kLayerLimits.max_file_bytes, "a file larger than allowed");
                FAIRWAY_CHECK(bytes.size() == entry.size, "a file of another size than its entry");
                return inner.on_file(entry, std::move(bytes));
              }};
}

}  // namespace

FAIRWAY_FUZZER(tar_layer, input) {
  if (input.empty() || input.size() > 1 << 18) return;
  const std::uint8_t choice = fuzz::bytes_of(input)[0];
  const std::string_view bytes = input.substr(1);
  const std::size_t piece = choice < 128 ? bytes.size() + 1 : 64 * (choice - 127U);
  oci::LayerCollector collector({}, {.max_wanted_bytes = 1 << 16, .max_path_bytes = 1 << 14});
  std::size_t entries = 0;
  oci::LayerReader reader(kLayerLimits, checked(collector.handlers(), entries, choice % 2 == 0));
  Result<void> fed;
  for (std::size_t at = 0; fed && at < bytes.size(); at += piece) fed = reader.feed(bytes.substr(at, piece));
  if (fed) fed = reader.finish();
  FAIRWAY_CHECK(fed || !reader.feed("x"), "an error that does not stay");
  const oci::LayerContent content = collector.take();
  oci::UnionView view;
  view.cover(content);
  for (const auto& [path, file] : content.files) FAIRWAY_CHECK(view.hides(path), "a file that does not hide");
}
