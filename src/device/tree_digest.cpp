#include "device/tree_digest.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <vector>

#include "base/text.hpp"
#include "device/files.hpp"
#include "http/crypto.hpp"

namespace fairway::device {
namespace {

class Digester {
 public:
  Result<void> add(const std::string& path, const std::string& relative) {
    FAIRWAY_TRY(const auto facts, stat_if_exists(path));
    if (!facts) return system_failure(ENOENT, "read", path);
    FAIRWAY_CHECKED(add_facts(path, relative, *facts));
    if (S_ISDIR(facts->st_mode)) {
      FAIRWAY_TRY(const auto names, list_if_exists(path));
      for (const std::string& name : names.value_or(std::vector<std::string>()))
        FAIRWAY_CHECKED(add(path + "/" + name, relative + "/" + name));
      return {};
    }
    ++digest_.files;
    if (facts->st_nlink > 1) {
      const auto [first, is_new] = links_.try_emplace(facts->st_ino, relative);
      field(first->second);
      if (!is_new) return {};
    }
    if (S_ISREG(facts->st_mode)) return add_contents(path);
    if (S_ISLNK(facts->st_mode)) {
      FAIRWAY_TRY(const auto target, read_link_if_exists(path));
      field(target.value_or(""));
    }
    return {};
  }

  TreeDigest finish() && {
    digest_.text = "sha256:" + encode_hex(hash_.finish());
    return digest_;
  }

 private:
  // With its length, so that no two sequences of fields give the same bytes.
  void field(std::string_view text) {
    hash_.update(fmt::format("{}:", text.size()));
    hash_.update(text);
  }

  Result<void> add_facts(const std::string& path, const std::string& relative, const struct stat& facts) {
    field(relative);
    const bool has_size = S_ISREG(facts.st_mode) || S_ISLNK(facts.st_mode);
    field(fmt::format("{:o} {} {} {} {} {}.{:09}", facts.st_mode, facts.st_uid, facts.st_gid,
                      has_size ? facts.st_size : 0, facts.st_rdev, facts.st_mtim.tv_sec,
                      facts.st_mtim.tv_nsec));
    std::string names(64 * 1024, '\0');
    const ssize_t length = ::llistxattr(path.c_str(), names.data(), names.size());
    if (length < 0 && errno != ENOTSUP) return system_failure("read the attributes of", path);
    std::vector<std::string> sorted;
    for (ssize_t at = 0; at < length; at += static_cast<ssize_t>(sorted.back().size()) + 1)
      sorted.emplace_back(names.c_str() + at);
    std::ranges::sort(sorted);
    for (const std::string& name : sorted) {
      std::string value(64 * 1024, '\0');
      const ssize_t size = ::lgetxattr(path.c_str(), name.c_str(), value.data(), value.size());
      if (size < 0) return system_failure("read the attribute " + name + " of", path);
      value.resize(static_cast<std::size_t>(size));
      field(name);
      field(value);
    }
    return {};
  }

  Result<void> add_contents(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file) return system_failure("read", path);
    buffer_.resize(256 * 1024);
    while (true) {
      const ssize_t count = ::read(file.get(), buffer_.data(), buffer_.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return system_failure("read", path);
      if (count == 0) return {};
      digest_.bytes += static_cast<std::uint64_t>(count);
      hash_.update(std::string_view(buffer_).substr(0, static_cast<std::size_t>(count)));
    }
  }

  http::Sha256 hash_ = {};
  TreeDigest digest_ = {};
  std::string buffer_ = {};
  std::map<ino_t, std::string> links_ = {};
};

}  // namespace

Result<TreeDigest> digest_tree(const std::string& path) {
  Digester digester;
  FAIRWAY_CHECKED(digester.add(path, ""));
  return std::move(digester).finish();
}

}  // namespace fairway::device
