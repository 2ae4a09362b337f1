// What analyze() promises, held against the evaluator: for generated queries on generated data, every value
// of every sub-expression must keep the facts that were stated about it without data.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

#include "promql/analysis.hpp"
#include "promql/evaluator.hpp"
#include "promql/parser.hpp"
#include "promql/printer.hpp"
#include "promql/series_store.hpp"

#include "promql_generator.hpp"

namespace fairway::promql {
namespace {

constexpr Millis kNow = 1'609'746'000'000;

template <std::size_t N>
std::string_view pick(const std::array<std::string_view, N>& words, std::mt19937& random) {
  return words[random() % N];
}

SeriesStore make_store(std::mt19937& random) {
  constexpr std::array<std::string_view, 8> kNames = {
      "foo", "up", "cluster_operator_conditions", "a:b", "sum", "by", "x", "a.b"};
  constexpr std::array<std::string_view, 6> kLabels = {"a", "b", "_id", "instance", "le", "x y"};
  constexpr std::array<std::string_view, 5> kValues = {"", "a", "b", "1", "+Inf"};
  constexpr std::array<double, 6> kSamples = {
      0, 1, 2.5, -1, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
  SeriesStore store;
  for (std::size_t i = 0, count = 4 + random() % 24; i < count; ++i) {
    std::vector<std::pair<std::string, std::string>> labels = {
        {"__name__", std::string(pick(kNames, random))}};
    for (const std::string_view label : kLabels) {
      if (random() % 2 == 0) labels.emplace_back(label, pick(kValues, random));
    }
    const Labels made = Labels::from(std::move(labels));
    for (Millis minute = 10; minute >= 0; --minute) {
      (void)store.add(made, {kNow - minute * 60'000, kSamples[random() % kSamples.size()]});
    }
  }
  store.settle();
  return store;
}

class FactsHold final : public EvalObserver {
 public:
  FactsHold(const Expr& expr, const std::vector<Facts>& facts) : expr_(expr), facts_(facts) {}

  void saw_value(NodeId id, const Steps& steps, const Frame& frame) override {
    const Node& node = expr_.node(id);
    if (node.type != ValueType::Vector && node.type != ValueType::Scalar) return;
    for (std::size_t step = 0; step < steps.count; ++step) {
      std::size_t present = 0;
      for (std::size_t row = 0; row < frame.rows(); ++row) {
        const double value = frame.cell(row, step);
        if (!is_present(value)) continue;
        ++present;
        expect_value(id, value);
        if (node.type == ValueType::Vector) expect_labels(id, frame.row(row).labels);
      }
      if (facts_[id].at_most_one && present > 1) complain(id, fmt::format("{} series", present));
    }
  }
  void saw_range(NodeId, std::size_t, std::size_t) override {}

  std::string broken;
  std::size_t values = 0;

 private:
  void complain(NodeId id, std::string_view what) {
    broken += fmt::format("{}: {}\n", to_string(expr_, id), what);
  }

  void expect_value(NodeId id, double value) {
    ++values;
    const ValueFacts found = ValueFacts::of(value);
    if ((found & facts_[id].values) != found) complain(id, fmt::format("value {}", value));
  }

  void expect_labels(NodeId id, const Labels& labels) {
    const LabelFacts& facts = facts_[id].labels;
    for (const auto& [label, value] : facts.known()) {
      if (value && labels.get(label) != *value)
        complain(id, fmt::format("label {} in {}", label, labels.to_string()));
    }
    if (!facts.is_closed()) return;
    for (const Label& label : labels) {
      if (!facts.known().contains(label.name))
        complain(id, fmt::format("unexpected label in {}", labels.to_string()));
    }
  }

  const Expr& expr_;
  const std::vector<Facts>& facts_;
};

TEST(Analysis, WhatIsStatedHoldsForGeneratedQueriesAndData) {
  std::mt19937 random(20'260'101);
  std::size_t evaluated = 0;
  std::size_t stated = 0;
  std::size_t values = 0;
  for (int i = 0; i < 12'000; ++i) {
    std::vector<std::uint8_t> choices(8 + random() % 120);
    for (std::uint8_t& choice : choices) choice = static_cast<std::uint8_t>(random());
    const std::string text = fuzz::QueryGenerator(choices, false).query();
    const auto expr = parse(text, ParseOptions::all_enabled());
    if (!expr) continue;
    const SeriesStore store = make_store(random);
    const std::vector<Facts> facts = analyze(*expr);
    FactsHold observer(*expr, facts);
    EvalOptions options;
    options.observer = &observer;
    const auto result = evaluate_instant(*expr, store, kNow, options);
    ASSERT_EQ(observer.broken, "") << text;
    values += observer.values;
    if (!result) continue;
    ++evaluated;
    if (facts.back().at_most_one && result->type == ValueType::Vector) {
      ++stated;
      EXPECT_LE(result->series.size(), 1U) << text;
    }
  }
  // Enough of them said something: otherwise this test would hold trivially.
  EXPECT_GT(evaluated, 3'000U);
  EXPECT_GT(stated, 300U);
  EXPECT_GT(values, 10'000U);
}

}  // namespace
}  // namespace fairway::promql
