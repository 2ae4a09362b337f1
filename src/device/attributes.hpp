// Attributes: everything of a file but its contents: owner, mode, extended attributes (with them ACLs,
// security labels and capabilities) and times, copied exactly.
#pragma once

#include <string>
#include <sys/stat.h>

#include "base/result.hpp"

namespace fairway::device {

// Whether what is made in the directory begins with attributes that it has from there: a default ACL's.
Result<bool> gives_attributes(int directory, const std::string& path);

// Between open files. The order matters: a change of owner drops capabilities, a change of mode changes ACLs.
// What is right already is not written again. `has_inherited`: the copy was made where gives_attributes().
Result<void> copy_attributes(int from, int to, const struct stat& facts, const std::string& path,
                             bool has_inherited);
// The same for what cannot be opened: links and special files, by their directories and names.
Result<void> copy_attributes_at(int from_directory, int to_directory, const std::string& name,
                                const struct stat& facts, const std::string& path, bool has_inherited);

}  // namespace fairway::device
