// The rules of metadata, which all kinds share: names, labels, annotations, finalizers, owners, and the
// stamps that only the server sets. Internal to lifecycle.
#pragma once

#include "apiserver/lifecycle.hpp"

namespace fairway::apiserver {

// Before a create: the object's name (given, from the URL or generated) and namespace, as they will be.
ApiResult<void> settle_identity(const WriteRequest& request, json::Object& incoming);
// Before an update: name and namespace must be those of the URL.
ApiResult<void> check_same_identity(const WriteRequest& request, json::Object& incoming);

// uid, creationTimestamp, generation; whatever the client sent in their place goes.
void stamp_new(const WriteRequest& request, const KindRules& rules, json::Object& object);
// What a client cannot change stays as it was.
void keep_stamps(const json::Object& before, json::Object& object);

json::FieldErrors validate_metadata(const Resource& resource, const KindRules& rules,
                                    const json::Object* before, const json::Object& object);

}  // namespace fairway::apiserver
