#include "kube/runtime/testing/laws.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fairway::kube::testing {

void Story::tell(std::string line) {
  constexpr std::size_t kLines = 40;
  while (line.ends_with('\n')) line.pop_back();
  lines_.push_back(std::move(line));
  if (lines_.size() > kLines) lines_.pop_front();
}

std::unexpected<Error> Story::violation(std::string_view law, std::string_view what) const {
  return fail(ErrorCode::Internal, fmt::format("the law \"{}\" is broken with seed {}: {}\n{}", law, seed_,
                                               what, fmt::join(lines_, "\n")));
}

}  // namespace fairway::kube::testing
