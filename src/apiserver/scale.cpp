#include "apiserver/scale.hpp"

#include <fmt/format.h>

#include "apiserver/body.hpp"
#include "base/text.hpp"
#include "json/json_path.hpp"
#include "json/patch.hpp"
#include "kube/core/object.hpp"
#include "kube/core/selector.hpp"

namespace fairway::apiserver {
namespace {

using json::Object;
using json::Value;

std::int64_t number_at(const Object& object, const std::string& path) {
  const auto compiled = json::JsonPath::parse(path);
  const Value document = object;
  const Value* found = compiled ? compiled->first(document) : nullptr;
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

// A selector is text already, or a LabelSelector object.
std::string selector_at(const Object& object, const std::string& path) {
  if (path.empty()) return {};
  const auto compiled = json::JsonPath::parse(path);
  const Value document = object;
  const Value* found = compiled ? compiled->first(document) : nullptr;
  if (found == nullptr) return {};
  if (found->is_string()) return std::string(json::view(found->get_string()));
  const auto structured = json::from_json<kube::LabelSelector>(*found);
  if (!structured) return {};
  const auto selector = kube::Selector::from(*structured);
  return selector ? selector->to_string() : std::string();
}

}  // namespace

Object scale_of(const Object& object, const ScalePaths& paths) {
  Object metadata;
  for (std::string_view field : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const Value* value = json::find(object, {"metadata", field})) metadata[field] = *value;
  }
  Object status{{"replicas", number_at(object, paths.status_replicas)}};
  if (const std::string selector = selector_at(object, paths.label_selector); !selector.empty())
    status["selector"] = selector;
  Object spec;  // a zero is left out, as it is in Go
  if (const auto replicas = number_at(object, paths.spec_replicas); replicas != 0)
    spec["replicas"] = replicas;
  return Object{{"kind", "Scale"},
                {"apiVersion", "autoscaling/v1"},
                {"metadata", std::move(metadata)},
                {"spec", std::move(spec)},
                {"status", std::move(status)}};
}

ApiResult<WantedScale> read_scale(const http::Request& request, const Object& object,
                                  const ScalePaths& paths) {
  Value scale = scale_of(object, paths);
  if (request.method == "PATCH") {
    Resource plain;
    plain.is_custom = true;
    auto patch = read_patch(request, plain);
    if (!patch) return refuse(std::move(patch.error()));
    if (patch->kind == PatchBody::Kind::Json) {
      auto operations = json::Patch::parse(patch->patch);
      if (!operations) return refuse(bad_request(operations.error().describe()));
      if (auto applied = operations->apply(scale); !applied)
        return refuse(bad_request(applied.error().describe()));
    } else {
      json::apply_merge_patch(scale, patch->patch);
    }
  } else {
    auto body = read_options(request);
    if (!body) return refuse(std::move(body.error()));
    if (auto typed = check_type(*body, "autoscaling/v1", "Scale"); !typed)
      return refuse(std::move(typed.error()));
    scale = *std::move(body);
  }
  WantedScale wanted;
  const auto replicas =
      scale.is_object() ? json::get_int(scale.get_object(), {"spec", "replicas"}) : std::nullopt;
  if (scale.is_object() && !json::find(scale.get_object(), {"spec", "replicas"})) {
    wanted.replicas = 0;  // an absent number is zero, as it is in Go
  } else if (!replicas || *replicas < 0 || *replicas > INT32_MAX) {
    Resource scale_kind;
    scale_kind.group = "autoscaling";
    scale_kind.kind = "Scale";
    const Value* found = scale.is_object() ? json::find(scale.get_object(), {"spec", "replicas"}) : nullptr;
    return refuse(invalid(scale_kind, kube::name_of(object),
                          {json::FieldError::invalid("spec.replicas", found ? *found : Value(),
                                                     "must be greater than or equal to 0")}));
  } else {
    wanted.replicas = *replicas;
  }
  wanted.resource_version = std::string(
      scale.is_object() ? json::get_string(scale.get_object(), {"metadata", "resourceVersion"}).value_or("")
                        : "");
  return wanted;
}

Value scale_patch(const ScalePaths& paths, const WantedScale& wanted) {
  Object patch;
  if (!wanted.resource_version.empty())
    patch["metadata"] = Object{{"resourceVersion", wanted.resource_version}};
  Object* here = &patch;
  const auto parts = split(std::string_view(paths.spec_replicas).substr(1), '.');
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) here = &json::ensure_object(*here, {parts[i]});
  (*here)[parts.back()] = wanted.replicas;
  return patch;
}

}  // namespace fairway::apiserver
