// All fuzzers without libFuzzer, one at a run: every seed, then mutations of the seeds. The same inputs every
// time, so that a failure can be repeated; the real search for new inputs is ./dev fuzz.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "fuzzer.hpp"

namespace {

using fairway::fuzz::Fuzzer;

std::map<std::string_view, Fuzzer>& fuzzers() {
  static std::map<std::string_view, Fuzzer> all;
  return all;
}

constexpr int kMutationsPerSeed = 400;

std::string mutated(const std::string& seed, const std::vector<std::string>& seeds, std::mt19937& random) {
  std::string text = seed;
  const auto below = [&](std::size_t limit) { return limit == 0 ? 0 : random() % limit; };
  for (std::size_t i = 0, count = 1 + below(6); i < count; ++i) {
    const std::size_t at = below(text.size() + 1);
    switch (below(6)) {
      case 0:
        text.insert(at, 1, static_cast<char>(random()));
        break;
      case 1:
        text.erase(at, 1 + below(8));
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 3:
        text.insert(at, text.substr(below(text.size() + 1), below(32)));
        break;
      case 4:
        text.resize(at);
        break;
      default: {
        const std::string& other = seeds[below(seeds.size())];
        text.insert(at, other.substr(below(other.size() + 1), below(64)));
      }
    }
  }
  return text;
}

std::vector<std::string> read_seeds(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  for (const auto& file : files) {
    std::ifstream input(file, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>());
  }
  return seeds;
}

}  // namespace

fairway::fuzz::Registration::Registration(std::string_view name, Fuzzer fuzzer) {
  fuzzers().emplace(name, fuzzer);
}

int main(int count, char** arguments) {
  const auto found = count == 3 ? fuzzers().find(arguments[1]) : fuzzers().end();
  if (found == fuzzers().end()) {
    std::fprintf(stderr, "usage: %s FUZZER SEED-FOLDER\nthe fuzzers:\n", arguments[0]);
    for (const auto& [name, fuzzer] : fuzzers()) std::fprintf(stderr, "  %s\n", name.data());
    return 2;
  }
  const Fuzzer run = found->second;
  const std::vector<std::string> seeds = read_seeds(arguments[2]);
  if (seeds.empty()) {
    std::fprintf(stderr, "%s: no seeds in %s\n", arguments[0], arguments[2]);
    return 1;
  }
  std::mt19937 random(20'240'229);
  run("");
  for (const std::string& seed : seeds) run(seed);
  for (const std::string& seed : seeds) {
    for (int i = 0; i < kMutationsPerSeed; ++i) run(mutated(seed, seeds, random));
  }
  std::printf("%zu seeds, %zu mutations: clean\n", seeds.size(), seeds.size() * kMutationsPerSeed);
  return 0;
}
