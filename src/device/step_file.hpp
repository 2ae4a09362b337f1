// StepFile: a built-in step of a migration, as a YAML file says it. Its one top key says which kind it is.
#pragma once

#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "device/etcd_step.hpp"
#include "device/object_rewrite.hpp"
#include "device/storage_step.hpp"

namespace fairway::device {

using StepFile = std::variant<RewriteStep, StorageStep, EtcdStep>;

Result<StepFile> parse_step_file(std::string_view yaml);

}  // namespace fairway::device
