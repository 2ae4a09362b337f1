// Manifests and indexes of images: docker's schema 2 and manifest list, OCI's image manifest and image index.
// Pure.
//
// The document itself decides what it is: by its mediaType, or by its members when it has none. One that
// could be read as both a manifest and an index, or that contradicts the type it was sent as, is refused,
// because two readers of the same digest must never see two images. Schema 1 is refused by name: nothing in
// it can be verified.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "oci/digest.hpp"

namespace fairway::oci {

inline constexpr std::size_t kMostManifestBytes = 4 * 1024 * 1024;
inline constexpr std::size_t kMostLayers = 10'000;

struct Platform {
  std::string os = {};
  std::string architecture = {};
  std::string variant = {};

  std::string to_string() const;  // linux/arm64/v8
  // Whether an image of `offered` serves where this one is asked for; what this one leaves empty does not
  // matter.
  bool is_served_by(const Platform& offered) const;
  bool operator==(const Platform&) const = default;
};

struct Descriptor {
  std::string media_type = {};
  Digest digest;
  std::uint64_t size = 0;

  bool operator==(const Descriptor&) const = default;
};

struct Manifest {
  Descriptor config;
  std::vector<Descriptor> layers = {};  // the lowest first
};

struct IndexEntry {
  Descriptor manifest;
  std::optional<Platform> platform = {};
};

struct Index {
  std::vector<IndexEntry> manifests = {};
};

struct Document {
  std::string media_type = {};
  std::variant<Manifest, Index> content;
};

// `content_type` is how the document was sent; anything but a manifest's type is ignored.
Result<Document> parse_manifest(std::string_view text, std::string_view content_type = {});

// The platform that a config blob names.
Result<Platform> parse_platform(std::string_view config);

// The value of Accept: every type that is read here.
std::string_view accepted_manifest_types();
bool is_index_type(std::string_view media_type);

enum class LayerFormat { Tar, TarGzip, TarZstd };
// Unsupported for what is no file system layer: signatures, attestations, encrypted layers.
Result<LayerFormat> layer_format(std::string_view media_type);

// The entries of an index that are images: build tools add attestations as manifests for the platform
// unknown/unknown.
std::vector<IndexEntry> images_of(const Index& index);

}  // namespace fairway::oci
