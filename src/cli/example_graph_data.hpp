// The example graph data that comes with the binary: api/examples/graph-data.
#pragma once

#include <string>

#include "base/result.hpp"

namespace fairway::cli {

// Into a new folder, whole or not at all; a folder that is there already is left as it is.
Result<void> write_example_graph_data(const std::string& folder);

}  // namespace fairway::cli
