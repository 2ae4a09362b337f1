#include "oci/manifest.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/text.hpp"
#include "json/value.hpp"

namespace fairway::oci {
namespace {

constexpr std::string_view kDockerManifest = "application/vnd.docker.distribution.manifest.v2+json";
constexpr std::string_view kDockerList = "application/vnd.docker.distribution.manifest.list.v2+json";
constexpr std::string_view kOciManifest = "application/vnd.oci.image.manifest.v1+json";
constexpr std::string_view kOciIndex = "application/vnd.oci.image.index.v1+json";
constexpr std::string_view kDockerSchema1 =
    "application/vnd.docker.distribution.manifest.v1+";  // json or prettyjws
constexpr std::int64_t kMostBlobBytes = std::int64_t{1} << 50;

constexpr json::ParseLimits kLimits{.max_depth = 64, .max_bytes = kMostManifestBytes};

bool is_manifest_type(std::string_view type) {
  return type == kDockerManifest || type == kOciManifest;
}

std::unexpected<Error> invalid(std::string message) {
  return fail(ErrorCode::Invalid, std::move(message));
}

std::unexpected<Error> schema1() {
  return fail(
      ErrorCode::Unsupported,
      "the image has a manifest of docker's schema 1, which cannot be verified: push it again with a tool of "
      "this decade, for example skopeo copy");
}

Result<std::string> member_text(const json::Object& object, std::string_view name, std::string_view where) {
  const json::Value* value = json::find(object, {name});
  if (value == nullptr || value->is_null()) return std::string();
  if (!value->is_string())
    return invalid(
        fmt::format("expected {} of {} to be a string, found {}", quoted(name), where, json::a_kind(*value)));
  return std::string(json::view(value->get_string()));
}

Result<Descriptor> read_descriptor(const json::Value* value, const std::string& where) {
  if (value == nullptr) return invalid(fmt::format("expected {}, and it is missing", where));
  if (!value->is_object())
    return invalid(fmt::format("expected {} to be an object, found {}", where, json::a_kind(*value)));
  const json::Object& object = value->get_object();
  FAIRWAY_TRY(const std::string digest_text, member_text(object, "digest", where));
  auto digest = Digest::parse(digest_text);
  if (!digest) return std::unexpected(std::move(digest.error()).within(where));
  const auto size = json::get_int(object, {"size"});
  if (!size || *size < 0 || *size > kMostBlobBytes)
    return invalid(fmt::format("expected \"size\" of {} to be a number of bytes", where));
  FAIRWAY_TRY(std::string media_type, member_text(object, "mediaType", where));
  return Descriptor{std::move(media_type), *std::move(digest), static_cast<std::uint64_t>(*size)};
}

Result<const json::Array*> member_list(const json::Object& object, std::string_view name) {
  const json::Value* value = json::find(object, {name});
  if (value == nullptr || !value->is_array())
    return invalid(fmt::format("expected {} to be a list, found {}", quoted(name),
                               value == nullptr ? "nothing" : json::a_kind(*value)));
  const json::Array& list = value->get_array();
  if (list.size() > kMostLayers)
    return invalid(
        fmt::format("expected at most {} entries in {}, found {}", kMostLayers, quoted(name), list.size()));
  return &list;
}

Result<Platform> read_platform(const json::Object& object, std::string_view where) {
  Platform platform;
  FAIRWAY_TRY(platform.os, member_text(object, "os", where));
  FAIRWAY_TRY(platform.architecture, member_text(object, "architecture", where));
  FAIRWAY_TRY(platform.variant, member_text(object, "variant", where));
  return platform;
}

Result<Manifest> read_manifest(const json::Object& object) {
  FAIRWAY_TRY(Descriptor config, read_descriptor(json::find(object, {"config"}), "the config"));
  Manifest manifest{.config = std::move(config)};
  FAIRWAY_TRY(const json::Array* layers, member_list(object, "layers"));
  for (std::size_t i = 0; i < layers->size(); ++i) {
    FAIRWAY_TRY(Descriptor layer, read_descriptor(&(*layers)[i], fmt::format("layer {}", i)));
    manifest.layers.push_back(std::move(layer));
  }
  return manifest;
}

Result<Index> read_index(const json::Object& object) {
  Index index;
  FAIRWAY_TRY(const json::Array* manifests, member_list(object, "manifests"));
  for (std::size_t i = 0; i < manifests->size(); ++i) {
    const std::string where = fmt::format("manifest {}", i);
    FAIRWAY_TRY(Descriptor descriptor, read_descriptor(&(*manifests)[i], where));
    IndexEntry entry{.manifest = std::move(descriptor)};
    if (const json::Object* platform = json::get_object((*manifests)[i].get_object(), {"platform"})) {
      FAIRWAY_TRY(entry.platform, read_platform(*platform, where));
    }
    index.manifests.push_back(std::move(entry));
  }
  return index;
}

// The type that the document gives itself, or that its members give it.
Result<std::string> type_of(const json::Object& object) {
  const auto version = json::get_int(object, {"schemaVersion"});
  FAIRWAY_TRY(std::string type, member_text(object, "mediaType", "the document"));
  if (version == 1 || type.starts_with(kDockerSchema1)) return schema1();
  if (version != 2) return invalid("expected \"schemaVersion\" to be 2 in a manifest");
  const bool has_manifests = object.contains("manifests");
  const bool has_layers = object.contains("layers") || object.contains("config");
  if (has_manifests && has_layers)
    return invalid(
        "the document has both \"manifests\" and \"layers\": it cannot be told whether it is an index or an "
        "image");
  if (!has_manifests && !has_layers)
    return invalid("expected \"layers\" of an image or \"manifests\" of an index, found neither");
  if (type.empty()) return std::string(has_manifests ? kOciIndex : kOciManifest);
  if (!is_manifest_type(type) && !is_index_type(type))
    return fail(ErrorCode::Unsupported,
                fmt::format("expected an image manifest or index of docker or OCI, found the "
                            "type {}",
                            quoted(type)));
  if (is_index_type(type) != has_manifests)
    return invalid(
        fmt::format("the document says that it is {} and its members say otherwise", quoted(type)));
  return type;
}

}  // namespace

std::string Platform::to_string() const {
  std::string text = os + "/" + architecture;
  if (!variant.empty()) text += "/" + variant;
  return text;
}

bool Platform::is_served_by(const Platform& offered) const {
  const auto fits = [](const std::string& asked, const std::string& has) {
    return asked.empty() || asked == has;
  };
  return fits(os, offered.os) && fits(architecture, offered.architecture) && fits(variant, offered.variant);
}

Result<Document> parse_manifest(std::string_view text, std::string_view content_type) {
  if (text.size() > kMostManifestBytes)
    return invalid(
        fmt::format("expected a manifest of at most {} bytes, found {}", kMostManifestBytes, text.size()));
  const std::string sent_as = to_lower(trim(content_type.substr(0, content_type.find(';'))));
  if (sent_as.starts_with(kDockerSchema1)) return schema1();
  auto object = json::parse_object(text, kLimits);
  if (!object) return std::unexpected(std::move(object.error()).within("manifest"));
  FAIRWAY_TRY(std::string type, type_of(*object));
  const bool is_index = is_index_type(type);
  if ((is_manifest_type(sent_as) && is_index) || (is_index_type(sent_as) && !is_index))
    return invalid(fmt::format("the document is {} and was sent as {}", quoted(type), quoted(sent_as)));
  if (is_index) {
    FAIRWAY_TRY(Index index, read_index(*object));
    return Document{std::move(type), std::move(index)};
  }
  FAIRWAY_TRY(Manifest manifest, read_manifest(*object));
  return Document{std::move(type), std::move(manifest)};
}

Result<Platform> parse_platform(std::string_view config) {
  auto object = json::parse_object(config, kLimits);
  if (!object) return std::unexpected(std::move(object.error()).within("image config"));
  FAIRWAY_TRY(Platform platform, read_platform(*object, "the image config"));
  if (platform.architecture.empty())
    return invalid("expected \"architecture\" in the image config, and it is missing");
  return platform;
}

std::string_view accepted_manifest_types() {
  static const std::string kTypes =
      fmt::format("{}, {}, {}, {}", kOciIndex, kDockerList, kOciManifest, kDockerManifest);
  return kTypes;
}

bool is_index_type(std::string_view media_type) {
  return media_type == kDockerList || media_type == kOciIndex;
}

Result<LayerFormat> layer_format(std::string_view media_type) {
  constexpr std::array<std::string_view, 4> kRoots{
      "application/vnd.oci.image.layer.v1.tar", "application/vnd.oci.image.layer.nondistributable.v1.tar",
      "application/vnd.docker.image.rootfs.diff.tar", "application/vnd.docker.image.rootfs.foreign.diff.tar"};
  for (const std::string_view root : kRoots) {
    if (!media_type.starts_with(root)) continue;
    const std::string_view ending = media_type.substr(root.size());
    if (ending.empty()) return LayerFormat::Tar;
    if (ending == "+gzip" || ending == ".gzip") return LayerFormat::TarGzip;
    if (ending == "+zstd" || ending == ".zstd") return LayerFormat::TarZstd;
  }
  return fail(ErrorCode::Unsupported,
              fmt::format("expected a file system layer as tar, tar.gz or tar.zst, found the type {}",
                          quoted(media_type)));
}

std::vector<IndexEntry> images_of(const Index& index) {
  std::vector<IndexEntry> images;
  std::ranges::copy_if(index.manifests, std::back_inserter(images), [](const IndexEntry& entry) {
    return !entry.platform || entry.platform->architecture != "unknown";
  });
  return images;
}

}  // namespace fairway::oci
