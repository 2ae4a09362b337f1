#include "clusterversion/payload_source.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

#include "async/deadline.hpp"
#include "async/files.hpp"
#include "base/semver.hpp"
#include "base/text.hpp"
#include "clusterversion/payload_manifests.hpp"
#include "oci/layout.hpp"

namespace fairway::clusterversion {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileScheme = "file://";
constexpr std::array<std::string_view, 2> kFolders = {"manifests", "release-manifests"};
constexpr std::array<std::string_view, 2> kDescriptions = {"release-metadata", "image-references"};

bool is_description(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::ranges::find(kDescriptions, slash == std::string_view::npos ? path : path.substr(slash + 1)) !=
         kDescriptions.end();
}

bool is_payload_file(std::string_view path) {
  return is_manifest_file(path) || is_description(path);
}

// An image has much else; what is of the release is in its two folders.
bool is_image_file(std::string_view path) {
  const std::string_view folder = path.substr(0, path.find('/'));
  return folder.size() < path.size() && std::ranges::find(kFolders, folder) != kFolders.end() &&
         path.find('/', folder.size() + 1) == std::string_view::npos && is_payload_file(path);
}

// The directory that an image names by path; empty when it names one of a registry.
std::string directory_of(std::string_view image) {
  if (image.starts_with(kFileScheme)) return std::string(image.substr(kFileScheme.size()));
  return image.starts_with('/') ? std::string(image) : std::string();
}

class FileCollector {
 public:
  Result<void> add(std::string path, std::string bytes) {
    total_ += bytes.size();
    if (total_ > kMostPayloadBytes) {
      return fail(ErrorCode::Invalid,
                  fmt::format("expected the manifests of a release to have at most {} bytes; choose an image "
                              "that is a release",
                              kMostPayloadBytes));
    }
    files_.emplace(std::move(path), std::move(bytes));
    return {};
  }
  PayloadFiles take() { return std::move(files_); }

 private:
  PayloadFiles files_;
  std::size_t total_ = 0;
};

Result<void> add_folder(const fs::path& root, std::string_view folder, FileCollector& into) {
  std::error_code error;
  for (fs::directory_iterator entry(root / folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const std::string path = folder.empty() ? name : fmt::format("{}/{}", folder, name);
    if (!is_payload_file(path) || !entry->is_regular_file()) continue;
    FAIRWAY_TRY(std::string bytes, read_file(entry->path().string(), kMostPayloadFileBytes));
    FAIRWAY_CHECKED(into.add(path, std::move(bytes)));
  }
  if (error) {
    return fail(ErrorCode::Unavailable,
                fmt::format("cannot read {}: {}", quoted((root / folder).string()), error.message()));
  }
  return {};
}

bool is_payload_directory(const fs::path& directory) {
  std::error_code ignored;
  if (std::ranges::any_of(kFolders,
                          [&](auto folder) { return fs::is_directory(directory / folder, ignored); }))
    return true;
  for (fs::directory_iterator entry(directory, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    if (is_payload_file(entry->path().filename().string())) return true;
  }
  return false;
}

// A folder that is named by a version speaks for files that do not tell theirs.
std::string version_by_name(const std::string& directory) {
  const std::string name = fs::path(directory).filename().string();
  return SemVer::parse(name) ? name : std::string();
}

PayloadOutcome load_directory(const std::string& directory, const Release& wanted, PayloadOptions options) {
  const auto files = read_payload_directory(directory);
  if (!files) return std::unexpected(retrieval_failure(wanted, files.error().describe()));
  if (options.fallback_version.empty()) options.fallback_version = version_by_name(directory);
  return load_payload(*files, wanted, options);
}

}  // namespace

Result<PayloadFiles> read_payload_directory(const std::string& directory) {
  const fs::path root(directory);
  std::error_code error;
  if (!fs::is_directory(root, error)) {
    return fail(ErrorCode::NotFound,
                fmt::format("expected a directory with the files of a release at {}, found "
                            "none; put them there or name another",
                            quoted(directory)));
  }
  FileCollector files;
  bool has_folders = false;
  for (const std::string_view folder : kFolders) {
    if (!fs::is_directory(root / folder, error)) continue;
    has_folders = true;
    FAIRWAY_CHECKED(add_folder(root, folder, files));
  }
  if (!has_folders) FAIRWAY_CHECKED(add_folder(root, "", files));
  return files.take();
}

std::string find_payload_directory(const std::string& directory, const Release& wanted) {
  if (directory.empty()) return {};
  std::error_code ignored;
  // The version is part of a path: only one that is a version can be trusted to stay below the directory.
  if (SemVer::parse(wanted.version)) {
    const std::string by_version = (fs::path(directory) / wanted.version).string();
    if (fs::is_directory(by_version, ignored) && !oci::is_layout(by_version)) return by_version;
  }
  return is_payload_directory(directory) ? directory : std::string();
}

std::string find_image_layout(const std::string& directory, const Release& wanted) {
  const auto digest = oci::Digest::parse(digest_of(wanted.image));
  if (directory.empty() || !digest) return {};
  if (oci::has_in_layout(directory, *digest)) return directory;
  if (!SemVer::parse(wanted.version)) return {};
  const std::string by_version = (fs::path(directory) / wanted.version).string();
  return oci::has_in_layout(by_version, *digest) ? by_version : std::string();
}

Task<PayloadFiles> read_payload_image(oci::LayerAccess access, oci::Image image) {
  access.limits.max_file_bytes = kMostPayloadFileBytes;
  access.content_limits.max_wanted_bytes = kMostPayloadBytes;
  FileCollector files;
  const oci::Selection selection{.wants = is_image_file};
  FAIRWAY_CO_CHECKED(co_await oci::extract_tree(
      access, std::move(image), selection,
      [&files](oci::ImageFile file) { return files.add(std::move(file.path), std::move(file.bytes)); }));
  co_return files.take();
}

PayloadSource::PayloadSource(PayloadSettings settings, boost::asio::any_io_executor executor,
                             TimerClock& clock, async::WorkerPool& pool)
    : settings_(std::move(settings)),
      registries_(settings_.registry, std::move(executor), clock),
      clock_(clock),
      pool_(pool) {}

Task<PayloadOutcome> PayloadSource::load(Release wanted) {
  auto outcome = co_await async::with_deadline(clock_, clock_.steady() + settings_.timeout, find(wanted));
  if (outcome || outcome.error().code == ErrorCode::Cancelled) co_return outcome;
  co_return PayloadOutcome(std::unexpected(retrieval_failure(wanted, outcome.error().describe())));
}

Task<PayloadOutcome> PayloadSource::find(Release wanted) {
  std::string directory = directory_of(wanted.image);
  if (directory.empty()) {
    const std::string layout =
        co_await pool_.run([root = settings_.directory, wanted] { return find_image_layout(root, wanted); });
    if (!layout.empty()) co_return co_await load_layout(layout, std::move(wanted));
    directory = co_await pool_.run(
        [root = settings_.directory, wanted] { return find_payload_directory(root, wanted); });
  }
  if (directory.empty()) co_return co_await load_image(std::move(wanted));
  co_return co_await pool_.run([directory, wanted, options = settings_.options]() -> Result<PayloadOutcome> {
    return load_directory(directory, wanted, options);
  });
}

Task<PayloadOutcome> PayloadSource::load_image(Release wanted) {
  FAIRWAY_CO_TRY(oci::Reference reference, oci::Reference::parse(wanted.image));
  if (std::ranges::find(settings_.plain_registries, reference.registry.authority()) !=
      settings_.plain_registries.end())
    reference.registry.is_plain = true;
  FAIRWAY_CO_TRY(const oci::OpenRegistry open, registries_.open(reference.registry));
  co_return co_await read_image(*open.registry, std::move(reference), std::move(wanted));
}

Task<PayloadOutcome> PayloadSource::load_layout(std::string folder, Release wanted) {
  FAIRWAY_CO_TRY(oci::Reference reference, oci::Reference::parse(wanted.image));
  oci::LayoutTransport files(std::move(folder), pool_);
  oci::Registry registry(files, clock_, {.registry = reference.registry});
  co_return co_await read_image(registry, std::move(reference), std::move(wanted));
}

Task<PayloadOutcome> PayloadSource::read_image(oci::Registry& registry, oci::Reference reference,
                                               Release wanted) {
  FAIRWAY_CO_TRY(oci::Image image, co_await oci::open_image(
                                       registry, reference.repository, oci::version_of(reference),
                                       oci::Platform{.os = "linux", .architecture = settings_.architecture}));
  const std::string digest = image.digest.text();
  FAIRWAY_CO_TRY(PayloadFiles files, co_await read_payload_image({registry, pool_}, std::move(image)));
  PayloadOutcome outcome =
      co_await pool_.run([files = std::move(files), wanted, options = settings_.options] {
        return load_payload(files, wanted, options);
      });
  if (outcome) outcome->digest = digest;
  co_return outcome;
}

}  // namespace fairway::clusterversion
