// Completion: what could stand where the user presses Tab, from the tree of commands alone.
//
// The answer has the form that cobra's programs give (`word<Tab>description` lines, then `:DIRECTIVE`), so
// that kubectl's own completion can pass it on for `kubectl fairway`.
#pragma once

#include <CLI/App.hpp>
#include <span>
#include <string>
#include <vector>

namespace fairway::cli {

enum class FileCompletion { None, Files, Directories };

struct Candidate {
  std::string word;
  std::string description = {};

  bool operator==(const Candidate&) const = default;
};

struct Completion {
  std::vector<Candidate> candidates = {};
  FileCompletion files = FileCompletion::None;

  std::string to_text() const;
};

// `words` follow the program's name; the last one, perhaps empty, is the unfinished one.
Completion complete(const CLI::App& root, std::span<const std::string> words);

}  // namespace fairway::cli
