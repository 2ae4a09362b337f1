#include <iostream>
#include <string>
#include <vector>

#include "cli/program.hpp"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv, argv + argc);
  return static_cast<int>(fairway::cli::run(arguments, std::cout, std::cerr));
}
