// LayerReader: the entries of a tar archive, plain or compressed by gzip or zstd, from bytes that are fed to
// it.
//
// It never holds more than one wanted file and a block of input, whatever the size of the layer. Every way in
// which an archive can grow beyond its bytes has a limit, and passing one is an error that names it. Links
// are reported and never followed. libarchive pulls its input, so the decoding runs on a thread of its own
// that works only while feed() or finish() waits for it: the handlers run, as it seems, inside these calls,
// and the whole is used like any other state machine.
//
//   LayerReader reader(limits, {.on_entry = …, .on_file = …});
//   while (…) FAIRWAY_TRY(reader.feed(piece));
//   FAIRWAY_CHECKED(reader.finish());
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fairway::oci {

struct LayerLimits {
  std::uint64_t max_file_bytes = 16 * 1024 * 1024;                         // of one wanted file
  std::uint64_t max_total_bytes = std::uint64_t{16} * 1024 * 1024 * 1024;  // decompressed, wanted or not
  std::size_t max_entries = 2'000'000;
};

enum class EntryKind {
  File,
  Directory,
  Link,  // symbolic or hard
  Other,
  Whiteout,  // `path` is gone from the layers below
  Opaque,    // all that layers below have in `path` is gone
};

struct Entry {
  EntryKind kind = EntryKind::File;
  std::string path = {};  // normalised, never empty but for an opaque root
  std::uint64_t size = 0;
  unsigned mode = 0;  // permission bits

  bool operator==(const Entry&) const = default;
};

enum class Wish {
  Skip,
  Take,  // the bytes of a file
  Stop,  // nothing more of this archive
};

struct LayerHandlers {
  std::function<Wish(const Entry&)> on_entry = {};
  std::function<Result<void>(const Entry&, std::string bytes)> on_file = {};
};

class LayerReader {
 public:
  LayerReader(LayerLimits limits, LayerHandlers handlers);
  ~LayerReader();
  LayerReader(const LayerReader&) = delete;
  LayerReader& operator=(const LayerReader&) = delete;

  // More bytes. What comes after the end of the archive, or after Stop, is ignored. An error is repeated by
  // all later calls.
  Result<void> feed(std::string_view bytes);
  // There are no more; an archive that breaks off is Invalid.
  Result<void> finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A file of this machine. Blocks: for configuration, and on a WorkerPool for the rest.
Result<void> read_archive_file(const std::string& path, const LayerLimits& limits,
                               const LayerHandlers& handlers);

}  // namespace fairway::oci
