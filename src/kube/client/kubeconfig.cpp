#include "kube/client/kubeconfig.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <set>

#include "async/files.hpp"
#include "base/text.hpp"
#include "json/yaml.hpp"

namespace fairway::kube {
namespace {

namespace fs = std::filesystem;

template <class Named>
const Named* find_named(const std::vector<Named>& list, std::string_view name) {
  const auto found = std::ranges::find(list, name, &Named::name);
  return found == list.end() ? nullptr : &*found;
}

// A name that stands twice could mean either; kubectl refuses it too.
template <class Named>
Result<void> require_unique(const std::vector<Named>& list, std::string_view field) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].name.empty()) {
      return fail(ErrorCode::Invalid, fmt::format("{}[{}].name: expected a name, found none", field, i));
    }
    if (!seen.insert(list[i].name).second) {
      return fail(ErrorCode::Invalid,
                  fmt::format("{}[{}].name: expected each name once, found {} again: remove one", field, i,
                              quoted(list[i].name)));
    }
  }
  return {};
}

template <class Named>
void add_missing(std::vector<Named>& into, const std::vector<Named>& from) {
  for (const Named& entry : from) {
    if (find_named(into, entry.name) == nullptr) into.push_back(entry);
  }
}

void resolve(std::string& path, const fs::path& directory) {
  if (!path.empty() && fs::path(path).is_relative()) path = (directory / path).lexically_normal().string();
}

}  // namespace

const KubeconfigCluster* Kubeconfig::cluster(std::string_view name) const {
  const auto* found = find_named(clusters, name);
  return found == nullptr ? nullptr : &found->cluster;
}

const KubeconfigUser* Kubeconfig::user(std::string_view name) const {
  const auto* found = find_named(users, name);
  return found == nullptr ? nullptr : &found->user;
}

const KubeconfigContext* Kubeconfig::context(std::string_view name) const {
  const auto* found = find_named(contexts, name);
  return found == nullptr ? nullptr : &found->context;
}

std::vector<std::string> Kubeconfig::context_names() const {
  std::vector<std::string> names;
  names.reserve(contexts.size());
  for (const auto& entry : contexts) names.push_back(entry.name);
  return names;
}

Result<Kubeconfig> parse_kubeconfig(std::string_view text, const std::string& path) {
  const auto in_file = [&](Error error) { return std::unexpected(std::move(error).within(path)); };
  auto value = json::parse_yaml(text);
  if (!value) return in_file(std::move(value.error()));
  if (value->is_null()) return Kubeconfig{};
  auto config = json::from_json<Kubeconfig>(*value);
  if (!config) return in_file(std::move(config.error()));
  if (config->kind != "Config" || config->api_version != "v1") {
    return in_file({ErrorCode::Invalid, fmt::format("expected a Config of v1, found a {} of {}",
                                                    quoted(config->kind), quoted(config->api_version))});
  }
  for (auto checked : {require_unique(config->clusters, "clusters"), require_unique(config->users, "users"),
                       require_unique(config->contexts, "contexts")}) {
    if (!checked) return in_file(std::move(checked.error()));
  }
  return config;
}

std::string to_yaml(const Kubeconfig& config) {
  return json::to_yaml(json::to_json(config));
}

void resolve_paths(Kubeconfig& config, const std::string& directory) {
  const fs::path base = fs::absolute(directory.empty() ? "." : directory);
  for (auto& entry : config.clusters) resolve(entry.cluster.certificate_authority, base);
  for (auto& entry : config.users) {
    resolve(entry.user.client_certificate, base);
    resolve(entry.user.client_key, base);
    resolve(entry.user.token_file, base);
    // A command without a slash is looked up in PATH.
    if (entry.user.exec && entry.user.exec->command.contains('/')) resolve(entry.user.exec->command, base);
  }
}

void merge_into(Kubeconfig& config, const Kubeconfig& other) {
  add_missing(config.clusters, other.clusters);
  add_missing(config.users, other.users);
  add_missing(config.contexts, other.contexts);
  if (config.current_context.empty()) config.current_context = other.current_context;
  for (const auto& member : other.unknown) config.unknown.emplace(member.key(), member.value());
}

KubeconfigSources KubeconfigSources::from_environment() {
  KubeconfigSources sources;
  if (const char* list = std::getenv("KUBECONFIG")) {
    for (std::string_view path : split(list, ':')) {
      if (!path.empty()) sources.listed_files.emplace_back(path);
    }
  }
  if (const char* home = std::getenv("HOME")) sources.home_file = std::string(home) + "/.kube/config";
  return sources;
}

std::vector<std::string> KubeconfigSources::files() const {
  if (!explicit_file.empty()) return {explicit_file};
  if (!listed_files.empty()) return listed_files;
  if (!home_file.empty()) return {home_file};
  return {};
}

Result<Kubeconfig> load_kubeconfig(const KubeconfigSources& sources) {
  Kubeconfig merged;
  for (const std::string& path : sources.files()) {
    auto text = read_file(path);
    if (!text) {
      if (text.error().code == ErrorCode::NotFound && sources.explicit_file.empty()) continue;
      return std::unexpected(std::move(text.error()).within("reading the kubeconfig"));
    }
    FAIRWAY_TRY(Kubeconfig config, parse_kubeconfig(*text, path));
    resolve_paths(config, fs::path(path).parent_path().string());
    merge_into(merged, config);
  }
  return merged;
}

}  // namespace fairway::kube
