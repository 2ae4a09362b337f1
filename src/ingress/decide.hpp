// The ingress operator's decision about one controller: from what was seen to what is done next. Pure, total,
// deterministic.
//
// The status is written first and only when it differs; then what is missing is made and what is ours is put
// right. A Service of a living controller is deleted only with a Consent, guarded by the UID and version of
// the object that was judged, and its successor is made when it is gone, never in the same plan.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ingress/observed.hpp"
#include "ingress/types.hpp"
#include "kube/core/plan.hpp"

namespace fairway::ingress {

struct WriteStatus {
  std::shared_ptr<const IngressController> controller;  // as it was seen
  IngressControllerStatus status;
  bool is_domain_outside = false;  // of the cluster's base domain; told at the first admission
};
struct AddFinalizer {
  std::shared_ptr<const IngressController> controller;
};
struct RemoveFinalizer {
  std::shared_ptr<const IngressController> controller;
};

struct CreateService {
  json::Object service;
  Scope scope = Scope::External;
};
struct UpdateService {
  kube::ObjectKey key;
  std::string resource_version;
  json::Object patch;  // a merge patch
};
// Why a Service may be deleted.
enum class Consent {
  AutoDelete,         // the annotation, and a change that the spec asks for
  NotWanted,          // spec and status both ask for another strategy
  ControllerDeleted,  // the controller itself is being deleted
};
struct DeleteService {
  // As it was judged. Consent is checked once more before the deed: a controller that has changed since is
  // judged anew.
  std::shared_ptr<const IngressController> controller;
  kube::ObjectKey key;
  std::string uid;
  std::string resource_version;
  Consent consent = Consent::AutoDelete;
  std::string address = {};  // that it had
};

// Anything else that is made, changed or removed: kind and place are the object's.
struct CreateOperand {
  json::Object object;
};
struct UpdateOperand {
  std::string kind;
  kube::ObjectKey key;
  std::string resource_version;
  json::Object patch;  // a merge patch
};
struct DeleteOperand {
  std::string kind;
  kube::ObjectKey key;
  std::string uid;
};

using Action = std::variant<WriteStatus, AddFinalizer, RemoveFinalizer, CreateService, UpdateService,
                            DeleteService, CreateOperand, UpdateOperand, DeleteOperand>;
std::string describe(const Action& action);
std::string_view to_string(Consent consent);

kube::Plan<Action> decide(const Observed& seen);

// What the status should be; decide() writes it when it is not. For controllers that are admitted.
IngressControllerStatus wanted_status(const Observed& seen);

}  // namespace fairway::ingress
