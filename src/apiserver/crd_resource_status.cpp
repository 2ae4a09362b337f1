#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "apiserver/crd_resource.hpp"
#include "apiserver/crd_resource_rules.hpp"
#include "apiserver/view_fields.hpp"
#include "base/text.hpp"

namespace fairway::apiserver {
namespace {

using fields::text_at;
using json::Array;
using json::Object;
using json::Value;

// The names that the definitions of one group already have.
struct UsedNames {
  std::set<std::string, std::less<>> resources;
  std::set<std::string, std::less<>> kinds;

  UsedNames(std::string_view group, std::span<const Object* const> all) {
    for (const Object* crd : all) {
      const Object* names = json::get_object(*crd, {"status", "acceptedNames"});
      if (!names || text_at(*crd, {"spec", "group"}) != group) continue;
      for (const std::string_view key : {"plural", "singular"}) resources.emplace(text_at(*names, {key}));
      for (const std::string_view key : {"kind", "listKind"}) kinds.emplace(text_at(*names, {key}));
      const Array* shorts = json::get_array(*names, {"shortNames"});
      for (std::size_t i = 0; shorts && i < shorts->size(); ++i) {
        if (const auto* text = (*shorts)[i].if_string()) resources.emplace(json::view(*text));
      }
    }
  }
};

std::string in_use(std::string_view name) {
  return fmt::format("\"{}\" is already in use", name);
}

class Acceptance {
 public:
  Acceptance(const Object& wanted, const Object& accepted, const UsedNames& used)
      : wanted_(wanted), accepted_(accepted), used_(used), names(accepted) {}

  void run() {
    take("plural", used_.resources, "PluralConflict");
    take("singular", used_.resources, "SingularConflict");
    take_short_names();
    take("kind", used_.kinds, "KindConflict");
    take("listKind", used_.kinds, "ListKindConflict");
    copy("categories");
  }

 private:
  void copy(std::string_view key) {
    const Value* value = wanted_.if_contains(key);
    if (value && !value->is_null()) {
      names[key] = *value;
    } else {
      json::remove(names, key);
    }
  }

  void refuse(std::string_view why, std::string text) {
    reason = why;
    message = std::move(text);
  }

  void take(std::string_view key, const std::set<std::string, std::less<>>& used, std::string_view conflict) {
    const std::string_view name = text_at(wanted_, {key});
    if (name != text_at(accepted_, {key}) && used.contains(name)) return refuse(conflict, in_use(name));
    copy(key);
  }

  void take_short_names() {
    const Array* wanted = json::get_array(wanted_, {"shortNames"});
    const Array* accepted = json::get_array(accepted_, {"shortNames"});
    std::vector<std::string> problems;
    for (std::size_t i = 0; wanted && i < wanted->size(); ++i) {
      const auto* text = (*wanted)[i].if_string();
      const bool is_ours = accepted && std::ranges::find(*accepted, (*wanted)[i]) != accepted->end();
      if (text && !is_ours && used_.resources.contains(json::view(*text)))
        problems.push_back(in_use(json::view(*text)));
    }
    if (problems.empty()) return copy("shortNames");
    refuse("ShortNamesConflict",
           problems.size() == 1 ? problems.front() : fmt::format("[{}]", fmt::join(problems, ", ")));
  }

  const Object& wanted_;
  const Object& accepted_;
  const UsedNames& used_;

 public:
  Object names;
  std::string reason = "NoConflicts";
  std::string message = "no conflicts found";
};

void set_condition(Array& conditions, std::string_view type, bool holds, std::string_view reason,
                   std::string_view message, WallTime now) {
  Object condition{{"lastTransitionTime", format_rfc3339(now)},
                   {"message", message},
                   {"reason", reason},
                   {"status", holds ? "True" : "False"},
                   {"type", type}};
  for (Value& each : conditions) {
    const Object* old = each.if_object();
    if (!old || text_at(*old, {"type"}) != type) continue;
    const Value* since = old->if_contains("lastTransitionTime");
    if (since && text_at(*old, {"status"}) == text_at(condition, {"status"}))
      condition["lastTransitionTime"] = *since;
    each = std::move(condition);
    return;
  }
  conditions.push_back(std::move(condition));
}

}  // namespace

json::Object crd_status(const json::Object& crd, std::span<const json::Object* const> all, WallTime now) {
  static const Object kNone;
  const Object* wanted = json::get_object(crd, {"spec", "names"});
  const Object* accepted = json::get_object(crd, {"status", "acceptedNames"});
  const UsedNames used(text_at(crd, {"spec", "group"}), all);
  Acceptance acceptance(wanted ? *wanted : kNone, accepted ? *accepted : kNone, used);
  acceptance.run();

  const Object* before = json::get_object(crd, {"status"});
  Object status = before ? *before : Object{};
  const Array* conditions = before ? json::get_array(*before, {"conditions"}) : nullptr;
  Array list = conditions ? *conditions : Array{};
  const bool is_accepted = acceptance.reason == "NoConflicts";
  set_condition(list, "NamesAccepted", is_accepted, acceptance.reason, acceptance.message, now);
  if (is_established(crd) || is_accepted) {
    set_condition(list, "Established", true, "InitialNamesAccepted", "the initial names have been accepted",
                  now);
  } else {
    set_condition(list, "Established", false, "NotAccepted", "not all names are accepted", now);
  }
  status["acceptedNames"] = std::move(acceptance.names);
  status["conditions"] = std::move(list);
  return status;
}

}  // namespace fairway::apiserver
