// Compression: the content codings that answers are prepared in, and which of them a client is sent.
//
// Compressing cannot fail. Decompressing is for clients and tests; it stops at a limit, so that a small
// answer cannot become a large one in memory. zlib and zstd stay behind this header.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fairway::http {

enum class Coding { Identity, Gzip, Zstd };

// As Content-Encoding says it: "identity", "gzip", "zstd".
std::string_view to_string(Coding coding);

std::string gzip(std::string_view bytes, int level = 6);   // 1 is fast, 9 is small
std::string zstd(std::string_view bytes, int level = 10);  // 1 to 19
Result<std::string> gunzip(std::string_view bytes, std::size_t max_bytes);
Result<std::string> unzstd(std::string_view bytes, std::size_t max_bytes);

// RFC 9110 12.5.3: the offered coding that the client weighs most; among equals the first offered. Identity
// is acceptable, after everything that the client names, unless it is refused by name or by "*;q=0"; it is
// also what is left when nothing offered is acceptable. What is malformed in the header is passed over.
Coding choose_coding(std::string_view accept_encoding, std::span<const Coding> offered);

}  // namespace fairway::http
