// The releases of the example graph, for clusters to update to: container images that are made here from the
// files of api/examples/up/releases, with the signatures and the key that come with the binary.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "oci/layout.hpp"

namespace fairway::cli {

// How they lie in a folder.
struct ExampleReleases {
  explicit ExampleReleases(const std::string& folder)
      : images(folder + "/images"), signatures(folder + "/signatures"), key(folder + "/key.asc") {}

  std::string images;      // an image layout
  std::string signatures;  // a signature store
  std::string key;
};

// One image a release, named by its version. The same on every machine.
Result<std::vector<oci::PackedImage>> example_release_images();

// Into a new folder, whole or not at all; a folder that is there already is left as it is.
Result<void> write_example_releases(const std::string& folder);

}  // namespace fairway::cli
