// promqltest: runs the text language in which Prometheus tests its own engine.
//
//   load 5m
//     http_requests_total{job="api"} 0+10x10
//   eval instant at 50m sum(http_requests_total)
//     {} 100
//
// Known: load, clear, eval instant and eval range in their old (eval_fail, eval_ordered, …) and new (`expect
// fail msg: …`) forms. As there, all language features are on, metric names are dropped late, each instant
// query is also checked as a range query, and values agree within one millionth. Native histograms are
// recognised, and every command that needs them fails: what is not supported is never passed over.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::promql {

struct TestFailure {
  std::size_t line = 0;  // from 1
  std::string text;
};

struct TestReport {
  std::size_t passed = 0;
  std::vector<TestFailure> failures;
};

struct TestOptions {
  bool delayed_name_removal = true;  // as the test engine of Prometheus has it
};

TestReport run_promqltest(std::string_view text, const TestOptions& options = {});

// Whether two values differ by less than their sum times `epsilon`; NaN equals NaN.
bool almost_equal(double left, double right, double epsilon);

}  // namespace fairway::promql
