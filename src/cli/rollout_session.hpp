// RolloutSession: the ClusterGroupUpgrades of a hub, read, changed and watched for `fairway rollout`.
//
// What to say of one is decided by src/fleet/report; here it is printed and written. Changes are merge
// patches, so that fields which we do not know stay as they are. Owns its event loop.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/cluster_options.hpp"
#include "cli/command.hpp"
#include "fleet/observed.hpp"
#include "fleet/types.hpp"

namespace fairway::cli {

struct RolloutSettings {
  ClusterSettings cluster;
  std::string namespace_;  // empty: the context's
  std::string output;
  std::string name;
  std::string file;
  bool is_all_namespaces = false;
  bool freezes = false;
  bool is_all = false;
  std::size_t batch = 0;
};

class RolloutSession {
 public:
  static Result<std::unique_ptr<RolloutSession>> open(const RolloutSettings& settings);

  const std::string& namespace_() const { return namespace_name_; }
  WallTime now() { return loop_.clock().now(); }

  Result<fleet::ClusterGroupUpgrade> read(const std::string& name);
  Result<std::vector<fleet::ClusterGroupUpgrade>> list(bool is_all_namespaces);
  // Everything that a decision about this rollout looks at.
  Result<fleet::Observed> observe(fleet::ClusterGroupUpgrade rollout);

  // `change` says what is patched of the rollout as it is; an empty patch writes nothing. Tried again when
  // somebody was faster. The rollout as it is then.
  using MakePatch = std::function<Result<json::Object>(const fleet::ClusterGroupUpgrade&)>;
  Result<fleet::ClusterGroupUpgrade> patch(const std::string& name, const std::string& subresource,
                                           const MakePatch& change);

  Result<void> watch(const std::string& name,
                     const std::function<bool(const fleet::ClusterGroupUpgrade&)>& show);
  // As the server knows the user; as the kubeconfig does where the server cannot say.
  std::string user_name();

 private:
  RolloutSession() = default;

  Result<std::vector<json::Object>> list_all(const kube::ResourceType& type);

  async::EventLoop loop_;
  ConnectedClient connected_;
  std::string namespace_name_;
};

}  // namespace fairway::cli
