#include "updateservice/release_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <vector>

#include "async/files.hpp"
#include "base/text.hpp"
#include "json/value.hpp"
#include "updateservice/source_tree.hpp"

namespace fairway::updateservice {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWrapped = "release-metadata";

Result<std::string> as_line(std::string_view text) {
  FAIRWAY_TRY(json::Object object, json::parse_object(text));
  if (object.contains(kWrapped)) return json::serialize(object);
  json::Object wrapped;
  for (const std::string_view key : {"payload", "architecture"}) {
    if (!object.contains(key)) {
      return fail(
          ErrorCode::Invalid,
          fmt::format(
              "expected {} beside the release metadata: without an image they are not known otherwise",
              quoted(key)));
    }
    wrapped[key] = object.at(key);
    json::remove(object, key);
  }
  wrapped[kWrapped] = std::move(object);
  return json::serialize(wrapped);
}

Result<std::vector<std::string>> files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_regular_file() && entry->path().extension() == ".json")
      files.push_back(entry->path().string());
  }
  if (error)
    return fail(ErrorCode::Unavailable, fmt::format("cannot read {}: {}", quoted(folder), error.message()));
  std::ranges::sort(files);
  return files;
}

Result<void> add_file(const std::string& file, graph::ReleaseList& all) {
  FAIRWAY_TRY(const std::string text, read_file(file, kMostSourceBytes));
  FAIRWAY_TRY(const std::string line, as_line(text));
  FAIRWAY_TRY(graph::ReleaseList one, graph::read_releases(line));
  for (graph::Finding& finding : one.findings) finding.file = file;
  std::ranges::move(one.releases, std::back_inserter(all.releases));
  std::ranges::move(one.findings, std::back_inserter(all.findings));
  return {};
}

std::unexpected<Error> in_file(Error error, const std::string& file) {
  return std::unexpected(std::move(error).within(fmt::format("while reading {}", quoted(file))));
}

}  // namespace

Result<graph::ReleaseList> read_release_files(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    FAIRWAY_TRY(const std::string text, read_file(path, kMostSourceBytes));
    auto list = graph::read_releases(text);
    if (!list) return in_file(std::move(list).error(), path);
    return list;
  }
  FAIRWAY_TRY(const std::vector<std::string> files, files_in(path));
  graph::ReleaseList all;
  for (const std::string& file : files) {
    if (auto added = add_file(file, all); !added) return in_file(std::move(added).error(), file);
  }
  if (all.releases.empty()) {
    return fail(ErrorCode::NotFound,
                fmt::format("cannot find a release in {}: expected *.json, one release each", quoted(path)));
  }
  return all;
}

}  // namespace fairway::updateservice
