#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "async/files.hpp"
#include "base/text.hpp"
#include "kube/client/kubeconfig.hpp"

namespace fairway::kube {
namespace {

template <class Named>
void put(std::vector<Named>& list, Named entry) {
  const auto found = std::ranges::find(list, entry.name, &Named::name);
  if (found == list.end()) {
    list.push_back(std::move(entry));
  } else {
    *found = std::move(entry);
  }
}

}  // namespace

Result<void> write_contexts(const std::string& path, const std::vector<ContextEntry>& entries,
                            bool make_current) {
  std::error_code error;
  const auto directory = std::filesystem::absolute(path).parent_path();
  std::filesystem::create_directories(directory, error);
  if (error) {
    return fail(ErrorCode::Forbidden,
                fmt::format("cannot make the directory {}: {}", quoted(directory.string()), error.message()));
  }
  FAIRWAY_TRY(const FileLock lock, FileLock::take(path));
  Kubeconfig config;
  auto text = read_file(path);
  if (text) {
    // Relative paths stay as they are: the file does not move.
    FAIRWAY_TRY(config, parse_kubeconfig(*text, path));
  } else if (text.error().code != ErrorCode::NotFound) {
    return std::unexpected(std::move(text.error()));
  }
  for (const ContextEntry& entry : entries) {
    put(config.clusters, NamedCluster{entry.name, entry.cluster});
    put(config.users, NamedUser{entry.name, entry.user});
    put(config.contexts, NamedContext{entry.name, {entry.name, entry.name, entry.namespace_}});
  }
  if (!entries.empty() && (make_current || config.current_context.empty())) {
    config.current_context = entries.front().name;
  }
  return replace_file(path, to_yaml(config));
}

}  // namespace fairway::kube
