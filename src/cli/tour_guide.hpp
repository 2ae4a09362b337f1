// TourGuide: what a step of the tour is told with: words, commands that are shown and really run, and checks.
//
// Commands run as a user would type them, with KUBECONFIG set; `fairway` means this very program. What comes
// out is shown. A check that fails ends the tour with what was expected. Where somebody sits at a terminal,
// the guide waits for them between two steps.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "async/process.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "cli/follow.hpp"

namespace fairway::cli {

struct TourPlace {
  std::string data;        // of `fairway up`
  std::string kubeconfig;  // of it
  std::string program;     // this one
};

class TourGuide {
 public:
  TourGuide(TourPlace place, std::ostream& out, bool waits);

  const TourPlace& place() const { return place_; }

  void say(std::string_view text);
  // Shows and runs; the exit code must be one of those.
  Result<std::string> run(std::vector<std::string> words, std::vector<int> fine = {0});
  // Waits, by watching, until the object of a context is so.
  Result<void> wait(std::string_view what, const std::string& context, const kube::Resource& object,
                    const std::function<bool(const json::Object&)>& is_so);
  // The object as it is; NotFound where there is none.
  Result<json::Object> read(const std::string& context, const kube::Resource& object);
  Result<void> expect(bool holds, std::string_view what);
  // Until Enter; at once where nobody waits.
  void pause();

 private:
  TourPlace place_;
  std::ostream& out_;
  bool waits_;
  SystemClock clock_;
  SystemProcess process_{clock_};
};

}  // namespace fairway::cli
