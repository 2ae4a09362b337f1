#include "graph/patterns.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <re2/re2.h>
#include <re2/set.h>

#include "base/text.hpp"

namespace fairway::graph {
namespace {

constexpr std::string_view kAnything = ".*";
constexpr std::size_t kMaxLength = 4096;
// One pattern may not take more than this; the set of all of them gets a budget of its own.
constexpr std::int64_t kPatternBytes = 8 << 20;
constexpr std::int64_t kSetBytes = 64 << 20;

RE2::Options options(std::int64_t bytes) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(bytes);
  return options;
}

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

Patterns::Patterns() = default;
Patterns::Patterns(Patterns&&) noexcept = default;
Patterns& Patterns::operator=(Patterns&&) noexcept = default;
Patterns::~Patterns() = default;

Result<PatternId> Patterns::add(std::string_view text) {
  std::string key(text);
  if (const auto known = ids_.find(key); known != ids_.end()) return known->second;
  if (text.size() > kMaxLength) {
    return fail(ErrorCode::Invalid,
                fmt::format("expected a regular expression of at most {} characters, found {}", kMaxLength,
                            text.size()));
  }
  auto compiled = std::make_unique<RE2>(piece(text), options(kPatternBytes));
  if (!compiled->ok()) {
    return fail(ErrorCode::Invalid, fmt::format("expected a regular expression in RE2's syntax, found {}: {}",
                                                quoted(text), compiled->error()));
  }
  const auto id = static_cast<PatternId>(texts_.size());
  texts_.push_back(key);
  compiled_.push_back(std::move(compiled));
  ids_.emplace(std::move(key), id);
  return id;
}

bool Patterns::matches(PatternId id, std::string_view subject) const {
  return texts_[id] == kAnything || RE2::PartialMatch(piece(subject), *compiled_[id]);
}

bool Patterns::matches_whole(PatternId id, std::string_view subject) const {
  return texts_[id] == kAnything || RE2::FullMatch(piece(subject), *compiled_[id]);
}

Patterns::Matches Patterns::match_all(std::span<const std::string_view> subjects) const {
  Matches matches;
  matches.stride_ = (subjects.size() + 63) / 64;
  matches.words_.resize(matches.stride_ * size());
  RE2::Set set(options(kSetBytes), RE2::UNANCHORED);
  std::vector<PatternId> in_set;
  for (PatternId id = 0; id < size(); ++id) {
    if (texts_[id] == kAnything) {
      for (std::size_t i = 0; i < subjects.size(); ++i) matches.set(id, i);
    } else if (set.Add(piece(texts_[id]), nullptr) >= 0) {
      in_set.push_back(id);
    }
  }
  const bool use_set = !in_set.empty() && set.Compile();
  std::vector<int> found;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    RE2::Set::ErrorInfo error{};
    found.clear();
    // Patterns can be chosen so that the joint automaton does not fit its budget; then each is asked alone.
    if (use_set && (set.Match(piece(subjects[i]), &found, &error) || error.kind == RE2::Set::kNoError)) {
      for (const int index : found) matches.set(in_set[static_cast<std::size_t>(index)], i);
      continue;
    }
    for (const PatternId id : in_set) {
      if (this->matches(id, subjects[i])) matches.set(id, i);
    }
  }
  return matches;
}

}  // namespace fairway::graph
