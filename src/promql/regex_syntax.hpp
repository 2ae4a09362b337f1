// The judge behind check_regex(): Go's regexp/syntax parser reduced to what it accepts.
//
// One pass with an explicit stack of groups; each frame keeps what the next decision needs of the expressions
// in it: whether they match the empty string, their height, their size and the product of their repetitions.
// Positions are byte offsets into the pattern.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "promql/regex.hpp"

namespace fairway::promql {

class RegexSyntax {
 public:
  explicit RegexSyntax(std::string_view pattern) : pattern_(pattern) {}
  std::expected<RegexShape, std::string> run();

 private:
  // What is known of one expression.
  struct Facts {
    bool empty = true;  // matches the empty string
    std::uint32_t height = 1;
    std::uint64_t size = 1;
    std::uint64_t repeats = 0;  // the product of counted repetitions within
  };
  // A group under construction: alternatives of sequences.
  struct Group {
    bool capturing = false;
    Facts alternatives = {};  // all but the current one
    std::uint32_t alternative_count = 0;
    Facts sequence = {};  // the current alternative without its last expression
    std::uint32_t sequence_count = 0;
    Facts last = {};
    bool has_last = false;
    bool last_is_literal = false;
  };

  bool step();
  bool group_open();
  bool group_flags();
  bool named_group(std::size_t name_at);
  bool group_close();
  bool repetition();
  bool counted(std::size_t begin, int& least, int& most, bool& is_count);
  bool apply_repetition(std::size_t begin, int least, int most);
  bool escape();
  bool literal_escape(std::string_view from);
  bool hexadecimal_escape(std::string_view from);
  bool unicode_class(std::string_view from, bool& is_class);
  bool quoted_literal();
  bool character_class();
  bool class_item(bool& first);
  bool class_character(char32_t& rune, std::string_view whole);
  bool posix_class(bool& is_class);
  bool literal();

  void add(Facts facts, bool is_literal = false);
  void flush_last();
  Facts finish(Group& group);
  static Facts joined(const Group& group);
  void next_alternative();
  bool check(const Facts& facts);

  bool fail(std::string_view code, std::string_view excerpt);
  bool at_end() const { return at_ >= pattern_.size(); }
  std::string_view rest() const { return pattern_.substr(at_); }
  bool valid_name(std::string_view name) const;
  static bool known_unicode_class(std::string_view name);

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::size_t last_repetition_ = std::string_view::npos;  // where the repetition that was just read begins
  std::vector<Group> groups_ = std::vector<Group>(1);
  std::string error_;
};

}  // namespace fairway::promql
