// Our store: logical writers on one event loop, as in the API server, and the time that opening takes.
#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "store/store.hpp"
#include "store/testing/test_loop.hpp"

#include "store_bench.hpp"

namespace fairway::bench {
namespace {

using namespace fairway::store;

// Each writer has one write under way and submits the next when that is acknowledged.
class Writers {
 public:
  Writers(Store& store, const Load& load, const Clock& clock)
      : store_(store), load_(load), clock_(clock), latencies_(load, clock.steady()) {}

  void start() {
    for (std::size_t writer = 0; writer < load_.writers; ++writer) write(writer, 0);
  }
  bool is_finished() const { return finished_ == load_.writers; }
  bool has_failed() const { return has_failed_; }
  const Latencies& latencies() const { return latencies_; }

 private:
  void write(std::size_t writer, std::size_t sequence) {
    const Key key{"hub", "/configmaps", "bench",
                  fmt::format("w{}-{}", writer, sequence % load_.keys_per_writer)};
    const bool is_new = !store_.head(key).entry;
    store_.submit({.kind = is_new ? ChangeKind::Created : ChangeKind::Updated,
                   .key = key,
                   .value = std::make_shared<const std::string>(load_.value_bytes, 'x'),
                   .labels = {{"app", "bench"}}},
                  [this, writer, sequence, began = clock_.steady()](const Result<ChangePtr>& done) {
                    const SteadyTime now = clock_.steady();
                    has_failed_ = has_failed_ || !done;
                    latencies_.add(began, now);
                    if (has_failed_ || latencies_.is_over(now)) {
                      ++finished_;
                    } else {
                      write(writer, sequence + 1);
                    }
                  });
  }

  Store& store_;
  const Load& load_;
  const Clock& clock_;
  Latencies latencies_;
  std::size_t finished_ = 0;
  bool has_failed_ = false;
};

}  // namespace

Result<Measured> measure_store(const std::string& directory, const Load& load) {
  const SystemClock clock;
  TestLoop loop;
  FAIRWAY_TRY(const std::unique_ptr<Store> store,
              Store::open({.directory = directory, .clock = clock, .post = loop.poster()}));
  Writers writers(*store, load, clock);
  writers.start();
  loop.run_until([&] { return writers.is_finished(); });
  if (writers.has_failed()) return fail(ErrorCode::Unavailable, "a write to the store failed");
  FAIRWAY_CHECKED(store->close());
  return writers.latencies().summary();
}

Result<Duration> measure_open(const std::string& directory, std::size_t objects, std::size_t value_bytes) {
  const SystemClock clock;
  TestLoop loop;
  const auto open = [&] {
    return Store::open({.directory = directory, .clock = clock, .post = loop.poster()});
  };
  {
    FAIRWAY_TRY(const std::unique_ptr<Store> store, open());
    std::size_t acknowledged = 0;
    for (std::size_t i = 0; i < objects; ++i) {
      store->submit({.kind = ChangeKind::Created,
                     .key = {"hub", "/configmaps", fmt::format("ns{}", i % 50), fmt::format("object-{}", i)},
                     .value = std::make_shared<const std::string>(value_bytes, 'x'),
                     .labels = {{"app", "bench"}}},
                    [&](const Result<ChangePtr>& done) { acknowledged += done ? 1 : 0; });
      if (i % 1000 == 999 || i + 1 == objects) loop.run_until([&] { return acknowledged == i + 1; });
    }
  }
  const SteadyTime began = clock.steady();
  FAIRWAY_TRY(const std::unique_ptr<Store> store, open());
  const Duration took = clock.steady() - began;
  if (store->stats().objects != objects) return fail(ErrorCode::Internal, "an object is missing");
  return took;
}

}  // namespace fairway::bench
