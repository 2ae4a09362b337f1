// The invariants of the specification on a device as values: seeded stories of boots, health, rollbacks and
// power cuts.
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

#include "device/testing/model_device.hpp"

namespace fairway::device {
namespace {

std::string id_of(int number) {
  return fmt::format("os-{:064x}.0", number);
}

class Story {
 public:
  explicit Story(std::uint64_t seed) : random_(seed), device_({{.id = id_of(0), .version = {4, 14, 0}}}) {}

  ModelDevice& run(int boots) {
    for (int boot = 0; boot < boots && device_.breaches().empty(); ++boot) one_boot();
    return device_;
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  void one_boot() {
    const auto cut = below(4) == 0 ? std::optional<std::size_t>(below(25)) : std::nullopt;
    const bool is_ready = device_.pre_run(cut);
    if (device_.was_cut()) return next_boot();  // the power comes back
    if (is_ready) device_.run_application();
    if (below(8) == 0) device_.request_restore();
    if (below(10) != 0) {  // otherwise the power goes before anybody judges
      const bool is_healthy = is_ready && below(3) != 0;
      is_healthy ? device_.green() : device_.red();
      if (below(12) == 0) is_healthy ? device_.red() : device_.green();
    }
    if (below(8) == 0) device_.request_restore();
    next_boot();
  }

  void next_boot() {
    if (below(4) == 0) {
      const auto minor = static_cast<std::uint32_t>(13 + below(5));
      systems_.push_back(id_of(++last_));
      device_.add_system({systems_.back(), {4, minor, static_cast<std::uint32_t>(below(3))}, below(8) != 0});
    }
    const std::string into = systems_[below(systems_.size())];
    device_.reboot_into(into);
    if (systems_.size() > 3) {
      const std::size_t victim = below(systems_.size());
      if (systems_[victim] == into) return;
      device_.remove_system(systems_[victim]);
      systems_.erase(systems_.begin() + static_cast<std::ptrdiff_t>(victim));
    }
  }

  std::mt19937_64 random_;
  std::vector<std::string> systems_ = {id_of(0)};
  int last_ = 0;
  ModelDevice device_;
};

TEST(DeviceLaws, HoldInSeededStories) {
  const char* wanted = std::getenv("FAIRWAY_DEVICE_RUNS");
  const int runs = wanted != nullptr ? std::atoi(wanted) : 60;
  std::size_t changes = 0;
  for (int seed = 0; seed < runs; ++seed) {
    Story story(static_cast<std::uint64_t>(seed));
    const ModelDevice& device = story.run(30);
    changes += device.changes();
    ASSERT_TRUE(device.breaches().empty()) << "seed " << seed << ": " << device.breaches().front();
  }
  RecordProperty("changes", static_cast<int>(changes));
  EXPECT_GT(changes, static_cast<std::size_t>(runs));
}

// The story that every cut is tried on: two boots of A, an update that fails three times, the way back.
std::string state_after(std::optional<std::pair<std::size_t, std::size_t>> cut, std::size_t& boots,
                        std::vector<std::string>& breaches) {
  const std::string a = id_of(1), b = id_of(2);
  ModelDevice device({{.id = a, .version = {4, 14, 0}}});
  std::size_t boot = 0;
  const auto pre_run = [&] {
    const bool is_cut_here = cut && cut->first == boot++;
    bool is_ready = device.pre_run(is_cut_here ? std::optional(cut->second) : std::nullopt);
    if (device.was_cut()) {
      device.reboot_into(device.booted().id);
      is_ready = device.pre_run();
    }
    return is_ready;
  };
  for (const bool is_first : {true, false}) {
    if (!is_first) device.reboot_into(a);
    if (pre_run()) device.data->content += is_first ? " one" : " two";
    device.green();
  }
  device.add_system({b, {4, 15, 0}});
  for (int attempt = 0; attempt < 3; ++attempt) {
    device.reboot_into(b);
    if (pre_run()) device.data->content += " broken";
    device.red();
  }
  device.reboot_into(a);
  EXPECT_TRUE(pre_run());
  boots = boot;
  breaches = device.breaches();
  std::string state = device.data->content;
  for (const auto& [name, tree] : device.trees) state += "\n" + name + ": " + tree.content;
  return state + "\nlatest " + device.latest.value_or("") + (device.next_boot ? "\nnext_boot" : "");
}

TEST(DeviceLaws, ACutAtAnyChangeEndsInTheSameState) {
  std::size_t boots = 0;
  std::vector<std::string> breaches;
  const std::string whole = state_after({}, boots, breaches);
  EXPECT_TRUE(breaches.empty()) << breaches.front();
  EXPECT_NE(whole.find("new one two\n"), std::string::npos) << whole;  // what A had before the update
  std::size_t cuts = 0;
  for (std::size_t boot = 0; boot < boots; ++boot) {
    for (std::size_t change = 0; change < 40; ++change, ++cuts) {
      std::size_t unused = 0;
      const std::string cut = state_after(std::pair(boot, change), unused, breaches);
      ASSERT_TRUE(breaches.empty()) << "boot " << boot << ", change " << change << ": " << breaches.front();
      ASSERT_EQ(cut, whole) << "boot " << boot << ", change " << change;
    }
  }
  EXPECT_EQ(cuts, boots * 40);
}

}  // namespace
}  // namespace fairway::device
