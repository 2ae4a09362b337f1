// Attributes: everything of a file but its contents: owner, mode, extended attributes (with them ACLs,
// security labels and capabilities) and times, copied exactly.
#pragma once

#include <string>
#include <sys/stat.h>

#include "base/result.hpp"

namespace fairway::device {

// Between open files. The order matters: a change of owner drops capabilities, a change of mode changes ACLs.
Result<void> copy_attributes(int from, int to, const struct stat& facts, const std::string& path);
// The same for what cannot be opened: links and special files, by their directories and names.
Result<void> copy_attributes_at(int from_directory, int to_directory, const std::string& name,
                                const struct stat& facts, const std::string& path);

}  // namespace fairway::device
