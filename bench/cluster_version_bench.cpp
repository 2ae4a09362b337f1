// What a look of the cluster-version operator costs when there is nothing to do: 500 conditional updates,
// three risks each, 100 distinct queries, all answered and published.
//
//   cluster_version_bench [UPDATES] [QUERIES] [ROUNDS]
//
// A look is what the operator does at every event: a copy of what it remembers, and the decision. It must
// plan no action. The peer, in turns with it in the same run, is what one write of this status would cost at
// least: making its JSON text once. Prints medians of processor time and the goal (10 ms).
#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <vector>

#include "base/text.hpp"
#include "clusterversion/decide_testing.hpp"
#include "json/codec.hpp"

namespace fairway::clusterversion {
namespace {

constexpr double kGoal = 10e-3;

// Of processor time: on a busy machine the wall clock measures the neighbours.
template <class Work>
double seconds(const Work& work) {
  const std::clock_t began = std::clock();
  work();
  return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

int run(int updates, int queries, std::size_t rounds) {
  const testing::SimulatedCluster cluster = testing::large_cluster(updates, queries);
  const Observed seen = cluster.observe();
  std::vector<double> looks;
  std::vector<double> texts;
  std::vector<double> ratios;
  std::size_t actions = 0;
  std::size_t bytes = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    looks.push_back(seconds([&] {
      const Observed copy = seen;  // the object is shared, the memory is copied: as the operator observes
      actions += decide(copy).actions.size();
    }));
    texts.push_back(seconds([&] { bytes = json::serialize(json::to_json(*seen.object)).size(); }));
    ratios.push_back(texts.back() / looks.back());
  }
  const double look = median(looks);
  fmt::print("{} conditional updates, {} queries, {} recommended, {:.2f} MB of status; {} rounds\n",
             seen.object->status.conditional_updates.size(), queries,
             seen.object->status.available_updates.size(), static_cast<double>(bytes) / 1e6, rounds);
  fmt::print("{:<36}{:>9.2f} ms   goal {:.0f} ms, {:.2f} of it\n", "one look, without evaluation", look * 1e3,
             kGoal * 1e3, look / kGoal);
  fmt::print("{:<36}{:>9.2f} ms   {:.2f} of it is the look\n", "peer: the status as JSON text, once",
             median(texts) * 1e3, 1 / median(ratios));
  fmt::print("{:<36}{:>9}\n", "actions planned", actions);
  if (actions == 0) return 0;
  fmt::print("expected none: there is nothing to do\n");
  return 1;
}

}  // namespace
}  // namespace fairway::clusterversion

int main(int count, char** arguments) {
  const auto number = [&](int at, std::uint64_t otherwise) {
    const auto given = count > at ? fairway::parse_unsigned(arguments[at]) : std::nullopt;
    return std::max<std::uint64_t>(given.value_or(otherwise), 1);
  };
  return fairway::clusterversion::run(static_cast<int>(number(1, 500)), static_cast<int>(number(2, 100)),
                                      static_cast<std::size_t>(number(3, 101)));
}
