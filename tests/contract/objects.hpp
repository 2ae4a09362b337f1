// Objects that the cases are made of, and small changes to JSON values.
#pragma once

#include <string>
#include <string_view>

#include "api.hpp"

namespace fairway::contract {

// apiVersion, kind and metadata.name, merged with the rest.
Value object(std::string_view api_version, std::string_view kind, std::string_view name,
             const Body& rest = "{}");
Value config_map(std::string_view name, const Body& rest = "{}");
Value secret(std::string_view name, const Body& rest = "{}");
// One port, 80.
Value service(std::string_view name, const Body& rest = "{}");
// No replicas, one container: what a deployment controller would do to it stays small.
Value deployment(std::string_view name, const Body& rest = "{}");
Value lease(std::string_view name, const Body& rest = "{}");

// Puts a value at a JSON pointer, with the objects on the way to it.
void set(Value& value, std::string_view pointer, const Body& to);
void erase(Value& value, std::string_view pointer);
Value merged(Value value, const Body& patch);

// metadata.name of each item of a list, in its order.
Names names_of(const Value& list);
std::string version_of(const Value& object);
std::string uid_of(const Value& object);
// The entry of metadata.managedFields of that manager; null when there is none.
const Value* managed_by(const Value& object, std::string_view manager, std::string_view subresource = "");
// The element of an array whose field has that text; null when there is none.
const Value* element(const Value* array, std::string_view field, std::string_view text);

}  // namespace fairway::contract
