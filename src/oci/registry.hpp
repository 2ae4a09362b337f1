// Registry: what is read from one container registry (OCI distribution specification 1.1, docker's registry
// API v2).
//
// Every manifest and blob is checked against the digest that names it; a manifest asked for by tag gets its
// digest computed here, and a header of the registry that says otherwise is an error. Lives on one event
// loop; its Transport, which holds the trusted authorities, outlives it. One object serves all repositories
// of a registry, any number of tasks at once.
//
//   Registry registry(client, loop.clock(), {.registry = *RegistryHost::parse("quay.io"), .credentials = …});
//   auto tags = co_await registry.tags("openshift-release-dev/ocp-release");
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "http/client.hpp"
#include "oci/blob_reader.hpp"
#include "oci/manifest.hpp"
#include "oci/registry_options.hpp"

namespace fairway::oci {

// What a manifest is asked for by: a tag, or its digest.
using Version = std::variant<std::string, Digest>;
// The digest when the reference has one, else its tag, else "latest".
Version version_of(const Reference& reference);

struct FetchedManifest {
  Document document;
  Digest digest;          // of the text
  std::string text = {};  // byte for byte as the registry sent it
};

class Registry {
 public:
  Registry(http::Transport& transport, TimerClock& clock, RegistryOptions options);
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  const RegistryHost& host() const;

  // All tags, in the registry's order, each once.
  Task<std::vector<std::string>> tags(std::string repository);
  Task<FetchedManifest> manifest(std::string repository, Version version);
  Task<BlobReader> open_blob(std::string repository, Descriptor blob);
  // A small blob whole, verified.
  Task<std::string> blob(std::string repository, Descriptor blob, std::size_t most_bytes);
  // The platform that the manifest's config names.
  Task<Platform> platform_of(std::string repository, Manifest manifest);

 private:
  std::unique_ptr<Session> session_;
};

}  // namespace fairway::oci
