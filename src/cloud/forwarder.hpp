// Forwarder: the load balancers' own traffic. Listens where frontends say and passes connections on to
// backends.
//
// Whom a frontend admits and where a connection goes is looked up when it arrives, so that a change of ranges
// or of pods concerns the next connection. A frontend that moves opens its new listeners before it closes the
// old ones; a connection through a listener that closes is cut, because the scope that allowed it is gone.
// Memory of a connection is two small blocks. Belongs to one event loop; stop() before it goes.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/metrics.hpp"
#include "cloud/frontend.hpp"
#include "http/tcp.hpp"
#include "kube/core/object.hpp"

namespace fairway::cloud {

class Forwarder {
 public:
  // The backends of a Service's port, now.
  using Backends =
      std::function<std::vector<Backend>(const kube::ObjectKey&, const Frontend&, const FrontendPort&)>;
  struct Traffic {
    std::size_t open = 0;
    std::uint64_t forwarded = 0;
    std::uint64_t refused = 0;   // of clients that are not admitted
    std::uint64_t unserved = 0;  // no backend answered
  };

  Forwarder(boost::asio::any_io_executor executor, TimerClock& clock,
            std::shared_ptr<const Settings> settings, Backends backends, metrics::Registry& registry);
  ~Forwarder();
  Forwarder(const Forwarder&) = delete;
  Forwarder& operator=(const Forwarder&) = delete;

  // From now on as this frontend says; on failure everything is as before.
  Task<void> serve(kube::ObjectKey key, Frontend frontend);
  Task<void> stop(kube::ObjectKey key);
  boost::asio::awaitable<void> stop_all();

  std::optional<Frontend> serving(const kube::ObjectKey& key) const;
  Traffic traffic(const kube::ObjectKey& key) const;

 private:
  using Listeners = std::map<std::uint16_t, std::unique_ptr<http::TcpListener>>;  // by port
  struct Served;

  Task<Listeners> open(std::shared_ptr<Served> served, Frontend frontend);
  Task<void> forward(std::shared_ptr<Served> served, std::unique_ptr<http::TcpStream> client);
  Task<std::unique_ptr<http::TcpStream>> connect(std::vector<Backend> backends, std::size_t first,
                                                 std::string from);
  void count(std::string outcome);

  boost::asio::any_io_executor executor_;
  TimerClock& clock_;
  std::shared_ptr<const Settings> settings_;
  Backends backends_;
  metrics::Family<metrics::Counter>& connections_;
  std::map<kube::ObjectKey, std::shared_ptr<Served>> served_;
};

}  // namespace fairway::cloud
