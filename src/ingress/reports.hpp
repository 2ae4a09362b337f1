// What the cloud's service controller says in Events, read for one Service. Pure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ingress/service.hpp"
#include "json/value.hpp"

namespace fairway::ingress {

// The UID of the object that an Event is about; empty for one that is not the service controller's.
std::string reported_uid(const json::Object& event);

// From the Events about one UID, in any order: a failure counts until a success that is newer.
CloudReports read_reports(const std::vector<std::shared_ptr<const json::Object>>& events);

}  // namespace fairway::ingress
