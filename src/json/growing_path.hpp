// GrowingPath: where a walk through a value is, as one text that grows and shrinks with it: in the form of
// child_path(), index_path() and key_path() (schema_errors.hpp), without a new text for each place.
//
//   const auto inside = path.child(name);   // until it goes
#pragma once

#include <fmt/format.h>
#include <string>
#include <string_view>

namespace fairway::json {

class GrowingPath {
 public:
  class Step {
   public:
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    ~Step() { text_.resize(size_); }

   private:
    friend class GrowingPath;
    Step(std::string& text, std::string_view before, std::string_view name, std::string_view after)
        : text_(text), size_(text.size()) {
      text_.append(before).append(name).append(after);
    }

    std::string& text_;
    std::size_t size_;
  };

  explicit GrowingPath(std::string_view start) : text_(start) {}

  const std::string& text() const { return text_; }
  [[nodiscard]] Step child(std::string_view name) { return {text_, text_.empty() ? "" : ".", name, ""}; }
  [[nodiscard]] Step index(std::size_t index) {
    const fmt::format_int number(index);
    return {text_, "[", {number.data(), number.size()}, "]"};
  }
  [[nodiscard]] Step key(std::string_view key) { return {text_, "[", key, "]"}; }

 private:
  std::string text_;
};

}  // namespace fairway::json
