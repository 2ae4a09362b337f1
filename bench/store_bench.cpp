// Durable writes a second: the store beside etcd, on the same disk, in the same run, one after the other.
//
//   store_bench [--dir DIR] [--seconds N] [--repeat N]
//
// etcd is asked twice: through its JSON gateway over plain HTTP, and over gRPC, its native protocol. Our
// store is called inside the process, without a network in between; what the API server in front of it costs
// is measured by that server's own benchmark. On a busy machine repeat and look at the best of each.
#include "store_bench.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <thread>

#include "base/text.hpp"

namespace fairway::bench {

void Latencies::add(SteadyTime began, SteadyTime ended) {
  if (ended >= from_ && ended < until_) samples_.push_back(ended - began);
}

void Latencies::add(const Latencies& other) {
  samples_.insert(samples_.end(), other.samples_.begin(), other.samples_.end());
}

Measured Latencies::summary() const {
  std::vector<Duration> sorted = samples_;
  std::ranges::sort(sorted);
  const auto at = [&](std::size_t percent) {
    return sorted.empty() ? Duration{} : sorted[std::min(sorted.size() - 1, sorted.size() * percent / 100)];
  };
  const double seconds = std::chrono::duration<double>(until_ - from_).count();
  return {static_cast<double>(sorted.size()) / seconds, at(50), at(99)};
}

Result<Measured> measure_writers(const Load& load, const std::function<Result<Put>()>& connect) {
  const SystemClock clock;
  std::vector<Put> puts;
  for (std::size_t writer = 0; writer < load.writers; ++writer) {
    FAIRWAY_TRY(Put put, connect());
    puts.push_back(std::move(put));
  }
  const Latencies none(load, clock.steady());
  std::vector<Latencies> latencies(load.writers, none);
  std::vector<Result<void>> results(load.writers);
  const std::string value(load.value_bytes, 'x');
  std::vector<std::thread> threads;
  for (std::size_t writer = 0; writer < load.writers; ++writer)
    threads.emplace_back([&, writer] {
      for (std::size_t i = 0; results[writer] && !none.is_over(clock.steady()); ++i) {
        const SteadyTime began = clock.steady();
        results[writer] = puts[writer](fmt::format("/bench/w{}-{}", writer, i % load.keys_per_writer), value);
        latencies[writer].add(began, clock.steady());
      }
    });
  for (std::thread& thread : threads) thread.join();
  Latencies all = none;
  for (std::size_t writer = 0; writer < load.writers; ++writer) {
    FAIRWAY_CHECKED(results[writer]);
    all.add(latencies[writer]);
  }
  return all.summary();
}

namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

void print_row(std::size_t writers, std::string_view peer, const Measured& measured, double ours) {
  fmt::print("{:>7}  {:<24} {:>10.0f} {:>9.2f} {:>9.2f} {:>9.2f}\n", writers, peer,
             measured.writes_per_second, Milliseconds(measured.median).count(),
             Milliseconds(measured.p99).count(), ours / measured.writes_per_second);
}

Result<void> compare(const std::string& directory, const Load& load) {
  FAIRWAY_TRY(const Measured ours, measure_store(directory + "/store", load));
  print_row(load.writers, "fairway store", ours, ours.writes_per_second);
  FAIRWAY_TRY(const Etcd etcd, Etcd::start(directory + "/etcd"));
  FAIRWAY_TRY(const Measured grpc, etcd.measure_grpc(load));
  print_row(load.writers, "etcd, gRPC", grpc, ours.writes_per_second);
  FAIRWAY_TRY(const Measured gateway, etcd.measure_gateway(load));
  print_row(load.writers, "etcd, JSON over HTTP", gateway, ours.writes_per_second);
  return {};
}

Result<void> run(std::map<std::string, std::string> arguments) {
  std::string root = (arguments["--dir"].empty() ? "." : arguments["--dir"]) + "/store-bench-XXXXXX";
  if (::mkdtemp(root.data()) == nullptr)
    return fail(ErrorCode::Unavailable, "no directory can be made for the run");
  const auto seconds = static_cast<std::int64_t>(parse_unsigned(arguments["--seconds"]).value_or(5));
  const std::uint64_t repeat = parse_unsigned(arguments["--repeat"]).value_or(1);
  const auto measure = [&]() -> Result<void> {
    fmt::print("durable writes of 1 KiB, {} s each\n", seconds);
    fmt::print("{:>7}  {:<24} {:>10} {:>9} {:>9} {:>9}\n", "writers", "peer", "writes/s", "p50 ms", "p99 ms",
               "ours/peer");
    for (std::uint64_t round = 0; round < repeat; ++round)
      for (const std::size_t writers : {1U, 64U}) {
        const std::string directory = fmt::format("{}/{}-{}", root, round, writers);
        std::filesystem::create_directory(directory);
        FAIRWAY_CHECKED(compare(directory, {.writers = writers, .measured = std::chrono::seconds(seconds)}));
      }
    FAIRWAY_TRY(const Duration opened, measure_open(root + "/open", 10'000, 2048));
    fmt::print("opening a store with 10,000 objects of 2 KiB: {:.1f} ms\n", Milliseconds(opened).count());
    return {};
  };
  Result<void> measured = measure();
  std::filesystem::remove_all(root);
  return measured;
}

}  // namespace
}  // namespace fairway::bench

int main(int argc, char** argv) {
  std::map<std::string, std::string> arguments;
  for (int i = 1; i + 1 < argc; i += 2) arguments[argv[i]] = argv[i + 1];
  const fairway::Result<void> done = fairway::bench::run(std::move(arguments));
  if (!done) fmt::print(stderr, "{}\n", done.error().describe());
  return done ? 0 : 1;
}
