// The options of API requests, as plain structs, and the media types of the API.
//
// Empty means "not sent". Their names are those of Kubernetes' ListOptions and its siblings; request.hpp
// turns them into query parameters and bodies.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fairway::kube {

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kAcceptTable =
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
inline constexpr std::string_view kAcceptMetadata =
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json";
inline constexpr std::string_view kAcceptMetadataList =
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json";

enum class PatchKind {
  Json,       // RFC 6902
  Merge,      // RFC 7386
  Strategic,  // Kubernetes' own, for built-in kinds
  Apply,      // server-side apply
};
std::string_view media_type(PatchKind kind);
// The other way; nothing for other media types. Parameters (;charset=…) are ignored.
std::optional<PatchKind> patch_kind_of(std::string_view content_type);

struct GetOptions {
  std::string resource_version = {};
};

// Who manages which field: the longest part of many an object, and of use to few.
enum class ManagedFields { Kept, LeftOut };

struct ListOptions {
  std::string label_selector = {};
  std::string field_selector = {};
  std::string resource_version = {};
  std::string resource_version_match = {};  // Exact, NotOlderThan
  std::int64_t limit = 0;
  std::string continue_ = {};
  std::optional<std::chrono::seconds> timeout = {};
  ManagedFields managed_fields = ManagedFields::Kept;  // of what is read; all of it is sent
};

struct WatchOptions {
  std::string label_selector = {};
  std::string field_selector = {};
  std::string resource_version = {};
  std::string resource_version_match = {};
  std::optional<std::chrono::seconds> timeout = {};
  bool allow_bookmarks = true;
  std::optional<bool> send_initial_events = {};
  ManagedFields managed_fields = ManagedFields::Kept;  // of what is read; all of it is sent
};

// What a write is answered with.
enum class Answer {
  Object,    // as it is now
  Metadata,  // no more than its metadata, for whoever reads the object elsewhere
  Nothing,   // asked for as little as there is, and not read
};

struct WriteOptions {
  bool dry_run = false;
  std::string field_manager = {};
  std::string field_validation = {};  // Ignore, Warn, Strict
  Answer answer = Answer::Object;
};

struct PatchOptions {
  bool dry_run = false;
  std::string field_manager = {};
  std::string field_validation = {};
  bool force = false;  // of server-side apply: take fields over from other managers
  Answer answer = Answer::Object;
};

enum class Propagation { Background, Foreground, Orphan };
std::string_view to_string(Propagation propagation);

struct DeleteOptions {
  bool dry_run = false;
  std::optional<std::int64_t> grace_period_seconds = {};
  std::optional<Propagation> propagation = {};
  // Delete only what was observed.
  std::string uid = {};
  std::string resource_version = {};
};

}  // namespace fairway::kube
