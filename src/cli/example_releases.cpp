#include "cli/example_releases.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <span>
#include <string_view>
#include <utility>

#include "async/files.hpp"
#include "base/text.hpp"
#include "json/value.hpp"

namespace fairway::cli {

std::span<const std::pair<std::string_view, std::string_view>> example_graph_data();
std::span<const std::pair<std::string_view, std::string_view>> example_release_files();

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kArchitecture = "amd64";
constexpr std::string_view kManifests = "manifests/";
// What stands in manifests where the version of their release goes, as tools that make releases have it.
constexpr std::string_view kVersionHere = "0.0.1-snapshot";

std::string_view releases_text() {
  for (const auto& [name, text] : example_graph_data())
    if (name == "releases.jsonl") return text;
  return {};
}

Result<oci::PackedImage> pack_release(const json::Object& metadata) {
  const std::string version(json::get_string(metadata, {"version"}).value_or(""));
  const std::string metadata_text = json::serialize(metadata);
  std::vector<std::pair<std::string, std::string>> texts;
  for (const auto& [name, text] : example_release_files()) {
    if (name.starts_with(kManifests))
      texts.emplace_back(fmt::format("release-manifests/{}", name.substr(kManifests.size())),
                         replace_all(text, kVersionHere, version));
  }
  std::vector<oci::PackedFile> files{{"release-manifests/release-metadata", metadata_text}};
  for (const auto& [path, text] : texts) files.push_back({path, text});
  return oci::pack_image(version, files, {.os = "linux", .architecture = std::string(kArchitecture)});
}

// What is not an image: signatures and the key.
Result<void> write_others(const fs::path& folder) {
  std::error_code error;
  for (const auto& [name, text] : example_release_files()) {
    if (name.starts_with(kManifests)) continue;
    fs::create_directories((folder / name).parent_path(), error);
    FAIRWAY_CHECKED(replace_file((folder / name).string(), text));
  }
  return {};
}

}  // namespace

Result<std::vector<oci::PackedImage>> example_release_images() {
  std::vector<oci::PackedImage> images;
  for (const std::string_view line : split(releases_text(), '\n')) {
    if (trim(line).empty()) continue;
    FAIRWAY_TRY(const json::Object release, json::parse_object(line));
    if (json::get_string(release, {"architecture"}) != kArchitecture) continue;
    const json::Object* metadata = json::get_object(release, {"release-metadata"});
    if (metadata == nullptr) continue;
    FAIRWAY_TRY(oci::PackedImage image, pack_release(*metadata));
    images.push_back(std::move(image));
  }
  return images;
}

Result<void> write_example_releases(const std::string& folder) {
  std::error_code error;
  if (fs::exists(folder, error)) return {};
  const std::string partial = folder + ".new";
  fs::remove_all(partial, error);
  FAIRWAY_TRY(const std::vector<oci::PackedImage> images, example_release_images());
  FAIRWAY_CHECKED(oci::write_layout(ExampleReleases(partial).images, images));
  FAIRWAY_CHECKED(write_others(partial));
  fs::rename(partial, folder, error);
  if (error) {
    return fail(ErrorCode::Unavailable,
                fmt::format("cannot write the example releases to {}: {}", quoted(folder), error.message()));
  }
  return {};
}

}  // namespace fairway::cli
