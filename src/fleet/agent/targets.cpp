#include "fleet/agent/targets.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet::agent {
namespace {

class Preparer {
 public:
  Preparer(const Configuration& configuration, const std::vector<NamespaceFacts>& namespaces,
           const KnownKinds& kinds)
      : configuration_(configuration), kinds_(kinds) {
    made_.namespaces = select_namespaces(configuration.namespaces, namespaces);
  }

  Preparation run() {
    for (const json::Value& each : configuration_.entries) made_.templates.push_back(prepare_one(each));
    return std::move(made_);
  }

 private:
  static PreparedTemplate faulty(std::string reason, std::string message) {
    return {.fault = Fault{std::move(reason), std::move(message)}};
  }

  PreparedTemplate prepare_one(const json::Value& entry) {
    auto settings = ObjectTemplate::from(entry);
    if (!settings) return faulty("K8s decode object definition error", settings.error().describe());
    const auto kind = kind_of_definition(settings->definition);
    if (!kind) return faulty("K8s decode object definition error", kind.error().describe());
    PreparedTemplate made{.settings = *std::move(settings), .kind = *kind, .resource = to_lower(kind->kind)};
    const auto facts = kinds_.find(*kind);
    if (facts == kinds_.end()) {
      made_.unknown_kinds.push_back(*kind);
      return made;
    }
    if (!facts->second) return without_kind(std::move(made));
    made.resource = facts->second->resource;
    made.is_namespaced = facts->second->is_namespaced;
    add_targets(made);
    return made;
  }

  // What has no kind has no objects either.
  PreparedTemplate without_kind(PreparedTemplate made) {
    made_.lacks_kinds = true;
    if (made.settings.rules.rule == Rule::MustNotHave) return made;
    made.fault = Fault{
        std::string(kServerError),
        fmt::format("couldn't find mapping resource with kind {} in API version {}, please check if you "
                    "have CRD deployed",
                    made.kind.kind, made.kind.api_version())};
    return made;
  }

  void add_targets(PreparedTemplate& made) const {
    const json::Object& definition = made.settings.definition;
    const std::string name(kube::name_of(definition));
    if (!made.is_namespaced) {
      made.targets.push_back({.name = name, .definition = definition});
      return;
    }
    const std::string own(kube::namespace_of(definition));
    const std::vector<std::string> namespaces =
        own.empty() ? made_.namespaces : std::vector<std::string>{own};
    if (namespaces.empty()) made.fault = missing_namespace(made, name);
    for (const std::string& each : namespaces)
      made.targets.push_back({.namespace_ = each, .name = name, .definition = definition});
  }

  Fault missing_namespace(const PreparedTemplate& made, const std::string& name) const {
    std::string message = fmt::format(
        "namespaced object {} of kind {} has no namespace specified from the policy namespaceSelector nor "
        "the "
        "object metadata",
        name.empty() ? "-" : name, made.kind.kind);
    if (!configuration_.namespaces.problem.empty())
      message += fmt::format("; the namespaceSelector cannot be read: {}", configuration_.namespaces.problem);
    return {"K8s missing namespace", std::move(message)};
  }

  const Configuration& configuration_;
  const KnownKinds& kinds_;
  Preparation made_;
};

}  // namespace

Preparation prepare(const Configuration& configuration, const std::vector<NamespaceFacts>& namespaces,
                    const KnownKinds& kinds) {
  return Preparer(configuration, namespaces, kinds).run();
}

}  // namespace fairway::fleet::agent
