// Observe: reads the whole state of a device. Changes nothing.
//
// An error means that the state cannot be told at all (the backup folder is a link, the boot id is missing);
// a small file that cannot be read is Corrupt in the state, and the decision says what that means.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "device/observed.hpp"
#include "device/place.hpp"

namespace fairway::device {

enum class Interest {
  All,
  Health,  // without the software's version and the migrations, which green and red do not need
};

Result<Observed> observe(const Place& place, Interest interest = Interest::All);

// Paths, as settings name them, that are ours and mean nothing without a journal.
Result<std::vector<std::string>> find_leftovers(const Place& place);
// What a tree of data says of itself.
Found<DataVersion> read_data_version(const std::string& directory);

}  // namespace fairway::device
