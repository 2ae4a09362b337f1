#include "oci/archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <cerrno>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include "base/text.hpp"
#include "oci/entry_path.hpp"
#include "oci/utf8_scope.hpp"

namespace fairway::oci {
namespace {

struct ArchiveCloser {
  void operator()(archive* open) const { archive_read_free(open); }
};

class Decoder {
 public:
  Decoder(const ByteSource& source, const LayerLimits& limits, const LayerHandlers& handlers)
      : source_(source), limits_(limits), handlers_(handlers), archive_(archive_read_new()) {
    FAIRWAY_CHECK(archive_ != nullptr, "libarchive has no memory");
  }

  Result<void> run() {
    FAIRWAY_CHECKED(open());
    for (std::size_t entries = 1;; ++entries) {
      archive_entry* header = nullptr;
      const int status = archive_read_next_header(archive_.get(), &header);
      if (status == ARCHIVE_EOF) return {};
      if (status < ARCHIVE_WARN) return std::unexpected(failure());
      if (entries > limits_.max_entries)
        return fail(ErrorCode::Invalid,
                    fmt::format("the archive has more than {} entries", limits_.max_entries));
      FAIRWAY_CHECKED(check_total());
      FAIRWAY_TRY(const bool goes_on, read_entry(header));
      if (!goes_on) return {};
    }
  }

 private:
  Result<void> open() {
    archive_read_support_filter_gzip(archive_.get());
    archive_read_support_filter_zstd(archive_.get());
    archive_read_support_format_tar(archive_.get());
    archive_read_support_format_empty(archive_.get());
    if (archive_read_open(archive_.get(), this, nullptr, pull, nullptr) != ARCHIVE_OK)
      return std::unexpected(failure());
    // One for the input itself and one for its compression. More multiply their bombs, and no layer has them.
    constexpr int kMostFilters = 2;
    if (archive_filter_count(archive_.get()) > kMostFilters)
      return fail(ErrorCode::Invalid, "the archive is compressed more than once");
    return {};
  }

  static la_ssize_t pull(archive* reading, void* self, const void** block) {
    auto& decoder = *static_cast<Decoder*>(self);
    auto bytes = decoder.source_();
    if (!bytes) {
      decoder.source_error_ = std::move(bytes).error();
      archive_set_error(reading, EIO, "the input ended with an error");
      return ARCHIVE_FATAL;
    }
    *block = bytes->data();
    return static_cast<la_ssize_t>(bytes->size());
  }

  Error failure() {
    if (source_error_) return *std::move(source_error_);
    const char* why = archive_error_string(archive_.get());
    return Error{ErrorCode::Invalid,
                 fmt::format("expected a tar archive, plain or compressed by gzip or zstd: {}",
                             why == nullptr ? "it cannot be read" : why)};
  }

  Result<void> check_total() {
    const la_int64_t bytes = archive_filter_bytes(archive_.get(), 0);
    if (bytes >= 0 && static_cast<std::uint64_t>(bytes) <= limits_.max_total_bytes) return {};
    return fail(ErrorCode::Invalid,
                fmt::format("the archive has more than {} bytes when decompressed", limits_.max_total_bytes));
  }

  static EntryKind kind_of(archive_entry* header) {
    if (archive_entry_hardlink(header) != nullptr) return EntryKind::Link;
    switch (archive_entry_filetype(header)) {
      case AE_IFREG:
        return EntryKind::File;
      case AE_IFDIR:
        return EntryKind::Directory;
      case AE_IFLNK:
        return EntryKind::Link;
      default:
        return EntryKind::Other;
    }
  }

  // The entry as it is reported; nothing for what no image shows.
  static Result<std::optional<Entry>> describe(archive_entry* header) {
    const char* name = archive_entry_pathname(header);
    if (name == nullptr) name = archive_entry_pathname_utf8(header);
    if (name == nullptr)
      return fail(ErrorCode::Invalid, "the archive has an entry whose name cannot be read");
    FAIRWAY_TRY(std::string path, normalise_path(name));
    if (path.empty() || is_aufs_bookkeeping(path)) return std::nullopt;
    FAIRWAY_TRY(const auto whiteout, whiteout_of(path));
    if (whiteout) {
      return Entry{.kind = whiteout->is_opaque ? EntryKind::Opaque : EntryKind::Whiteout,
                   .path = whiteout->path};
    }
    const la_int64_t size = archive_entry_size(header);
    if (size < 0)
      return fail(ErrorCode::Invalid, fmt::format("the entry {} has a negative size", quoted(path)));
    return Entry{.kind = kind_of(header),
                 .path = std::move(path),
                 .size = static_cast<std::uint64_t>(size),
                 .mode = static_cast<unsigned>(archive_entry_perm(header))};
  }

  // Whether to go on with the next one.
  Result<bool> read_entry(archive_entry* header) {
    FAIRWAY_TRY(const auto entry, describe(header));
    const Wish wish = entry && handlers_.on_entry ? handlers_.on_entry(*entry) : Wish::Skip;
    if (wish == Wish::Stop) return false;
    const bool is_wanted = wish == Wish::Take && entry->kind == EntryKind::File;
    if (is_wanted && entry->size > limits_.max_file_bytes) return too_large(*entry);
    std::string bytes;
    FAIRWAY_CHECKED(read_bytes(is_wanted ? &*entry : nullptr, bytes));
    if (!is_wanted) return true;
    bytes.resize(static_cast<std::size_t>(entry->size));  // a sparse file may end in a hole
    if (handlers_.on_file) FAIRWAY_CHECKED(handlers_.on_file(*entry, std::move(bytes)));
    return true;
  }

  // What is not wanted is read all the same: libarchive would do so too, without looking at our limit.
  Result<void> read_bytes(const Entry* wanted, std::string& into) {
    for (;;) {
      const void* block = nullptr;
      std::size_t size = 0;
      la_int64_t offset = 0;
      const int status = archive_read_data_block(archive_.get(), &block, &size, &offset);
      if (status == ARCHIVE_EOF) return {};
      if (status < ARCHIVE_WARN) return std::unexpected(failure());
      FAIRWAY_CHECKED(check_total());
      if (wanted == nullptr || size == 0) continue;
      const auto start = static_cast<std::uint64_t>(offset);
      if (offset < 0 || start > wanted->size || size > wanted->size - start) {
        return fail(ErrorCode::Invalid, fmt::format("the entry {} has bytes beyond its size of {}",
                                                    quoted(wanted->path), wanted->size));
      }
      if (into.size() < start + size) into.resize(static_cast<std::size_t>(start) + size);
      std::copy_n(static_cast<const char*>(block), size, into.begin() + offset);
    }
  }

  std::unexpected<Error> too_large(const Entry& entry) const {
    return fail(ErrorCode::Invalid,
                fmt::format("the file {} has {} bytes, more than the limit of {} for one file",
                            quoted(entry.path), entry.size, limits_.max_file_bytes));
  }

  const ByteSource& source_;
  const LayerLimits& limits_;
  const LayerHandlers& handlers_;
  std::unique_ptr<archive, ArchiveCloser> archive_;
  std::optional<Error> source_error_;
};

}  // namespace

Result<void> decode_archive(const ByteSource& source, const LayerLimits& limits,
                            const LayerHandlers& handlers) {
  const Utf8Scope utf8;
  return Decoder(source, limits, handlers).run();
}

}  // namespace fairway::oci
