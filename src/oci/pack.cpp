#include "oci/pack.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>

namespace fairway::oci {
namespace {

struct FreeArchive {
  void operator()(archive* writer) const { archive_write_free(writer); }
};
struct FreeEntry {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};

la_ssize_t append(archive*, void* into, const void* bytes, std::size_t size) {
  static_cast<std::string*>(into)->append(static_cast<const char*>(bytes), size);
  return static_cast<la_ssize_t>(size);
}

std::unexpected<Error> failed(archive* writer) {
  const char* why = archive_error_string(writer);
  return fail(ErrorCode::Internal, fmt::format("cannot pack files: {}", why ? why : "out of memory"));
}

Result<std::string> pack(std::span<const PackedFile> files, bool is_compressed) {
  std::string out;
  const std::unique_ptr<archive, FreeArchive> writer(archive_write_new());
  if (!writer) return fail(ErrorCode::Internal, "cannot pack files: out of memory");
  archive* to = writer.get();
  if ((is_compressed && archive_write_add_filter_gzip(to) != ARCHIVE_OK) ||
      archive_write_set_format_pax_restricted(to) != ARCHIVE_OK ||
      (is_compressed && archive_write_set_options(to, "gzip:!timestamp") != ARCHIVE_OK) ||
      // No padding to a tape's blocks: strict readers take zeros after the stream for a broken next one.
      archive_write_set_bytes_in_last_block(to, 1) != ARCHIVE_OK ||
      archive_write_open(to, &out, nullptr, append, nullptr) != ARCHIVE_OK)
    return failed(to);
  for (const PackedFile& file : files) {
    const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
    archive_entry_set_pathname(entry.get(), std::string(file.path).c_str());
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(file.bytes.size()));
    archive_entry_set_filetype(entry.get(), S_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    if (archive_write_header(to, entry.get()) != ARCHIVE_OK ||
        archive_write_data(to, file.bytes.data(), file.bytes.size()) !=
            static_cast<la_ssize_t>(file.bytes.size()))
      return failed(to);
  }
  if (archive_write_close(to) != ARCHIVE_OK) return failed(to);
  return out;
}

}  // namespace

Result<std::string> pack_tar(std::span<const PackedFile> files) {
  return pack(files, false);
}

Result<std::string> pack_tar_gz(std::span<const PackedFile> files) {
  return pack(files, true);
}

}  // namespace fairway::oci
