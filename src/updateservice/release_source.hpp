// ReleaseSource: where releases come from, and how they are loaded.
//
//   ./releases.jsonl, ./releases/     a file or a folder (release_files.hpp); changes are noticed at once
//   oci:quay.io/ns/release            a repository of release images (registry_releases.hpp), or docker://…
//
// Lives on the control loop. What a registry said is kept in a folder, if there is one: a restart then needs
// no registry for its first graph, and reads no image a second time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/task.hpp"
#include "async/worker_pool.hpp"
#include "graph/release.hpp"
#include "oci/reference.hpp"
#include "oci/registry_access.hpp"
#include "updateservice/registry_releases.hpp"

namespace fairway::updateservice {

struct ReleasePlace {
  std::string path = {};
  std::optional<oci::Reference> repository = {};
  std::string text = {};  // as it was given

  static Result<ReleasePlace> parse(std::string_view text);
};

struct LoadedReleases {
  graph::ReleaseList list;
  std::string tag;  // two loads with equal tags have equal releases
};

class ReleaseSource {
 public:
  struct Parts {  // all outlive the source
    async::WorkerPool& pool;
    const oci::RegistryAccess& registries;
    std::string kept = {};
    ScrapeSettings scrape = {};
  };

  ReleaseSource(ReleasePlace place, Parts parts);

  const std::string& name() const { return place_.text; }
  bool is_remote() const { return place_.repository.has_value(); }
  std::vector<std::string> watched() const;
  Task<LoadedReleases> load();
  // What an earlier run kept; NotFound when there is none. A local source is just loaded.
  Task<LoadedReleases> load_kept();

 private:
  Task<LoadedReleases> load_repository();

  ReleasePlace place_;
  Parts parts_;
  std::optional<RegistryReleases> repository_;
};

}  // namespace fairway::updateservice
