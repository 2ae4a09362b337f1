// Lifecycle: what becomes of an object that is created, updated or deleted. Pure: no store, no clock, no
// chance.
//
// prepare_create() and prepare_update() take what a client sent, in the version that it sent, and give what
// is to be stored, in the storage version, without its resourceVersion; or they say why not, in Kubernetes'
// words. decide_delete() says whether an object goes at once or waits for its finalizers.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "apiserver/api_error.hpp"
#include "apiserver/catalog.hpp"
#include "apiserver/kinds.hpp"
#include "base/clock.hpp"
#include "json/apply.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {

enum class FieldValidation { Ignore, Warn, Strict };

// Everything that a write depends on besides the objects.
struct WriteRequest {
  const Resource* resource = nullptr;
  const ServedVersion* version = nullptr;
  std::string ns = {};
  std::string name = {};         // empty: the object's own, or generated
  std::string subresource = {};  // "status" or none; "finalize" for namespaces
  std::string manager = {};
  FieldValidation validation = FieldValidation::Warn;
  WallTime now = {};
  std::string uid = {};          // of a new object
  std::string name_suffix = {};  // for generateName
  KindContext kind = {};
  bool is_patch = false;    // strict errors are then the patch's, not the object's
  bool is_applied = false;  // managedFields were already worked out by server-side apply
};

// How the write is accounted for in managedFields.
json::FieldWriter field_writer(const WriteRequest& request);

struct Prepared {
  json::Object object;
  std::vector<std::string> warnings;
};

ApiResult<Prepared> prepare_create(const WriteRequest& request, json::Object incoming);
// `before` is lent: it is afterwards as it was.
ApiResult<Prepared> prepare_update(const WriteRequest& request, json::Object& before, json::Object incoming);

// Whether an object that is being deleted has nothing left to wait for.
bool is_ready_to_go(const Resource& resource, const json::Object& object);
// Equal but for the resourceVersion: writing it would change nothing.
bool is_unchanged(const json::Object& before, const json::Object& after);

struct DeleteOptions {
  std::optional<std::string> uid;  // preconditions
  std::optional<std::string> resource_version;
  std::optional<std::string> propagation;  // Orphan, Background, Foreground
  bool dry_run = false;

  static ApiResult<DeleteOptions> parse(const json::Object& body, const http::Query& query);
};

struct RemoveNow {};
struct KeepAsIs {};  // it is being deleted already, and waits
struct MarkDeleted {
  json::Object object;
};
using DeleteDecision = std::variant<RemoveNow, KeepAsIs, MarkDeleted>;

ApiResult<DeleteDecision> decide_delete(const Resource& resource, const json::Object& object,
                                        const DeleteOptions& options, WallTime now);

}  // namespace fairway::apiserver
