// Metrics: counters, gauges and histograms with labels, and their text in Prometheus' exposition format.
//
// A Registry owns families, a family owns one series for each set of label values; references stay valid as
// long as the registry lives. Asking again for a family of the same name gives the same one; asking with
// another type, other labels or other buckets is a defect and aborts. Everything may be used from any thread;
// adding to a series takes no lock.
//
//   auto& total = registry.counter("fairway_requests_total", "requests by answer", {"code"});
//   total.with({"200"}).add();
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::metrics {

class Counter {
 public:
  void add(double amount = 1);  // never negative
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_ = 0;
};

class Gauge {
 public:
  void set(double value) { value_.store(value, std::memory_order_relaxed); }
  void add(double amount) { value_.fetch_add(amount, std::memory_order_relaxed); }
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_ = 0;
};

class Histogram {
 public:
  // Upper bounds in growing order; the last bucket, without a bound, is added.
  explicit Histogram(std::vector<double> bounds);

  void observe(double value);
  std::uint64_t count() const;
  double sum() const { return sum_.load(std::memory_order_relaxed); }
  // How many values each bucket holds, not added up; one more than there are bounds.
  std::vector<std::uint64_t> buckets() const;
  const std::vector<double>& bounds() const { return bounds_; }

 private:
  std::vector<double> bounds_;
  std::vector<std::atomic<std::uint64_t>> counts_;
  std::atomic<double> sum_ = 0;
};

std::vector<double> exponential_buckets(double first, double factor, std::size_t count);

using LabelValues = std::vector<std::string>;

// The series of one name. T is Counter, Gauge or Histogram.
template <class T>
class Family {
 public:
  // The series with these values, in the order of the label names; made when it is new.
  T& with(const LabelValues& values = {});
  // Removes one series, so that what no longer exists is no longer shown. References to it end here.
  void remove(const LabelValues& values);

 private:
  friend class Registry;
  Family(std::string name, std::string help, std::vector<std::string> labels, std::vector<double> bounds);

  std::string name_;
  std::string help_;
  std::vector<std::string> labels_;
  std::vector<double> bounds_;
  mutable std::mutex mutex_;
  std::map<LabelValues, std::unique_ptr<T>> series_;
};

// A family of gauges of which exactly those exist that were set between begin() and end(). For collectors.
class GaugeSet {
 public:
  explicit GaugeSet(Family<Gauge>& family) : family_(family) {}

  void begin() { current_.clear(); }
  void set(LabelValues labels, double value);
  void end();

 private:
  Family<Gauge>& family_;
  std::set<LabelValues> shown_;
  std::set<LabelValues> current_;
};

class Registry {
 public:
  Registry();
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  Family<Counter>& counter(std::string_view name, std::string_view help,
                           std::vector<std::string> labels = {});
  Family<Gauge>& gauge(std::string_view name, std::string_view help, std::vector<std::string> labels = {});
  Family<Histogram>& histogram(std::string_view name, std::string_view help, std::vector<double> bounds,
                               std::vector<std::string> labels = {});

  // Called before every exposition, for values that are only known when asked for. Ends with the returned
  // handle; a call that is under way on another thread is waited for.
  using Collector = std::shared_ptr<void>;
  [[nodiscard]] Collector on_collect(std::function<void()> collect);

  // Prometheus' text format 0.0.4: families by name, series by label values.
  std::string expose() const;
  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fairway::metrics
