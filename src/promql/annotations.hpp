// Annotations: what an evaluation has to say beside its result, in Prometheus' own words. A warning means
// that the result may be wrong, an info that the query may be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "promql/ast.hpp"

namespace fairway::promql {

struct Annotation {
  enum class Kind { Warning, Info };
  Kind kind = Kind::Info;
  std::string text;  // "PromQL info: metric might not be a counter, …"
  Span span = {};    // of the part of the query that it is about

  bool operator==(const Annotation&) const = default;
};

class Annotations {
 public:
  void warn(std::string_view text, Span span) { add(Annotation::Kind::Warning, text, span); }
  void inform(std::string_view text, Span span) { add(Annotation::Kind::Info, text, span); }
  const std::vector<Annotation>& all() const { return all_; }

  void invalid_quantile(double q, Span span);
  void invalid_ratio(double ratio, double capped, Span span);
  void possible_non_counter(std::string_view metric, Span span);
  void bad_bucket_label(std::string_view metric, std::string_view label, Span span);
  void forced_monotonicity(std::string_view metric, Span span);
  void incompatible_types(std::string_view op, Span span);

 private:
  void add(Annotation::Kind kind, std::string_view text, Span span);  // each once

  std::vector<Annotation> all_;
};

// "PromQL info: … (1:6)", as the Prometheus API has it.
std::string describe(const Annotation& annotation, std::string_view query);

}  // namespace fairway::promql
