// The format of the log file: its tables, its version, and how a row is read and summed.
//
// Format 1. A file with a higher number is refused: an older program would misread it. The columns stand in
// the order in which they are needed: whoever skips a row never touches the pages of its value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "store/sqlite.hpp"
#include "store/types.hpp"

namespace fairway::store {

inline constexpr std::uint64_t kFormat = 1;
inline constexpr std::uint64_t kApplicationId = 0x46574159;  // "FWAY", for file(1)

// Names in the meta table.
inline constexpr std::string_view kReserved = "reserved";
inline constexpr std::string_view kCompacted = "compacted";
inline constexpr std::string_view kRestored = "restored";

// SELECT FAIRWAY_STORE_ROW FROM log …, and its columns by number.
#define FAIRWAY_STORE_ROW "revision, previous, created, kind, sum, cluster, resource, ns, name, labels, value"
namespace column {
enum : int { kRevision, kPrevious, kCreated, kKind, kSum, kCluster, kResource, kNs, kName, kLabels, kValue };
}

// Settings of the connection, then the tables: made in an empty file, checked in any other.
Result<void> open_format(Database& database, std::uint32_t page_bytes);

// Is this a store, of a format that can be read?
Result<void> check_format(Database& database);

struct Row {
  ChangeKind kind = ChangeKind::Created;
  Revision previous = 0;
  EntryPtr entry;
};

// The row that the statement stands on; Invalid when it is damaged.
Result<Row> read_row(const Statement& statement);
Key read_key(const Statement& statement);
bool is_in_scope(const Statement& statement, const Scope& scope);
std::uint32_t sum_of(const Entry& entry, ChangeKind kind, Revision previous);
Error damaged(std::string_view what);

}  // namespace fairway::store
