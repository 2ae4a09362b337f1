// One fuzzer a file: a function that takes text from outside and must not crash, hang or leak.
//
//   FAIRWAY_FUZZER(json, text) {
//     …
//   }
//
// For libFuzzer (./dev fuzz) each is a program of its own. For the tests all of them are one program, which
// finds them by their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace fairway::fuzz {

using Fuzzer = void (*)(std::string_view text);

// The fuzzer of this name is there from before main() on.
struct Registration {
  Registration(std::string_view name, Fuzzer fuzzer);
};

inline std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace fairway::fuzz

#ifdef FAIRWAY_LIBFUZZER
#define FAIRWAY_FUZZER(name, text)                                                    \
  static void fuzz_##name(std::string_view text);                                     \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    fuzz_##name({reinterpret_cast<const char*>(data), size});                         \
    return 0;                                                                         \
  }                                                                                   \
  static void fuzz_##name(std::string_view text)
#else
#define FAIRWAY_FUZZER(name, text)                                                \
  static void fuzz_##name(std::string_view text);                                 \
  static const fairway::fuzz::Registration registered_##name(#name, fuzz_##name); \
  static void fuzz_##name(std::string_view text)
#endif
