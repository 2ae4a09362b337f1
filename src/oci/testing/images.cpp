#include "oci/testing/images.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace fairway::oci::testing {
namespace {

std::string descriptor(std::string_view type, const std::string& bytes, std::string_view more = "") {
  return fmt::format(R"({{"mediaType":"{}","digest":"{}","size":{}{}}})", type, Digest::of(bytes).text(),
                     bytes.size(), more);
}

std::string joined(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ","));
}

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TestImage make_image(const std::vector<std::string>& layers, Flavour flavour,
                     const std::string& architecture) {
  const bool is_docker = flavour == Flavour::Docker;
  TestImage image;
  image.architecture = architecture;
  image.media_type = is_docker ? "application/vnd.docker.distribution.manifest.v2+json"
                               : "application/vnd.oci.image.manifest.v1+json";
  std::vector<std::string> descriptors;
  std::vector<std::string> identities;
  for (const std::string& layer : layers) {
    descriptors.push_back(descriptor(is_docker ? "application/vnd.docker.image.rootfs.diff.tar.gzip"
                                               : "application/vnd.oci.image.layer.v1.tar+gzip",
                                     layer));
    identities.push_back(fmt::format(R"("{}")", Digest::of(layer).text()));
    image.blobs[Digest::of(layer).text()] = layer;
  }
  const std::string config = fmt::format(
      R"({{"architecture":"{}","os":"linux","config":{{}},"rootfs":{{"type":"layers","diff_ids":[{}]}}}})",
      architecture, joined(identities));
  image.blobs[Digest::of(config).text()] = config;
  image.text =
      fmt::format(R"({{"schemaVersion":2,"mediaType":"{}","config":{},"layers":[{}]}})", image.media_type,
                  descriptor(is_docker ? "application/vnd.docker.container.image.v1+json"
                                       : "application/vnd.oci.image.config.v1+json",
                             config),
                  joined(descriptors));
  return image;
}

TestImage make_index(const std::vector<TestImage>& images, Flavour flavour) {
  TestImage index;
  index.media_type = flavour == Flavour::Docker ? "application/vnd.docker.distribution.manifest.list.v2+json"
                                                : "application/vnd.oci.image.index.v1+json";
  std::vector<std::string> descriptors;
  for (const TestImage& image : images) {
    const std::string platform =
        fmt::format(R"(,"platform":{{"architecture":"{}","os":"linux"}})", image.architecture);
    descriptors.push_back(descriptor(image.media_type, image.text, platform));
    index.manifests[image.digest().text()] = image.text;
    index.manifests.insert(image.manifests.begin(), image.manifests.end());
    index.blobs.insert(image.blobs.begin(), image.blobs.end());
  }
  index.text = fmt::format(R"({{"schemaVersion":2,"mediaType":"{}","manifests":[{}]}})", index.media_type,
                           joined(descriptors));
  return index;
}

void write_layout(const std::string& folder, const TestImage& image, const std::string& tag) {
  const auto blobs = std::filesystem::path(folder) / "blobs" / "sha256";
  std::filesystem::create_directories(blobs);
  const auto put = [&](const std::string& bytes) { write_file(blobs / Digest::of(bytes).hex(), bytes); };
  for (const auto& [digest, bytes] : image.blobs) put(bytes);
  for (const auto& [digest, text] : image.manifests) put(text);
  put(image.text);
  write_file(std::filesystem::path(folder) / "oci-layout", R"({"imageLayoutVersion":"1.0.0"})");
  const std::string annotations =
      fmt::format(R"(,"annotations":{{"org.opencontainers.image.ref.name":"{}"}})", tag);
  write_file(std::filesystem::path(folder) / "index.json",
             fmt::format(R"({{"schemaVersion":2,"manifests":[{}]}})",
                         descriptor(image.media_type, image.text, annotations)));
}

}  // namespace fairway::oci::testing
