// What the programs that get killed have in common: their arguments, and lines that are out before the end.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace fairway::fault {

using Arguments = std::map<std::string, std::string>;

std::uint64_t number(const Arguments& arguments, const std::string& name, std::uint64_t otherwise);
// The line and its end in one write; ends the process when nobody listens any more.
void print(std::string line);
// Reads --NAME VALUE pairs and runs; 64 where --dir or --run is missing.
int victim_main(int argc, char** argv, int (*run)(const Arguments&));

}  // namespace fairway::fault
