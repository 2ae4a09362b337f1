// For the tests of kinds: objects as YAML, and a write as the server does it, without metadata and store.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "apiserver/kinds.hpp"
#include "json/schema_prune.hpp"
#include "json/schema_validate.hpp"
#include "json/testing/objects.hpp"

namespace fairway::apiserver::kinds {

inline json::Object yaml(std::string_view text) {
  return json::test_object(text);
}

struct Outcome {
  json::Object object;
  std::vector<std::string> errors;

  // The value at spec/ports/0/nodePort as JSON; "-" when there is none.
  std::string get(std::string_view path) const {
    const json::Value whole(object);
    const json::Value* at = &whole;
    for (std::size_t start = 0; start <= path.size() && at != nullptr;) {
      const std::size_t end = std::min(path.find('/', start), path.size());
      const std::string step(path.substr(start, end - start));
      if (at->is_array()) {
        const std::size_t index = std::stoul(step);
        at = index < at->get_array().size() ? &at->get_array()[index] : nullptr;
      } else {
        at = at->is_object() ? at->get_object().if_contains(step) : nullptr;
      }
      start = end + 1;
    }
    return at == nullptr ? "-" : json::serialize(*at);
  }
};

// What a cluster has given away already.
struct Taken {
  std::set<std::string> addresses = {};
  std::set<std::int64_t> ports = {};
  std::string seed = "6a8f0d0e-1c1b-4a57-9d3e-2f6f3f1d9a10";

  KindContext context() const {
    return {seed, [this](std::string_view address) { return addresses.contains(std::string(address)); },
            [this](std::int64_t port) { return ports.contains(port); }};
  }
};

inline const Resource& builtin(std::string_view group, std::string_view kind) {
  static const auto catalog = Catalog::make({});
  const Resource* resource = catalog->find_kind(group, kind);
  EXPECT_NE(resource, nullptr) << kind;
  return *resource;
}

inline Outcome finish(const Resource& resource, const json::Object* before, json::Object object,
                      json::FieldErrors errors) {
  const KindRules& rules = rules_of(resource);
  const auto add = [&](json::FieldErrors more) { errors.insert(errors.end(), more.begin(), more.end()); };
  add(json::validate(*resource.storage_version().schema, json::Value(object)));
  if (rules.validate != nullptr) add(rules.validate(object));
  if (before != nullptr && rules.validate_update != nullptr) add(rules.validate_update(*before, object));
  Outcome outcome{std::move(object), {}};
  for (const json::FieldError& error : errors) outcome.errors.push_back(error.text());
  return outcome;
}

inline json::Object defaulted(const Resource& resource, json::Object object) {
  json::Value value(std::move(object));
  json::apply_defaults(*resource.storage_version().schema, value);
  const KindRules& rules = rules_of(resource);
  if (rules.default_fields != nullptr) rules.default_fields(value.get_object());
  return value.get_object();
}

inline Outcome create(const Resource& resource, std::string_view text, const Taken& taken = {}) {
  json::Object object = defaulted(resource, yaml(text));
  const KindRules& rules = rules_of(resource);
  json::FieldErrors errors;
  if (rules.prepare_create != nullptr) errors = rules.prepare_create(object, taken.context());
  return finish(resource, nullptr, std::move(object), std::move(errors));
}

inline Outcome update(const Resource& resource, const json::Object& before, json::Object after,
                      const Taken& taken = {}) {
  json::Object object = defaulted(resource, std::move(after));
  const KindRules& rules = rules_of(resource);
  json::FieldErrors errors;
  if (rules.prepare_update != nullptr) errors = rules.prepare_update(before, object, taken.context());
  return finish(resource, &before, std::move(object), std::move(errors));
}

}  // namespace fairway::apiserver::kinds
