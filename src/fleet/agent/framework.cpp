#include "fleet/agent/framework.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/text.hpp"
#include "fleet/agent/comparison.hpp"
#include "fleet/agent/decide.hpp"
#include "fleet/agent/framework_status.hpp"
#include "fleet/propagator_child.hpp"
#include "fleet/templates/hub.hpp"

namespace fairway::fleet::agent {
namespace {

constexpr std::string_view kKind = "ConfigurationPolicy";
constexpr std::string_view kApiVersion = "policy.open-cluster-management.io/v1";

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

// FNV-1a: it finds changes, it guards nothing.
std::string digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char each : text) hash = (hash ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

std::vector<Dependency> read_dependencies(const json::Object& holder, std::string_view key) {
  std::vector<Dependency> out;
  const json::Array* found = json::get_array(holder, {key});
  if (found == nullptr) return out;
  for (const json::Value& each : *found) {
    if (!each.is_object()) continue;
    const json::Object& entry = each.get_object();
    Dependency made{.api_version = json::text_at(entry, {"apiVersion"}),
                    .kind = json::text_at(entry, {"kind"}),
                    .namespace_ = json::text_at(entry, {"namespace"}),
                    .name = json::text_at(entry, {"name"}),
                    .compliance = json::text_at(entry, {"compliance"})};
    if (made.kind.empty()) made.kind = "Policy";
    if (made.api_version.empty()) made.api_version = kApiVersion;
    out.push_back(std::move(made));
  }
  return out;
}

const json::Array& templates_of(const json::Object& child) {
  static const json::Array kNone;
  const json::Array* found = json::get_array(child, {"spec", "policy-templates"});
  return found == nullptr ? kNone : *found;
}

class Framework {
 public:
  explicit Framework(const ChildObserved& seen) : seen_(seen), child_(*seen.child) {}

  kube::Plan<FrameworkAction> run() {
    const json::Array& templates = templates_of(child_);
    for (std::size_t i = 0; i < templates.size(); ++i) reports_.push_back(consider(templates[i], i));
    for (const auto& [name, policy] : seen_.policies)
      if (is_ours(*policy) && !wanted_.contains(name)) remove(*policy);
    json::Object status = next_child_status(seen_, reports_);
    const json::Object* before = json::get_object(child_, {"status"});
    if (before == nullptr ? !status.empty() : !json::same_value(*before, status))
      plan_.actions.push_back(WriteChildStatus{seen_.child, std::move(status)});
    return std::move(plan_);
  }

 private:
  bool is_ours(const json::Object& policy) const {
    return kube::label(policy, kPolicyLabel) == seen_.key.name;
  }

  void remove(const json::Object& policy) {
    if (!kube::is_being_deleted(policy))
      plan_.actions.push_back(DeletePolicy{kube::key_of(policy), std::string(kube::uid_of(policy))});
  }

  static TemplateReport faulty(std::string name, std::string_view why) {
    return {.name = std::move(name),
            .message = fmt::format("NonCompliant; template-error; {}", why),
            .is_current = true};
  }

  TemplateReport consider(const json::Value& entry, std::size_t index) {
    const json::Object* definition =
        entry.is_object() ? json::get_object(entry.get_object(), {"objectDefinition"}) : nullptr;
    if (definition == nullptr)
      return faulty("", fmt::format("the template at index {} has no objectDefinition", index));
    const std::string name(kube::name_of(*definition));
    if (name.empty())
      return faulty("", fmt::format("Failed to get name from policy template at index {}", index));
    if (const std::string fault = fault_of(*definition, name); !fault.empty()) {
      wanted_.insert(name);  // what is there stays until the template can be read again
      return faulty(name, fault);
    }
    if (const auto unmet = unmet_dependencies(entry.get_object()); !unmet.empty())
      return pending(name, unmet, json::get_bool(entry.get_object(), {"ignorePending"}).value_or(false));
    wanted_.insert(name);
    return materialise(desired(*definition, name), name);
  }

  std::string fault_of(const json::Object& definition, const std::string& name) const {
    if (const auto error = kube::annotation(definition, templates::kHubTemplatesError))
      return std::string(*error);
    if (json::serialize(definition).contains("{{hub"))
      return "the template has hub templates that were not resolved";
    if (kube::kind_of(definition) != kKind ||
        !kube::api_version_of(definition).starts_with("policy.open-cluster-management.io/"))
      return fmt::format(
          "Mapping not found, please check if you have CRD deployed: this agent knows {} and no {} {}", kKind,
          kube::api_version_of(definition), kube::kind_of(definition));
    if (json::get_object(definition, {"spec"}) == nullptr)
      return fmt::format("the template {} has no spec", name);
    if (wanted_.contains(name))
      return fmt::format("Template name must be unique. There is more than one {} {}", kKind, name);
    const auto found = seen_.policies.find(name);
    if (found == seen_.policies.end() || is_ours(*found->second)) return "";
    const auto owner = kube::label(*found->second, kPolicyLabel);
    return fmt::format(
        "Template name must be unique. Policy template with kind: {} name: {} already exists in policy {}",
        kKind, name, owner ? quoted(*owner) : "of nobody");
  }

  std::vector<Dependency> unmet_dependencies(const json::Object& entry) const {
    std::vector<Dependency> unmet = read_dependencies(*json::get_object(child_, {"spec"}), "dependencies");
    for (Dependency& each : read_dependencies(entry, "extraDependencies")) unmet.push_back(std::move(each));
    std::erase_if(unmet, [&](const Dependency& each) {
      const auto found = seen_.compliances.find(each);
      return found != seen_.compliances.end() && found->second == each.compliance;
    });
    return unmet;
  }

  static TemplateReport pending(const std::string& name, const std::vector<Dependency>& unmet,
                                bool is_ignored) {
    std::vector<std::string> names;
    names.reserve(unmet.size());
    for (const Dependency& each : unmet) names.push_back(fmt::format("{} {}", each.kind, each.name));
    std::string message =
        fmt::format("Dependencies were not satisfied: {} still pending ({})",
                    unmet.size() == 1 ? "1 is" : fmt::format("{} are", unmet.size()), join(names, ", "));
    if (is_ignored) message += " but ignorePending is true";
    return {.name = name,
            .message = fmt::format("{}; {}", is_ignored ? "Compliant" : "Pending", message),
            .is_current = true};
  }

  json::Object desired(const json::Object& definition, const std::string& name) const {
    json::Object spec = *json::get_object(definition, {"spec"});
    const std::string own = to_lower(json::text_at(spec, {"remediationAction"}));
    const std::string overriding = json::text_at(child_, {"spec", "remediationAction"});
    if (!overriding.empty() && own != "informonly") spec["remediationAction"] = overriding;
    json::Object made{{"apiVersion", kApiVersion}, {"kind", kKind}};
    json::Object& metadata = json::ensure_object(made, {"metadata"});
    metadata["name"] = name;
    metadata["namespace"] = seen_.cluster_namespace;
    for (const char* part : {"labels", "annotations"})
      if (const json::Object* given = json::get_object(definition, {"metadata", part}))
        metadata[part] = *given;
    // What the template has encrypted is read with it.
    if (const auto vector = kube::annotation(child_, templates::kEncryptionVector))
      kube::set_annotation(made, templates::kEncryptionVector, std::string(*vector));
    kube::set_label(made, kPolicyLabel, seen_.key.name);
    kube::set_label(made, kClusterNameLabel, seen_.key.namespace_);
    kube::set_label(made, kClusterNamespaceLabel, seen_.key.namespace_);
    made["spec"] = std::move(spec);
    kube::set_annotation(made, kTemplateAnnotation, digest(json::serialize(made)));
    return made;
  }

  const Refusal* refusal_of(const json::Object& want, const std::string& name) const {
    const auto found = seen_.refusals.find(name);
    if (found == seen_.refusals.end() || found->second.digest != digest_of(want)) return nullptr;
    return seen_.now < found->second.at + kRefusalStands ? &found->second : nullptr;
  }

  TemplateReport materialise(json::Object want, const std::string& name) {
    TemplateReport report{.name = name};
    const auto found = seen_.policies.find(name);
    if (const Refusal* refused = refusal_of(want, name)) {
      plan_.wake(refused->at + kRefusalStands, "a ConfigurationPolicy was refused");
      return faulty(name, refused->message);
    }
    if (found == seen_.policies.end()) {
      plan_.actions.push_back(CreatePolicy{std::move(want)});
      return report;
    }
    const json::Object& have = *found->second;
    if (kube::is_being_deleted(have)) return report;
    const bool is_same_template = digest_of(have) == digest_of(want);
    if (!is_same_template || !compare(want, have, {}).is_match()) {
      json::Object next = compare(want, have, {}).corrected;
      if (next.empty()) next = have;
      next["spec"] = want.at("spec");
      plan_.actions.push_back(UpdatePolicy{std::move(next)});
      return report;
    }
    report.policy = found->second;
    report.is_current =
        json::get_int(have, {"status", "lastEvaluatedGeneration"}) == kube::generation_of(have) &&
        !json::text_at(have, {"status", "compliant"}).empty();
    return report;
  }

  const ChildObserved& seen_;
  const json::Object& child_;
  std::set<std::string> wanted_;
  std::vector<TemplateReport> reports_;
  kube::Plan<FrameworkAction> plan_;
};

}  // namespace

std::vector<Dependency> dependencies_of(const json::Object& child) {
  std::set<Dependency> all;
  if (const json::Object* spec = json::get_object(child, {"spec"}))
    for (Dependency& each : read_dependencies(*spec, "dependencies")) all.insert(std::move(each));
  for (const json::Value& entry : templates_of(child)) {
    if (!entry.is_object()) continue;
    for (Dependency& each : read_dependencies(entry.get_object(), "extraDependencies"))
      all.insert(std::move(each));
  }
  return {all.begin(), all.end()};
}

std::string describe(const FrameworkAction& action) {
  return std::visit(
      Overloaded{
          [](const CreatePolicy& one) {
            return fmt::format("create {} {}", kKind, kube::key_of(one.object).to_string());
          },
          [](const UpdatePolicy& one) {
            return fmt::format("update {} {} ({})", kKind, kube::key_of(one.object).to_string(),
                               json::text_at(one.object, {"spec", "remediationAction"}));
          },
          [](const DeletePolicy& one) { return fmt::format("delete {} {}", kKind, one.key.to_string()); },
          [](const WriteChildStatus& one) {
            return fmt::format("write the status of {}: {}", kube::key_of(*one.child).to_string(),
                               json::text_at(one.status, {"compliant"}));
          }},
      action);
}

kube::Plan<FrameworkAction> decide_child(const ChildObserved& seen) {
  const bool is_meant = seen.child && !kube::is_being_deleted(*seen.child) &&
                        !json::get_bool(*seen.child, {"spec", "disabled"}).value_or(false);
  if (is_meant) return Framework(seen).run();
  kube::Plan<FrameworkAction> plan;
  for (const auto& [name, policy] : seen.policies) {
    if (kube::label(*policy, kPolicyLabel) == seen.key.name && !kube::is_being_deleted(*policy))
      plan.actions.push_back(DeletePolicy{kube::key_of(*policy), std::string(kube::uid_of(*policy))});
  }
  return plan;
}

std::string digest_of(const json::Object& policy) {
  return std::string(kube::annotation(policy, kTemplateAnnotation).value_or(""));
}

std::string compliance_in(std::string_view message) {
  const std::string text = to_lower(message.substr(0, std::string_view("compliant").size()));
  if (text == "compliant") return "Compliant";
  return text.starts_with("pending") ? "Pending" : "NonCompliant";
}

}  // namespace fairway::fleet::agent
