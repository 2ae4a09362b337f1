// Signatures: where a release's signature lies, for a path that a client sent.
//
// DIR/ALGO/DIGEST/NAME for ALGO=DIGEST/NAME. Nothing that could lead out of the folder is a digest or a name
// here. Pure; whoever serves reads the file.
#pragma once

#include <string>
#include <string_view>

#include "updateservice/problem.hpp"

namespace fairway::updateservice {

struct SignatureName {
  std::string algorithm;  // sha256, or sha as some mirrors write it
  std::string digest;     // hexadecimal
  std::string name;       // signature-1

  std::string file() const;  // sha256/…/signature-1
};

// "sha256=…/signature-1": what follows /signatures/.
Judged<SignatureName> parse_signature_path(std::string_view path);

}  // namespace fairway::updateservice
