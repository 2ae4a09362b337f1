#include "apiserver/reviews.hpp"

#include <fmt/format.h>

namespace fairway::apiserver {
namespace {

using json::Array;
using json::FieldError;
using json::FieldErrors;
using json::Object;
using json::Value;

Array texts(const std::vector<std::string>& from) {
  Array array;
  for (const std::string& text : from) array.emplace_back(text);
  return array;
}

std::vector<std::string> texts_at(const Object& object, json::Path path) {
  std::vector<std::string> result;
  const Array* array = json::get_array(object, path);
  if (array == nullptr) return result;
  for (const Value& value : *array) {
    if (value.is_string()) result.emplace_back(json::view(value.get_string()));
  }
  return result;
}

// Whoever asks gives no name and no labels to the question.
FieldErrors check_metadata(const Object& review, bool is_local) {
  const Object* metadata = json::get_object(review, {"metadata"});
  if (metadata == nullptr) return {};
  for (const auto& [key, value] : *metadata) {
    const bool is_expected =
        key == "managedFields" || key == "creationTimestamp" || (is_local && key == "namespace");
    if (!is_expected && !value.is_null()) {
      return {FieldError::invalid("metadata", Value(*metadata), "must be empty")};
    }
  }
  return {};
}

FieldErrors check_question(const Object& review) {
  const Value* about_resource = json::find(review, {"spec", "resourceAttributes"});
  const Value* about_path = json::find(review, {"spec", "nonResourceAttributes"});
  if (about_resource != nullptr && about_path != nullptr) {
    return {FieldError::invalid("spec.nonResourceAttributes", *about_path,
                                "cannot be specified in combination with resourceAttributes")};
  }
  if (about_resource == nullptr && about_path == nullptr) {
    return {
        FieldError::invalid("spec.resourceAttributes", Value(nullptr),
                            "exactly one of nonResourceAttributes or resourceAttributes must be specified")};
  }
  return {};
}

FieldErrors check_subject(const Object& review) {
  if (!json::text_at(review, {"spec", "user"}).empty() || !texts_at(review, {"spec", "groups"}).empty())
    return {};
  return {FieldError::invalid("spec.user", Value(json::text_at(review, {"spec", "user"})),
                              "at least one of user or group must be specified")};
}

FieldErrors check_local(const Object& review, std::string_view ns) {
  FieldErrors errors;
  if (const Object* about = json::get_object(review, {"spec", "resourceAttributes"});
      about != nullptr && json::text_at(*about, {"namespace"}) != ns) {
    errors.push_back(FieldError::invalid("spec.resourceAttributes.namespace",
                                         Value(json::text_at(*about, {"namespace"})),
                                         "must match metadata.namespace"));
  }
  if (const Value* about = json::find(review, {"spec", "nonResourceAttributes"})) {
    errors.push_back(
        FieldError::invalid("spec.nonResourceAttributes", *about, "disallowed on this kind of request"));
  }
  return errors;
}

AccessRequest question_of(const Object& review) {
  if (const Object* about = json::get_object(review, {"spec", "nonResourceAttributes"})) {
    return {.verb = json::text_at(*about, {"verb"}), .path = json::text_at(*about, {"path"})};
  }
  static const Object kNothing;
  const Object* about = json::get_object(review, {"spec", "resourceAttributes"});
  if (about == nullptr) about = &kNothing;
  return {.verb = json::text_at(*about, {"verb"}),
          .group = json::text_at(*about, {"group"}),
          .resource = json::text_at(*about, {"resource"}),
          .subresource = json::text_at(*about, {"subresource"}),
          .ns = json::text_at(*about, {"namespace"}),
          .name = json::text_at(*about, {"name"})};
}

User subject_of(const Object& review) {
  User user{json::text_at(review, {"spec", "user"}),
            json::text_at(review, {"spec", "uid"}),
            texts_at(review, {"spec", "groups"}),
            {}};
  if (const Object* extra = json::get_object(review, {"spec", "extra"})) {
    for (const auto& [key, value] : *extra)
      user.extra[std::string(key)] = texts_at(*extra, {std::string_view(key)});
  }
  return user;
}

void append(FieldErrors& errors, FieldErrors more) {
  errors.insert(errors.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Object with_decision(Object review, const AccessDecision& decision) {
  Object status{{"allowed", decision.allowed}};
  if (!decision.reason.empty()) status["reason"] = decision.reason;
  review["status"] = std::move(status);
  return review;
}

}  // namespace

ApiResult<Object> answer_self_access_review(const Resource& resource, Object review, const User& asker,
                                            const Decide& decide) {
  FieldErrors errors = check_question(review);
  append(errors, check_metadata(review, false));
  if (!errors.empty()) return refuse(invalid(resource, "", errors));
  const AccessDecision decision = decide(asker, question_of(review));
  return with_decision(std::move(review), decision);
}

ApiResult<Object> answer_access_review(const Resource& resource, Object review, const Decide& decide) {
  FieldErrors errors = check_question(review);
  append(errors, check_subject(review));
  append(errors, check_metadata(review, false));
  if (!errors.empty()) return refuse(invalid(resource, "", errors));
  const AccessDecision decision = decide(subject_of(review), question_of(review));
  return with_decision(std::move(review), decision);
}

ApiResult<Object> answer_local_access_review(const Resource& resource, Object review, std::string_view ns,
                                             const Decide& decide) {
  FieldErrors errors = check_question(review);
  append(errors, check_subject(review));
  append(errors, check_local(review, ns));
  append(errors, check_metadata(review, true));
  if (!errors.empty()) return refuse(invalid(resource, "", errors));
  const AccessDecision decision = decide(subject_of(review), question_of(review));
  return with_decision(std::move(review), decision);
}

ApiResult<Object> answer_self_rules_review(Object review, const User& asker, const RbacState& state) {
  const std::string ns = json::text_at(review, {"spec", "namespace"});
  if (ns.empty()) return refuse(bad_request("no namespace on request"));
  const RbacState::Rules found = state.rules_for(asker, ns);
  Array resource_rules;
  Array path_rules;
  for (const PolicyRule& rule : found.rules) {
    if (!rule.resources.empty()) {
      PolicyRule shown = rule;
      shown.non_resource_urls.clear();
      resource_rules.push_back(shown.to_json());
    }
    if (!rule.non_resource_urls.empty()) {
      path_rules.push_back(
          PolicyRule{.verbs = rule.verbs, .non_resource_urls = rule.non_resource_urls}.to_json());
    }
  }
  Object status{{"resourceRules", std::move(resource_rules)},
                {"nonResourceRules", std::move(path_rules)},
                {"incomplete", false}};
  if (!found.problems.empty()) status["evaluationError"] = fmt::format("{}", fmt::join(found.problems, ", "));
  review["status"] = std::move(status);
  return review;
}

ApiResult<Object> answer_self_review(Object review, const User& asker) {
  review["status"] = Object{{"userInfo", user_info(asker)}};
  return review;
}

Object user_info(const User& user) {
  Object info{{"username", user.name}};
  if (!user.uid.empty()) info["uid"] = user.uid;
  if (!user.groups.empty()) info["groups"] = texts(user.groups);
  if (!user.extra.empty()) {
    Object extra;
    for (const auto& [key, values] : user.extra) extra[key] = texts(values);
    info["extra"] = std::move(extra);
  }
  return info;
}

}  // namespace fairway::apiserver
