#include "oci/testing/archives.hpp"

#include <archive.h>
#include <archive_entry.h>

#include "oci/utf8_scope.hpp"

namespace fairway::oci::testing {
namespace {

la_ssize_t append(archive*, void* into, const void* bytes, std::size_t size) {
  static_cast<std::string*>(into)->append(static_cast<const char*>(bytes), size);
  return static_cast<la_ssize_t>(size);
}

class Writer {
 public:
  Writer() : archive_(archive_write_new()) {}
  ~Writer() { archive_write_free(archive_); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  archive* get() { return archive_; }
  void open() {
    archive_write_set_bytes_in_last_block(archive_, 1);
    check(archive_write_open(archive_, &bytes_, nullptr, append, nullptr));
  }
  void check(int status) { FAIRWAY_CHECK(status >= ARCHIVE_WARN, archive_error_string(archive_)); }
  std::string close() {
    check(archive_write_close(archive_));
    return std::move(bytes_);
  }

 private:
  archive* archive_;
  std::string bytes_;
};

unsigned type_of(TarEntry::Kind kind) {
  switch (kind) {
    case TarEntry::Kind::Directory:
      return AE_IFDIR;
    case TarEntry::Kind::Symlink:
      return AE_IFLNK;
    case TarEntry::Kind::Fifo:
      return AE_IFIFO;
    default:
      return AE_IFREG;
  }
}

void write(Writer& writer, const TarEntry& entry) {
  archive_entry* header = archive_entry_new();
  archive_entry_set_pathname_utf8(header, entry.path.c_str());
  archive_entry_set_filetype(header, type_of(entry.kind));
  archive_entry_set_perm(header, entry.mode);
  if (entry.kind == TarEntry::Kind::Symlink) archive_entry_set_symlink_utf8(header, entry.bytes.c_str());
  if (entry.kind == TarEntry::Kind::Hardlink) archive_entry_set_hardlink_utf8(header, entry.bytes.c_str());
  const bool has_bytes = entry.kind == TarEntry::Kind::File;
  archive_entry_set_size(header, has_bytes ? static_cast<la_int64_t>(entry.bytes.size()) : 0);
  writer.check(archive_write_header(writer.get(), header));
  if (has_bytes) archive_write_data(writer.get(), entry.bytes.data(), entry.bytes.size());
  archive_entry_free(header);
}

}  // namespace

std::string make_tar(const std::vector<TarEntry>& entries, LayerFormat format) {
  const Utf8Scope utf8;
  Writer writer;
  if (format == LayerFormat::TarGzip) archive_write_add_filter_gzip(writer.get());
  if (format == LayerFormat::TarZstd) archive_write_add_filter_zstd(writer.get());
  archive_write_set_format_pax_restricted(writer.get());
  writer.open();
  for (const TarEntry& entry : entries) write(writer, entry);
  return writer.close();
}

std::string gzip(const std::string& bytes) {
  Writer writer;
  archive_write_add_filter_gzip(writer.get());
  archive_write_set_format_raw(writer.get());
  writer.open();
  write(writer, {.path = "raw", .bytes = bytes});
  return writer.close();
}

}  // namespace fairway::oci::testing
