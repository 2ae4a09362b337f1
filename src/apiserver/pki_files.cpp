#include "apiserver/pki_files.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "base/text.hpp"
#include "store/files.hpp"

namespace fairway::apiserver {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20;
constexpr std::string_view kNew = ".new";

std::unexpected<Error> failed(std::string_view doing, const std::string& path, std::string_view remedy) {
  const int number = errno;
  const bool is_denied = number == EACCES || number == EPERM || number == EROFS;
  return fail(is_denied ? ErrorCode::Forbidden : ErrorCode::Unavailable,
              fmt::format("{} {} failed: {}: {}", doing, quoted(path),
                          std::generic_category().message(number), remedy));
}

std::string new_name(const std::string& path) {
  return path + std::string(kNew);
}

bool exists(const std::string& path) {
  struct stat found{};
  return ::stat(path.c_str(), &found) == 0;
}

// Nothing when there is no such file. What others could read is closed to them.
Result<std::optional<std::string>> read_private(const std::string& path) {
  const store::FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0 && errno == ENOENT) return std::nullopt;
  if (file.get() < 0) return failed("reading", path, "let the user of this process own it, with mode 0600");
  struct stat found{};
  if (::fstat(file.get(), &found) != 0) return failed("looking at", path, "check the file system");
  if (!S_ISREG(found.st_mode) || static_cast<std::size_t>(found.st_size) > kMaxBytes) {
    return fail(
        ErrorCode::Invalid,
        fmt::format("expected {} to be a PEM file, found something else: move it away", quoted(path)));
  }
  if ((found.st_mode & 0077) != 0 && ::fchmod(file.get(), 0600) != 0) {
    return failed("closing to other users", path, "let the user of this process own it, with mode 0600");
  }
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("reading", path, "check the disk");
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

Result<void> write_private(const std::string& path, std::string_view text) {
  constexpr std::string_view kRemedy = "make room on the disk, and let the user of this process write there";
  ::unlink(path.c_str());
  const store::FileHandle file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.get() < 0) return failed("making", path, kRemedy);
  while (!text.empty()) {
    const ssize_t count = ::write(file.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("writing", path, kRemedy);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::fsync(file.get()) != 0) return failed("syncing", path, kRemedy);
  return {};
}

Result<void> catch_up(const PairFiles& files) {
  const bool has_key = exists(new_name(files.key));
  const bool has_certificate = exists(new_name(files.certificate));
  if (has_certificate && !has_key) return store::replace_file(new_name(files.certificate), files.certificate);
  // The certificate first: alone it would be taken for one whose key is in place.
  if (has_certificate) ::unlink(new_name(files.certificate).c_str());
  if (has_key) ::unlink(new_name(files.key).c_str());
  return {};
}

}  // namespace

PairFiles pair_files(const std::string& directory, const std::string& name) {
  return {fmt::format("{}/{}.crt", directory, name), fmt::format("{}/{}.key", directory, name)};
}

Result<void> make_pki_directory(const std::string& directory) {
  FAIRWAY_CHECKED(store::make_private_directory(directory));
  struct stat found{};
  if (::stat(directory.c_str(), &found) != 0) return failed("looking at", directory, "check the file system");
  if ((found.st_mode & 0077) != 0 && ::chmod(directory.c_str(), 0700) != 0) {
    return failed("closing to other users", directory, "let the user of this process own it, with mode 0700");
  }
  return {};
}

Result<FoundPair> read_pair(const PairFiles& files) {
  FAIRWAY_CHECKED(catch_up(files));
  FoundPair found;
  FAIRWAY_TRY(found.certificate, read_private(files.certificate));
  FAIRWAY_TRY(found.key, read_private(files.key));
  return found;
}

Result<void> write_pair(const PairFiles& files, const http::KeyPair& pair) {
  FAIRWAY_CHECKED(catch_up(files));
  FAIRWAY_CHECKED(write_private(new_name(files.key), pair.key_pem));
  FAIRWAY_CHECKED(write_private(new_name(files.certificate), pair.certificate_pem));
  FAIRWAY_CHECKED(store::sync_to_disk(store::parent_of(files.key)));
  FAIRWAY_CHECKED(store::replace_file(new_name(files.key), files.key));
  return store::replace_file(new_name(files.certificate), files.certificate);
}

}  // namespace fairway::apiserver
