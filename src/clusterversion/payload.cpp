#include "clusterversion/payload.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "base/text.hpp"
#include "clusterversion/payload_manifests.hpp"
#include "graph/release.hpp"
#include "json/yaml.hpp"

namespace fairway::clusterversion {
namespace {

constexpr std::string_view kMetadata = "release-metadata";
constexpr std::string_view kImageReferences = "image-references";
constexpr std::string_view kUrl = "url";

// The file of that name, whichever folder it is in.
const PayloadFiles::value_type* find_file(const PayloadFiles& files, std::string_view name) {
  for (const std::string_view folder : {"release-manifests/", "manifests/", ""}) {
    const auto found = files.find(std::string(folder) + std::string(name));
    if (found != files.end()) return &*found;
  }
  return nullptr;
}

std::vector<std::string> channels_of(const graph::Metadata& metadata) {
  std::vector<std::string> channels;
  const auto listed = metadata.find(graph::key::kChannels);
  if (listed == metadata.end()) return channels;
  for (const std::string_view channel : split(listed->second, ',')) {
    if (!trim(channel).empty()) channels.emplace_back(trim(channel));
  }
  std::ranges::sort(channels);
  channels.erase(std::unique(channels.begin(), channels.end()), channels.end());
  return channels;
}

Result<Release> describe_release(const PayloadFiles::value_type& file) {
  auto metadata = graph::read_release_metadata(file.second);
  if (!metadata)
    return std::unexpected(std::move(metadata).error().within("while reading " + quoted(file.first)));
  Release release;
  release.version = graph::plain_text(metadata->version);
  if (const auto url = metadata->metadata.find(kUrl); url != metadata->metadata.end())
    release.url = url->second;
  release.channels = channels_of(metadata->metadata);
  const auto architecture = metadata->metadata.find(graph::key::kImageArchitecture);
  if (architecture != metadata->metadata.end() && equals_ignoring_case(architecture->second, "multi"))
    release.architecture = "Multi";
  return release;
}

Result<std::string> version_of_references(const PayloadFiles::value_type& file) {
  auto value = json::parse_yaml(file.second);
  if (!value) return std::unexpected(std::move(value).error().within("while reading " + quoted(file.first)));
  const json::Object* object = value->if_object();
  const auto name = object ? json::get_string(*object, {"metadata", "name"}) : std::nullopt;
  if (!name || name->empty()) {
    return fail(ErrorCode::Invalid,
                fmt::format("expected the version as metadata.name of {}, found none", quoted(file.first)));
  }
  return std::string(*name);
}

Result<Release> identify(const PayloadFiles& files, const PayloadOptions& options) {
  if (const auto* metadata = find_file(files, kMetadata)) return describe_release(*metadata);
  Release release;
  if (const auto* references = find_file(files, kImageReferences)) {
    FAIRWAY_TRY(release.version, version_of_references(*references));
  } else if (!options.fallback_version.empty()) {
    release.version = options.fallback_version;
  } else {
    return fail(
        ErrorCode::Invalid,
        fmt::format("expected {} or {} in a release payload, found neither; add {} with the release's "
                    "version, or choose an image that is a release",
                    quoted(kMetadata), quoted(kImageReferences), quoted(kMetadata)));
  }
  return release;
}

std::string identity(const Release& release) {
  return fmt::format("version=\"{}\" image=\"{}\"", release.version, release.image);
}

std::string_view group_of(const json::Object& object) {
  const std::string_view api_version = kube::api_version_of(object);
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

}  // namespace

Result<Payload> read_payload(const PayloadFiles& files, const Release& wanted,
                             const PayloadOptions& options) {
  Payload payload;
  FAIRWAY_TRY(payload.release, identify(files, options));
  payload.release.image = wanted.image;
  if (payload.release.architecture.empty()) payload.release.architecture = wanted.architecture;
  FAIRWAY_TRY(payload.manifests, read_manifests(files, payload.release, options));
  if (payload.manifests.empty()) {
    return fail(
        ErrorCode::Invalid,
        fmt::format("expected manifests (*.yaml, *.yml, *.json) for the profile {}, found none among {} "
                    "files; choose an image that is a release",
                    quoted(options.profile), files.size()));
  }
  payload.hash = hash_of(payload.manifests);
  return payload;
}

bool is_overridden(const PayloadManifest& manifest, std::span<const Override> overrides) {
  return std::ranges::any_of(overrides, [&](const Override& rule) {
    return rule.unmanaged && rule.kind == kube::kind_of(manifest.object) &&
           rule.group == group_of(manifest.object) && rule.name == kube::name_of(manifest.object) &&
           rule.namespace_ == kube::namespace_of(manifest.object);
  });
}

PayloadFailure retrieval_failure(const Release& wanted, std::string_view why) {
  return {std::string(kRetrievePayload),
          fmt::format("Retrieving payload failed {} failure={}", identity(wanted), why)};
}

PayloadFailure verification_failure(const Release& wanted, std::string_view why) {
  return retrieval_failure(wanted, fmt::format("The update cannot be verified: {}", why));
}

PayloadFailure load_failure(const Release& wanted, std::string_view why) {
  return {std::string(kLoadPayload),
          fmt::format("Loading payload failed {} failure={}", identity(wanted), why)};
}

PayloadOutcome load_payload(const PayloadFiles& files, const Release& wanted, const PayloadOptions& options) {
  auto payload = read_payload(files, wanted, options);
  if (!payload) return std::unexpected(load_failure(wanted, payload.error().describe()));
  if (!wanted.version.empty() && wanted.version != payload->release.version) {
    return std::unexpected(
        PayloadFailure{std::string(kVerifyPayloadVersion),
                       fmt::format("release image version {} does not match the expected upstream version {}",
                                   payload->release.version, wanted.version)});
  }
  return *std::move(payload);
}

}  // namespace fairway::clusterversion
