// GraphDataSource: where graph data comes from, and how it is loaded.
//
//   ./graph-data             a folder; changes are noticed at once
//   ./graph-data.tar.gz      an archive, plain or compressed by gzip or zstd; the tree may lie in one folder
//   of it git:./repo@main          a commit of a Git repository, by any name that Git knows, or by a date
//   (2024-05-01) oci:quay.io/x/data:1.2   an image, or docker://…
//
// Lives on the control loop; what blocks happens on the pool. What came from a registry is kept in a folder,
// if there is one, and given again when the service starts without the registry.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/process.hpp"
#include "async/task.hpp"
#include "async/worker_pool.hpp"
#include "graph/source_file.hpp"
#include "http/prepared.hpp"
#include "oci/reference.hpp"
#include "oci/registry_access.hpp"

namespace fairway::updateservice {

struct GraphDataPlace {
  enum class Kind { Path, Git, Image };
  Kind kind = Kind::Path;
  std::string path = {};      // of Path and Git
  std::string revision = {};  // of Git; HEAD when none was given
  oci::Reference image = {};
  std::string text = {};  // as it was given

  static Result<GraphDataPlace> parse(std::string_view text);
};

struct GraphDataFiles {
  graph::SourceFiles files;  // in order
  std::string revision;      // for people: a commit, a digest, or the content's name
  std::string tag;           // two loads with equal tags have equal files
  std::shared_ptr<const http::PreparedAnswer> archive = nullptr;  // the files as one, for /graph-data

  std::string etag() const;  // of the archive
};

// One state of graph data in its past.
struct GraphDataRevision {
  std::string id;       // a commit
  std::string time;     // when it was committed, as RFC 3339
  std::string summary;  // its message's first line
};

// These block.
Result<GraphDataFiles> read_graph_data_path(const std::string& path);
Result<GraphDataFiles> read_graph_data_git(Process& process, const std::string& repository,
                                           const std::string& revision);
// The states that the revision has gone through, the newest first; the last few hundred.
Result<std::vector<GraphDataRevision>> list_graph_data_revisions(Process& process,
                                                                 const std::string& repository,
                                                                 const std::string& revision);

class GraphDataSource {
 public:
  struct Parts {  // all outlive the source
    async::WorkerPool& pool;
    Process& process;
    const oci::RegistryAccess& registries;
    std::string kept = {};  // a folder for what came from a registry; empty: nothing is kept
  };

  GraphDataSource(GraphDataPlace place, Parts parts);

  const std::string& name() const { return place_.text; }
  bool is_remote() const { return place_.kind == GraphDataPlace::Kind::Image; }
  // Paths whose change is worth a refresh.
  std::vector<std::string> watched() const;
  Task<GraphDataFiles> load();
  // What an earlier run kept; NotFound when there is none. A local source is just loaded.
  Task<GraphDataFiles> load_kept();

  bool has_past() const { return place_.kind == GraphDataPlace::Kind::Git; }
  // As of a revision or a date.
  Task<GraphDataFiles> load_past(std::string revision);
  Task<std::vector<GraphDataRevision>> list_past();

 private:
  Task<GraphDataFiles> load_image();
  Task<GraphDataFiles> with_archive(GraphDataFiles files);

  GraphDataPlace place_;
  Parts parts_;
  std::optional<GraphDataFiles> image_;  // the last one, by its digest
  // The last archive, and of which files: packing them again would give the same bytes.
  std::string packed_tag_;
  std::shared_ptr<const http::PreparedAnswer> packed_;
};

}  // namespace fairway::updateservice
