#include "updateservice/graph_data_source.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "async/files.hpp"
#include "base/text.hpp"
#include "oci/image.hpp"
#include "oci/layer.hpp"
#include "oci/pack.hpp"
#include "updateservice/source_tree.hpp"

namespace fairway::updateservice {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kGit = "git:";
constexpr std::string_view kKeptFile = "graph-data.tar.gz";
constexpr std::string_view kKeptRevision = "graph-data.revision";
constexpr oci::LayerLimits kArchiveLimits{
    .max_file_bytes = kMostSourceBytes, .max_total_bytes = std::uint64_t{1} << 32, .max_entries = 1'000'000};
constexpr std::size_t kShortCommit = 12;
constexpr std::size_t kMostRevisions = 500;

// Archives of repositories have everything in one folder.
void strip_common_folder(graph::SourceFiles& files) {
  const bool is_tree =
      std::ranges::any_of(files, [](const graph::SourceFile& file) { return is_graph_data(file.path); });
  if (is_tree || files.empty()) return;
  const std::string folder = files.front().path.substr(0, files.front().path.find('/') + 1);
  const auto inside = [&](const graph::SourceFile& file) { return file.path.starts_with(folder); };
  if (folder.empty() || !std::ranges::all_of(files, inside)) return;
  for (graph::SourceFile& file : files) file.path.erase(0, folder.size());
}

GraphDataFiles finished(graph::SourceFiles files) {
  strip_common_folder(files);
  std::erase_if(files, [](const graph::SourceFile& file) { return !is_graph_data(file.path); });
  std::ranges::sort(files, {}, &graph::SourceFile::path);
  GraphDataFiles data{.files = std::move(files), .revision = {}, .tag = {}};
  data.tag = content_tag(data.files);
  data.revision = data.tag;
  return data;
}

oci::LayerHandlers into(graph::SourceFiles& files) {
  return {.on_entry =
              [](const oci::Entry& entry) {
                return entry.kind == oci::EntryKind::File ? oci::Wish::Take : oci::Wish::Skip;
              },
          .on_file =
              [&files](const oci::Entry& entry, std::string bytes) {
                files.push_back({entry.path, std::move(bytes)});
                return Result<void>{};
              }};
}

// 2024-05-01, 2024-05-01T12:00:00Z: no name of a commit looks like this.
bool is_date(std::string_view text) {
  const auto digit = [&](std::size_t i) { return text[i] >= '0' && text[i] <= '9'; };
  if (text.size() < 10 || text[4] != '-' || text[7] != '-') return false;
  for (const std::size_t i : {0U, 1U, 2U, 3U, 5U, 6U, 8U, 9U}) {
    if (!digit(i)) return false;
  }
  return text.size() == 10 || text[10] == 'T' || text[10] == ' ';
}

bool is_revision(std::string_view text) {
  return !text.empty() && text.front() != '-' &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

Result<std::string> run_git(Process& process, const std::string& repository,
                            std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"-C", repository});
  FAIRWAY_TRY(
      ProcessResult result,
      process.run({.program = "git", .arguments = std::move(arguments), .max_output = kMostSourceBytes}));
  // Asked to be quiet, Git says nothing about a name that it does not know.
  if (result.exit_code == 1 && trim(result.error_output).empty()) return std::string();
  if (result.exit_code != 0) {
    return fail(ErrorCode::NotFound,
                fmt::format("git cannot read {}: {}", quoted(repository), trim(result.error_output)));
  }
  return std::move(result.output);
}

Result<std::string> commit_of(Process& process, const std::string& repository, const std::string& revision) {
  if (!is_revision(revision) && !is_date(revision)) {
    return fail(
        ErrorCode::Invalid,
        fmt::format("expected a Git revision or a date such as 2024-05-01, found {}", quoted(revision)));
  }
  std::vector<std::string> arguments{"rev-parse", "--verify", "--quiet", "--end-of-options",
                                     revision + "^{commit}"};
  if (is_date(revision)) {
    // A date alone is the end of that day.
    const std::string until = revision.size() == 10 ? revision + "T23:59:59Z" : revision;
    arguments = {"rev-list", "-1", "--first-parent", "--before=" + until, "HEAD"};
  }
  FAIRWAY_TRY(const std::string output, run_git(process, repository, std::move(arguments)));
  std::string commit(trim(output));
  if (commit.empty()) {
    return fail(ErrorCode::NotFound,
                fmt::format("graph data has no {} {}", is_date(revision) ? "commit before" : "revision",
                            quoted(revision)));
  }
  return commit;
}

}  // namespace

std::string GraphDataFiles::etag() const {
  return fmt::format("\"{}\"", tag);
}

Result<GraphDataPlace> GraphDataPlace::parse(std::string_view text) {
  GraphDataPlace place{.text = std::string(text)};
  for (const std::string_view scheme : {"oci:", "docker://"}) {
    if (!text.starts_with(scheme)) continue;
    place.kind = Kind::Image;
    FAIRWAY_TRY(place.image, oci::Reference::parse(text.substr(scheme.size())));
    return place;
  }
  if (text.starts_with(kGit)) {
    place.kind = Kind::Git;
    text.remove_prefix(kGit.size());
    const std::size_t at = text.rfind('@');
    place.path = text.substr(0, at);
    place.revision = at == std::string_view::npos ? "HEAD" : text.substr(at + 1);
    if (!is_revision(place.revision) && !is_date(place.revision)) {
      return fail(ErrorCode::Invalid,
                  fmt::format("expected git:FOLDER@REVISION, found {}", quoted(place.text)));
    }
  } else {
    place.path = text;
  }
  if (place.path.empty())
    return fail(ErrorCode::Invalid,
                fmt::format("expected a folder, an archive, git:FOLDER@REVISION or oci:IMAGE, found {}",
                            quoted(text)));
  return place;
}

Result<GraphDataFiles> read_graph_data_path(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    FAIRWAY_TRY(graph::SourceFiles files, read_tree(path));
    return finished(std::move(files));
  }
  graph::SourceFiles files;
  if (auto read = oci::read_archive_file(path, kArchiveLimits, into(files)); !read)
    return std::unexpected(std::move(read).error().within(fmt::format("while reading {}", quoted(path))));
  return finished(std::move(files));
}

Result<GraphDataFiles> read_graph_data_git(Process& process, const std::string& repository,
                                           const std::string& revision) {
  FAIRWAY_TRY(const std::string commit, commit_of(process, repository, revision));
  FAIRWAY_TRY(const std::string archive, run_git(process, repository, {"archive", "--format=tar", commit}));
  graph::SourceFiles files;
  oci::LayerReader reader(kArchiveLimits, into(files));
  FAIRWAY_CHECKED(reader.feed(archive));
  FAIRWAY_CHECKED(reader.finish());
  GraphDataFiles data = finished(std::move(files));
  data.revision = commit.substr(0, kShortCommit);
  return data;
}

Result<std::vector<GraphDataRevision>> list_graph_data_revisions(Process& process,
                                                                 const std::string& repository,
                                                                 const std::string& revision) {
  FAIRWAY_TRY(const std::string commit, commit_of(process, repository, revision));
  FAIRWAY_TRY(const std::string output,
              run_git(process, repository,
                      {"log", "--first-parent", fmt::format("--max-count={}", kMostRevisions),
                       "--format=%H%x09%cI%x09%s", commit}));
  std::vector<GraphDataRevision> revisions;
  for (const std::string_view line : split(output, '\n')) {
    const std::size_t first = line.find('\t');
    const std::size_t second = line.find('\t', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view summary = line.substr(second + 1);
    revisions.push_back({.id = std::string(line.substr(0, first)),
                         .time = std::string(line.substr(first + 1, second - first - 1)),
                         .summary = is_valid_utf8(summary) ? std::string(summary) : quoted(summary)});
  }
  return revisions;
}

GraphDataSource::GraphDataSource(GraphDataPlace place, Parts parts)
    : place_(std::move(place)), parts_(std::move(parts)) {}

std::vector<std::string> GraphDataSource::watched() const {
  if (place_.kind == GraphDataPlace::Kind::Path) return {place_.path};
  if (place_.kind == GraphDataPlace::Kind::Image) return {};
  std::error_code ignored;
  std::vector<std::string> paths;
  for (const char* name : {".git/HEAD", ".git/refs", ".git/packed-refs"}) {
    const fs::path path = fs::path(place_.path) / name;
    if (fs::exists(path, ignored)) paths.push_back(path.string());
  }
  return paths;
}

Task<GraphDataFiles> GraphDataSource::with_archive(GraphDataFiles data) {
  if (packed_ && packed_tag_ == data.tag) {
    data.archive = packed_;
    co_return data;
  }
  FAIRWAY_CO_TRY(std::string packed, co_await parts_.pool.run([&]() -> Result<std::string> {
    std::vector<oci::PackedFile> files;
    files.reserve(data.files.size());
    for (const graph::SourceFile& file : data.files) files.push_back({file.path, file.text});
    return oci::pack_tar_gz(files);
  }));
  data.archive =
      http::PreparedAnswer::make(200,
                                 {{"Content-Type", "application/gzip"},
                                  {"ETag", data.etag()},
                                  {"Content-Disposition", "attachment; filename=\"graph-data.tar.gz\""}},
                                 http::PreparedBody::make(packed));
  packed_tag_ = data.tag;
  packed_ = data.archive;
  co_return data;
}

Task<GraphDataFiles> GraphDataSource::load() {
  if (place_.kind == GraphDataPlace::Kind::Image) co_return co_await load_image();
  if (place_.kind == GraphDataPlace::Kind::Git) {
    FAIRWAY_CO_TRY(GraphDataFiles data, co_await load_past(place_.revision));
    co_return co_await with_archive(std::move(data));
  }
  FAIRWAY_CO_TRY(GraphDataFiles data,
                 co_await parts_.pool.run([this] { return read_graph_data_path(place_.path); }));
  co_return co_await with_archive(std::move(data));
}

Task<GraphDataFiles> GraphDataSource::load_past(std::string revision) {
  co_return co_await parts_.pool.run([this, revision = std::move(revision)] {
    return read_graph_data_git(parts_.process, place_.path, revision);
  });
}

Task<std::vector<GraphDataRevision>> GraphDataSource::list_past() {
  co_return co_await parts_.pool.run(
      [this] { return list_graph_data_revisions(parts_.process, place_.path, place_.revision); });
}

Task<GraphDataFiles> GraphDataSource::load_kept() {
  if (place_.kind != GraphDataPlace::Kind::Image) co_return co_await load();
  if (parts_.kept.empty()) co_return fail(ErrorCode::NotFound, "nothing is kept: there is no --state folder");
  const std::string folder = parts_.kept + "/";
  FAIRWAY_CO_TRY(GraphDataFiles data, co_await parts_.pool.run([&]() -> Result<GraphDataFiles> {
    FAIRWAY_TRY(GraphDataFiles read, read_graph_data_path(folder + std::string(kKeptFile)));
    FAIRWAY_TRY(read.revision, read_file(folder + std::string(kKeptRevision)));
    return read;
  }));
  co_return co_await with_archive(std::move(data));
}

Task<GraphDataFiles> GraphDataSource::load_image() {
  FAIRWAY_CO_TRY(const oci::OpenRegistry open, parts_.registries.open(place_.image.registry));
  FAIRWAY_CO_TRY(const oci::Image image,
                 co_await oci::open_image(*open.registry, place_.image.repository, version_of(place_.image)));
  if (image_ && image_->revision == image.digest.text()) co_return *image_;
  graph::SourceFiles files;
  FAIRWAY_CO_CHECKED(
      co_await oci::extract_tree({*open.registry, parts_.pool}, image, {}, [&files](oci::ImageFile file) {
        files.push_back({std::move(file.path), std::move(file.bytes)});
        return Result<void>{};
      }));
  GraphDataFiles data = finished(std::move(files));
  data.revision = image.digest.text();
  FAIRWAY_CO_TRY(image_, co_await with_archive(std::move(data)));
  if (!parts_.kept.empty()) {
    const std::string folder = parts_.kept + "/";
    FAIRWAY_CO_CHECKED(co_await parts_.pool.run([&]() -> Result<void> {
      FAIRWAY_CHECKED(replace_file(folder + std::string(kKeptFile), image_->archive->body()->to_string()));
      return replace_file(folder + std::string(kKeptRevision), image_->revision);
    }));
  }
  co_return *image_;
}

}  // namespace fairway::updateservice
