// NodePlayer: plays the nodes for chosen Deployments on a cluster that has none. Observe → decide
// (nodes_decide.hpp) → act.
//
// Each pod that it makes is an object of the API and a small HTTP server at an address of its own, which
// answers probes and says who asked (echo.hpp). A pod's address is written in its status: killed and started
// again, the player runs the same pods at the same addresses. Belongs to the runtime's event loop and
// outlives it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/metrics.hpp"
#include "cloud/echo.hpp"
#include "cloud/nodes_decide.hpp"
#include "http/tcp.hpp"
#include "kube/runtime/runtime.hpp"

namespace fairway::cloud {

class NodePlayer {
 public:
  // Of Deployments with these labels, in all namespaces. Runtime and registry outlive it.
  NodePlayer(kube::Runtime& runtime, boost::asio::any_io_executor executor, std::string label_selector,
             nodes::Settings settings, metrics::Registry& registry);
  ~NodePlayer();
  NodePlayer(const NodePlayer&) = delete;
  NodePlayer& operator=(const NodePlayer&) = delete;

  // Ends all pods' servers. After the runtime has ended.
  boost::asio::awaitable<void> stop();

 private:
  struct Running {
    std::string uid;
    kube::ObjectKey deployment;
    std::string address;
    std::vector<std::unique_ptr<http::TcpListener>> listeners = {};
  };

  Task<nodes::Observed> observe(kube::ObjectKey key);
  nodes::Observed::Pod observe_pod(const std::shared_ptr<const json::Object>& pod);
  Task<void> act(nodes::Action action);
  Task<void> carry_out(const nodes::CreatePod& action);
  Task<void> carry_out(const nodes::DeletePod& action);
  Task<void> carry_out(const nodes::RunPod& action);
  Task<void> carry_out(const nodes::StopPod& action);
  Task<void> carry_out(const nodes::WritePodStatus& action);
  Task<void> carry_out(const nodes::WriteDeploymentStatus& action);
  Task<void> answer(EchoIdentity identity, std::unique_ptr<http::TcpStream> stream);

  kube::Runtime& runtime_;
  boost::asio::any_io_executor executor_;
  std::shared_ptr<const nodes::Settings> settings_;
  kube::ObjectCache& deployments_;
  kube::ObjectCache& pods_;
  AddressBook addresses_;  // by the UIDs of pods
  std::map<kube::ObjectKey, Running> running_;
  kube::ObjectCache::Subscription following_;
  kube::Controller* controller_ = nullptr;
};

}  // namespace fairway::cloud
