// PayloadSource: where the payloads of releases are had from: a directory of this machine, or a registry.
//
// A directory is an image layout (oci-layout, index.json, blobs), or one payload (release-manifests/ and
// manifests/ below it, or the files right in it), or holds either in folders by version; it goes before
// registries, so that a machine without a network can be updated. An image that is a path or a file:// URL is
// such a payload itself. From a registry or a layout every byte is proven by the image's digest, which the
// payload carries; plain files prove nothing. Lives on one event loop; files and archives are read on the
// pool. What it is given outlives it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "async/worker_pool.hpp"
#include "base/clock.hpp"
#include "clusterversion/payload.hpp"
#include "oci/image.hpp"
#include "oci/registry_access.hpp"

namespace fairway::clusterversion {

struct PayloadSettings {
  std::string directory = {};  // empty: registries alone
  oci::RegistrySettings registry = {};
  // Registries (host[:port]) that are asked in plain HTTP, as images name them without a scheme.
  std::vector<std::string> plain_registries = {};
  std::string architecture = "amd64";  // which image of several, as registries name it
  PayloadOptions options = {};
  Duration timeout = std::chrono::minutes(4);
};

// More than any release has, and less than a machine that runs a cluster can spare.
inline constexpr std::size_t kMostPayloadFileBytes = 16 * 1024 * 1024;
inline constexpr std::size_t kMostPayloadBytes = 128 * 1024 * 1024;

class PayloadSource {
 public:
  PayloadSource(PayloadSettings settings, boost::asio::any_io_executor executor, TimerClock& clock,
                async::WorkerPool& pool);

  // An error proper only when the task was cancelled; what went wrong otherwise is told by its step.
  Task<PayloadOutcome> load(Release wanted);

 private:
  Task<PayloadOutcome> find(Release wanted);
  Task<PayloadOutcome> load_image(Release wanted);
  Task<PayloadOutcome> load_layout(std::string folder, Release wanted);
  Task<PayloadOutcome> read_image(oci::Registry& registry, oci::Reference reference, Release wanted);

  PayloadSettings settings_;
  oci::RegistryAccess registries_;
  TimerClock& clock_;
  async::WorkerPool& pool_;
};

// The files of an image that a payload is made of.
Task<PayloadFiles> read_payload_image(oci::LayerAccess access, oci::Image image);

// The same of a directory that is a payload. Blocks.
Result<PayloadFiles> read_payload_directory(const std::string& directory);

// The directory that has the wanted release; empty when none has. Blocks.
std::string find_payload_directory(const std::string& directory, const Release& wanted);

// The image layout that has the wanted release by its digest; empty when none has. Blocks.
std::string find_image_layout(const std::string& directory, const Release& wanted);

}  // namespace fairway::clusterversion
