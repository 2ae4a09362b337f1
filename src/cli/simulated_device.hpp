// SimulatedDevice: a device that is only files in a folder, for trying out and for the tour.
//
// Its systems are folders and a link says which one is booted; the application and its health are played;
// everything that happens to the data is done by the real thing, with the real files. cut_power() kills a
// real pre-run in the middle of copying. Two of them must not share a folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "device/device.hpp"

namespace fairway::cli {

class SimulatedDevice {
 public:
  // Begins anew: a simulated device that was in the folder is gone. Refuses a folder of anything else.
  static Result<SimulatedDevice> create(const std::string& folder, const Clock& clock);

  const device::Place& place() const { return place_; }

  // Adds a system with this version of the application; it is booted next.
  Result<void> install(std::string_view version);
  void choose(std::string_view version);  // of those installed: a rollback
  // A new boot: pre-run prepares the data for the system that was chosen.
  Result<device::Plan> boot();
  // A boot whose pre-run is killed while it copies. Fails when there was nothing to copy.
  Result<void> boot_and_cut_power();
  // The application writes its data, in the form of its version.
  Result<void> run_application();
  Result<void> say_green();
  Result<void> say_red();

  // Equal for equal data.
  Result<std::string> fingerprint() const;

 private:
  SimulatedDevice(device::Place place, const Clock& clock) : place_(std::move(place)), clock_(&clock) {}

  Result<void> start_kernel();

  device::Place place_;
  const Clock* clock_;
  std::string chosen_;
};

}  // namespace fairway::cli
