// Types: what the store keeps and what it says about changes.
//
// Everything here is a plain value. An Entry, a Change and the text inside are immutable once made and shared
// by pointer between the current state, the ring of recent changes, watchers and lists: nothing copies a
// value. The store does not look into the text; labels are what the writer wants to select by.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairway::store {

// One counter for the whole store; 0 stands for "none".
using Revision = std::uint64_t;
using Text = std::shared_ptr<const std::string>;
using Labels = std::vector<std::pair<std::string, std::string>>;  // sorted by the first

// Where an object stands among those of its resource.
struct Position {
  std::string ns;  // empty for what is not namespaced
  std::string name;

  auto operator<=>(const Position&) const = default;
};

struct Key {
  std::string cluster;
  std::string resource;  // "apps/deployments"; "/configmaps" in the core group
  std::string ns;
  std::string name;

  auto operator<=>(const Key&) const = default;
};

// hub:/configmaps/default/settings
std::string describe(const Key& key);

struct Entry {
  Key key;
  Revision revision = 0;
  Revision create_revision = 0;
  Text value;
  Labels labels;
};
using EntryPtr = std::shared_ptr<const Entry>;

// The numbers are part of the file format.
enum class ChangeKind : std::uint8_t { Created = 1, Updated = 2, Deleted = 3 };
std::string_view to_string(ChangeKind kind);

struct Change {
  ChangeKind kind = ChangeKind::Created;
  Revision revision = 0;
  EntryPtr now;     // never null; of a deletion: the last state, under the deletion's revision
  EntryPtr before;  // null for a creation
};
using ChangePtr = std::shared_ptr<const Change>;

// One resource of one cluster; an empty resource stands for all of the cluster's, both empty for everything.
struct Scope {
  std::string cluster;
  std::string resource;

  bool covers(const Key& key) const {
    return (cluster.empty() || cluster == key.cluster) && (resource.empty() || resource == key.resource);
  }
  auto operator<=>(const Scope&) const = default;
};

struct Write {
  ChangeKind kind = ChangeKind::Created;
  Key key;
  Text value;             // of a deletion: the last state; null keeps the one before
  Labels labels;          // of a deletion: ignored, the ones before are kept
  Revision expected = 0;  // the revision that the decision was based on; 0: whatever is there
  Revision revision = 0;  // next_revision() as the value has it inside; 0: it has none inside
};

struct Query {
  std::string cluster;
  std::string resource;
  std::optional<std::string> ns = std::nullopt;         // none: all namespaces
  std::optional<Position> after = std::nullopt;         // where the page before ended
  std::size_t limit = 0;                                // 0: no limit
  std::function<bool(const Entry&)> matches = nullptr;  // empty: all; the limit counts what matches
};

struct Page {
  Revision revision = 0;
  std::vector<EntryPtr> entries;  // in the order of their positions
  bool has_more = false;
  std::optional<std::uint64_t> remaining =
      std::nullopt;  // behind this page; not known where `matches` decides
};

// Labels as one text, for the log: name, NUL, value, NUL, …
std::string encode_labels(const Labels& labels);
std::optional<Labels> decode_labels(std::string_view text);

}  // namespace fairway::store
