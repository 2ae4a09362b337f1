// The manifests among the files of a payload: reading, choosing, ordering. Pure.
//
// Files are YAML of any number of documents, or JSON; a v1 List stands for its items. A manifest that names
// profiles (include.release.openshift.io/PROFILE) is for these alone, one that names feature sets
// (release.openshift.io/feature-set) for those; one that names neither is for everybody.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "clusterversion/payload.hpp"

namespace fairway::clusterversion {

inline constexpr std::size_t kMostManifests = 20'000;

Result<std::vector<PayloadManifest>> read_manifests(const PayloadFiles& files, const Release& release,
                                                    const PayloadOptions& options);

// Whether a file is read at all: *.yaml, *.yml and *.json right in one of the folders.
bool is_manifest_file(std::string_view path);

// For noticing a change, not for security: FNV-1a in URL-safe base64, as status.versionHash looks elsewhere.
std::string hash_of(std::span<const PayloadManifest> manifests);

}  // namespace fairway::clusterversion
