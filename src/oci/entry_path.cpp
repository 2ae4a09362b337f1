#include "oci/entry_path.hpp"

#include <fmt/format.h>
#include <vector>

#include "base/text.hpp"

namespace fairway::oci {
namespace {

constexpr std::string_view kWhiteout = ".wh.";
constexpr std::string_view kOpaque = ".wh..wh..opq";
constexpr std::string_view kBookkeeping = ".wh..wh.";

// The folder with its slash, and the last component.
std::pair<std::string_view, std::string_view> split_last(std::string_view path) {
  const auto slash = path.rfind('/');
  const std::size_t start = slash == std::string_view::npos ? 0 : slash + 1;
  return {path.substr(0, start), path.substr(start)};
}

std::unexpected<Error> refused(std::string_view path, std::string_view why) {
  return fail(ErrorCode::Invalid, fmt::format("the archive has an entry {}, which {}", quoted(path), why));
}

}  // namespace

Result<std::string> normalise_path(std::string_view path) {
  if (path.size() > kLongestPath) return refused(path, fmt::format("is longer than {} bytes", kLongestPath));
  if (path.find('\0') != std::string_view::npos) return refused(path, "has a zero byte in its name");
  std::vector<std::string_view> parts;
  for (std::string_view part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
      continue;
    }
    if (parts.empty()) return refused(path, "leaves the root");
    parts.pop_back();
  }
  return fmt::format("{}", fmt::join(parts, "/"));
}

bool is_within(std::string_view path, std::string_view folder) {
  return folder.empty() || path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

Result<std::optional<Whiteout>> whiteout_of(std::string_view path) {
  const auto [folder, name] = split_last(path);
  if (!name.starts_with(kWhiteout)) return std::nullopt;
  if (name == kOpaque) {
    return Whiteout{std::string(folder.substr(0, folder.empty() ? 0 : folder.size() - 1)), true};
  }
  const std::string_view gone = name.substr(kWhiteout.size());
  if (gone.empty() || gone == "." || gone == "..") return refused(path, "deletes nothing that has a name");
  return Whiteout{std::string(folder) + std::string(gone), false};
}

bool is_aufs_bookkeeping(std::string_view path) {
  const std::string_view name = split_last(path).second;
  return name.starts_with(kBookkeeping) && name != kOpaque;
}

}  // namespace fairway::oci
