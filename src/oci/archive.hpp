// Decoding an archive with libarchive. Not for use outside this folder.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.hpp"
#include "oci/layer.hpp"

namespace fairway::oci {

// The next bytes, valid until the next call; empty at the end.
using ByteSource = std::function<Result<std::string_view>()>;

// Reads from the source until the archive ends or an error; not necessarily to the source's end.
Result<void> decode_archive(const ByteSource& source, const LayerLimits& limits,
                            const LayerHandlers& handlers);

}  // namespace fairway::oci
