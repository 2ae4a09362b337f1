// Signatures of releases, as far as they are text: where one lies in a store, what was signed, what gpgv says
// of it, and keyrings in armour. Pure; verification.hpp fetches and checks.
//
// A signature is an OpenPGP message that holds the signed text, an "atomic container signature" in JSON,
// which names the image by its digest. The key proves who signed, the text what: both have to be right.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fairway::clusterversion {

// sha256=HEX/signature-N, counted from 1.
std::string signature_path(std::string_view digest, std::size_t number);

// The text of a valid signature speaks of this very image.
Result<void> check_signed_text(std::string_view text, std::string_view digest);

// What gpgv's machine-readable status lines and its exit code mean together. Valid is one that is good, made
// by a key that is neither expired nor revoked, and the only one.
Result<void> judge_gpgv(int exit_code, std::string_view status);

// The keys of an ASCII-armoured keyring, one block or several, as gpgv wants them; what is not in armour is
// returned as it is.
Result<std::string> dearmor_keyring(std::string_view text);

}  // namespace fairway::clusterversion
