// Objects: reading and writing the objects of all logical clusters, in the store. What the HTTP handlers and
// the server's own controllers (garbage collection, namespaces, CRDs) call.
//
// A write is decided at once, on the event loop, against the newest state, and answered when it is durable. A
// write that changes nothing is answered without one. Texts are those of the store, in the storage version.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/api_error.hpp"
#include "apiserver/lifecycle.hpp"
#include "apiserver/service_use.hpp"
#include "async/task.hpp"
#include "base/clock.hpp"
#include "base/shared_text.hpp"
#include "store/store.hpp"

namespace fairway::apiserver {

template <class T>
using ApiTask = boost::asio::awaitable<ApiResult<T>>;

// Where an object stands.
struct Place {
  std::string cluster;
  const Resource* resource = nullptr;
  std::string ns;
  std::string name;

  store::Key key() const { return {cluster, resource->stored_as, ns, name}; }
};

struct Written {
  Text text;  // as stored, or as it would be (dry run)
  store::Revision revision = 0;
  bool is_created = false;
  bool is_removed = false;  // the last finalizer went, and the object with it
  std::vector<std::string> warnings;
};

struct Deleted {
  Text text;
  bool is_removed = false;  // false: it waits for its finalizers
  std::string uid;
};

struct PatchBody {
  enum class Kind { Json, Merge, Strategic, Apply };
  Kind kind = Kind::Merge;
  json::Value patch;
  bool force = false;  // of Apply
};

// A last word on a write that is otherwise in order; `before` is null for a new object.
using Admission = std::function<ApiResult<void>(const json::Object* before, const json::Object& object)>;

struct WriteOptions {
  const ServedVersion* version = nullptr;
  const Resource* view = nullptr;  // the resource whose form patches are written in, where it is another
  std::string subresource = {};
  std::string manager = {};
  FieldValidation validation = FieldValidation::Warn;
  bool dry_run = false;
  Admission admission = {};
};

class Objects {
 public:
  Objects(store::Store& store, const Clock& clock);

  store::EntryPtr get(const Place& place) const { return store_.get(place.key()); }

  ApiTask<Written> create(Place place, json::Object incoming, WriteOptions options);
  ApiTask<Written> update(Place place, json::Object incoming, WriteOptions options);
  ApiTask<Written> patch(Place place, PatchBody patch, WriteOptions options);
  // Reads, changes, writes: for the server's own bookkeeping. `change` gives false to leave the object as it
  // is.
  ApiTask<Written> modify(Place place, std::function<bool(json::Object&)> change);
  ApiTask<Deleted> remove(Place place, DeleteOptions options);

  store::Store& store() { return store_; }
  const Clock& clock() const { return clock_; }

 private:
  struct Current;  // the newest state of an object, durable or on its way
  struct Planned;  // a write that is decided and waits for the disk: texts, no values

  std::optional<Current> current(const Place& place, json::Storage storage) const;
  WriteRequest request_for(const Place& place, const WriteOptions& options) const;
  ApiResult<void> check_namespace(const Place& place) const;
  ApiResult<Planned> planned_create(Place& place, json::Object incoming, const WriteOptions& options) const;
  ApiResult<Planned> planned_update(const Place& place, json::Object incoming,
                                    const WriteOptions& options) const;
  ApiResult<Planned> planned_patch(const Place& place, const PatchBody& patch,
                                   const WriteOptions& options) const;
  ApiResult<Planned> planned_removal(const Place& place, const DeleteOptions& options,
                                     std::string& uid) const;
  ApiResult<Planned> planned_new(const Place& place, Prepared prepared, bool dry_run) const;
  ApiResult<Planned> planned_change(const Place& place, const Current& before, Prepared prepared,
                                    bool dry_run) const;
  ApiTask<Written> carry_out(Place place, ApiResult<Planned> planned);
  ApiResult<json::Object> patched(const Place& place, const json::Object& before, const PatchBody& patch,
                                  const WriteOptions& options) const;

  store::Store& store_;
  const Clock& clock_;
  mutable ServiceUse service_use_;  // remembers what it read, no more
};

// The text of the object under a revision, and the labels to select by.
Text render(json::Object& object, store::Revision revision);
store::Labels labels_of(const json::Object& object);
// What stands in the store is always an object.
json::Object parse_stored(const Text& text, json::Storage storage = {});
// The same with nothing but its metadata: the rest, which may be long, is not read.
json::Object parse_stored_metadata(const Text& text, json::Storage storage = {});

// Random, for metadata.uid and generateName.
std::string random_uid();
std::string random_name_suffix();

}  // namespace fairway::apiserver
