// RegistryReleases: releases out of the images of a repository.
//
// Every tag's manifest is asked for at every refresh, since tags move; what is in an image is read once for
// each digest and remembered, here and in a file. A tag that is no release, or cannot be understood, is
// passed over; a registry that cannot answer fails the refresh, so that an outage never makes the graph
// smaller. Each digest gives at most one release, however many tags name it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "async/worker_pool.hpp"
#include "graph/release.hpp"
#include "oci/digest.hpp"
#include "oci/reference.hpp"
#include "oci/registry_access.hpp"

namespace fairway::updateservice {

// What an image turned out to be. Without metadata it is no release.
struct ScrapedImage {
  std::string architecture = {};
  std::optional<std::string> metadata = {};  // release-metadata, as it stands in the image
};

// What is known of images by digest, and its text: one JSON object a line. Pure.
using ScrapedImages = std::map<oci::Digest, ScrapedImage>;
std::string to_lines(const ScrapedImages& images);
// Lines that cannot be read are left out: what they said is read from the registry again.
ScrapedImages from_lines(std::string_view text);

struct ScrapeSettings {
  std::size_t concurrency = 16;
};

class RegistryReleases {
 public:
  RegistryReleases(oci::Reference repository, const oci::RegistryAccess& registries, async::WorkerPool& pool,
                   ScrapedImages known = {}, const ScrapeSettings& settings = {});

  Task<graph::ReleaseList> scrape();
  const ScrapedImages& known() const { return known_; }

 private:
  struct Round;
  Task<void> read_tag(Round& round, const std::string& tag);
  Task<void> read_image(Round& round, const oci::Digest& digest);
  graph::ReleaseList releases_of(const Round& round) const;

  oci::Reference repository_;
  const oci::RegistryAccess& registries_;
  async::WorkerPool& pool_;
  ScrapedImages known_;
  ScrapeSettings settings_;
};

}  // namespace fairway::updateservice
