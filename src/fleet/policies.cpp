#include "fleet/policies.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "fleet/types.hpp"
#include "json/yaml.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet {
namespace {

// Collects what the object templates of all policy templates say; the first fault ends it.
class Reader {
 public:
  explicit Reader(RootPolicy& out) : out_(out) {}

  void read(const json::Object& policy) {
    const json::Array* templates = json::get_array(policy, {"spec", "policy-templates"});
    if (templates == nullptr) return;
    for (const json::Value& each : *templates) {
      if (out_.problem.empty()) read_template(each);
    }
    if (!subscriptions_.empty()) out_.content = json::serialize(json::Value(std::move(subscriptions_)));
  }

 private:
  void fault(std::string text) {
    if (out_.problem.empty()) out_.problem = std::move(text);
  }

  void read_template(const json::Value& value) {
    const json::Object* definition =
        value.is_object() ? json::get_object(value.get_object(), {"objectDefinition"}) : nullptr;
    if (definition == nullptr) return fault("policy template is missing its objectDefinition");
    if (json::get_object(*definition, {"metadata"}) == nullptr)
      return fault("policy template is missing its metadata");
    const json::Object* spec = json::get_object(*definition, {"spec"});
    if (spec == nullptr) return fault("policy template is missing its spec");
    const json::Array* plain = json::get_array(*spec, {"object-templates"});
    const auto raw = json::get_string(*spec, {"object-templates-raw"});
    if ((plain != nullptr) == raw.has_value())
      return fault("policy template must contain either object-templates or object-templates-raw");
    if (plain != nullptr) return read_objects(*plain, false);
    const auto parsed = json::parse_yaml(strip_templates(*raw));
    if (!parsed) return fault("object-templates-raw is not YAML: " + parsed.error().message);
    if (parsed->is_array()) read_objects(parsed->get_array(), true);
  }

  void read_objects(const json::Array& objects, bool is_raw) {
    for (const json::Value& each : objects) {
      const json::Object* wanted = each.is_object() ? &each.get_object() : nullptr;
      const json::Object* definition =
          wanted != nullptr ? json::get_object(*wanted, {"objectDefinition"}) : nullptr;
      if (definition != nullptr) {
        read_object(*definition, json::text_at(*wanted, {"complianceType"}));
      } else if (!is_raw) {
        fault("object template is missing its objectDefinition");
      }
    }
  }

  void read_object(const json::Object& definition, std::string_view compliance_type) {
    if (definition.contains("status")) out_.has_status_section = true;
    if (equals_ignoring_case(compliance_type, "mustnothave")) return;
    const std::string_view kind = kube::kind_of(definition);
    const std::string_view name = kube::name_of(definition);
    const std::string_view ns = kube::namespace_of(definition);
    if (kind == "Subscription" && !name.empty() && !ns.empty()) {
      subscriptions_.push_back(json::Object{{"kind", kind},
                                            {"name", name},
                                            {"apiVersion", kube::api_version_of(definition)},
                                            {"namespace", ns}});
    } else if (kind == "ClusterVersion") {
      out_.platform.push_back({.upstream = json::text_at(definition, {"spec", "upstream"}),
                               .channel = json::text_at(definition, {"spec", "channel"}),
                               .version = json::text_at(definition, {"spec", "desiredUpdate", "version"}),
                               .image = json::text_at(definition, {"spec", "desiredUpdate", "image"})});
    }
  }

  RootPolicy& out_;
  json::Array subscriptions_;
};

void read_soak(const json::Object& policy, RootPolicy& out) {
  const auto text = kube::annotation(policy, kSoakSeconds);
  if (!text) return;
  // Beyond a hundred years it is a mistake, and would not fit a time.
  constexpr std::uint64_t kLongest = 3'153'600'000;
  const auto seconds = parse_unsigned(*text);
  if (seconds && *seconds <= kLongest) {
    out.soak = std::chrono::seconds(*seconds);
  } else {
    out.has_unreadable_soak = true;
  }
}

}  // namespace

Compliance compliance_of(std::string_view text) {
  if (text.empty()) return Compliance::Unknown;
  if (text == "Compliant") return Compliance::Compliant;
  if (text == "Pending") return Compliance::Pending;
  return Compliance::NonCompliant;
}

std::string_view to_string(Compliance compliance) {
  switch (compliance) {
    case Compliance::NotMatched:
      return "NotMatched";
    case Compliance::Compliant:
      return "Compliant";
    case Compliance::NonCompliant:
      return "NonCompliant";
    case Compliance::Pending:
      return "Pending";
    case Compliance::Unknown:
      return "";
  }
  abort_because("a compliance of an unknown kind", __FILE__, __LINE__);
}

bool is_done(Compliance compliance) {
  return compliance == Compliance::Compliant || compliance == Compliance::NotMatched;
}

ComplianceTable::ComplianceTable(std::vector<Row> rows) {
  std::ranges::stable_sort(rows, {}, &Row::cluster);
  for (Row& each : rows) {
    if (!rows_.empty() && rows_.back().cluster == each.cluster) rows_.pop_back();
    rows_.push_back(std::move(each));
  }
}

std::shared_ptr<const ComplianceTable> ComplianceTable::from(const json::Object& policy) {
  const json::Array* status = json::get_array(policy, {"status", "status"});
  if (status == nullptr) return nullptr;
  std::vector<Row> rows;
  rows.reserve(status->size());
  for (const json::Value& each : *status) {
    if (!each.is_object()) continue;
    if (const auto cluster = json::get_string(each.get_object(), {"clustername"}))
      rows.push_back({std::string(*cluster), compliance_of(json::text_at(each.get_object(), {"compliant"}))});
  }
  return std::make_shared<const ComplianceTable>(std::move(rows));
}

Compliance ComplianceTable::of(std::string_view cluster) const {
  const auto found = std::ranges::lower_bound(rows_, cluster, std::less<>{}, &Row::cluster);
  if (found == rows_.end() || found->cluster != cluster) return Compliance::NotMatched;
  return found->compliance;
}

std::vector<std::string> changed_clusters(const ComplianceTable* before, const ComplianceTable* after) {
  static const std::vector<ComplianceTable::Row> kNone;
  const auto& old_rows = before == nullptr ? kNone : before->rows();
  const auto& new_rows = after == nullptr ? kNone : after->rows();
  std::vector<std::string> changed;
  auto left = old_rows.begin();
  auto right = new_rows.begin();
  while (left != old_rows.end() || right != new_rows.end()) {
    const bool is_gone =
        right == new_rows.end() || (left != old_rows.end() && left->cluster < right->cluster);
    const bool is_new = !is_gone && (left == old_rows.end() || right->cluster < left->cluster);
    if (is_gone) {
      changed.push_back((left++)->cluster);
    } else if (is_new) {
      changed.push_back((right++)->cluster);
    } else {
      if (left->compliance != right->compliance) changed.push_back(left->cluster);
      ++left;
      ++right;
    }
  }
  return changed;
}

std::shared_ptr<const RootPolicy> RootPolicy::from(const json::Object& policy) {
  RootPolicy made;
  made.remediation_action = to_lower(json::text_at(policy, {"spec", "remediationAction"}));
  read_soak(policy, made);
  if (const json::Array* dependencies = json::get_array(policy, {"spec", "dependencies"})) {
    for (const json::Value& each : *dependencies) {
      if (each.is_object() && json::text_at(each.get_object(), {"kind"}) == "Policy")
        made.depends_on.push_back(json::text_at(each.get_object(), {"name"}));
    }
  }
  Reader(made).read(policy);
  return std::make_shared<const RootPolicy>(std::move(made));
}

std::string strip_templates(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t open = text.find("{{");
    const std::size_t close = open == std::string_view::npos ? open : text.find("}}", open);
    if (close == std::string_view::npos) return out.append(text);
    out.append(text.substr(0, open));
    std::string_view inside = text.substr(open + 2, close - open - 2);
    if (inside.starts_with('-')) inside.remove_prefix(1);
    if (inside.ends_with('-')) inside.remove_suffix(1);
    inside = trim(inside);
    const bool is_one_word = inside.find_first_of(" \t\r\n") == std::string_view::npos;
    if (is_one_word && (inside.starts_with('$') || inside.starts_with('.'))) out.append("placeholder");
    text.remove_prefix(close + 2);
  }
}

Compliance PolicyView::compliance_on(std::string_view cluster) const {
  return compliance ? compliance->of(cluster) : Compliance::Unknown;
}

const PolicyView* find_policy(const Policies& policies, std::string_view ns, std::string_view name) {
  const auto found = policies.find(name);
  if (found == policies.end()) return nullptr;
  for (const auto& each : found->second) {
    if (each->namespace_ == ns) return each.get();
  }
  return nullptr;
}

}  // namespace fairway::fleet
