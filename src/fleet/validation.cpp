#include "fleet/validation.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "base/text.hpp"

namespace fairway::fleet {
namespace {

bool has_any(const std::vector<std::string>& sorted, const std::vector<std::string>& wanted) {
  return std::ranges::any_of(
      wanted, [&](const std::string& each) { return std::ranges::binary_search(sorted, each); });
}

std::string in_brackets(const std::vector<std::string>& names) {
  return fmt::format("[{}]", fmt::join(names, " "));
}

class Validator {
 public:
  Validator(const ClusterGroupUpgradeSpec& spec, const std::vector<std::string>& selected,
            const Policies& policies)
      : spec_(spec), selected_(selected), policies_(policies) {}

  PolicyVerdict run(std::optional<bool> is_image_found) {
    collect();
    if (!judge_ambiguous() || !judge_entries()) return std::move(out_);
    sort_out();
    if (judge_platforms(is_image_found)) judge_order();
    return std::move(out_);
  }

 private:
  struct Entry {
    std::string text;
    std::string name;
    std::vector<const PolicyView*> views = {};  // that have a child on a selected cluster
  };

  void collect() {
    std::set<std::string> seen;
    for (const std::string& text : spec_.managed_policies) {
      if (!seen.insert(text).second) continue;
      const std::size_t slash = text.find('/');
      const bool is_exact = slash != std::string::npos;
      Entry entry{.text = text, .name = is_exact ? text.substr(slash + 1) : text};
      if (const auto found = policies_.find(entry.name); found != policies_.end()) {
        for (const auto& view : found->second) {
          const bool is_meant = !is_exact || view->namespace_ == text.substr(0, slash);
          if (is_meant && has_any(view->children, selected_)) entry.views.push_back(view.get());
        }
      }
      entries_.push_back(std::move(entry));
    }
  }

  bool fault(std::string_view reason, std::string message, std::string_view kind,
             std::vector<std::string> culprits, Duration retry) {
    out_.reason = std::string(reason);
    out_.message = std::move(message);
    out_.kind = std::string(kind);
    out_.culprits = std::move(culprits);
    out_.retry = retry;
    return false;
  }

  bool judge_ambiguous() {
    std::map<std::string, std::vector<std::string>> found;
    for (const Entry& each : entries_) {
      if (each.views.size() < 2) continue;
      auto& namespaces = found[each.name];
      for (const PolicyView* view : each.views) namespaces.push_back(view->namespace_);
      std::ranges::sort(namespaces);
    }
    if (found.empty()) return true;
    json::Object told;
    std::vector<std::string> names;
    for (const auto& [name, namespaces] : found) {
      names.push_back(name);
      told[name] = json::Array(namespaces.begin(), namespaces.end());
    }
    return fault("AmbiguousManagedPoliciesNames",
                 "Managed policy name should be unique, but was found in multiple namespaces: " +
                     json::serialize(told) + " ",
                 "ambiguous policies", std::move(names), std::chrono::minutes(1));
  }

  bool judge_entries() {
    std::vector<std::string> missing;
    std::vector<std::string> invalid;
    for (const Entry& each : entries_) {
      if (each.views.empty() || !each.views.front()->root) {
        missing.push_back(each.text);
      } else if (has_any(each.views.front()->unresolved, selected_) ||
                 !each.views.front()->root->problem.empty()) {
        invalid.push_back(each.text);
      }
    }
    constexpr std::string_view kReason = "NotAllManagedPoliciesExist";
    if (!invalid.empty())
      return fault(kReason, fmt::format("Invalid managed policies: {} ", in_brackets(invalid)),
                   "invalid policies", invalid, std::chrono::minutes(1));
    if (!missing.empty())
      return fault(kReason, fmt::format("Missing managed policies: {} ", in_brackets(missing)),
                   "missing policies", missing, std::chrono::minutes(1));
    return true;
  }

  void sort_out() {
    for (const Entry& each : entries_) {
      const PolicyView& view = *each.views.front();
      const bool is_compliant =
          !view.root->has_status_section && std::ranges::all_of(selected_, [&](const std::string& cluster) {
            return view.compliance_on(cluster) == Compliance::Compliant;
          });
      if (is_compliant) {
        out_.compliant_before.push_back(view.name);
        continue;
      }
      out_.for_upgrade.push_back({view.name, view.namespace_});
      out_.namespaces[view.name] = view.namespace_;
      if (!view.root->content.empty()) out_.content[view.name] = view.root->content;
      upgraded_.push_back(&view);
    }
  }

  bool judge_platforms(std::optional<bool> is_image_found) {
    std::vector<PlatformFields> asked;
    for (const PolicyView* each : upgraded_)
      asked.insert(asked.end(), each->root->platform.begin(), each->root->platform.end());
    PlatformVerdict verdict = judge_platform(asked, spec_.pre_caching);
    if (verdict.problem.empty() && verdict.needs_lookup && is_image_found == false)
      verdict.problem = "unable to find platform image for specified upstream, channel, and version";
    if (verdict.problem.empty()) return true;
    return fault("InvalidPlatformImage", verdict.problem, "", {}, std::chrono::minutes(5));
  }

  bool judge_order() {
    for (std::size_t i = 0; i < upgraded_.size(); ++i) {
      for (const std::string& wanted : upgraded_[i]->root->depends_on) {
        const auto later = upgraded_.begin() + static_cast<std::ptrdiff_t>(i) + 1;
        const auto found = std::ranges::find(later, upgraded_.end(), wanted, &PolicyView::name);
        if (found == upgraded_.end()) continue;
        return fault("UnresolvableDenpendency",
                     fmt::format("Managed Policy {} depends on {}, which is to be remediated later",
                                 upgraded_[i]->name, wanted),
                     "", {}, std::chrono::minutes(5));
      }
    }
    return true;
  }

  const ClusterGroupUpgradeSpec& spec_;
  const std::vector<std::string>& selected_;
  const Policies& policies_;
  std::vector<Entry> entries_;
  std::vector<const PolicyView*> upgraded_;
  PolicyVerdict out_;
};

struct NamedField {
  std::string_view name;
  std::string PlatformFields::* member;
};
constexpr std::array<NamedField, 4> kPlatformFields = {{{"upstream", &PlatformFields::upstream},
                                                        {"channel", &PlatformFields::channel},
                                                        {"version", &PlatformFields::version},
                                                        {"image", &PlatformFields::image}}};

}  // namespace

PlatformVerdict judge_platform(const std::vector<PlatformFields>& asked, bool is_pre_caching) {
  PlatformVerdict made;
  bool is_templated = false;
  for (const PlatformFields& each : asked) {
    for (const auto& [name, member] : kPlatformFields) {
      const std::string& value = each.*member;
      if (value.empty()) continue;
      if (value.find("placeholder") != std::string::npos) {
        made.problem = "templating cluster version fields not supported";
        return made;
      }
      is_templated |= value.find("{{") != std::string::npos;
      if (!(made.fields.*member).empty() && made.fields.*member != value) {
        made.problem = fmt::format("platform image defined more then once with conflicting {} values", name);
        return made;
      }
      made.fields.*member = value;
    }
  }
  if (is_templated) {
    // The clusters fill it in; before that nobody can say which release it is.
    if (is_pre_caching) made.problem = "templatized ClusterVersion fields not supported with precaching";
    return made;
  }
  if (asked.empty() || !made.fields.image.empty()) return made;
  if (made.fields.upstream.empty() || made.fields.channel.empty() || made.fields.version.empty()) {
    made.problem =
        "policy with ClusterVersion must have upstream, channel, and version when image is not provided";
    return made;
  }
  made.needs_lookup = true;
  return made;
}

PolicyVerdict validate_policies(const ClusterGroupUpgradeSpec& spec, const std::vector<std::string>& selected,
                                const Policies& policies, std::optional<bool> is_image_found) {
  return Validator(spec, selected, policies).run(is_image_found);
}

}  // namespace fairway::fleet
