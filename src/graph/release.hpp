// Release: one release of the product for one architecture, as its image describes it.
//
// A release's version carries the architecture as build part (4.7.4+amd64), whatever the image wrote there.
// Neighbours are texts of versions without build part: they always are of the release's own architecture, so
// no edge can cross architectures. Reading is strict about what decides safety (versions, digests) and
// tolerant of unknown keys. Where the text comes from is the caller's business.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/semver.hpp"
#include "graph/finding.hpp"
#include "json/value.hpp"

namespace fairway::graph {

using Metadata = std::map<std::string, std::string, std::less<>>;

// Keys of metadata that mean something to the graph.
namespace key {
inline constexpr std::string_view kArch = "io.openshift.upgrades.graph.release.arch";
inline constexpr std::string_view kManifestRef = "io.openshift.upgrades.graph.release.manifestref";
inline constexpr std::string_view kChannels = "io.openshift.upgrades.graph.release.channels";
inline constexpr std::string_view kRemove = "io.openshift.upgrades.graph.release.remove";
inline constexpr std::string_view kPreviousAdd = "io.openshift.upgrades.graph.previous.add";
inline constexpr std::string_view kNextAdd = "io.openshift.upgrades.graph.next.add";
inline constexpr std::string_view kPreviousRemove = "io.openshift.upgrades.graph.previous.remove";
inline constexpr std::string_view kPreviousRemoveRegex = "io.openshift.upgrades.graph.previous.remove_regex";
inline constexpr std::string_view kNextRemove = "io.openshift.upgrades.graph.next.remove";
inline constexpr std::string_view kImageArchitecture = "release.openshift.io/architecture";
}  // namespace key

// release-manifests/release-metadata, as it stands in a release image.
struct ReleaseMetadata {
  SemVer version;                          // as written, build part and all
  std::vector<std::string> previous = {};  // without build part
  std::vector<std::string> next = {};
  Metadata metadata = {};
};

// Unsupported when it is well-formed but of another kind, or has none: such a file is passed over, not
// complained about.
Result<ReleaseMetadata> read_release_metadata(std::string_view text);
Result<ReleaseMetadata> read_release_metadata(const json::Object& object);

struct Release {
  SemVer version;  // its build part is the architecture
  std::string arch;
  std::string payload;  // NAME@DIGEST
  std::vector<std::string> previous = {};
  std::vector<std::string> next = {};
  Metadata metadata = {};

  std::string_view digest() const;  // the part of the payload after '@'
};

// Nothing when the metadata says `multi` but the image is of one architecture: a shard of a larger image.
std::optional<Release> make_release(ReleaseMetadata metadata, std::string arch, std::string payload);

// The architecture of an image by those its manifests name: that of a single one, `multi` for several,
// nothing when there is none to tell by.
std::optional<std::string> image_architecture(std::span<const std::string> of_manifests);

struct ReleaseList {
  std::vector<Release> releases;
  Findings findings;  // lines that were passed over; an error never gets this far
};

// One JSON object a line: {"payload":"NAME@DIGEST","architecture":"amd64","release-metadata":{…}}. Blank
// lines are allowed. An error names the line.
Result<ReleaseList> read_releases(std::string_view jsonl);
// The same form, to write what a registry said to a file.
std::string to_jsonl(std::span<const Release> releases);

// 4.7.4 for 4.7.4+amd64.
std::string plain_text(const SemVer& version);

}  // namespace fairway::graph
