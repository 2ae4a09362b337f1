// Store: objects under revisions, durable before they are acknowledged, with the changes in between.
//
// Used from one event loop thread, without locks; the disk is used by a thread of its own. Reading sees the
// durable state only. Writes are decided at once, against the state that includes the writes still on their
// way to the disk, and are acknowledged in the order of their submission, when durable; those that wait
// together share one commit. Every completion runs exactly once, on the loop, never inside the call that was
// given it.
//
//   auto store = Store::open({.directory = dir, .clock = clock, .post = loop.poster()});
//   store->submit({.kind = ChangeKind::Created, .key = key, .value = text}, [](Result<ChangePtr> done) { …
//   });
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "store/mailbox.hpp"
#include "store/state.hpp"
#include "store/types.hpp"
#include "store/watchers.hpp"
#include "store/window.hpp"

namespace fairway::store {

class Core;

struct StoreOptions {
  std::string directory;  // made where it is missing; empty: in memory, without disk and thread
  const Clock& clock;
  Post post;
  WindowLimits history = {};          // on disk
  std::size_t ring_changes = 16'384;  // in memory
  std::size_t ring_bytes = 16 << 20;
  std::size_t max_waiting_writes = 4096;  // beyond these, writers are told to come back
  std::size_t max_waiting_bytes = 64 << 20;
  LogOptions log = {};  // path is set by the store
};

// What a new write has to fit to.
struct Head {
  EntryPtr entry;          // null when there is none
  bool is_durable = true;  // false: still on its way; settle() before telling anyone about it
};

struct StoreStats {
  Revision revision = 0;
  Revision compacted = 0;
  std::size_t objects = 0;
  std::size_t waiting_writes = 0;
  std::size_t watches = 0;
  std::size_t ring_changes = 0;
  std::size_t ring_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t commits = 0;  // groups
  std::uint64_t committed_writes = 0;
  std::uint64_t failed_commits = 0;
};

class Store {
 public:
  using Completion = std::move_only_function<void(Result<ChangePtr>)>;
  template <class T>
  using Done = std::move_only_function<void(Result<T>)>;

  // Blocks while it reads the store. Unavailable when another process uses it, Unsupported for a newer
  // format, Invalid when it is damaged.
  static Result<std::unique_ptr<Store>> open(StoreOptions options);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // The durable state.
  Revision revision() const;
  EntryPtr get(const Key& key) const;
  Page list(const Query& query) const;
  std::size_t count(const Scope& resource, const std::optional<std::string>& ns = std::nullopt) const;
  std::vector<ResourceCount> resources() const;

  // The past. Gone when it is no longer kept; Invalid when it is in the future.
  void list_at(Revision revision, Query query, Done<Page> done);
  void changes_since(const Scope& scope, Revision since, Done<std::vector<ChangePtr>> done);
  // Each change in the scope after `since`, those that already happened first: in order, none missing, none
  // twice.
  [[nodiscard]] Subscription subscribe(const Scope& scope, Revision since, Listener listener);
  // Everything after this revision is kept.
  Revision compacted() const;

  // Writing. AlreadyExists, NotFound and Conflict judge the head; Unavailable means that the write may be
  // tried again as it is, after a failed commit or when too many wait.
  Head head(const Key& key) const;
  Revision next_revision() const;
  void submit(Write write, Completion done);
  // When all that was submitted so far is durable, or has failed.
  void settle(Done<void> done);

  // Drops history beyond the window. Runs by itself after writes; call it now and then for the sake of age.
  void maintain();
  // Drops the history up to a revision, whatever the window.
  void compact(Revision up_to, Done<void> done);
  // A copy of the whole store as one file, while writes go on.
  void backup(std::string path, Done<void> done);

  StoreStats stats() const;
  // Waits until everything submitted is durable, and closes. Blocks; completions run inside.
  Result<void> close();

 private:
  explicit Store(std::shared_ptr<Core> core);
  std::shared_ptr<Core> core_;
};

// The file inside a store's directory.
std::string store_file(const std::string& directory);

}  // namespace fairway::store
