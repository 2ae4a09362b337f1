#include "apiserver/objects.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>
#include <sys/random.h>

#include "apiserver/events_view.hpp"
#include "async/callback.hpp"
#include "base/text.hpp"
#include "json/apply.hpp"
#include "json/arena.hpp"
#include "json/member_text.hpp"
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

// From the kernel, some at a time: every request asks.
void fill_random(std::span<unsigned char> bytes) {
  static thread_local std::array<unsigned char, 256> pool;
  static thread_local std::size_t left = 0;
  if (left < bytes.size()) {
    const auto got = ::getrandom(pool.data(), pool.size(), 0);
    FAIRWAY_CHECK(got == static_cast<ssize_t>(pool.size()), "the kernel gave no random bytes");
    left = pool.size();
  }
  left -= bytes.size();
  std::copy_n(pool.begin() + static_cast<std::ptrdiff_t>(left), bytes.size(), bytes.begin());
}

// Whether a patch may see or change who manages what.
bool concerns_managed_fields(const PatchBody& patch) {
  constexpr std::string_view kPath = "/metadata/managedFields";
  if (patch.patch.is_object())
    return json::find(patch.patch.get_object(), {"metadata", "managedFields"}) != nullptr;
  const json::Array* operations = patch.patch.if_array();
  return operations != nullptr && std::ranges::any_of(*operations, [&](const Value& each) {
           const Object* operation = each.if_object();
           return operation != nullptr && std::ranges::any_of(*operation, [&](const auto& member) {
                    if (member.key() != "path" && member.key() != "from") return false;
                    const auto place = member.value().if_string();
                    return place &&
                           (kPath.starts_with(json::view(*place)) || json::view(*place).starts_with(kPath));
                  });
         });
}

// What a patch is applied to.
Object patchable(const Object& object, const PatchBody& patch) {
  return concerns_managed_fields(patch) ? object : json::without_managed_fields(object);
}

ApiResult<void> admitted(const WriteOptions& options, const Object* before, const Prepared& prepared) {
  return options.admission ? options.admission(before, prepared.object) : ApiResult<void>{};
}

}  // namespace

std::string random_uid() {
  std::array<unsigned char, 16> bytes;
  fill_random(bytes);
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0F) | 0x40);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3F) | 0x80);
  std::string uid = encode_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  for (const std::size_t at : {8, 13, 18, 23}) uid.insert(at, 1, '-');
  return uid;
}

std::string random_name_suffix() {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::array<unsigned char, 5> bytes;
  fill_random(bytes);
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

Object parse_stored(const Text& text, json::Storage storage) {
  auto object = json::parse_object(*text, {}, std::move(storage));
  FAIRWAY_CHECK(object.has_value(), "the store holds something that is not a JSON object");
  return *std::move(object);
}

Object parse_stored_metadata(const Text& text, json::Storage storage) {
  auto metadata = json::parse_object(json::member_text(*text, "metadata"), {}, storage);
  FAIRWAY_CHECK(metadata.has_value(), "the store holds an object without metadata");
  Object object(std::move(storage));
  object.emplace("metadata", *std::move(metadata));
  return object;
}

struct Objects::Current {
  Object object;
  Text text;
  store::Revision revision = 0;
  bool is_durable = true;
};

Objects::Objects(store::Store& store, const Clock& clock) : store_(store), clock_(clock) {}

struct Objects::Planned {
  Written written;                    // the answer
  std::optional<store::Write> write;  // none: nothing changes
  bool is_durable = true;             // what it was decided on; else that is waited for
  std::optional<ApiError> refusal;    // the answer instead
};

std::optional<Objects::Current> Objects::current(const Place& place, json::Storage storage) const {
  const store::Head head = store_.head(place.key());
  if (!head.entry) return std::nullopt;
  return Current{parse_stored(head.entry->value, std::move(storage)), head.entry->value, head.entry->revision,
                 head.is_durable};
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
  // Every create asks, and nearly every namespace is there to stay: its text alone tells.
  if (!head.entry->value->contains("\"deletionTimestamp\"")) return {};
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

ApiResult<Objects::Planned> Objects::planned_new(const Place& place, Prepared prepared, bool dry_run) const {
  Planned planned;
  planned.written.is_created = true;
  planned.written.warnings = std::move(prepared.warnings);
  const store::Revision revision = store_.next_revision();
  if (dry_run) {
    json::remove(prepared.object["metadata"].get_object(), "resourceVersion");
    planned.written.text = share(json::serialize(prepared.object));
    return planned;
  }
  Text text = planned.written.text = render(prepared.object, revision);
  if (text->size() > kMaxObjectBytes)
    return refuse(kube::status_too_large("the object is larger than 3 MiB"));
  planned.write = {ChangeKind::Created,        place.key(), std::move(text),
                   labels_of(prepared.object), 0,           revision};
  return planned;
}

ApiResult<Objects::Planned> Objects::planned_change(const Place& place, const Current& before,
                                                    Prepared prepared, bool dry_run) const {
  Planned planned;
  planned.written.warnings = std::move(prepared.warnings);
  if (is_unchanged(before.object, prepared.object)) {
    planned.written.text = before.text;
    planned.written.revision = before.revision;
    planned.is_durable = before.is_durable;
    return planned;
  }
  planned.written.is_removed = is_ready_to_go(*place.resource, prepared.object);
  const store::Revision revision = store_.next_revision();
  if (dry_run) {
    planned.written.text = share(json::serialize(prepared.object));
    return planned;
  }
  Text text = planned.written.text = render(prepared.object, revision);
  if (text->size() > kMaxObjectBytes)
    return refuse(kube::status_too_large("the object is larger than 3 MiB"));
  planned.write = {planned.written.is_removed ? ChangeKind::Deleted : ChangeKind::Updated,
                   place.key(),
                   std::move(text),
                   labels_of(prepared.object),
                   before.revision,
                   revision};
  return planned;
}

// What is told to a client must not be undone by a commit that fails later.
ApiTask<Written> Objects::carry_out(Place place, ApiResult<Planned> planned) {
  if (!planned) co_return refuse(std::move(planned.error()));
  Written written = std::move(planned->written);
  if (planned->write) {
    auto done = co_await async::await_callback<ChangePtr>(
        [&](auto callback) { store_.submit(*std::move(planned->write), std::move(callback)); });
    if (!done) co_return refuse(from_error(done.error(), *place.resource, place.name));
    written.revision = (*done)->revision;
  } else if (!planned->is_durable) {
    auto done =
        co_await async::await_callback<void>([&](auto callback) { store_.settle(std::move(callback)); });
    if (!done) co_return refuse(from_error(done.error(), *place.resource, place.name));
  }
  if (planned->refusal) co_return refuse(*std::move(planned->refusal));
  co_return written;
}

ApiResult<Objects::Planned> Objects::planned_create(Place& place, Object incoming,
                                                    const WriteOptions& options) const {
  if (place.name.empty()) place.name = std::string(kube::name_of(incoming));
  if (auto open = check_namespace(place); !open) return refuse(std::move(open.error()));
  auto prepared = prepare_create(request_for(place, options), std::move(incoming));
  if (!prepared) return refuse(std::move(prepared.error()));
  if (auto fine = admitted(options, nullptr, *prepared); !fine) return refuse(std::move(fine.error()));
  place.name = std::string(kube::name_of(prepared->object));
  const store::Head head = store_.head(place.key());
  if (!head.entry) return planned_new(place, *std::move(prepared), options.dry_run);
  Planned planned;
  planned.is_durable = head.is_durable;
  planned.refusal = already_exists(*place.resource, place.name);
  return planned;
}

ApiTask<Written> Objects::create(Place place, Object incoming, WriteOptions options) {
  auto planned = planned_create(place, std::move(incoming), options);
  co_return co_await carry_out(std::move(place), std::move(planned));
}

ApiResult<Objects::Planned> Objects::planned_update(const Place& place, Object incoming,
                                                    const WriteOptions& options) const {
  json::Arena arena;
  auto before = current(place, arena.storage());
  if (!before) return refuse(not_found(*place.resource, place.name));
  auto prepared = prepare_update(request_for(place, options), before->object, std::move(incoming));
  if (!prepared) return refuse(std::move(prepared.error()));
  if (auto fine = admitted(options, &before->object, *prepared); !fine)
    return refuse(std::move(fine.error()));
  return planned_change(place, *before, *std::move(prepared), options.dry_run);
}

ApiTask<Written> Objects::update(Place place, Object incoming, WriteOptions options) {
  auto planned = planned_update(place, std::move(incoming), options);
  co_return co_await carry_out(std::move(place), std::move(planned));
}

ApiResult<Object> Objects::patched(const Place& place, const Object& before, const PatchBody& patch,
                                   const WriteOptions& options) const {
  const auto wrong = [&](const Error& error) { return refuse(bad_request(error.describe())); };
  // Patches are written against the form that the client asked for.
  const json::Schema& schema =
      options.view ? *options.view->storage_version().schema : *options.version->schema;
  Object document = options.view ? to_events_view(before) : patchable(before, patch);
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
    causes.reserve(conflicts->conflicts.size());
    for (const json::Conflict& found : conflicts->conflicts) {
      causes.push_back({"FieldManagerConflict", "conflict with " + found.manager, found.field});
    }
    return refuse(kube::status_apply_conflict(std::move(causes), conflicts->message()));
  }
  return std::move(std::get<json::Applied>(*outcome).object);
}

}  // namespace

ApiResult<Objects::Planned> Objects::planned_patch(const Place& place, const PatchBody& patch,
                                                   const WriteOptions& options) const {
  json::Arena arena;
  auto before = current(place, arena.storage());
  WriteRequest request = request_for(place, options);
  request.is_applied = patch.kind == PatchBody::Kind::Apply;
  request.is_patch = true;
  if (!before) {
    if (!request.is_applied || !options.subresource.empty())
      return refuse(not_found(*place.resource, place.name));
    if (auto open = check_namespace(place); !open) return refuse(std::move(open.error()));
    auto object = applied(request, {}, patch);
    if (!object) return refuse(std::move(object.error()));
    auto prepared = prepare_create(request, *std::move(object));
    if (!prepared) return refuse(std::move(prepared.error()));
    if (auto fine = admitted(options, nullptr, *prepared); !fine) return refuse(std::move(fine.error()));
    return planned_new(place, *std::move(prepared), options.dry_run);
  }
  auto object = request.is_applied ? applied(request, before->object, patch)
                                   : patched(place, before->object, patch, options);
  if (!object) return refuse(std::move(object.error()));
  auto prepared = prepare_update(request, before->object, *std::move(object));
  if (!prepared) return refuse(std::move(prepared.error()));
  if (auto fine = admitted(options, &before->object, *prepared); !fine)
    return refuse(std::move(fine.error()));
  return planned_change(place, *before, *std::move(prepared), options.dry_run);
}

ApiTask<Written> Objects::patch(Place place, PatchBody patch, WriteOptions options) {
  auto planned = planned_patch(place, patch, options);
  co_return co_await carry_out(std::move(place), std::move(planned));
}

ApiTask<Written> Objects::modify(Place place, std::function<bool(Object&)> change) {
  const auto plan = [&]() -> ApiResult<Planned> {
    json::Arena arena;
    auto before = current(place, arena.storage());
    if (!before) return refuse(not_found(*place.resource, place.name));
    Prepared prepared{before->object, {}};
    if (change(prepared.object)) return planned_change(place, *before, std::move(prepared), false);
    Planned unchanged;
    unchanged.written.text = before->text;
    unchanged.written.revision = before->revision;
    return unchanged;
  };
  auto planned = plan();
  co_return co_await carry_out(std::move(place), std::move(planned));
}

ApiResult<Objects::Planned> Objects::planned_removal(const Place& place, const DeleteOptions& options,
                                                     std::string& uid) const {
  json::Arena arena;
  auto before = current(place, arena.storage());
  if (!before) return refuse(not_found(*place.resource, place.name));
  auto decision = decide_delete(*place.resource, before->object, options, clock_.now());
  if (!decision) return refuse(std::move(decision.error()));
  uid = std::string(kube::uid_of(before->object));
  if (auto* marked = std::get_if<MarkDeleted>(&*decision))
    return planned_change(place, *before, {std::move(marked->object), {}}, options.dry_run);
  Planned planned;
  planned.written.text = before->text;
  planned.written.is_removed = std::holds_alternative<RemoveNow>(*decision);
  planned.is_durable = before->is_durable;
  if (!planned.written.is_removed || options.dry_run) return planned;
  const store::Revision revision = store_.next_revision();
  planned.write = {ChangeKind::Deleted, place.key(), render(before->object, revision), {},
                   before->revision,    revision};
  return planned;
}

ApiTask<Deleted> Objects::remove(Place place, DeleteOptions options) {
  Deleted deleted;
  auto planned = planned_removal(place, options, deleted.uid);
  auto written = co_await carry_out(std::move(place), std::move(planned));
  if (!written) co_return refuse(std::move(written.error()));
  deleted.text = std::move(written->text);
  deleted.is_removed = written->is_removed;
  co_return deleted;
}

}  // namespace fairway::apiserver
