// Images: from a name in a registry to the files that its layers show.
//
// Layers are streamed: of each only the wanted files are held, and they are handed out only after the layer's
// digest proved right. Decoding runs on the given pool. What is referred to outlives the tasks.
//
//   FAIRWAY_CO_TRY(Image image, co_await open_image(registry, "ns/release", version, {}));
//   FAIRWAY_CO_TRY(auto metadata, co_await find_in_layers(reader, image,
//   "release-manifests/release-metadata", parses));
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/task.hpp"
#include "async/worker_pool.hpp"
#include "oci/layer.hpp"
#include "oci/registry.hpp"
#include "oci/union_view.hpp"

namespace fairway::oci {

struct Image {
  std::string repository = {};
  Digest digest;                          // of what the name stands for: the index where there is one
  Manifest manifest;                      // of the image that was chosen
  std::optional<Platform> platform = {};  // as the index has it; a lone manifest's is in its config
  std::vector<Platform> platforms = {};   // of all images of the index; empty for a lone manifest
};

// From an index: the last image that serves the platform, or the last one when none is asked for. An index in
// an index is Unsupported, a platform that is not there NotFound with those that are.
Task<Image> open_image(Registry& registry, std::string repository, Version version,
                       std::optional<Platform> platform = std::nullopt);

struct LayerAccess {
  Registry& registry;
  async::WorkerPool& pool;
  LayerLimits limits = {};
  ContentLimits content_limits = {};
};

// One layer, verified.
Task<LayerContent> read_layer(LayerAccess access, std::string repository, Descriptor layer,
                              Selection selection);

struct FoundFile {
  std::string bytes = {};
  std::size_t layer = 0;  // counted from the lowest
};

// The file in the uppermost layer that has it in a form that `accepts` accepts; one that is not accepted
// counts as not there (update-service cases 40 and 41). A whiteout ends the search: what an image deleted it
// does not have. Nothing when no layer has it. `accepts` runs on the event loop.
Task<std::optional<FoundFile>> find_in_layers(LayerAccess access, Image image, std::string path,
                                              std::function<bool(const std::string&)> accepts);

struct ImageFile {
  std::string path = {};
  std::string bytes = {};
  unsigned mode = 0;
};
using FileSink = std::function<Result<void>(ImageFile)>;

// Every selected regular file that the union of the layers shows, each once, in no order. When it fails, the
// sink may have been given some already: they are right, and not all.
Task<void> extract_tree(LayerAccess access, Image image, Selection selection, FileSink sink);

// The named files, as far as the image shows them as regular files; layers below the last of them are not
// read.
Task<std::map<std::string, std::string>> extract_files(LayerAccess access, Image image,
                                                       std::vector<std::string> paths);

}  // namespace fairway::oci
