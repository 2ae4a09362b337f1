// Digest: the name of content by its hash, as registries write it: sha256:HEX.
//
// Only SHA-256 in lower-case hexadecimal is a digest here, because a digest that cannot be checked is no
// proof. Text becomes a Digest once, at the border; behind it every digest is well formed. Pure.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fairway::oci {

class Digest {
 public:
  static Result<Digest> parse(std::string_view text);
  static Digest of(std::string_view bytes);

  const std::string& text() const { return text_; }  // sha256:…
  std::string_view hex() const;

  auto operator<=>(const Digest&) const = default;

 private:
  explicit Digest(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace fairway::oci
