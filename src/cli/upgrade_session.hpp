// UpgradeSession: the ClusterVersion of one cluster, read, changed and watched for the upgrade command.
//
// What to say and to change is decided by src/clusterversion/upgrade; here it is printed and written. A
// change is a merge patch, so that fields which we do not know stay as they are. The session owns its event
// loop; its functions return when they are done.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "async/event_loop.hpp"
#include "cli/cluster_options.hpp"
#include "cli/command.hpp"
#include "clusterversion/types.hpp"
#include "clusterversion/upgrade/outcome.hpp"

namespace fairway::cli {

struct WriteStyle {
  bool is_dry_run = false;  // the server checks the change and forgets it
  std::string output = {};  // json or yaml: the object as it is then, instead of words
};

class UpgradeSession {
 public:
  static Result<std::unique_ptr<UpgradeSession>> open(const ClusterSettings& settings,
                                                      Invocation& invocation);

  Result<clusterversion::ClusterVersion> read();
  // Prints what the outcome says, writes its change, and makes its exit code the command's.
  Result<void> carry_out(const clusterversion::upgrade::Outcome& outcome, const WriteStyle& style = {});

  using Render = std::function<clusterversion::upgrade::Outcome(const clusterversion::ClusterVersion&)>;
  // Prints now, and again whenever the text changes, until an update that is running is complete or Ctrl-C.
  Result<void> watch(const Render& render);

  WallTime now() { return loop_.clock().now(); }

 private:
  explicit UpgradeSession(Invocation& invocation) : invocation_(invocation) {}

  void print(const clusterversion::upgrade::Outcome& outcome);
  void print_written(const clusterversion::upgrade::Change& change, const json::Object& object,
                     const WriteStyle& style);
  Result<bool> show(const json::Object& object, const Render& render);

  Invocation& invocation_;
  async::EventLoop loop_;
  ConnectedClient connected_;
  std::string shown_;          // what was printed last
  bool was_updating_ = false;  // while watching
};

// Text in this format; what the outcome says on stderr, and its exit code, stay.
clusterversion::upgrade::Outcome with_document(clusterversion::upgrade::Outcome outcome,
                                               const json::Value& document, const std::string& format);
bool is_document(const std::string& format);  // json or yaml

}  // namespace fairway::cli
