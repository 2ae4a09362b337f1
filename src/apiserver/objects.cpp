#include "apiserver/objects.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sys/random.h>

#include "apiserver/events_view.hpp"
#include "async/callback.hpp"
#include "base/text.hpp"
#include "json/apply.hpp"
#include "json/patch.hpp"
#include "json/strategic.hpp"
#include "kube/core/object.hpp"

namespace fairway::apiserver {
namespace {

using json::Object;
using json::Value;
using store::ChangeKind;
using store::ChangePtr;

constexpr std::size_t kMaxObjectBytes = 3 * 1024 * 1024;

void fill_random(unsigned char* bytes, std::size_t count) {
  const auto got = ::getrandom(bytes, count, 0);
  FAIRWAY_CHECK(got == static_cast<ssize_t>(count), "the kernel gave no random bytes");
}

ApiResult<void> admitted(const WriteOptions& options, const Object* before, const Prepared& prepared) {
  return options.admission ? options.admission(before, prepared.object) : ApiResult<void>{};
}

}  // namespace

std::string random_uid() {
  unsigned char bytes[16];
  fill_random(bytes, sizeof bytes);
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0F) | 0x40);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3F) | 0x80);
  const std::string hex = encode_hex({reinterpret_cast<const char*>(bytes), sizeof bytes});
  return fmt::format("{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4),
                     hex.substr(16, 4), hex.substr(20));
}

std::string random_name_suffix() {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  unsigned char bytes[5];
  fill_random(bytes, sizeof bytes);
  std::string suffix;
  for (unsigned char byte : bytes) suffix += kLetters[byte % kLetters.size()];
  return suffix;
}

Text render(Object& object, store::Revision revision) {
  object["metadata"].get_object()["resourceVersion"] = fmt::to_string(revision);
  return share(json::serialize(object));
}

store::Labels labels_of(const Object& object) {
  store::Labels labels;
  if (const Object* found = json::get_object(object, {"metadata", "labels"})) {
    for (const auto& [key, value] : *found) {
      if (value.is_string())
        labels.emplace_back(std::string(key), std::string(json::view(value.get_string())));
    }
  }
  std::ranges::sort(labels);
  return labels;
}

Object parse_stored(const Text& text) {
  auto object = json::parse_object(*text);
  FAIRWAY_CHECK(object.has_value(), "the store holds something that is not a JSON object");
  return *std::move(object);
}

struct Objects::Current {
  Object object;
  Text text;
  store::Revision revision = 0;
  bool is_durable = true;
};

Objects::Objects(store::Store& store, const Clock& clock) : store_(store), clock_(clock) {}

std::optional<Objects::Current> Objects::current(const Place& place) const {
  const store::Head head = store_.head(place.key());
  if (!head.entry) return std::nullopt;
  return Current{parse_stored(head.entry->value), head.entry->value, head.entry->revision, head.is_durable};
}

WriteRequest Objects::request_for(const Place& place, const WriteOptions& options) const {
  WriteRequest request;
  request.resource = place.resource;
  request.version = options.version;
  request.ns = place.ns;
  request.name = place.name;
  request.subresource = options.subresource;
  request.manager = options.manager;
  request.validation = options.validation;
  request.now = clock_.now();
  request.uid = random_uid();
  request.name_suffix = random_name_suffix();
  request.kind.seed = request.uid;
  // Looked up when the first Service asks, and once for a request.
  const auto used = [this, cluster = place.cluster,
                     found = std::make_shared<std::optional<UsedByServices>>()]() -> const UsedByServices& {
    if (!*found) *found = service_use_.of(store_, cluster);
    return **found;
  };
  request.kind.is_cluster_ip_used = [used](std::string_view address) {
    return used().addresses.contains(address);
  };
  request.kind.is_node_port_used = [used](std::int64_t port) { return used().node_ports.contains(port); };
  return request;
}

// Nothing is created in a namespace that does not exist or is going away.
ApiResult<void> Objects::check_namespace(const Place& place) const {
  if (!place.resource->is_namespaced) return {};
  static const Resource* const namespaces = Catalog::make({})->find("", "namespaces");
  FAIRWAY_CHECK(namespaces != nullptr, "the catalog has no namespaces");
  const store::Head head = store_.head({place.cluster, namespaces->stored_as, "", place.ns});
  if (!head.entry) return refuse(not_found(*namespaces, place.ns));
  const Object found = parse_stored(head.entry->value);
  if (!json::get_string(found, {"metadata", "deletionTimestamp"})) return {};
  ApiError error = forbidden(
      *place.resource, place.name,
      fmt::format("unable to create new content in namespace {} because it is being terminated", place.ns));
  error.details->causes.push_back({"NamespaceTerminating",
                                   fmt::format("namespace {} is being terminated", place.ns),
                                   "metadata.namespace"});
  return refuse(std::move(error));
}

// What is told to a client must not be undone by a commit that fails later.
ApiTask<void> Objects::settled(const Place& place, bool is_durable) {
  if (is_durable) co_return ApiResult<void>{};
  auto done =
      co_await async::await_callback<void>([&](auto callback) { store_.settle(std::move(callback)); });
  if (!done) co_return refuse(from_error(done.error(), *place.resource, place.name));
  co_return ApiResult<void>{};
}

ApiTask<Written> Objects::write_new(Place place, Prepared prepared, bool dry_run) {
  Written written;
  written.is_created = true;
  written.warnings = std::move(prepared.warnings);
  const store::Revision revision = store_.next_revision();
  if (dry_run) {
    json::remove(prepared.object["metadata"].get_object(), "resourceVersion");
    written.text = share(json::serialize(prepared.object));
    co_return written;
  }
  written.text = render(prepared.object, revision);
  if (written.text->size() > kMaxObjectBytes)
    co_return refuse(kube::status_too_large("the object is larger than 3 MiB"));
  store::Write write{ChangeKind::Created, place.key(), written.text, labels_of(prepared.object), 0, revision};
  auto done = co_await async::await_callback<ChangePtr>(
      [&](auto callback) { store_.submit(std::move(write), std::move(callback)); });
  if (!done) co_return refuse(from_error(done.error(), *place.resource, place.name));
  written.revision = (*done)->revision;
  co_return written;
}

ApiTask<Written> Objects::write_over(Place place, Current before, Prepared prepared, bool dry_run) {
  Written written;
  written.warnings = std::move(prepared.warnings);
  if (is_unchanged(before.object, prepared.object)) {
    if (auto safe = co_await settled(place, before.is_durable); !safe)
      co_return refuse(std::move(safe.error()));
    written.text = before.text;
    written.revision = before.revision;
    co_return written;
  }
  written.is_removed = is_ready_to_go(*place.resource, prepared.object);
  const store::Revision revision = store_.next_revision();
  if (dry_run) {
    written.text = share(json::serialize(prepared.object));
    co_return written;
  }
  written.text = render(prepared.object, revision);
  if (written.text->size() > kMaxObjectBytes)
    co_return refuse(kube::status_too_large("the object is larger than 3 MiB"));
  store::Write write{written.is_removed ? ChangeKind::Deleted : ChangeKind::Updated,
                     place.key(),
                     written.text,
                     labels_of(prepared.object),
                     before.revision,
                     revision};
  auto done = co_await async::await_callback<ChangePtr>(
      [&](auto callback) { store_.submit(std::move(write), std::move(callback)); });
  if (!done) co_return refuse(from_error(done.error(), *place.resource, place.name));
  written.revision = (*done)->revision;
  co_return written;
}

ApiTask<Written> Objects::create(Place place, Object incoming, WriteOptions options) {
  if (place.name.empty()) place.name = std::string(kube::name_of(incoming));
  if (auto open = check_namespace(place); !open) co_return refuse(std::move(open.error()));
  auto prepared = prepare_create(request_for(place, options), std::move(incoming));
  if (!prepared) co_return refuse(std::move(prepared.error()));
  if (auto fine = admitted(options, nullptr, *prepared); !fine) co_return refuse(std::move(fine.error()));
  place.name = std::string(kube::name_of(prepared->object));
  const store::Head head = store_.head(place.key());
  if (head.entry) {
    if (auto safe = co_await settled(place, head.is_durable); !safe)
      co_return refuse(std::move(safe.error()));
    co_return refuse(already_exists(*place.resource, place.name));
  }
  co_return co_await write_new(std::move(place), *std::move(prepared), options.dry_run);
}

ApiTask<Written> Objects::update(Place place, Object incoming, WriteOptions options) {
  auto before = current(place);
  if (!before) co_return refuse(not_found(*place.resource, place.name));
  auto prepared = prepare_update(request_for(place, options), before->object, std::move(incoming));
  if (!prepared) co_return refuse(std::move(prepared.error()));
  if (auto fine = admitted(options, &before->object, *prepared); !fine)
    co_return refuse(std::move(fine.error()));
  co_return co_await write_over(std::move(place), *std::move(before), *std::move(prepared), options.dry_run);
}

ApiResult<Object> Objects::patched(const Place& place, const Object& before, const PatchBody& patch,
                                   const WriteOptions& options) const {
  const auto wrong = [&](const Error& error) { return refuse(bad_request(error.describe())); };
  // Patches are written against the form that the client asked for.
  const json::Schema& schema =
      options.view ? *options.view->storage_version().schema : *options.version->schema;
  Object document = options.view ? to_events_view(before) : before;
  if (!options.view) document["apiVersion"] = place.resource->api_version(*options.version);
  const auto as_stored = [&](Object object) {
    return options.view ? from_events_view(std::move(object)) : std::move(object);
  };
  if (patch.kind == PatchBody::Kind::Strategic) {
    if (place.resource->is_custom) {
      return refuse(unsupported_media_type("application/strategic-merge-patch+json",
                                           "application/json-patch+json, application/merge-patch+json, "
                                           "application/apply-patch+yaml"));
    }
    if (!patch.patch.is_object()) return refuse(bad_request("expected an object as strategic merge patch"));
    auto merged = json::strategic_merge(schema, std::move(document), patch.patch.get_object());
    if (!merged) return wrong(merged.error());
    return as_stored(*std::move(merged));
  }
  Value value = std::move(document);
  if (patch.kind == PatchBody::Kind::Merge) {
    if (!patch.patch.is_object()) return refuse(bad_request("expected an object as merge patch"));
    json::apply_merge_patch(value, patch.patch);
  } else {
    constexpr std::size_t kMaxOperations = 10'000;
    if (patch.patch.is_array() && patch.patch.get_array().size() > kMaxOperations) {
      return refuse(
          kube::status_too_large(fmt::format("The allowed maximum operations in a JSON patch is {}, got {}",
                                             kMaxOperations, patch.patch.get_array().size())));
    }
    auto operations = json::Patch::parse(patch.patch);
    if (!operations) return wrong(operations.error());
    if (auto applied = operations->apply(value); !applied) {
      return refuse(kube::status_failure(
          422, "Invalid",
          fmt::format("the server rejected our request due to an error in our request: {}",
                      applied.error().describe())));
    }
  }
  if (!value.is_object()) return refuse(bad_request("the patch does not give an object"));
  return as_stored(std::move(value.get_object()));
}

namespace {

ApiResult<Object> applied(const WriteRequest& request, const Object& live, const PatchBody& patch) {
  if (!patch.patch.is_object()) return refuse(bad_request("expected an object to apply"));
  auto outcome = json::apply(live, patch.patch.get_object(), field_writer(request), patch.force);
  if (!outcome) return refuse(bad_request(outcome.error().describe()));
  if (auto* conflicts = std::get_if<json::ApplyConflicts>(&*outcome)) {
    std::vector<kube::StatusCause> causes;
    for (const json::Conflict& found : conflicts->conflicts) {
      causes.push_back({"FieldManagerConflict", "conflict with " + found.manager, found.field});
    }
    return refuse(kube::status_apply_conflict(std::move(causes), conflicts->message()));
  }
  return std::move(std::get<json::Applied>(*outcome).object);
}

}  // namespace

ApiTask<Written> Objects::patch(Place place, PatchBody patch, WriteOptions options) {
  auto before = current(place);
  WriteRequest request = request_for(place, options);
  request.is_applied = patch.kind == PatchBody::Kind::Apply;
  request.is_patch = true;
  if (!before) {
    if (!request.is_applied || !options.subresource.empty())
      co_return refuse(not_found(*place.resource, place.name));
    if (auto open = check_namespace(place); !open) co_return refuse(std::move(open.error()));
    auto object = applied(request, {}, patch);
    if (!object) co_return refuse(std::move(object.error()));
    auto prepared = prepare_create(request, *std::move(object));
    if (!prepared) co_return refuse(std::move(prepared.error()));
    if (auto fine = admitted(options, nullptr, *prepared); !fine) co_return refuse(std::move(fine.error()));
    co_return co_await write_new(std::move(place), *std::move(prepared), options.dry_run);
  }
  auto object = request.is_applied ? applied(request, before->object, patch)
                                   : patched(place, before->object, patch, options);
  if (!object) co_return refuse(std::move(object.error()));
  auto prepared = prepare_update(request, before->object, *std::move(object));
  if (!prepared) co_return refuse(std::move(prepared.error()));
  if (auto fine = admitted(options, &before->object, *prepared); !fine)
    co_return refuse(std::move(fine.error()));
  co_return co_await write_over(std::move(place), *std::move(before), *std::move(prepared), options.dry_run);
}

ApiTask<Written> Objects::modify(Place place, std::function<bool(Object&)> change) {
  auto before = current(place);
  if (!before) co_return refuse(not_found(*place.resource, place.name));
  Prepared prepared;
  prepared.object = before->object;
  if (!change(prepared.object)) {
    co_return Written{before->text, before->revision, false, false, {}};
  }
  co_return co_await write_over(std::move(place), *std::move(before), std::move(prepared), false);
}

ApiTask<Deleted> Objects::remove(Place place, DeleteOptions options) {
  auto before = current(place);
  if (!before) co_return refuse(not_found(*place.resource, place.name));
  auto decision = decide_delete(*place.resource, before->object, options, clock_.now());
  if (!decision) co_return refuse(std::move(decision.error()));
  Deleted deleted;
  deleted.uid = std::string(json::get_string(before->object, {"metadata", "uid"}).value_or(""));
  if (auto* marked = std::get_if<MarkDeleted>(&*decision)) {
    auto written = co_await write_over(std::move(place), *std::move(before), {std::move(marked->object), {}},
                                       options.dry_run);
    if (!written) co_return refuse(std::move(written.error()));
    deleted.text = written->text;
    co_return deleted;
  }
  deleted.text = before->text;
  deleted.is_removed = std::holds_alternative<RemoveNow>(*decision);
  if (!deleted.is_removed || options.dry_run) {
    if (auto safe = co_await settled(place, before->is_durable); !safe)
      co_return refuse(std::move(safe.error()));
    co_return deleted;
  }
  const store::Revision revision = store_.next_revision();
  store::Write write{ChangeKind::Deleted, place.key(), render(before->object, revision), {},
                     before->revision,    revision};
  auto done = co_await async::await_callback<ChangePtr>(
      [&](auto callback) { store_.submit(std::move(write), std::move(callback)); });
  if (!done) co_return refuse(from_error(done.error(), *place.resource, place.name));
  co_return deleted;
}

}  // namespace fairway::apiserver
