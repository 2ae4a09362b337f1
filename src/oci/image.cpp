#include "oci/image.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <ranges>
#include <set>

#include "base/text.hpp"
#include "oci/entry_path.hpp"

namespace fairway::oci {
namespace {

// Handing a piece to the pool costs more than decoding a small one.
constexpr std::size_t kBatchBytes = 256 * 1024;

Result<IndexEntry> choose(const Index& index, const std::optional<Platform>& asked) {
  const std::vector<IndexEntry> images = images_of(index);
  std::vector<std::string> offered;
  for (const IndexEntry& image : images | std::views::reverse) {
    const Platform platform = image.platform.value_or(Platform{});
    if (!asked || asked->is_served_by(platform)) return image;
    offered.push_back(platform.to_string());
  }
  if (!asked) return fail(ErrorCode::Invalid, "the index has no image");
  std::ranges::reverse(offered);
  return fail(ErrorCode::NotFound,
              fmt::format("the index has no image for {}; it has {}", quoted(asked->to_string()),
                          offered.empty() ? "none at all" : join(offered, ", ")));
}

// The next bytes of a blob, in a batch that is worth a trip to the pool; empty at the verified end.
Task<std::string> read_batch(BlobReader& blob) {
  std::string batch;
  while (batch.size() < kBatchBytes) {
    FAIRWAY_CO_TRY(const std::string piece, co_await blob.read());
    if (piece.empty()) break;
    batch += piece;
  }
  co_return batch;
}

std::string place_of(const Registry& registry, const std::string& repository, const Descriptor& layer) {
  return fmt::format("layer {} of {}/{}", layer.digest.text(), registry.host().authority(), repository);
}

}  // namespace

Task<Image> open_image(Registry& registry, std::string repository, Version version,
                       std::optional<Platform> platform) {
  FAIRWAY_CO_TRY(FetchedManifest top, co_await registry.manifest(repository, std::move(version)));
  if (auto* manifest = std::get_if<Manifest>(&top.document.content)) {
    co_return Image{.repository = std::move(repository),
                    .digest = std::move(top.digest),
                    .manifest = std::move(*manifest)};
  }
  const Index& index = std::get<Index>(top.document.content);
  const std::string place =
      fmt::format("index {} of {}/{}", top.digest.text(), registry.host().authority(), repository);
  auto chosen = choose(index, platform);
  if (!chosen) co_return std::unexpected(std::move(chosen.error()).within(place));
  FAIRWAY_CO_TRY(FetchedManifest inner, co_await registry.manifest(repository, chosen->manifest.digest));
  auto* manifest = std::get_if<Manifest>(&inner.document.content);
  if (manifest == nullptr) {
    co_return std::unexpected(
        Error{ErrorCode::Unsupported,
              "expected an image in the index, found another index: nesting is not supported"}
            .within(place));
  }
  Image image{.repository = std::move(repository),
              .digest = std::move(top.digest),
              .manifest = std::move(*manifest),
              .platform = chosen->platform};
  for (const IndexEntry& entry : images_of(index))
    image.platforms.push_back(entry.platform.value_or(Platform{}));
  co_return image;
}

Task<LayerContent> read_layer(LayerAccess access, std::string repository, Descriptor layer,
                              Selection selection) {
  const std::string place = place_of(access.registry, repository, layer);
  if (auto format = layer_format(layer.media_type); !format)
    co_return std::unexpected(std::move(format.error()).within(place));
  FAIRWAY_CO_TRY(BlobReader blob,
                 co_await access.registry.open_blob(std::move(repository), std::move(layer)));
  LayerCollector collector(std::move(selection), access.content_limits);
  LayerReader reader(access.limits, collector.handlers());
  for (;;) {
    FAIRWAY_CO_TRY(const std::string batch, co_await read_batch(blob));
    const bool is_end = batch.empty();
    auto fed = co_await access.pool.run(
        [&reader, &batch] { return batch.empty() ? reader.finish() : reader.feed(batch); });
    if (fed) fed = collector.outcome();
    if (!fed) co_return std::unexpected(std::move(fed.error()).within(place));
    if (is_end) co_return collector.take();
  }
}

Task<std::optional<FoundFile>> find_in_layers(LayerAccess access, Image image, std::string path,
                                              std::function<bool(const std::string&)> accepts) {
  FAIRWAY_CO_TRY(const std::string wanted, normalise_path(path));
  UnionView above;
  for (std::size_t i = image.manifest.layers.size(); i-- > 0;) {
    const auto is_wanted = [wanted](std::string_view found) { return found == wanted; };
    FAIRWAY_CO_TRY(LayerContent content,
                   co_await read_layer(access, image.repository, image.manifest.layers[i],
                                       Selection{wanted, is_wanted}));
    const auto found = content.files.find(wanted);
    if (found != content.files.end() && accepts(found->second.bytes))
      co_return FoundFile{std::move(found->second.bytes), i};
    above.cover_whiteouts(content);
    if (above.hides(wanted)) break;
  }
  co_return std::nullopt;
}

Task<void> extract_tree(LayerAccess access, Image image, Selection selection, FileSink sink) {
  FAIRWAY_CO_TRY(selection.root, normalise_path(selection.root));
  UnionView above;
  for (const Descriptor& layer : image.manifest.layers | std::views::reverse) {
    FAIRWAY_CO_TRY(LayerContent content, co_await read_layer(access, image.repository, layer, selection));
    for (auto& entry : content.files) {
      LayerFile& file = entry.second;
      if (!above.hides(entry.first))
        FAIRWAY_CO_CHECKED(sink({entry.first, std::move(file.bytes), file.mode}));
    }
    above.cover(content);
  }
  co_return Result<void>{};
}

Task<std::map<std::string, std::string>> extract_files(LayerAccess access, Image image,
                                                       std::vector<std::string> paths) {
  std::set<std::string, std::less<>> missing;
  for (const std::string& path : paths) {
    FAIRWAY_CO_TRY(std::string normal, normalise_path(path));
    missing.insert(std::move(normal));
  }
  std::map<std::string, std::string> found;
  UnionView above;
  for (const Descriptor& layer : image.manifest.layers | std::views::reverse) {
    if (missing.empty()) break;
    const Selection selection{"", [missing](std::string_view path) { return missing.contains(path); }};
    FAIRWAY_CO_TRY(LayerContent content, co_await read_layer(access, image.repository, layer, selection));
    for (auto& [path, file] : content.files) {
      if (!above.hides(path)) found.insert_or_assign(path, std::move(file.bytes));
    }
    above.cover(content);
    std::erase_if(missing, [&](const std::string& path) { return above.hides(path); });
  }
  co_return found;
}

}  // namespace fairway::oci
