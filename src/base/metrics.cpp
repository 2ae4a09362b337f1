#include "base/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <variant>

#include "base/result.hpp"
#include "base/text.hpp"

namespace fairway::metrics {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  // Whole numbers without an exponent; what is beyond a double's exact integers keeps its shortest form.
  if (value == std::trunc(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{}", value);
}

std::string escaped(std::string_view text, bool in_quotes) {
  std::string out;
  for (char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '"' && in_quotes) {
      out += "\\\"";
    } else {
      out += c;
    }
  }
  return out;
}

// {a="1",b="2"}; nothing when there are no labels. `extra` is one more pair, already written.
std::string label_text(const std::vector<std::string>& names, const LabelValues& values,
                       std::string extra = {}) {
  std::vector<std::string> pairs;
  pairs.reserve(names.size() + 1);
  for (std::size_t i = 0; i < names.size(); ++i) {
    pairs.push_back(fmt::format("{}=\"{}\"", names[i], escaped(values[i], true)));
  }
  if (!extra.empty()) pairs.push_back(std::move(extra));
  return pairs.empty() ? std::string() : "{" + join(pairs, ",") + "}";
}

struct Heading {
  const std::string& name;
  const std::vector<std::string>& labels;
};

template <class Simple>
void write_series(Out out, const Heading& family, const LabelValues& values, const Simple& series) {
  fmt::format_to(out, "{}{} {}\n", family.name, label_text(family.labels, values), number(series.value()));
}

void write_series(Out out, const Heading& family, const LabelValues& values, const Histogram& series) {
  const auto buckets = series.buckets();
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    total += buckets[i];
    const std::string bound = i < series.bounds().size() ? number(series.bounds()[i]) : "+Inf";
    fmt::format_to(out, "{}_bucket{} {}\n", family.name,
                   label_text(family.labels, values, fmt::format("le=\"{}\"", bound)), total);
  }
  const std::string labels = label_text(family.labels, values);
  fmt::format_to(out, "{0}_sum{1} {2}\n{0}_count{1} {3}\n", family.name, labels, number(series.sum()), total);
}

bool is_name(std::string_view text, bool colon_allowed) {
  const auto is_start = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c == ':' && colon_allowed);
  };
  const auto is_rest = [&](char c) { return is_start(c) || (c >= '0' && c <= '9'); };
  return !text.empty() && is_start(text.front()) && std::ranges::all_of(text, is_rest);
}

template <class T>
constexpr std::string_view kTypeName = "counter";
template <>
constexpr std::string_view kTypeName<Gauge> = "gauge";
template <>
constexpr std::string_view kTypeName<Histogram> = "histogram";

}  // namespace

void Counter::add(double amount) {
  FAIRWAY_CHECK(amount >= 0, "a counter only grows");
  value_.fetch_add(amount, std::memory_order_relaxed);
}

Histogram::Histogram(std::vector<double> bounds) : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {
  FAIRWAY_CHECK(std::ranges::adjacent_find(bounds_, std::greater_equal<>{}) == bounds_.end(),
                "the bounds of a histogram grow");
}

void Histogram::observe(double value) {
  const auto bucket = std::ranges::lower_bound(bounds_, value) - bounds_.begin();
  counts_[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

std::uint64_t Histogram::count() const {
  std::uint64_t total = 0;
  for (const std::uint64_t count : buckets()) total += count;
  return total;
}

std::vector<std::uint64_t> Histogram::buckets() const {
  std::vector<std::uint64_t> counts;
  counts.reserve(counts_.size());
  for (const auto& count : counts_) counts.push_back(count.load(std::memory_order_relaxed));
  return counts;
}

std::vector<double> exponential_buckets(double first, double factor, std::size_t count) {
  std::vector<double> bounds;
  for (double bound = first; bounds.size() < count; bound *= factor) bounds.push_back(bound);
  return bounds;
}

template <class T>
Family<T>::Family(std::string name, std::string help, std::vector<std::string> labels,
                  std::vector<double> bounds)
    : name_(std::move(name)), help_(std::move(help)), labels_(std::move(labels)), bounds_(std::move(bounds)) {
  // A family without labels has its one series from the start, so that it shows 0 and not nothing.
  if (labels_.empty()) with();
}

template <class T>
T& Family<T>::with(const LabelValues& values) {
  FAIRWAY_CHECK(values.size() == labels_.size(), "a series needs one value for each label of its family");
  std::lock_guard lock(mutex_);
  auto& series = series_[values];
  if (!series) {
    if constexpr (std::is_same_v<T, Histogram>) {
      series = std::make_unique<T>(bounds_);
    } else {
      series = std::make_unique<T>();
    }
  }
  return *series;
}

template <class T>
void Family<T>::remove(const LabelValues& values) {
  std::lock_guard lock(mutex_);
  series_.erase(values);
}

template class Family<Counter>;
template class Family<Gauge>;
template class Family<Histogram>;

struct Registry::Impl {
  template <class T>
  using Owned = std::unique_ptr<Family<T>>;
  using AnyFamily = std::variant<Owned<Counter>, Owned<Gauge>, Owned<Histogram>>;

  struct Collecting {
    std::mutex mutex;
    std::map<std::uint64_t, std::function<void()>> callbacks;
    std::uint64_t next = 0;
  };

  mutable std::mutex mutex;
  std::map<std::string, AnyFamily, std::less<>> families;
  // Shared with the handles, which may outlive the registry.
  std::shared_ptr<Collecting> collecting = std::make_shared<Collecting>();

  template <class T, class Make>
  Family<T>& family(std::string_view name, const std::vector<std::string>& labels,
                    const std::vector<double>& bounds, Make make);
};

template <class T, class Make>
Family<T>& Registry::Impl::family(std::string_view name, const std::vector<std::string>& labels,
                                  const std::vector<double>& bounds, Make make) {
  FAIRWAY_CHECK(is_name(name, true), "a metric's name consists of letters, digits, _ and :");
  for (const auto& label : labels)
    FAIRWAY_CHECK(is_name(label, false), "a label's name consists of letters, digits and _");
  std::lock_guard lock(mutex);
  auto found = families.find(name);
  if (found == families.end()) found = families.emplace(std::string(name), make()).first;
  auto* same = std::get_if<Owned<T>>(&found->second);
  FAIRWAY_CHECK(same != nullptr, "a metric is asked for with two types");
  FAIRWAY_CHECK((*same)->labels_ == labels && (*same)->bounds_ == bounds,
                "a metric is asked for with two sets of labels or buckets");
  return **same;
}

Registry::Registry() : impl_(std::make_unique<Impl>()) {}
Registry::~Registry() = default;

Family<Counter>& Registry::counter(std::string_view name, std::string_view help,
                                   std::vector<std::string> labels) {
  return impl_->family<Counter>(name, labels, {}, [&] {
    return Impl::Owned<Counter>(new Family<Counter>(std::string(name), std::string(help), labels, {}));
  });
}

Family<Gauge>& Registry::gauge(std::string_view name, std::string_view help,
                               std::vector<std::string> labels) {
  return impl_->family<Gauge>(name, labels, {}, [&] {
    return Impl::Owned<Gauge>(new Family<Gauge>(std::string(name), std::string(help), labels, {}));
  });
}

Family<Histogram>& Registry::histogram(std::string_view name, std::string_view help,
                                       std::vector<double> bounds, std::vector<std::string> labels) {
  return impl_->family<Histogram>(name, labels, bounds, [&] {
    return Impl::Owned<Histogram>(
        new Family<Histogram>(std::string(name), std::string(help), labels, bounds));
  });
}

Registry::Collector Registry::on_collect(std::function<void()> collect) {
  const auto collecting = impl_->collecting;
  std::lock_guard lock(collecting->mutex);
  const std::uint64_t id = collecting->next++;
  collecting->callbacks.emplace(id, std::move(collect));
  return {static_cast<void*>(collecting.get()), [collecting, id](void*) {
            std::lock_guard guard(collecting->mutex);
            collecting->callbacks.erase(id);
          }};
}

std::string Registry::expose() const {
  {
    std::lock_guard lock(impl_->collecting->mutex);
    for (const auto& [id, collect] : impl_->collecting->callbacks) collect();
  }
  std::string text;
  const Out out = std::back_inserter(text);
  std::lock_guard lock(impl_->mutex);
  for (const auto& [name, any] : impl_->families) {
    std::visit(
        [&]<class T>(const std::unique_ptr<Family<T>>& family) {
          std::lock_guard family_lock(family->mutex_);
          if (family->series_.empty()) return;
          if (!family->help_.empty())
            fmt::format_to(out, "# HELP {} {}\n", name, escaped(family->help_, false));
          fmt::format_to(out, "# TYPE {} {}\n", name, kTypeName<T>);
          for (const auto& [values, series] : family->series_) {
            write_series(out, {family->name_, family->labels_}, values, *series);
          }
        },
        any);
  }
  return text;
}

void GaugeSet::set(LabelValues labels, double value) {
  family_.with(labels).set(value);
  current_.insert(std::move(labels));
}

void GaugeSet::end() {
  for (const LabelValues& labels : shown_) {
    if (!current_.contains(labels)) family_.remove(labels);
  }
  shown_ = current_;
}

}  // namespace fairway::metrics
