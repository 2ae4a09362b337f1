// UsageError: what was wrong with the arguments, in one style, with the nearest thing that exists.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Error.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace fairway::cli {

struct UsageError {
  std::string message;
  std::optional<std::string> suggestion;
};

// What CLI11 found, in our words. An unknown word comes before all else: what CLI11 misses besides is often
// only its consequence.
UsageError explain(const CLI::ParseError& error, const CLI::App& root, std::string_view program);

// For a command's callback: arguments that are each right and do not go together.
[[noreturn]] void refuse(const std::string& why);

}  // namespace fairway::cli
