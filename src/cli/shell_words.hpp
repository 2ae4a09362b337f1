// Words of a command as they are typed in a shell. Pure.
#pragma once

#include <string>
#include <vector>

namespace fairway::cli {

// As it is, or in single quotes.
std::string shell_word(const std::string& text);
std::string shell_line(const std::vector<std::string>& words);

}  // namespace fairway::cli
