// Images for tests: manifests and indexes as docker and as OCI write them, with their blobs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "oci/manifest.hpp"

namespace fairway::oci::testing {

enum class Flavour { Docker, Oci };

struct TestImage {
  std::string text = {};  // of the manifest or index
  std::string media_type = {};
  std::string architecture = {};
  std::map<std::string, std::string> blobs = {};      // by digest: config and layers
  std::map<std::string, std::string> manifests = {};  // by digest: those that an index names

  Digest digest() const { return Digest::of(text); }
};

// `layers` are gzip-compressed archives, the lowest first.
TestImage make_image(const std::vector<std::string>& layers, Flavour flavour = Flavour::Oci,
                     const std::string& architecture = "amd64");
TestImage make_index(const std::vector<TestImage>& images, Flavour flavour = Flavour::Oci);

// Writes an OCI image layout (oci:FOLDER:TAG of skopeo).
void write_layout(const std::string& folder, const TestImage& image, const std::string& tag);

}  // namespace fairway::oci::testing
