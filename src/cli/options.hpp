// Options: the kinds of values that several commands take, each with its name in help, its check and thereby
// its completion.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Option.hpp>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace fairway::cli {

// One of a few words; the message for any other names the nearest. Returns the option, to go on with.
CLI::Option& choice(CLI::Option& option, std::initializer_list<std::string_view> words);
CLI::Option& choice(CLI::Option& option, const std::vector<std::string>& allowed);

struct NumberRange {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};
// A whole number within the bounds; what `into` holds is the default. Read here, because CLI11 takes 010 for
// eight.
CLI::Option& number_option(CLI::App& command, std::string flag, std::size_t& into, NumberRange range,
                           std::string description);
// 90s, 1h30m: longer than nothing.
CLI::Option& duration_option(CLI::App& command, std::string flag, Duration& into, std::string description);

struct Endpoint {
  std::string address;  // an IPv6 one without its brackets
  std::uint16_t port = 0;

  bool operator==(const Endpoint&) const = default;
};

// 127.0.0.1:6443, [::1]:6443, localhost:0.
Result<Endpoint> parse_endpoint(std::string_view text);
// With brackets around an IPv6 address.
std::string to_string(const Endpoint& endpoint);
CLI::Option& endpoint_option(CLI::App& command, std::string flag, Endpoint& into, std::string description);

}  // namespace fairway::cli
