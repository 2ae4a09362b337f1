#include "oci/blob_reader.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "async/notify.hpp"
#include "base/text.hpp"
#include "oci/session.hpp"

namespace fairway::oci {
namespace {

constexpr int kPartialContent = 206;

// Where the bytes of a 206 begin: "bytes 100-199/200" → 100.
std::optional<std::uint64_t> start_of_range(const http::Headers& headers) {
  std::string_view text = trim(headers.find("content-range").value_or(""));
  if (!text.starts_with("bytes ")) return std::nullopt;
  text.remove_prefix(6);
  return parse_unsigned(text.substr(0, text.find('-')));
}

}  // namespace

BlobReader::BlobReader(Session& session, std::string repository, Descriptor descriptor)
    : session_(&session),
      repository_(std::move(repository)),
      descriptor_(std::move(descriptor)),
      deadline_(session.clock().steady() + session.options().blob_timeout) {}

std::string BlobReader::place() const {
  return fmt::format("blob {} of {}/{}", descriptor_.digest.text(), session_->options().registry.authority(),
                     repository_);
}

Task<void> BlobReader::open() {
  Ask ask{.repository = repository_, .what = fmt::format("blob {}", descriptor_.digest.text())};
  ask.url = session_->options().registry.url(
      fmt::format("/v2/{}/blobs/{}", repository_, descriptor_.digest.text()));
  if (received_ > 0) ask.headers.add("Range", fmt::format("bytes={}-", received_));
  FAIRWAY_CO_TRY(stream_, co_await session_->open(std::move(ask)));
  if (auto checked = check_head(); !checked) {
    stream_.reset();
    co_return std::unexpected(std::move(checked.error()).within(place()));
  }
  to_skip_ = stream_->status() == kPartialContent ? 0 : received_;
  co_return Result<void>{};
}

Result<void> BlobReader::check_head() const {
  const std::uint64_t expected =
      stream_->status() == kPartialContent ? descriptor_.size - received_ : descriptor_.size;
  if (stream_->status() == kPartialContent && start_of_range(stream_->headers()) != received_) {
    return fail(ErrorCode::Invalid,
                fmt::format("asked for the bytes from {} on, found the range {}", received_,
                            quoted(stream_->headers().find("content-range").value_or(""))));
  }
  const auto length = stream_->headers().find("content-length");
  const auto bytes = length ? parse_unsigned(trim(*length)) : std::nullopt;
  if (bytes && *bytes != expected)
    return fail(ErrorCode::Invalid,
                fmt::format("expected {} bytes, the registry announces {}", expected, *bytes));
  return {};
}

Task<std::string> BlobReader::read() {
  if (is_verified_) co_return std::string();
  for (;;) {
    if (!stream_) FAIRWAY_CO_CHECKED(co_await open());  // which tries often enough itself
    auto piece = co_await read_piece();
    if (piece) {
      failures_ = 0;
      co_return piece;
    }
    stream_.reset();
    const auto pause = pause_before_retry(session_->options().retry, piece.error(), ++failures_);
    if (!pause || session_->clock().steady() + *pause >= deadline_) co_return piece;
    FAIRWAY_CO_CHECKED(co_await async::sleep_for(session_->clock(), *pause));
  }
}

Task<std::string> BlobReader::read_piece() {
  for (;;) {
    const Duration left = deadline_ - session_->clock().steady();
    if (left <= Duration::zero()) {
      co_return std::unexpected(
          Error{ErrorCode::Timeout, fmt::format("{} of {} bytes came within {}", received_, descriptor_.size,
                                                format_duration(session_->options().blob_timeout))}
              .within(place()));
    }
    auto piece = co_await stream_->read(std::min(left, session_->options().read_timeout));
    if (!piece) {
      co_return std::unexpected(std::move(piece.error())
                                    .within(fmt::format("after {} of {} bytes", received_, descriptor_.size))
                                    .within(place()));
    }
    const bool is_end = piece->empty();
    auto outcome = is_end ? verified() : taken(*std::move(piece));
    if (!outcome) co_return std::unexpected(std::move(outcome.error()).within(place()));
    // All of a piece may have been sent before.
    if (is_end || !outcome->empty()) co_return outcome;
  }
}

Result<std::string> BlobReader::taken(std::string piece) {
  const std::size_t known = static_cast<std::size_t>(std::min<std::uint64_t>(to_skip_, piece.size()));
  to_skip_ -= known;
  piece.erase(0, known);
  if (piece.size() > descriptor_.size - received_)
    return fail(ErrorCode::Invalid, fmt::format("expected {} bytes, found more", descriptor_.size));
  received_ += piece.size();
  digest_.update(piece);
  return piece;
}

Result<std::string> BlobReader::verified() {
  if (received_ != descriptor_.size)
    return fail(ErrorCode::Invalid, fmt::format("expected {} bytes, found {}", descriptor_.size, received_));
  const std::string found = "sha256:" + encode_hex(digest_.finish());
  if (found != descriptor_.digest.text())
    return fail(ErrorCode::Invalid,
                fmt::format("its bytes have the digest {}: they are not what was asked for", found));
  is_verified_ = true;
  return std::string();
}

}  // namespace fairway::oci
