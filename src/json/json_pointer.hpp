// JSON pointers (RFC 6901): "/spec/containers/0/image", "" for the whole document.
//
// A pointer is parsed once and can be followed many times; following never throws and never changes the
// document. A token addresses an element of an array when it is a number without leading zeros.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "json/value.hpp"

namespace fairway::json {

class Pointer {
 public:
  Pointer() = default;  // the whole document
  explicit Pointer(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {}
  static Result<Pointer> parse(std::string_view text);

  // The text form, with `~` and `/` in tokens escaped.
  std::string to_string() const;
  const std::vector<std::string>& tokens() const { return tokens_; }
  bool is_root() const { return tokens_.empty(); }
  // Of everything but the last token; a root has no parent.
  Pointer parent() const;
  // Whether `other` addresses this value or something in it.
  bool contains(const Pointer& other) const;

  // The value that is addressed; null when there is none.
  const Value* find(const Value& document) const;
  Value* find(Value& document) const;

  bool operator==(const Pointer&) const = default;

 private:
  std::vector<std::string> tokens_;
};

// "0" or "17", not "01", "-1" or "+1"; nothing for all else.
std::optional<std::size_t> parse_array_index(std::string_view token);

}  // namespace fairway::json
