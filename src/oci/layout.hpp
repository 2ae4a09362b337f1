// Image layouts: images in a folder of this machine, as `skopeo copy docker://… oci:FOLDER:TAG` writes them
// (OCI image specification 1.1: oci-layout, index.json, blobs/sha256/HEX).
//
// LayoutTransport stands where the connection to a registry would: what a Registry asks for by digest is read
// from the folder, so that an image of a folder is chosen, read and proven by the code that does it for
// registries. pack_image() is a function of its files: the same ones have the same digest everywhere.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "async/worker_pool.hpp"
#include "http/client.hpp"
#include "oci/manifest.hpp"
#include "oci/pack.hpp"

namespace fairway::oci {

// Whether the folder is a layout that has something of this digest. Blocks.
bool has_in_layout(const std::string& folder, const Digest& digest);
bool is_layout(const std::string& folder);

class LayoutTransport final : public http::Transport {
 public:
  // Files are read on the pool, which outlives it and what it opened.
  LayoutTransport(std::string folder, async::WorkerPool& pool) : folder_(std::move(folder)), pool_(pool) {}

  // 404 for everything but manifests and blobs that are there, by digest.
  Task<http::Response> send(http::ClientRequest request) override;
  Task<std::unique_ptr<http::ResponseStream>> open(http::ClientRequest request) override;

 private:
  std::string folder_;
  async::WorkerPool& pool_;
};

struct PackedImage {
  std::string name;                // how people call it: its tag
  std::string manifest;            // the text that its digest is of
  std::vector<std::string> blobs;  // config and layer

  Digest digest() const { return Digest::of(manifest); }
};
// One layer with these files, not compressed.
Result<PackedImage> pack_image(std::string name, std::span<const PackedFile> files, const Platform& platform);

// Into a new folder. Blocks.
Result<void> write_layout(const std::string& folder, std::span<const PackedImage> images);

}  // namespace fairway::oci
