// ReadBuffer: bytes that were received and not yet used.
//
// What is read goes into room(), is made known by add(), and leaves by use(). The room is cleared once, not
// for each read: a block is larger than most messages. Owned by the one connection that reads into it.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace fairway::http {

class ReadBuffer {
 public:
  bool empty() const { return filled_ == 0; }
  std::string_view bytes() const { return {memory_.data(), filled_}; }

  // At least so large.
  std::span<char> room(std::size_t size) {
    if (memory_.size() < filled_ + size) memory_.resize(filled_ + size);
    return {memory_.data() + filled_, memory_.size() - filled_};
  }
  void add(std::size_t count) { filled_ += count; }
  void use(std::size_t count) {
    filled_ -= count;
    if (filled_ > 0) std::memmove(memory_.data(), memory_.data() + count, filled_);
  }

 private:
  std::string memory_;
  std::size_t filled_ = 0;
};

}  // namespace fairway::http
