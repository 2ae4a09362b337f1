// Event. The core API takes what old clients send; events.k8s.io, which shows the same objects, is strict.
#include <array>
#include <fmt/format.h>

#include "apiserver/kinds_support.hpp"
#include "apiserver/kinds_table.hpp"
#include "kube/core/object.hpp"

namespace fairway::apiserver::kinds {
namespace {

constexpr std::string_view kMismatch = "does not match event.namespace";

bool has_event_time(const Object& event) {
  return !json::text_at(event, {"eventTime"}).empty();
}

FieldErrors check_length(const Object& event, std::string_view field, std::size_t longest) {
  if (json::text_at(event, {field}).size() <= longest) return {};
  return {FieldError::invalid(std::string(field), Value(""),
                              fmt::format("can have at most {} characters", longest))};
}

FieldErrors check_present(const Object& event, std::string_view field, std::string_view name) {
  if (!json::text_at(event, {field}).empty()) return {};
  return {FieldError::required(std::string(name))};
}

// Events with eventTime come from clients that know the newer fields.
FieldErrors check_newer_fields(const Object& event) {
  FieldErrors errors = check_present(event, "reportingComponent", "reportingController");
  const std::string controller = json::text_at(event, {"reportingComponent"});
  append(errors,
         invalid_because("reportingController", controller, kube::validate_qualified_name(controller)));
  append(errors, check_present(event, "reportingInstance", "reportingInstance"));
  append(errors, check_length(event, "reportingInstance", 128));
  append(errors, check_present(event, "action", "action"));
  append(errors, check_length(event, "action", 128));
  append(errors, check_present(event, "reason", "reason"));
  append(errors, check_length(event, "reason", 128));
  append(errors, check_length(event, "message", 1024));
  return errors;
}

FieldErrors validate_event(const Object& event) {
  FieldErrors errors;
  const std::string ns(kube::namespace_of(event));
  const std::string about = json::text_at(event, {"involvedObject", "namespace"});
  const bool is_new = has_event_time(event);
  // Events about what has no namespace are kept in one of these.
  const bool is_elsewhere = ns == "default" || (is_new && ns == "kube-system");
  if (about.empty() ? !is_elsewhere : !is_new && about != ns) {
    errors.push_back(FieldError::invalid("involvedObject.namespace", Value(about), std::string(kMismatch)));
  }
  if (is_new) append(errors, check_newer_fields(event));
  append(errors, invalid_because("namespace", ns, kube::validate_dns1123_subdomain(ns)));
  return errors;
}

FieldErrors check_series(const Object& event) {
  const Object* series = json::get_object(event, {"series"});
  if (series == nullptr) return {};
  FieldErrors errors;
  if (json::get_int(*series, {"count"}).value_or(0) < 2) {
    errors.push_back(FieldError::invalid("series.count", Value(""), "should be at least 2"));
  }
  if (json::text_at(*series, {"lastObservedTime"}).empty()) {
    errors.push_back(FieldError::required("series.lastObservedTime"));
  }
  return errors;
}

FieldErrors prepare_strict_create(Object& event, const KindContext&) {
  FieldErrors errors = check_series(event);
  const auto needs_unset = [&](std::string_view field) {
    errors.push_back(FieldError::invalid(std::string(field), Value(""), "needs to be unset"));
  };
  if (!has_event_time(event)) errors.push_back(FieldError::required("eventTime"));
  if (const std::string type = json::text_at(event, {"type"}); type != "Normal" && type != "Warning") {
    errors.push_back(FieldError::invalid("type", Value(""), fmt::format("has invalid value: {}", type)));
  }
  if (!json::text_at(event, {"firstTimestamp"}).empty()) needs_unset("firstTimestamp");
  if (!json::text_at(event, {"lastTimestamp"}).empty()) needs_unset("lastTimestamp");
  if (json::get_int(event, {"count"}).value_or(0) != 0) needs_unset("count");
  if (!json::text_at(event, {"source", "component"}).empty() ||
      !json::text_at(event, {"source", "host"}).empty()) {
    needs_unset("source");
  }
  return errors;
}

FieldErrors validate_strict_update(const Object& before, const Object& event) {
  FieldErrors errors;
  if (!is_same(before, event, {"series"})) append(errors, check_series(event));
  constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kFixed{{
      {"involvedObject", "involvedObject"},
      {"reason", "reason"},
      {"message", "message"},
      {"source", "source"},
      {"firstTimestamp", "firstTimestamp"},
      {"lastTimestamp", "lastTimestamp"},
      {"count", "count"},
      {"type", "type"},
      {"eventTime", "eventTime"},
      {"action", "action"},
      {"related", "related"},
      {"reportingComponent", "reportingController"},
      {"reportingInstance", "reportingInstance"},
  }};
  for (const auto& [field, name] : kFixed)
    append(errors, check_immutable(before, event, {field}, std::string(name)));
  return errors;
}

}  // namespace

const KindRules& event_rules() {
  static const KindRules kRules{.name_problems = path_segment_name, .validate = validate_event};
  return kRules;
}

const KindRules& strict_event_rules() {
  static const KindRules kRules{.name_problems = subdomain_name,
                                .prepare_create = prepare_strict_create,
                                .validate = validate_event,
                                .validate_update = validate_strict_update};
  return kRules;
}

}  // namespace fairway::apiserver::kinds
