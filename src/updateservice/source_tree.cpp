#include "updateservice/source_tree.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>

#include "async/files.hpp"
#include "base/text.hpp"
#include "http/crypto.hpp"

namespace fairway::updateservice {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVersionFile = "version";
constexpr std::array<std::string_view, 4> kFolders{"raw", "channels", "internal-channels", "blocked-edges"};
constexpr std::size_t kTagDigits = 12;

Result<void> read_folder(const fs::path& root, std::string_view name, graph::SourceFiles& files) {
  std::error_code error;
  if (!fs::is_directory(root / name, error)) return {};
  for (fs::recursive_directory_iterator entry(root / name, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->is_regular_file()) continue;
    FAIRWAY_TRY(std::string text, read_file(entry->path().string(), kMostSourceBytes));
    files.push_back({entry->path().lexically_relative(root).generic_string(), std::move(text)});
  }
  if (error) {
    return fail(ErrorCode::Unavailable,
                fmt::format("cannot read {}: {}", quoted((root / name).string()), error.message()));
  }
  return {};
}

}  // namespace

bool is_graph_data(std::string_view path) {
  if (path == kVersionFile) return true;
  return std::ranges::any_of(kFolders, [&](std::string_view folder) {
    return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
  });
}

Result<graph::SourceFiles> read_tree(const std::string& folder) {
  const fs::path root(folder);
  std::error_code error;
  if (!fs::is_directory(root, error)) {
    return fail(
        ErrorCode::NotFound,
        fmt::format("cannot read {}: expected a folder with graph data (version, channels, blocked-edges)",
                    quoted(folder)));
  }
  graph::SourceFiles files;
  if (fs::exists(root / kVersionFile, error)) {
    FAIRWAY_TRY(std::string text, read_file((root / kVersionFile).string(), kMostSourceBytes));
    files.push_back({std::string(kVersionFile), std::move(text)});
  }
  for (const std::string_view name : kFolders) FAIRWAY_CHECKED(read_folder(root, name, files));
  std::ranges::sort(files, {}, &graph::SourceFile::path);
  return files;
}

std::string content_tag(const graph::SourceFiles& files) {
  std::string digests;
  for (const graph::SourceFile& file : files) {
    digests += http::sha256(file.path);
    digests += http::sha256(file.text);
  }
  return encode_hex(http::sha256(digests)).substr(0, kTagDigits);
}

}  // namespace fairway::updateservice
