// EtcdStep: the step of a migration that looks whether the new software can open an etcd store. It changes
// nothing: etcd converts its own files, forward only, when a newer one starts.
//
//   etcd: {file: etcd/member/snap/db, newest: 3.6.0}
//
// etcd 3.6 and later write the version of their schema into the file; older ones write none, and are older
// than anything. The file is bbolt's: pages of a B+ tree, two of which say where its root is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "device/app_version.hpp"
#include "json/value.hpp"

namespace fairway::device {

struct EtcdStep {
  std::string file = "etcd/member/snap/db";  // in the data
  AppVersion newest = {};                    // that the new software understands

  static Result<EtcdStep> parse(const json::Object& object);
};

// The value of a key in a top bucket of a bbolt file; nothing when either is missing. `file` is all of it.
Result<std::optional<std::string>> find_in_bolt(std::string_view file, std::string_view bucket,
                                                std::string_view key);

// Invalid when the store is newer than the step allows, or cannot be read.
Result<std::string> check_etcd(const EtcdStep& step, std::string_view file);

}  // namespace fairway::device
