// The queries of real risks on small clusters. For each, tests/corpus/promql/risks.json has the metrics of a
// cluster that it applies to and of one that it does not, and what follows from NaN values and stale series.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "json/value.hpp"
#include "promql/exposition.hpp"
#include "promql/parser.hpp"
#include "promql/verdict.hpp"

namespace fairway::promql {
namespace {

const std::filesystem::path kRoot = FAIRWAY_SOURCE_DIR;
const std::filesystem::path kQueries = kRoot / ".." / "shared" / "data" / "promql" / "real_queries_head.json";

constexpr Millis kNow = 1'700'000'000'000;
constexpr Millis kMinute = 60'000;

json::Array read_list(const std::filesystem::path& path) {
  std::ifstream input(path, std::ios::binary);
  const auto value = json::parse(std::string(std::istreambuf_iterator<char>(input), {}));
  return value && value->is_array() ? value->as_array() : json::Array{};
}

// One sample a minute for ten minutes.
class Cluster {
 public:
  explicit Cluster(const json::Array& lines) {
    std::string text;
    for (const json::Value& line : lines) text += std::string(json::view(line.as_string())) + "\n";
    samples_ = read_exposition(text)->samples;
  }

  Cluster& with_nan() {
    for (ExposedSample& sample : samples_) sample.value = kNaN;
    return *this;
  }
  Cluster& twice() {
    const std::size_t count = samples_.size();
    for (std::size_t i = 0; i < count; ++i) {
      ExposedSample copy = samples_[i];
      copy.labels = LabelsBuilder(copy.labels).set("prometheus", "b").labels();
      samples_.push_back(std::move(copy));
    }
    return *this;
  }
  Cluster& stale() {
    is_stale_ = true;
    return *this;
  }

  Verdict::Kind verdict(const Expr& query) const {
    SeriesStore store;
    for (const ExposedSample& sample : samples_) {
      for (Millis age = 9; age >= 0; --age) {
        const bool ends = is_stale_ && age == 0;
        EXPECT_TRUE(store.add(sample.labels, {kNow - age * kMinute, ends ? stale_marker() : sample.value}));
      }
    }
    store.settle();
    return judge(evaluate_instant(query, store, kNow)).kind;
  }

 private:
  std::vector<ExposedSample> samples_;
  bool is_stale_ = false;
};

std::string_view name_of(Verdict::Kind kind) {
  return to_string(kind);
}

TEST(RealQueries, GiveTheRightVerdictOnEveryKindOfCluster) {
  if (!std::filesystem::exists(kQueries)) GTEST_SKIP() << "not run: " << kQueries << " is not there";
  const json::Array queries = read_list(kQueries);
  const json::Array risks = read_list(kRoot / "tests" / "corpus" / "promql" / "risks.json");
  ASSERT_EQ(queries.size(), 64u);
  ASSERT_EQ(risks.size(), queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const json::Object& risk = risks[i].as_object();
    SCOPED_TRACE(*json::get_string(risk, {"risk"}));
    ASSERT_EQ(*json::get_string(risk, {"risk"}), json::view(queries[i].at("names").at(0).as_string()));
    const auto query = parse(*json::get_string(queries[i].as_object(), {"q"}));
    ASSERT_TRUE(query);
    const json::Array& matching = *json::get_array(risk, {"matching"});
    const json::Array& other = *json::get_array(risk, {"notMatching"});
    EXPECT_EQ(name_of(Cluster(matching).verdict(*query)), "applies");
    EXPECT_EQ(name_of(Cluster(other).verdict(*query)), "does not apply");
    EXPECT_EQ(name_of(Cluster({}).verdict(*query)), "unknown");
    EXPECT_EQ(name_of(Cluster(matching).twice().verdict(*query)), "applies");
    EXPECT_EQ(name_of(Cluster(matching).with_nan().verdict(*query)), *json::get_string(risk, {"withNaN"}));
    EXPECT_EQ(name_of(Cluster(matching).stale().verdict(*query)), *json::get_string(risk, {"stale"}));
  }
}

}  // namespace
}  // namespace fairway::promql
