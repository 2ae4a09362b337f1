#include "promql/annotations.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "promql/labels.hpp"
#include "promql/parser.hpp"
#include "promql/sample.hpp"

namespace fairway::promql {
namespace {

constexpr std::string_view kHistogramQuantileDocs =
    "https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile";

std::string for_metric(std::string_view metric) {
  return metric.empty() ? std::string{} : fmt::format(" for metric name {}", quote_label_value(metric));
}

}  // namespace

void Annotations::add(Annotation::Kind kind, std::string_view text, Span span) {
  Annotation annotation{
      kind, fmt::format("PromQL {}: {}", kind == Annotation::Kind::Warning ? "warning" : "info", text), span};
  if (std::find(all_.begin(), all_.end(), annotation) == all_.end()) all_.push_back(std::move(annotation));
}

void Annotations::invalid_quantile(double q, Span span) {
  warn(fmt::format("quantile value should be between 0 and 1, got {}", format_general(q)), span);
}

void Annotations::invalid_ratio(double ratio, double capped, Span span) {
  warn(fmt::format("ratio value should be between -1 and 1, got {}, capping to {}", format_general(ratio),
                   format_general(capped)),
       span);
}

void Annotations::possible_non_counter(std::string_view metric, Span span) {
  inform(fmt::format("metric might not be a counter, name does not end in _total/_sum/_count/_bucket: {}",
                     quote_label_value(metric)),
         span);
}

void Annotations::bad_bucket_label(std::string_view metric, std::string_view label, Span span) {
  warn(fmt::format("bucket label \"le\" is missing or has a malformed value of {}{}",
                   quote_label_value(label), for_metric(metric)),
       span);
}

void Annotations::forced_monotonicity(std::string_view metric, Span span) {
  inform(fmt::format("input to histogram_quantile needed to be fixed for monotonicity (see {}){}",
                     kHistogramQuantileDocs, for_metric(metric)),
         span);
}

void Annotations::incompatible_types(std::string_view op, Span span) {
  inform(fmt::format("incompatible sample types encountered for binary operator {}: float {} float",
                     quote_label_value(op), op),
         span);
}

std::string describe(const Annotation& annotation, std::string_view query) {
  return fmt::format("{} ({})", annotation.text, describe_position(query, annotation.span.start));
}

}  // namespace fairway::promql
