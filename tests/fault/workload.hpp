// Workload: concurrent logical writers on one store, who report everything that they try and see.
//
// Each writer has keys of its own and all share one; it creates, updates (against the revision it knows) and
// deletes as its random source says, one write at a time. One watch follows everything from a given revision.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>

#include "store/store.hpp"

namespace fairway::fault {

struct WorkloadOptions {
  std::size_t writers = 8;
  std::size_t keys_per_writer = 4;
  std::size_t largest_value = 4000;
  std::uint64_t seed = 1;
  std::string run;                           // makes the tokens of this run its own
  std::uint64_t resume = 0;                  // the last revision that the watch has seen
  std::uint64_t writes = ~std::uint64_t{0};  // altogether; then it is finished
};

class Workload {
 public:
  // `report` gets the lines of history.hpp, in order.
  Workload(store::Store& store, WorkloadOptions options, std::function<void(const std::string&)> report);

  // Lists, starts to watch, and starts the writers.
  void start();
  // Every writer has stopped, after the last write or a failure, and the watch has caught up.
  bool is_finished() const;
  bool has_failed() const { return has_failed_; }

 private:
  void list();
  void write(std::size_t writer);
  void on_written(std::size_t writer, const Result<store::ChangePtr>& done, const std::string& token);
  store::Write next_write(std::size_t writer, std::string& token);

  store::Store& store_;
  WorkloadOptions options_;
  std::function<void(const std::string&)> report_;
  std::mt19937_64 random_;
  store::Subscription watch_;
  std::uint64_t attempts_ = 0;
  std::size_t stopped_ = 0;
  store::Revision last_acknowledged_ = 0;
  store::Revision last_seen_ = 0;
  bool has_failed_ = false;
};

}  // namespace fairway::fault
