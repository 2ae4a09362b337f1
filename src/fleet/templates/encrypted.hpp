// Texts that protect has encrypted: where they are in a text, and what they hide. Pure; the cipher is given.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "fleet/templates/templates.hpp"

namespace fairway::fleet::templates {

// The text with every $ocm_encrypted:… in it decrypted; what comes of it is not looked at again. No error
// says anything of what was found.
Result<std::string> decrypted(std::string_view text, const Cipher& decrypt);

}  // namespace fairway::fleet::templates
