// The rules of CustomResourceDefinitions: what is filled in, what is refused and which status follows.
//
// Paths and words are those of apiextensions-apiserver. It moves what all versions have in common to the top
// of the spec before it looks, so that an error in the schema of a definition with one version is found at
// spec.validation.openAPIV3Schema and not at spec.versions[0]. All functions are pure and total.
// What differs: conversion webhooks are refused; rules in CEL are kept and not compiled.
#pragma once

#include <span>

#include "base/clock.hpp"
#include "json/schema_errors.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {

// spec.names.singular and listKind, spec.conversion.
void default_crd(json::Object& crd);

// A new definition has the status that follows from its spec, whatever the client sent; a changed one keeps
// its own. Both note the storage version in status.storedVersions.
void prepare_crd_create(json::Object& crd);
void prepare_crd_update(const json::Object& before, json::Object& crd);

json::FieldErrors validate_crd(const json::Object& crd);
json::FieldErrors validate_crd_update(const json::Object& before, const json::Object& crd);
json::FieldErrors validate_crd_status_update(const json::Object& crd);

// The status with acceptedNames and the conditions NamesAccepted and Established, given all definitions of
// the cluster (its own may be among them). A name that another definition of the group has is not accepted; a
// definition stays established once it was.
json::Object crd_status(const json::Object& crd, std::span<const json::Object* const> all, WallTime now);

// Internal to the rules: one version, or what all versions have in common, at `path`.
json::FieldErrors check_crd_subresources(const json::Object& subresources, const std::string& path);
json::FieldErrors check_crd_columns(const json::Array& columns, const std::string& path);
json::FieldErrors check_crd_selectable_fields(const json::Array& fields, const json::Value* schema,
                                              const std::string& path);
json::FieldErrors check_crd_versions(const json::Object& spec);

}  // namespace fairway::apiserver
