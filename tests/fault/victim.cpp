#include "tests/fault/victim.hpp"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

#include "base/text.hpp"

namespace fairway::fault {

std::uint64_t number(const Arguments& arguments, const std::string& name, std::uint64_t otherwise) {
  const auto found = arguments.find(name);
  return found == arguments.end() ? otherwise : parse_unsigned(found->second).value_or(otherwise);
}

void print(std::string line) {
  line.push_back('\n');
  std::string_view left = line;
  while (!left.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, left.data(), left.size());
    if (written <= 0) std::_Exit(3);
    left.remove_prefix(static_cast<std::size_t>(written));
  }
}

int victim_main(int argc, char** argv, int (*run)(const Arguments&)) {
  Arguments arguments;
  for (int i = 1; i + 1 < argc; i += 2) arguments[argv[i]] = argv[i + 1];
  if (!arguments.contains("--dir") || !arguments.contains("--run")) {
    fmt::print(stderr, "usage: {} --dir DIR --run TEXT [--seed N] [--resume N] [--writes N] [--die-at N]\n",
               argv[0]);
    return 64;
  }
  return run(arguments);
}

}  // namespace fairway::fault
