#include "oci/layout.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>

#include "async/files.hpp"
#include "base/text.hpp"
#include "json/value.hpp"

namespace fairway::oci {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPieceBytes = 256 * 1024;
constexpr std::string_view kManifestType = "application/vnd.oci.image.manifest.v1+json";
constexpr std::string_view kConfigType = "application/vnd.oci.image.config.v1+json";
constexpr std::string_view kLayerType = "application/vnd.oci.image.layer.v1.tar";
constexpr std::string_view kLayoutFile = "oci-layout";

fs::path blob_path(const std::string& folder, const Digest& digest) {
  return fs::path(folder) / "blobs" / "sha256" / digest.hex();
}

// /v2/NAME/manifests/sha256:… and /v2/NAME/blobs/sha256:…
std::optional<Digest> asked_digest(std::string_view path) {
  path = path.substr(0, path.find('?'));
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view before = path.substr(0, slash);
  if (!before.ends_with("/manifests") && !before.ends_with("/blobs")) return std::nullopt;
  auto digest = Digest::parse(path.substr(slash + 1));
  return digest ? std::optional(*std::move(digest)) : std::nullopt;
}

class FileStream final : public http::ResponseStream {
 public:
  FileStream(std::shared_ptr<std::ifstream> file, async::WorkerPool& pool)
      : file_(std::move(file)), pool_(pool) {}

  int status() const override { return file_ ? 200 : 404; }
  const http::Headers& headers() const override { return headers_; }
  Task<std::string> read(Duration) override {
    if (!file_) co_return std::string();
    if (co_await async::is_cancelled()) co_return async::cancelled();
    co_return co_await pool_.run([file = file_]() -> Result<std::string> {
      std::string piece(kPieceBytes, '\0');
      file->read(piece.data(), static_cast<std::streamsize>(piece.size()));
      if (file->bad()) return fail(ErrorCode::Unavailable, "a file of the image layout cannot be read");
      piece.resize(static_cast<std::size_t>(file->gcount()));
      return piece;
    });
  }

 private:
  std::shared_ptr<std::ifstream> file_;  // null: there is none
  async::WorkerPool& pool_;
  http::Headers headers_;
};

json::Object descriptor(std::string_view type, std::string_view bytes) {
  return {{"mediaType", type}, {"digest", Digest::of(bytes).text()}, {"size", bytes.size()}};
}

Result<void> write_blob(const std::string& folder, const std::string& bytes) {
  return replace_file(blob_path(folder, Digest::of(bytes)).string(), bytes);
}

}  // namespace

bool is_layout(const std::string& folder) {
  std::error_code ignored;
  return fs::is_regular_file(fs::path(folder) / kLayoutFile, ignored);
}

bool has_in_layout(const std::string& folder, const Digest& digest) {
  std::error_code ignored;
  return is_layout(folder) && fs::is_regular_file(blob_path(folder, digest), ignored);
}

Task<std::unique_ptr<http::ResponseStream>> LayoutTransport::open(http::ClientRequest request) {
  std::shared_ptr<std::ifstream> file;
  if (const auto digest = asked_digest(request.url.path)) {
    file = co_await pool_.run([path = blob_path(folder_, *digest)]() -> std::shared_ptr<std::ifstream> {
      auto opened = std::make_shared<std::ifstream>(path, std::ios::binary);
      return *opened ? opened : nullptr;
    });
  }
  co_return std::make_unique<FileStream>(std::move(file), pool_);
}

Task<http::Response> LayoutTransport::send(http::ClientRequest request) {
  FAIRWAY_CO_TRY(const auto stream, co_await open(std::move(request)));
  std::string body;
  for (;;) {
    FAIRWAY_CO_TRY(const std::string piece, co_await stream->read({}));
    if (piece.empty()) break;
    body += piece;
  }
  co_return http::Response{.status = stream->status(), .body = std::move(body)};
}

Result<PackedImage> pack_image(std::string name, std::span<const PackedFile> files,
                               const Platform& platform) {
  FAIRWAY_TRY(std::string layer, pack_tar(files));
  json::Object config{{"architecture", platform.architecture}, {"os", platform.os}};
  config["rootfs"] = json::Object{{"type", "layers"}, {"diff_ids", json::Array{Digest::of(layer).text()}}};
  std::string config_text = json::serialize(config);
  json::Object manifest{{"schemaVersion", 2}, {"mediaType", kManifestType}};
  manifest["config"] = descriptor(kConfigType, config_text);
  manifest["layers"] = json::Array{descriptor(kLayerType, layer)};
  return PackedImage{.name = std::move(name),
                     .manifest = json::serialize(manifest),
                     .blobs = {std::move(config_text), std::move(layer)}};
}

Result<void> write_layout(const std::string& folder, std::span<const PackedImage> images) {
  std::error_code error;
  fs::create_directories(fs::path(folder) / "blobs" / "sha256", error);
  if (error) {
    return fail(ErrorCode::Unavailable,
                fmt::format("cannot make the image layout {}: {}", quoted(folder), error.message()));
  }
  json::Array entries;
  for (const PackedImage& image : images) {
    for (const std::string& blob : image.blobs) FAIRWAY_CHECKED(write_blob(folder, blob));
    FAIRWAY_CHECKED(write_blob(folder, image.manifest));
    json::Object entry = descriptor(kManifestType, image.manifest);
    entry["annotations"] = json::Object{{"org.opencontainers.image.ref.name", image.name}};
    entries.push_back(std::move(entry));
  }
  json::Object index{{"schemaVersion", 2}, {"manifests", std::move(entries)}};
  FAIRWAY_CHECKED(replace_file((fs::path(folder) / "index.json").string(), json::serialize(index) + "\n"));
  // Last: a folder without it is no layout.
  return replace_file((fs::path(folder) / kLayoutFile).string(), "{\"imageLayoutVersion\":\"1.0.0\"}\n");
}

}  // namespace fairway::oci
