#include "http/compression.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <zlib.h>
#include <zstd.h>

#include "base/text.hpp"

namespace fairway::http {
namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, with gzip's own header and trailer
constexpr std::size_t kBlock = 64 * 1024;
constexpr std::size_t kLargestInput = 1U << 30;  // zlib counts in unsigned int

Bytef* input_of(std::string_view bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib only reads it
}

std::unexpected<Error> too_large(std::size_t max_bytes) {
  return fail(ErrorCode::Invalid,
              fmt::format("the content is larger than {} bytes when decompressed", max_bytes));
}

std::unexpected<Error> malformed(std::string_view coding, std::string_view why) {
  return fail(ErrorCode::Invalid, fmt::format("the content is not valid {}: {}", coding, why));
}

// "0.75" in thousandths.
std::optional<int> parse_weight(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  int weight = (text[0] - '0') * 1000;
  if (text.size() > 1 && text[1] != '.') return std::nullopt;
  int scale = 100;
  for (const char c : text.substr(std::min<std::size_t>(text.size(), 2))) {
    if (c < '0' || c > '9') return std::nullopt;
    weight += (c - '0') * scale;
    scale /= 10;
  }
  return weight <= 1000 ? std::optional(weight) : std::nullopt;
}

struct Preference {
  std::string_view name;
  int weight = 1000;
};

// gzip;q=0.5
std::optional<Preference> parse_preference(std::string_view text) {
  const std::size_t semicolon = std::min(text.find(';'), text.size());
  Preference preference{trim(text.substr(0, semicolon))};
  if (preference.name.empty()) return std::nullopt;
  if (semicolon == text.size()) return preference;
  const std::string_view parameter = trim(text.substr(semicolon + 1));
  if (parameter.size() < 2 || (parameter[0] != 'q' && parameter[0] != 'Q') || parameter[1] != '=')
    return std::nullopt;
  const auto weight = parse_weight(parameter.substr(2));
  if (!weight) return std::nullopt;
  preference.weight = *weight;
  return preference;
}

std::optional<Coding> coding_of(std::string_view name) {
  if (equals_ignoring_case(name, "gzip") || equals_ignoring_case(name, "x-gzip")) return Coding::Gzip;
  if (equals_ignoring_case(name, "zstd")) return Coding::Zstd;
  if (equals_ignoring_case(name, "identity")) return Coding::Identity;
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Coding coding) {
  switch (coding) {
    case Coding::Identity:
      return "identity";
    case Coding::Gzip:
      return "gzip";
    case Coding::Zstd:
      return "zstd";
  }
  std::unreachable();
}

std::string gzip(std::string_view bytes, int level) {
  z_stream stream{};
  const int begun =
      deflateInit2(&stream, std::clamp(level, 1, 9), Z_DEFLATED, kGzipWindow, 9, Z_DEFAULT_STRATEGY);
  FAIRWAY_CHECK(begun == Z_OK, "zlib could not begin to compress");
  std::string result(deflateBound(&stream, bytes.size()), '\0');
  std::size_t made = 0;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    const std::string_view block = bytes.substr(0, kLargestInput);
    bytes.remove_prefix(block.size());
    stream.next_in = input_of(block);
    stream.avail_in = static_cast<uInt>(block.size());
    do {
      if (made == result.size()) result.resize(made + kBlock);
      const auto room = static_cast<uInt>(std::min(result.size() - made, kLargestInput));
      stream.next_out = reinterpret_cast<Bytef*>(result.data() + made);
      stream.avail_out = room;
      state = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
      made += room - stream.avail_out;
    } while (stream.avail_out == 0 && state != Z_STREAM_END);
  }
  deflateEnd(&stream);
  result.resize(made);
  return result;
}

Result<std::string> gunzip(std::string_view bytes, std::size_t max_bytes) {
  if (bytes.size() > kLargestInput) return too_large(max_bytes);
  z_stream stream{};
  FAIRWAY_CHECK(inflateInit2(&stream, kGzipWindow) == Z_OK, "zlib could not begin to decompress");
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&stream, inflateEnd);
  stream.next_in = input_of(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string result;
  for (;;) {
    const std::size_t made = result.size();
    // One byte more than is allowed, to tell the limit from what is above it.
    const std::size_t room = std::min(kBlock, max_bytes - made) + 1;
    result.resize(made + room);
    stream.next_out = reinterpret_cast<Bytef*>(result.data() + made);
    stream.avail_out = static_cast<uInt>(room);
    const int state = inflate(&stream, Z_NO_FLUSH);
    result.resize(made + room - stream.avail_out);
    if (result.size() > max_bytes) return too_large(max_bytes);
    if (state == Z_STREAM_END) break;
    if (state != Z_OK) return malformed("gzip", stream.msg != nullptr ? stream.msg : "it ends too early");
  }
  if (stream.avail_in > 0) return malformed("gzip", "bytes follow its end");
  return result;
}

std::string zstd(std::string_view bytes, int level) {
  std::string result(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t made =
      ZSTD_compress(result.data(), result.size(), bytes.data(), bytes.size(), std::clamp(level, 1, 19));
  FAIRWAY_CHECK(ZSTD_isError(made) == 0, "zstd could not compress");
  result.resize(made);
  return result;
}

Result<std::string> unzstd(std::string_view bytes, std::size_t max_bytes) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          ZSTD_freeDStream);
  FAIRWAY_CHECK(stream != nullptr, "zstd could not begin to decompress");
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  std::string result;
  for (std::size_t left = 1; left != 0;) {
    const std::size_t made = result.size();
    const std::size_t room = std::min(kBlock, max_bytes - made) + 1;
    result.resize(made + room);
    ZSTD_outBuffer output{result.data() + made, room, 0};
    left = ZSTD_decompressStream(stream.get(), &output, &input);
    result.resize(made + output.pos);
    if (ZSTD_isError(left) != 0) return malformed("zstd", ZSTD_getErrorName(left));
    if (result.size() > max_bytes) return too_large(max_bytes);
    if (left != 0 && input.pos == input.size && output.pos < room)
      return malformed("zstd", "it ends too early");
  }
  if (input.pos < input.size) return malformed("zstd", "bytes follow its end");
  return result;
}

Coding choose_coding(std::string_view accept_encoding, std::span<const Coding> offered) {
  std::array<std::optional<int>, 3> weights;  // by coding; named ones only
  std::optional<int> others;
  while (!accept_encoding.empty()) {
    const std::size_t comma = std::min(accept_encoding.find(','), accept_encoding.size());
    const auto preference = parse_preference(accept_encoding.substr(0, comma));
    accept_encoding.remove_prefix(std::min(comma + 1, accept_encoding.size()));
    if (!preference) continue;
    if (preference->name == "*") others = preference->weight;
    if (const auto coding = coding_of(preference->name))
      weights[static_cast<std::size_t>(*coding)] = preference->weight;
  }
  const auto weight_of = [&](Coding coding) -> double {
    if (const auto named = weights[static_cast<std::size_t>(coding)]) return *named;
    if (others) return *others;
    // Acceptable without a word, but less than anything that has one.
    return coding == Coding::Identity ? 0.5 : 0;
  };
  Coding best = Coding::Identity;
  double best_weight = 0;
  for (const Coding coding : offered) {
    if (weight_of(coding) <= best_weight) continue;
    best = coding;
    best_weight = weight_of(coding);
  }
  return best;
}

}  // namespace fairway::http
