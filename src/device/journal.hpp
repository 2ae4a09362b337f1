// Journal: the exchange that is under way. One record, gone when nothing is.
//
// Written with phase Copy before a copy begins and with phase Swapped, together with the inode of the
// finished and durable copy, before it is exchanged into place. What happened is then a fact of the disk: the
// target either is that inode or is not. recover() says from these facts what is left to do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "device/manifest.hpp"

namespace fairway::device {

enum class Operation { Backup, Restore };
enum class Phase { Copy, Swapped };

std::string_view to_string(Operation operation);

struct Journal {
  Operation operation = Operation::Backup;
  std::string source = {};  // paths as settings name them, without --root
  std::string destination = {};
  std::string temporary = {};
  Phase phase = Phase::Copy;
  std::uint64_t inode = 0;                // of the copy; phase Swapped
  std::optional<Manifest> manifest = {};  // of a backup; phase Swapped
  bool becomes_latest = false;

  static Result<Journal> parse(std::string_view text);
  std::string serialize() const;
  bool operator==(const Journal&) const = default;
};

// What stands at the journal's paths.
struct JournalFacts {
  std::optional<std::uint64_t> destination_inode = {};
  std::optional<std::uint64_t> temporary_inode = {};
};

enum class Recovery {
  Discard,  // the copy is not in its place: remove it, the old state holds
  Rename,   // the old one was moved away and the copy not yet moved in: move it, then finish
  Finish,   // the copy is in its place: write what follows
};

Recovery recover(const Journal& journal, const JournalFacts& facts);

}  // namespace fairway::device
