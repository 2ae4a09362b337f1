// Bodies of streamed answers: read whole, within a limit. Not for use outside this folder.
#pragma once

#include <string>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "http/client.hpp"

namespace fairway::oci {

// Invalid when there are more bytes than that. `timeout` is for each piece.
Task<std::string> read_body(http::ResponseStream& stream, std::size_t most_bytes, Duration timeout);

// What a registry says about an error in its body, for a message: the texts of {"errors": [{code, message}]},
// or nothing. An answer that is too long or breaks off says nothing either.
Task<std::string> read_complaint(http::ResponseStream& stream, Duration timeout);

}  // namespace fairway::oci
