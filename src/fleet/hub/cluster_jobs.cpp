#include "fleet/hub/cluster_jobs.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "fleet/hub/kinds.hpp"
#include "fleet/placements.hpp"
#include "kube/core/conditions.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet {
namespace {

constexpr std::string_view kPreparing = "PreparingToStart";
constexpr std::string_view kStarting = "Starting";
constexpr std::string_view kActive = "Active";
constexpr std::string_view kSucceededState = "Succeeded";
constexpr std::string_view kUnrecoverable = "UnrecoverableError";
constexpr std::string_view kServiceAccount = "fairway-job";

// What the hub wants of one cluster for one job.
class Job {
 public:
  Job(const JobRequest& request, std::string_view state, const ClusterObjects& seen)
      : request_(request), kind_(request.kind), seen_(seen) {
    step_.state = std::string(state);
  }

  JobStep run() {
    if (step_.state == kPreparing) {
      prepare();
    } else if (step_.state == kStarting || step_.state == kActive) {
      follow();
    } else {
      tidy_up();
    }
    return std::move(step_);
  }

 private:
  std::string name_of(std::string_view part) const {
    return fmt::format("{}-{}-{}", request_.rollout.metadata.name, kind_.name, part);
  }
  const json::Object* find(std::string_view part) const {
    const auto found = seen_.find(name_of(part));
    return found == seen_.end() ? nullptr : found->second.get();
  }
  void drop(std::string_view part) {
    const auto found = seen_.find(name_of(part));
    if (found != seen_.end() && !kube::is_being_deleted(*found->second))
      step_.remove.push_back(found->second);
  }

  json::Object metadata(std::string_view part) const {
    json::Object labels{{kAppLabel, kAppName},
                        {kRolloutLabel, request_.rollout.metadata.name},
                        {kRolloutNamespaceLabel, request_.rollout.metadata.namespace_},
                        {kNotBackedUpLabel, "true"}};
    return json::Object{
        {"name", name_of(part)}, {"namespace", request_.cluster}, {"labels", std::move(labels)}};
  }

  void view(std::string_view part, std::string_view resource, std::string_view group,
            std::string_view version, std::string_view name, std::string_view ns) {
    if (find(part) != nullptr) return;
    json::Object scope{{"resource", resource}, {"name", name}, {"updateIntervalSeconds", 15}};
    if (!group.empty()) scope["apiGroup"] = group;
    scope["version"] = version;
    if (!ns.empty()) scope["namespace"] = ns;
    json::Object spec;
    spec["scope"] = std::move(scope);
    step_.create.push_back({{"apiVersion", kClusterViews.kind.api_version()},
                            {"kind", kClusterViews.kind.kind},
                            {"metadata", metadata(part)},
                            {"spec", std::move(spec)}});
  }

  void action(std::string_view part, std::string_view type, json::Object kube) {
    if (find(part) != nullptr) return;
    json::Object spec{{"actionType", type}};
    spec["kube"] = std::move(kube);
    step_.create.push_back({{"apiVersion", kClusterActions.kind.api_version()},
                            {"kind", kClusterActions.kind.kind},
                            {"metadata", metadata(part)},
                            {"spec", std::move(spec)}});
  }

  void create_over_there(std::string_view part, std::string_view resource, json::Object object) {
    json::Object kube{{"resource", resource}};
    if (const auto ns = kube::namespace_of(object); !ns.empty()) kube["namespace"] = ns;
    kube["template"] = std::move(object);
    action(part, "Create", std::move(kube));
  }

  void delete_namespace() {
    action("ns-delete", "Delete", json::Object{{"resource", "namespace"}, {"name", kind_.namespace_}});
  }

  // What an earlier run left over there goes first: its job would be taken for this one's.
  void prepare() {
    delete_namespace();
    view("view-namespace", "namespace", "", "v1", kind_.namespace_, "");
    const json::Object* shown = find("view-namespace");
    if (shown == nullptr || !shows_absence(*shown)) return;
    step_.create.clear();
    step_.state = std::string(kStarting);
  }

  // What it took to prepare goes only now: the state that follows from it is on record.
  void follow() {
    drop("ns-delete");
    drop("view-namespace");
    if (step_.state == kStarting) make_job();
    view("view-job", "jobs", "batch", "v1", kind_.job, kind_.namespace_);
    const json::Object* shown = find("view-job");
    const json::Object* job = shown == nullptr ? nullptr : shown_by(*shown);
    if (job == nullptr) return;
    const kube::Conditions conditions = kube::conditions_of(*job);
    const kube::Condition* failed = kube::find_condition(conditions, "Failed");
    if (kube::is_condition_true(conditions, "Complete") || json::get_int(*job, {"status", "succeeded"}) > 0) {
      end(kSucceededState);
    } else if (failed != nullptr && failed->status == kube::kConditionTrue) {
      end(failed->reason == "DeadlineExceeded" ? kind_.timed_out : kUnrecoverable);
    } else if (json::get_int(*job, {"status", "active"}) > 0) {
      step_.state = std::string(kActive);
    }
  }

  void end(std::string_view state) {
    step_.state = std::string(state);
    step_.create.clear();
    step_.remove.clear();
  }

  // The namespace goes over there, and everything but that order goes here.
  void tidy_up() {
    const std::string order = name_of("ns-delete");
    const std::string own = name_of("");
    for (const auto& [name, object] : seen_) {
      if (name.starts_with(own) && name != order && !kube::is_being_deleted(*object))
        step_.remove.push_back(object);
    }
    if (!step_.remove.empty()) delete_namespace();
  }

  json::Object object(std::string_view version, std::string_view kind, std::string_view name,
                      bool is_namespaced = true) const {
    json::Object made_metadata{{"name", name}};
    if (is_namespaced) made_metadata["namespace"] = kind_.namespace_;
    return json::Object{{"apiVersion", version}, {"kind", kind}, {"metadata", std::move(made_metadata)}};
  }

  void make_job() {
    json::Object ns = object("v1", "Namespace", kind_.namespace_, false);
    json::ensure_object(ns, {"metadata"})["annotations"] =
        json::Object{{"workload.openshift.io/allowed", "management"}};
    create_over_there("ns-create", "namespace", std::move(ns));
    create_over_there("sa-create", "serviceaccount", object("v1", "ServiceAccount", kServiceAccount));
    json::Object binding = object("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", kind_.job, false);
    binding["roleRef"] = json::Object{
        {"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", "cluster-admin"}};
    binding["subjects"] = json::Array{
        json::Object{{"kind", "ServiceAccount"}, {"name", kServiceAccount}, {"namespace", kind_.namespace_}}};
    create_over_there("crb-create", "clusterrolebinding", std::move(binding));
    if (!request_.config_map.empty()) {
      json::Object spec = object("v1", "ConfigMap", "pre-cache-spec");
      spec["data"] = request_.config_map;
      create_over_there("spec-create", "configmap", std::move(spec));
    }
    create_over_there("job-create", "job", job_object());
  }

  // On the node itself: what it saves and fetches is the host's.
  json::Object job_object() const {
    json::Object container{{"name", kind_.job},
                           {"image", request_.image.empty() ? kind_.image : std::string_view(request_.image)},
                           {"terminationMessagePolicy", "FallbackToLogsOnError"}};
    container["securityContext"] = json::Object{{"privileged", true}, {"runAsUser", 0}};
    json::Array volumes{json::Object{{"name", "host"}, {"hostPath", json::Object{{"path", "/"}}}}};
    json::Array mounts{json::Object{{"name", "host"}, {"mountPath", "/host"}}};
    if (!request_.config_map.empty()) {
      volumes.push_back(
          json::Object{{"name", "spec"}, {"configMap", json::Object{{"name", "pre-cache-spec"}}}});
      mounts.push_back(json::Object{{"name", "spec"}, {"mountPath", "/etc/config"}, {"readOnly", true}});
    }
    container["volumeMounts"] = std::move(mounts);
    json::Object pod{{"restartPolicy", "Never"}, {"serviceAccountName", kServiceAccount}};
    pod["containers"] = json::Array{std::move(container)};
    pod["volumes"] = std::move(volumes);
    json::Object made_template;
    made_template["spec"] = std::move(pod);
    json::Object spec{{"backoffLimit", 0}, {"activeDeadlineSeconds", 480}};
    spec["template"] = std::move(made_template);
    json::Object made = object("batch/v1", "Job", kind_.job);
    made["spec"] = std::move(spec);
    return made;
  }

  const JobRequest& request_;
  const JobKind& kind_;
  const ClusterObjects& seen_;
  JobStep step_;
};

}  // namespace

bool is_running(std::string_view state) {
  return state == kPreparing || state == kStarting || state == kActive;
}

JobStep next_step(const JobRequest& request, std::string_view state, const ClusterObjects& seen) {
  return Job(request, state, seen).run();
}

const json::Object* shown_by(const json::Object& view) {
  return json::get_object(view, {"status", "result"});
}

bool shows_absence(const json::Object& view) {
  if (shown_by(view) != nullptr) return false;
  const kube::Conditions conditions = kube::conditions_of(view);
  const kube::Condition* looked = kube::find_condition(conditions, "Processing");
  return looked != nullptr && looked->status == kube::kConditionFalse &&
         looked->message.find("not found") != std::string::npos;
}

}  // namespace fairway::fleet
