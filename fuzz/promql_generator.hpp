// Makes PromQL out of bytes: every byte is one choice, so that a fuzzer that mutates bytes explores the
// grammar.
//
// The queries are typed and mostly valid; with `flaws` some are spoilt in one place (a token too many, a
// token missing, an operand of the wrong type), which is where a parser's verdicts are hardest to get right.
// Bounded: when the bytes are used up or the depth is reached, only leaves are made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace fairway::fuzz {

class QueryGenerator {
 public:
  QueryGenerator(std::span<const std::uint8_t> choices, bool flaws) : choices_(choices), flaws_(flaws) {}
  std::string query();

 private:
  std::string vector(std::size_t depth);
  std::string scalar(std::size_t depth);
  std::string matrix(std::size_t depth);
  std::string selector();
  std::string matchers();
  std::string aggregate(std::size_t depth);
  std::string call(std::size_t depth);
  std::string vector_binary(std::size_t depth);
  std::string matching(bool set_operator);
  std::string labels();
  std::string modifiers();
  std::string duration(std::size_t depth);
  std::string text();
  std::string number();
  std::string blank();
  void spoil(std::string& query);

  std::size_t choose(std::size_t count);
  std::string_view pick(std::initializer_list<std::string_view> words);
  bool chance(std::size_t one_in);

  std::span<const std::uint8_t> choices_;
  std::size_t at_ = 0;
  bool flaws_;
};

}  // namespace fairway::fuzz
