// Deployment.
#include <array>
#include <fmt/format.h>

#include "apiserver/kinds_pod.hpp"
#include "apiserver/kinds_table.hpp"
#include "base/text.hpp"
#include "json/codec.hpp"
#include "kube/core/object.hpp"
#include "kube/core/selector.hpp"

namespace fairway::apiserver::kinds {
namespace {

constexpr std::string_view kStep = "25%";

void default_deployment(Object& deployment) {
  Value* found = deployment.if_contains("spec");
  if (found == nullptr || !found->is_object()) return;
  Object& spec = found->get_object();
  Object& strategy = json::ensure_object(spec, {"strategy"});
  if (json::text_at(strategy, {"type"}).empty()) strategy["type"] = "RollingUpdate";
  if (json::text_at(strategy, {"type"}) == "RollingUpdate") {
    Object& steps = json::ensure_object(strategy, {"rollingUpdate"});
    if (!steps.contains("maxUnavailable")) steps["maxUnavailable"] = kStep;
    if (!steps.contains("maxSurge")) steps["maxSurge"] = kStep;
  }
  Value* pod = json::find(spec, {"template", "spec"});
  if (pod != nullptr && pod->is_object()) default_pod_spec(pod->get_object());
}

// A number, or the number before a percent sign; nothing when it is neither.
std::optional<std::int64_t> amount_of(const Value& value) {
  if (value.is_int64()) return value.get_int64();
  if (!value.is_string()) return std::nullopt;
  const std::string_view text = json::view(value.get_string());
  if (!text.ends_with('%')) return std::nullopt;
  const auto number = parse_unsigned(text.substr(0, text.size() - 1));
  if (!number || *number > 1'000'000'000) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

FieldErrors check_amount(const Value* value, const std::string& field) {
  if (value == nullptr) return {};
  const auto amount = amount_of(*value);
  if (!amount) {
    return {FieldError::invalid(
        field, *value,
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or "
        "'93%', regex used for validation is '[0-9]+%')")};
  }
  if (*amount < 0) return {FieldError::invalid(field, *value, "must be greater than or equal to 0")};
  return {};
}

FieldErrors check_strategy(const Object& spec) {
  const std::string path = "spec.strategy.rollingUpdate";
  const Object* steps = json::get_object(spec, {"strategy", "rollingUpdate"});
  if (steps == nullptr) return {};
  if (json::text_at(spec, {"strategy", "type"}) == "Recreate") {
    return {FieldError::forbidden(path, "may not be specified when strategy `type` is 'Recreate'")};
  }
  const Value* unavailable = steps->if_contains("maxUnavailable");
  const Value* surge = steps->if_contains("maxSurge");
  FieldErrors errors = check_amount(unavailable, path + ".maxUnavailable");
  append(errors, check_amount(surge, path + ".maxSurge"));
  if (!errors.empty() || unavailable == nullptr || surge == nullptr) return errors;
  if (amount_of(*unavailable) == 0 && amount_of(*surge) == 0) {
    errors.push_back(
        FieldError::invalid(path + ".maxUnavailable", *unavailable, "may not be 0 when `maxSurge` is 0"));
  }
  if (unavailable->is_string() && amount_of(*unavailable) > 100) {
    errors.push_back(
        FieldError::invalid(path + ".maxUnavailable", *unavailable, "must not be greater than 100%"));
  }
  return errors;
}

FieldErrors check_selector(const Object& spec) {
  const Object* selector = json::get_object(spec, {"selector"});
  if (selector == nullptr) return {};  // the schema asks for it
  FieldErrors errors = check_label_selector(*selector, "spec.selector");
  if (object_at(*selector, {"matchLabels"}).empty() && array_at(*selector, {"matchExpressions"}).empty()) {
    errors.push_back(
        FieldError::invalid("spec.selector", Value(*selector), "empty selector is invalid for deployment"));
  }
  if (!errors.empty()) return errors;
  const auto parsed = json::from_json<kube::LabelSelector>(Value(*selector));
  const auto compiled =
      parsed ? kube::Selector::from(*parsed) : Result<kube::Selector>(std::unexpected(parsed.error()));
  if (!compiled) return {FieldError::invalid("spec.selector", Value(*selector), "invalid label selector")};
  const Object& labels = object_at(spec, {"template", "metadata", "labels"});
  if (compiled->matches(labels)) return {};
  return {FieldError::invalid("spec.template.metadata.labels", Value(labels),
                              "`selector` does not match template `labels`")};
}

FieldErrors check_template(const Object& spec) {
  const Object* pod_template = json::get_object(spec, {"template"});
  if (pod_template == nullptr) return {};
  FieldErrors errors = validate_pod_template(*pod_template, "spec.template");
  const std::string policy = json::text_at(*pod_template, {"spec", "restartPolicy"});
  if (!policy.empty() && policy != "Always") {
    errors.push_back(FieldError::not_supported("spec.template.spec.restartPolicy", Value(policy),
                                               std::array{std::string("Always")}));
  }
  if (json::find(*pod_template, {"spec", "activeDeadlineSeconds"}) != nullptr) {
    errors.push_back(FieldError::forbidden("spec.template.spec.activeDeadlineSeconds",
                                           "activeDeadlineSeconds in ReplicaSet is not Supported"));
  }
  return errors;
}

FieldErrors check_status(const Object& status) {
  FieldErrors errors;
  const auto number = [&](std::string_view field) { return json::get_int(status, {field}).value_or(0); };
  for (const std::string_view field : {"replicas", "updatedReplicas", "readyReplicas", "availableReplicas",
                                       "unavailableReplicas", "observedGeneration"}) {
    append(errors, check_not_negative(status, field, "status"));
  }
  const auto within = [&](std::string_view field, std::string_view other, std::string_view name) {
    if (number(field) <= number(other)) return;
    errors.push_back(FieldError::invalid(json::child_path("status", field), Value(number(field)),
                                         fmt::format("cannot be greater than {}", name)));
  };
  within("updatedReplicas", "replicas", "status.replicas");
  within("readyReplicas", "replicas", "status.replicas");
  within("availableReplicas", "replicas", "status.replicas");
  within("availableReplicas", "readyReplicas", "readyReplicas");
  return errors;
}

FieldErrors validate_deployment(const Object& deployment) {
  const Object& spec = object_at(deployment, {"spec"});
  // The schema asks for both inside of a spec, but not for the spec.
  if (!deployment.contains("spec")) {
    return {FieldError::required("spec.selector"), FieldError::required("spec.template")};
  }
  FieldErrors errors = check_selector(spec);
  append(errors, check_template(spec));
  append(errors, check_strategy(spec));
  for (std::string_view field :
       {"replicas", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"})
    append(errors, check_not_negative(spec, field, "spec"));
  const auto deadline = json::get_int(spec, {"progressDeadlineSeconds"});
  if (deadline && *deadline <= json::get_int(spec, {"minReadySeconds"}).value_or(0)) {
    errors.push_back(FieldError::invalid("spec.progressDeadlineSeconds", Value(*deadline),
                                         "must be greater than minReadySeconds"));
  }
  return errors;
}

FieldErrors validate_deployment_update(const Object& before, const Object& deployment) {
  FieldErrors errors = check_immutable(before, deployment, {"spec", "selector"}, "spec.selector");
  if (!is_same(before, deployment, {"status"}))
    append(errors, check_status(object_at(deployment, {"status"})));
  return errors;
}

}  // namespace

const KindRules& deployment_rules() {
  static const KindRules kRules{.name_problems = subdomain_name,
                                .counts_generations = true,
                                .default_fields = default_deployment,
                                .validate = validate_deployment,
                                .validate_update = validate_deployment_update};
  return kRules;
}

}  // namespace fairway::apiserver::kinds
