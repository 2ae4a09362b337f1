# The evaluation half of the library: samples, labels, evaluator.
target_sources(fairway_promql PRIVATE
  aggregate.cpp
  aggregate_k.cpp
  annotations.cpp
  binary_match.cpp
  binary_ops.cpp
  budget.cpp
  eval_call.cpp
  eval_histogram.cpp
  eval_info.cpp
  eval_labels.cpp
  eval_math.cpp
  eval_range.cpp
  eval_selector.cpp
  eval_sort.cpp
  evaluation.cpp
  evaluator.cpp
  explain.cpp
  exposition.cpp
  exposition_line.cpp
  frame.cpp
  kernels_date.cpp
  kernels_histogram.cpp
  kernels_over_time.cpp
  kernels_rate.cpp
  kernels_regression.cpp
  labels.cpp
  matcher.cpp
  promqltest.cpp
  promqltest_command.cpp
  promqltest_series.cpp
  range_functions.cpp
  result_format.cpp
  ring.cpp
  sample.cpp
  series_store.cpp
  verdict.cpp
  xxhash.cpp
)

fairway_test(promql_test DEPENDS promql SOURCES
  evaluator_test.cpp
  explain_test.cpp
  exposition_test.cpp
  labels_test.cpp
  promqltest_test.cpp
  real_queries_test.cpp
  ring_test.cpp
  series_store_test.cpp
  verdict_test.cpp
)
if(FAIRWAY_TESTS)
  target_compile_definitions(promql_test PRIVATE FAIRWAY_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
endif()
