#include "device/deployment_facts.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "device/names.hpp"
#include "json/value.hpp"

namespace fairway::device {
namespace {

constexpr std::size_t kMaxStatusBytes = 4 * 1024 * 1024;

// "version 2" gives "2" for "version".
std::optional<std::string_view> value_of_key(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return std::nullopt;
  const std::string_view rest = line.substr(key.size());
  if (rest.empty() || (rest.front() != ' ' && rest.front() != '\t')) return std::nullopt;
  return trim(rest);
}

std::string without_leading_slash(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  return std::string(path);
}

bool is_inside(std::string_view path) {
  return std::ranges::none_of(split(path, '/'),
                              [](std::string_view part) { return part == ".." || part.empty(); });
}

}  // namespace

const Deployment* Deployments::find(std::string_view id) const {
  const auto found = std::ranges::find(all, id, &Deployment::id);
  return found == all.end() ? nullptr : &*found;
}

const Deployment* Deployments::rollback() const {
  if (problem) return nullptr;
  auto at = std::ranges::find(all, true, &Deployment::is_booted);
  if (at == all.end()) return nullptr;
  ++at;
  return at == all.end() ? nullptr : &*at;
}

std::optional<std::string> ostree_argument(std::string_view command_line) {
  std::optional<std::string> found;
  for (const std::string_view word : split_words(command_line)) {
    if (word.starts_with("ostree=")) found = without_leading_slash(word.substr(7));  // the last one counts
  }
  if (found && (found->empty() || !is_inside(*found))) return std::nullopt;
  return found;
}

Result<std::optional<BootEntry>> parse_boot_entry(std::string_view text) {
  BootEntry entry;
  bool has_version = false;
  std::optional<std::string> link;
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    if (const auto version = value_of_key(line, "version")) {
      const auto number = parse_signed(*version);
      if (number) entry.version = *number;
      has_version = number.has_value();
    } else if (const auto options = value_of_key(line, "options")) {
      if (auto found = ostree_argument(*options)) link = std::move(found);
    }
  }
  if (!link) return std::optional<BootEntry>();
  if (!has_version)
    return fail(ErrorCode::Invalid, "expected a line \"version NUMBER\" in the boot entry, found none");
  entry.link = *std::move(link);
  return std::optional(std::move(entry));
}

std::optional<DeploymentPath> parse_deployment_link(std::string_view target) {
  const auto parts = split(target, '/');
  if (parts.size() < 4) return std::nullopt;
  const auto last = parts.size() - 1;
  if (parts[last - 1] != "deploy" || parts[last - 3] != "deploy") return std::nullopt;
  DeploymentPath path{std::string(parts[last - 2]), std::string(parts[last])};
  if (!is_ostree_id(path.id())) return std::nullopt;
  return path;
}

std::optional<DeploymentPath> parse_deployment_id(std::string_view id) {
  if (!is_ostree_id(id)) return std::nullopt;
  const auto dash = id.rfind('-');  // a checksum has none
  return DeploymentPath{std::string(id.substr(0, dash)), std::string(id.substr(dash + 1))};
}

bool is_pinned_origin(std::string_view text) {
  bool is_in_group = false;
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    if (line.starts_with('[')) {
      is_in_group = line == "[libostree-transient]";
      continue;
    }
    const auto equals = line.find('=');
    if (!is_in_group || equals == std::string_view::npos) continue;
    if (trim(line.substr(0, equals)) == "pinned" && trim(line.substr(equals + 1)) == "true") return true;
  }
  return false;
}

Result<std::vector<Deployment>> parse_rpm_ostree_status(std::string_view text) {
  FAIRWAY_TRY(const auto object, json::parse_object(text, {.max_depth = 64, .max_bytes = kMaxStatusBytes}));
  const json::Array* list = json::get_array(object, {"deployments"});
  if (list == nullptr) return fail(ErrorCode::Invalid, "deployments: expected a list, found nothing");
  std::vector<Deployment> all;
  for (const json::Value& item : *list) {
    const auto id = item.is_object() ? json::get_string(item.get_object(), {"id"}) : std::nullopt;
    if (!id || !is_ostree_id(*id))
      return fail(ErrorCode::Invalid, "deployments: expected objects with an id, found something else");
    const json::Object& fields = item.get_object();
    all.push_back({.id = std::string(*id),
                   .is_booted = json::get_bool(fields, {"booted"}).value_or(false),
                   .is_staged = json::get_bool(fields, {"staged"}).value_or(false),
                   .is_pinned = json::get_bool(fields, {"pinned"}).value_or(false)});
  }
  return all;
}

Result<std::vector<Deployment>> parse_ostree_status(std::string_view text) {
  std::vector<Deployment> all;
  for (const std::string_view line : split(text, '\n')) {
    std::vector<std::string_view> words = split_words(line);
    const bool is_booted = !words.empty() && words.front() == "*";
    if (is_booted) words.erase(words.begin());
    if (words.size() >= 2) {
      const DeploymentPath path{std::string(words[0]), std::string(words[1])};
      if (is_ostree_id(path.id())) {
        all.push_back({.id = path.id(), .is_booted = is_booted});
        all.back().is_staged = words.size() > 2 && words[2] == "(staged)";
        continue;
      }
      if (!all.empty() && words[0] == "Pinned:" && words[1] == "yes") all.back().is_pinned = true;
    }
    if (is_booted)
      return fail(ErrorCode::Invalid, "expected an operating system and its deployment after the star");
  }
  if (all.empty()) return fail(ErrorCode::Invalid, "expected deployments, found none");
  return all;
}

std::optional<std::string> grub_variable(std::string_view grubenv, std::string_view name) {
  if (!grubenv.starts_with("# GRUB Environment Block\n")) return std::nullopt;
  for (const std::string_view line : split(grubenv, '\n')) {
    const auto equals = line.find('=');
    if (line.starts_with('#') || equals == std::string_view::npos) continue;
    if (line.substr(0, equals) == name) return std::string(line.substr(equals + 1));
  }
  return std::nullopt;
}

}  // namespace fairway::device
