// Patterns: the regular expressions of graph data, each distinct one compiled once.
//
// Real data names a hundred distinct patterns in two thousand files, and asks them about thousands of
// versions: match_all() runs all patterns over all subjects in one pass and answers from bits. Matching is
// RE2's search, not anchored, as blocks are defined; `.*` never reaches RE2. A Patterns is filled by one
// thread and then only read.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"

namespace re2 {
class RE2;
}

namespace fairway::graph {

using PatternId = std::uint32_t;

class Patterns {
 public:
  Patterns();
  Patterns(Patterns&&) noexcept;
  Patterns& operator=(Patterns&&) noexcept;
  ~Patterns();

  // The same text gives the same id.
  Result<PatternId> add(std::string_view text);

  std::size_t size() const { return texts_.size(); }
  const std::string& text(PatternId id) const { return texts_[id]; }
  // Anywhere in the subject.
  bool matches(PatternId id, std::string_view subject) const;
  // From the subject's first character to its last.
  bool matches_whole(PatternId id, std::string_view subject) const;

  // One bit for each pattern and subject.
  class Matches {
   public:
    bool test(PatternId pattern, std::size_t subject) const {
      return (words_[pattern * stride_ + subject / 64] >> (subject % 64) & 1U) != 0;
    }

   private:
    friend class Patterns;
    void set(PatternId pattern, std::size_t subject) {
      words_[pattern * stride_ + subject / 64] |= std::uint64_t{1} << (subject % 64);
    }
    std::size_t stride_ = 0;
    std::vector<std::uint64_t> words_;
  };
  Matches match_all(std::span<const std::string_view> subjects) const;

 private:
  std::vector<std::string> texts_;
  std::vector<std::unique_ptr<re2::RE2>> compiled_;
  std::unordered_map<std::string, PatternId> ids_;
};

}  // namespace fairway::graph
