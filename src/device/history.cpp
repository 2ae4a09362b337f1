#include "device/history.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include "base/text.hpp"
#include "device/files.hpp"
#include "device/names.hpp"

namespace fairway::device {
namespace {

constexpr std::size_t kMaxBytes = 4 * 1024 * 1024;

std::string path_of(const std::string& backups, std::string_view suffix = "") {
  return backups + "/" + std::string(kHistory) + std::string(suffix);
}

bool ends_torn(int file) {
  const off_t end = ::lseek(file, 0, SEEK_END);
  char last = '\n';
  return end > 0 && ::pread(file, &last, 1, end - 1) == 1 && last != '\n';
}

Result<void> read_lines(const std::string& path, std::vector<json::Object>& into) {
  FAIRWAY_TRY(const auto text, read_if_exists(path, 2 * kMaxBytes));
  if (!text) return {};
  for (const std::string_view line : split(*text, '\n')) {
    if (auto entry = json::parse_object(line)) into.push_back(*std::move(entry));
  }
  return {};
}

}  // namespace

Result<void> append_history(const std::string& backups, const json::Object& entry) {
  const std::string path = path_of(backups);
  FAIRWAY_TRY(const auto facts, stat_if_exists(path));
  if (facts && static_cast<std::size_t>(facts->st_size) > kMaxBytes)
    FAIRWAY_CHECKED(rename_durably(path, path_of(backups, ".1")));
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return system_failure("write", path);
  const std::string line = (ends_torn(file.get()) ? "\n" : "") + json::serialize(entry) + "\n";
  const ssize_t written = ::write(file.get(), line.data(), line.size());
  if (written < 0) return system_failure("write", path);
  if (static_cast<std::size_t>(written) != line.size()) return system_failure(ENOSPC, "write", path);
  if (::fdatasync(file.get()) != 0) return system_failure("sync", path);
  return facts ? Result<void>{} : sync_directory(backups);
}

Result<std::vector<json::Object>> read_history(const std::string& backups, std::size_t most) {
  std::vector<json::Object> entries;
  FAIRWAY_CHECKED(read_lines(path_of(backups, ".1"), entries));
  FAIRWAY_CHECKED(read_lines(path_of(backups), entries));
  if (entries.size() > most)
    entries.erase(entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(most));
  return entries;
}

}  // namespace fairway::device
