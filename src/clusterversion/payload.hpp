// A release's payload: its manifests in the order in which they are applied. Pure; where the files come from
// is payload_source.hpp's business.
//
// A payload is read whole or not at all: one bad file refuses it, and the error names the file, the place in
// it and what to do, so that nothing of a broken release is ever applied. The version is what
// release-metadata says, else the name of image-references. Manifests are ordered by their files' names, byte
// by byte, in whichever folder they are; several documents of a file keep their order.
#pragma once

#include <expected>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "clusterversion/types.hpp"
#include "json/value.hpp"

namespace fairway::clusterversion {

struct PayloadManifest {
  std::string file = {};     // manifests/0000_10_x.yaml
  json::Object object = {};  // has apiVersion, kind and a name
  bool is_deletion = false;  // the release wants it gone
};

struct Payload {
  Release release = {};
  std::vector<PayloadManifest> manifests = {};
  std::string hash = {};    // of the manifests; the same text for the same manifests
  std::string digest = {};  // sha256:… that was proven while it was read; empty when it came from a directory
};

// By path: release-manifests/NAME and manifests/NAME, or NAME alone.
using PayloadFiles = std::map<std::string, std::string>;

// Which manifests of a release are for this cluster.
struct PayloadOptions {
  std::string profile = "self-managed-high-availability";
  std::string feature_set = "Default";
  // For files that say nothing of a version themselves; empty: such are refused.
  std::string fallback_version = {};
};

// `wanted.image` becomes the release's image.
Result<Payload> read_payload(const PayloadFiles& files, const Release& wanted,
                             const PayloadOptions& options = {});

// Whether an administrator has the object left alone.
bool is_overridden(const PayloadManifest& manifest, std::span<const Override> overrides);

inline constexpr std::string_view kRetrievePayload = "RetrievePayload";
inline constexpr std::string_view kLoadPayload = "LoadPayload";
inline constexpr std::string_view kVerifyPayloadVersion = "VerifyPayloadVersion";

// Which step towards ReleaseAccepted failed, and the condition's message.
struct PayloadFailure {
  std::string step;
  std::string text;
  bool operator==(const PayloadFailure&) const = default;
};
using PayloadOutcome = std::expected<Payload, PayloadFailure>;

PayloadFailure retrieval_failure(const Release& wanted, std::string_view why);
// The same for one that was retrieved, but whose signature is missing or wrong.
PayloadFailure verification_failure(const Release& wanted, std::string_view why);
PayloadFailure load_failure(const Release& wanted, std::string_view why);
// Reads the files and compares the version with the one that was asked for.
PayloadOutcome load_payload(const PayloadFiles& files, const Release& wanted, const PayloadOptions& options);

}  // namespace fairway::clusterversion
