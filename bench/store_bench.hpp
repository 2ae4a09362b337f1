// The store's benchmark: what a run is, what it measured, and the peers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace fairway::bench {

struct Load {
  std::size_t writers = 1;
  std::size_t value_bytes = 1024;
  std::size_t keys_per_writer = 100;  // each writer goes round its own keys
  Duration warm_up = std::chrono::seconds(1);
  Duration measured = std::chrono::seconds(5);
};

struct Measured {
  double writes_per_second = 0;
  Duration median{};
  Duration p99{};
};

// Collects when each write began and ended; what ended within the measured time counts.
class Latencies {
 public:
  Latencies(const Load& load, SteadyTime start)
      : from_(start + load.warm_up), until_(from_ + load.measured) {}

  bool is_over(SteadyTime now) const { return now >= until_; }
  void add(SteadyTime began, SteadyTime ended);
  void add(const Latencies& other);
  Measured summary() const;

 private:
  SteadyTime from_;
  SteadyTime until_;
  std::vector<Duration> samples_;
};

// A store of ours in the directory, with its event loop in the calling thread.
Result<Measured> measure_store(const std::string& directory, const Load& load);

// How long a store with so many objects of so many bytes takes to open; the store is made first.
Result<Duration> measure_open(const std::string& directory, std::size_t objects, std::size_t value_bytes);

// An etcd of its own, listening on loopback, that ends with the object.
class Etcd {
 public:
  static Result<Etcd> start(const std::string& directory);
  Etcd(Etcd&& other) noexcept;
  Etcd& operator=(Etcd&&) = delete;
  ~Etcd();

  // One thread and one kept-alive connection a writer. As JSON through etcd's own gateway …
  Result<Measured> measure_gateway(const Load& load) const;
  // … and over gRPC, its native protocol, which is how kube-apiserver talks to it.
  Result<Measured> measure_grpc(const Load& load) const;

 private:
  Etcd(int process, std::uint16_t port) : process_(process), port_(port) {}
  int process_;
  std::uint16_t port_;
};

// One write over a connection of its own; called again and again by one thread.
using Put = std::function<Result<void>(const std::string& key, const std::string& value)>;
// A connection for each writer, made before the clock starts.
Result<Measured> measure_writers(const Load& load, const std::function<Result<Put>()>& connect);

}  // namespace fairway::bench
