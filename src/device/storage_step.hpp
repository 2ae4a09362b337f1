// StorageStep: the built-in step of a migration that lets an API server write its objects anew, so that none
// stays stored in a version that the new software gives up. Pure: texts in, values out.
//
//   storage-versions:
//     definitions: crds             # a folder beside this file: CRDs that are applied first
//     resources: [widgets.example.test]     # without: every CRD that has objects in older versions
//     kubeconfig: /var/lib/app/kubeconfig   # without: Fairway's own API server, started on the data
//
// The server's own conversion does the work; every object is listed and put back unchanged.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "device/object_rewrite.hpp"
#include "json/value.hpp"

namespace fairway::device {

struct StorageStep {
  std::string kubeconfig = {};            // "": the embedded server
  std::string context = {};               // of it; "": the current one
  std::vector<std::string> program = {};  // the server, when nothing else has started it; runs meanwhile
  std::string definitions = {};
  std::vector<std::string> resources = {};  // plural.group, in this order
  std::int64_t page_size = 500;
  Duration wait = std::chrono::minutes(5);  // for the server to be ready

  // What stands below `storage-versions`.
  static Result<StorageStep> parse(const json::Object& object);
};

// How far such a step has got: everything before this is done. Kept in .version as one text.
struct StoragePosition {
  std::string cluster = {};   // of a server that has several
  std::string resource = {};  // "" at the beginning
  std::string token = {};     // the server's continue token

  // What cannot be read is the beginning: repeating a step is harmless.
  static StoragePosition parse(std::string_view text);
  std::string serialize() const;
  bool operator==(const StoragePosition&) const = default;
};

// What is handed to whoever can talk to API servers. Paths are real ones.
struct StorageWork {
  StorageStep step = {};
  std::string data = {};
  std::vector<json::Object> definitions = {};
  std::string position = {};
  // Durable when it returns.
  std::function<Result<void>(const std::string& position)> save = {};
};
// Given by the command line; this folder has no event loop and no client.
using MigrateStorage = std::function<Result<RewriteReport>(const StorageWork& work)>;

}  // namespace fairway::device
