#include "device/deployment_list.hpp"

#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"
#include "device/programs.hpp"

namespace fairway::device {
namespace {

constexpr std::size_t kMaxEntryBytes = 64 * 1024;
constexpr const char* kEntries = "/boot/loader/entries";
constexpr const char* kStaged = "/run/ostree/staged-deployment";
constexpr const char* kOstree = "/usr/bin/ostree";
constexpr const char* kRpmOstree = "/usr/bin/rpm-ostree";

bool exists(const std::string& path) {
  const auto facts = stat_if_exists(path);
  return facts && *facts;
}

std::optional<DirectoryIdentity> identity_of(const std::string& path) {
  struct statx facts{};
  if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME, &facts) != 0)
    return std::nullopt;
  DirectoryIdentity identity{.inode = facts.stx_ino};
  if ((facts.stx_mask & STATX_BTIME) != 0)
    identity.birth = fmt::format("{}.{:09}", facts.stx_btime.tv_sec, facts.stx_btime.tv_nsec);
  return identity;
}

class OstreeReader {
 public:
  explicit OstreeReader(const Place& place) : place_(place) {}

  Deployments read() {
    Deployments found;
    if (auto listed = list(); !listed) {
      found.problem = listed.error().describe();
    } else {
      found.all = *std::move(listed);
    }
    found.current = booted_id(found.all);
    if (found.problem)
      ask(found, {kOstree, "admin", "status", "--sysroot=" + real("/")}, &parse_ostree_status);
    if (found.problem) ask(found, {kRpmOstree, "status", "--json"}, &parse_rpm_ostree_status);
    for (Deployment& each : found.all) each.is_booted = each.id == found.current;
    if (!found.problem && found.current && found.find(*found.current) == nullptr)
      found.problem = fmt::format("the booted deployment {} has no boot entry", quoted(*found.current));
    return found;
  }

 private:
  std::string real(std::string_view path) const { return place_.root.real(path); }

  Result<DeploymentPath> follow(const std::string& link) const {
    FAIRWAY_TRY(const auto target, read_link_if_exists(real("/" + link)));
    if (!target)
      return fail(ErrorCode::NotFound, fmt::format("expected {} to be a link", quoted("/" + link)));
    auto path = parse_deployment_link(*target);
    if (!path)
      return fail(ErrorCode::Invalid, fmt::format("expected {} to name a deployment, found {}",
                                                  quoted("/" + link), quoted(*target)));
    return *std::move(path);
  }

  Deployment look_at(const DeploymentPath& path) const {
    const std::string directory = real("/" + path.path());
    Deployment deployment{.id = path.id(), .directory = identity_of(directory)};
    if (const auto origin = read_if_exists(directory + ".origin", kMaxEntryBytes); origin && *origin)
      deployment.is_pinned = is_pinned_origin(**origin);
    deployment.has_application = exists(directory + "/" + place_.settings.application);
    deployment.has_pre_run = exists(directory + "/" + place_.settings.pre_run_unit);
    return deployment;
  }

  Result<std::vector<Deployment>> list() const {
    FAIRWAY_TRY(const auto names, list_if_exists(real(kEntries)));
    if (!names) return fail(ErrorCode::NotFound, fmt::format("there is no {}", quoted(kEntries)));
    std::vector<std::pair<std::int64_t, Deployment>> found;
    for (const std::string& name : *names) {
      if (!name.starts_with("ostree-") || !name.ends_with(".conf")) continue;
      FAIRWAY_TRY(const auto text, read_if_exists(real(kEntries) + "/" + name, kMaxEntryBytes));
      FAIRWAY_TRY(const auto entry, parse_boot_entry(text.value_or("")));
      if (!entry) continue;
      FAIRWAY_TRY(const DeploymentPath path, follow(entry->link));
      found.emplace_back(entry->version, look_at(path));
    }
    std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<Deployment> all;
    for (auto& [version, deployment] : found) all.push_back(std::move(deployment));
    FAIRWAY_CHECKED(add_staged(all));
    return all;
  }

  // A staged deployment has its directory and not yet a boot entry.
  Result<void> add_staged(std::vector<Deployment>& all) const {
    if (!exists(real(kStaged))) return {};
    FAIRWAY_TRY(const auto systems, list_if_exists(real("/ostree/deploy")));
    for (const std::string& os : systems.value_or(std::vector<std::string>())) {
      FAIRWAY_TRY(const auto names, list_if_exists(real("/ostree/deploy/" + os + "/deploy")));
      for (const std::string& name : names.value_or(std::vector<std::string>())) {
        const DeploymentPath path{os, name};
        const bool is_listed = std::ranges::find(all, path.id(), &Deployment::id) != all.end();
        if (is_listed || !is_ostree_id(path.id())) continue;
        Deployment staged = look_at(path);
        staged.is_staged = true;
        all.insert(all.begin(), std::move(staged));
      }
    }
    return {};
  }

  std::optional<std::string> booted_id(const std::vector<Deployment>& all) const {
    const auto command_line = read_if_exists(real("/proc/cmdline"), kMaxEntryBytes);
    if (command_line && *command_line) {
      if (const auto link = ostree_argument(**command_line)) {
        if (const auto path = follow(*link)) return path->id();
      }
    }
    const auto root = identity_of(real("/"));
    for (const Deployment& each : all) {
      if (root && each.directory == root) return each.id;
    }
    return std::nullopt;
  }

  // Whoever can say it when the files cannot be read; `problem` goes when somebody does.
  void ask(Deployments& found, std::vector<std::string> command,
           Result<std::vector<Deployment>> (*parse)(std::string_view)) const {
    command.front() = real(command.front());
    if (!exists(command.front())) return;
    const auto answer = run_program(command);
    if (!answer || answer->exit_code != 0) return;
    const auto parsed = parse(answer->output);
    if (!parsed) return;
    found.all.clear();
    for (const Deployment& said : *parsed) {
      Deployment deployment = look_at(*parse_deployment_id(said.id));
      deployment.is_staged = said.is_staged;
      deployment.is_pinned = deployment.is_pinned || said.is_pinned;
      found.all.push_back(std::move(deployment));
      if (said.is_booted && !found.current) found.current = said.id;
    }
    found.problem.reset();
  }

  const Place& place_;
};

Deployments read_folders(const Place& place) {
  Deployments found;
  const auto current = read_link_if_exists(place.root.real(place.settings.current_deployment));
  if (!current || !*current) {
    found.problem = fmt::format("expected {} to be a link", quoted(place.settings.current_deployment));
  } else if (is_deployment_name(name_of(**current))) {
    found.current = name_of(**current);
  }
  const std::string folder = place.root.real(place.settings.deployment_folder);
  const auto names = list_if_exists(folder);
  if (!names || !*names) {
    found.problem = fmt::format("cannot read {}", quoted(place.settings.deployment_folder));
    return found;
  }
  for (const std::string& name : **names) {
    const auto facts = stat_if_exists(folder + "/" + name);
    if (!is_deployment_name(name) || !facts || !*facts || !S_ISDIR((*facts)->st_mode)) continue;
    Deployment deployment{.id = name, .is_booted = name == found.current};
    deployment.directory = identity_of(folder + "/" + name);
    deployment.has_application = exists(folder + "/" + name + "/" + place.settings.application);
    deployment.has_pre_run = true;
    found.all.insert(deployment.is_booted ? found.all.begin() : found.all.end(), std::move(deployment));
  }
  return found;
}

}  // namespace

bool has_deployments(const Place& place) {
  return !place.settings.deployment_folder.empty() || exists(place.root.real("/run/ostree-booted"));
}

Deployments read_deployments(const Place& place) {
  if (!place.settings.deployment_folder.empty()) return read_folders(place);
  return OstreeReader(place).read();
}

}  // namespace fairway::device
