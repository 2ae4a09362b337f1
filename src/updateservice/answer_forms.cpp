#include "updateservice/answer_forms.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "http/crypto.hpp"

namespace fairway::updateservice {
namespace {

// Measured on the largest real answer: gzip 9 takes three times as long for 1 %, zstd 9 half as long again
// for less.
constexpr int kGzipLevel = 6;
constexpr int kZstdLevel = 6;
constexpr std::size_t kTagBytes = 16;
// Below this a compressed answer saves nothing that a packet would notice.
constexpr std::size_t kLeastToCompress = 256;

}  // namespace

std::string tag_of(std::string_view body) {
  return encode_hex(http::sha256(body).substr(0, kTagBytes));
}

bool matches(std::string_view if_none_match, std::string_view etag) {
  for (std::string_view listed : split(if_none_match, ',')) {
    listed = trim(listed);
    if (listed.starts_with("W/")) listed.remove_prefix(2);
    if (listed == etag || listed == "*") return true;
  }
  return false;
}

AnswerForms::AnswerForms(std::string_view body, const Shape& shape)
    : shape_(shape), tag_(tag_of(body)), plain_(make(http::Coding::Identity, body)) {}

std::unique_ptr<AnswerForms::Form> AnswerForms::make(http::Coding coding, std::string_view bytes) const {
  const std::string_view name = http::to_string(coding);
  auto form = std::make_unique<Form>();
  form->etag =
      coding == http::Coding::Identity ? fmt::format("\"{}\"", tag_) : fmt::format("\"{}-{}\"", tag_, name);
  form->body = http::PreparedBody::make(bytes);
  const auto nothing = http::PreparedBody::make({});
  for (const Media media : {Media::Json, Media::CincinnatiV1}) {
    http::Headers headers{{"ETag", form->etag},
                          {"Cache-Control", std::string(shape_.cache_control)},
                          {"Vary", std::string(shape_.vary)}};
    const auto place = static_cast<std::size_t>(media);
    form->not_modified[place] = http::PreparedAnswer::make(304, headers, nothing);
    headers.add("Content-Type", std::string(to_string(media)));
    if (coding != http::Coding::Identity) headers.add("Content-Encoding", std::string(name));
    form->full[place] = http::PreparedAnswer::make(200, headers, form->body);
  }
  return form;
}

void AnswerForms::compress() {
  if (is_compressed() || size() < kLeastToCompress) return;
  const std::string plain = body();
  owned_[0] = make(http::Coding::Gzip, http::gzip(plain, kGzipLevel));
  gzip_.store(owned_[0].get(), std::memory_order_release);
  owned_[1] = make(http::Coding::Zstd, http::zstd(plain, kZstdLevel));
  zstd_.store(owned_[1].get(), std::memory_order_release);
}

const AnswerForms::Form& AnswerForms::form_for(std::string_view accept_encoding) const {
  const Form* zstd = zstd_.load(std::memory_order_acquire);
  const Form* gzip = gzip_.load(std::memory_order_acquire);
  if (accept_encoding.empty() || gzip == nullptr) return *plain_;
  static constexpr std::array kAll{http::Coding::Zstd, http::Coding::Gzip, http::Coding::Identity};
  const std::span<const http::Coding> offered = std::span(kAll).subspan(zstd ? 0 : 1);
  switch (http::choose_coding(accept_encoding, offered)) {
    case http::Coding::Zstd:
      return *zstd;
    case http::Coding::Gzip:
      return *gzip;
    case http::Coding::Identity:
      break;
  }
  return *plain_;
}

const std::shared_ptr<const http::PreparedAnswer>& AnswerForms::choose(const FormRequest& request) const {
  const Form& form = form_for(request.accept_encoding);
  const auto place = static_cast<std::size_t>(request.media);
  const bool has_it = !request.if_none_match.empty() && matches(request.if_none_match, form.etag);
  return has_it ? form.not_modified[place] : form.full[place];
}

std::size_t AnswerForms::footprint() const {
  std::size_t bytes = size();
  for (const std::atomic<const Form*>* form : {&gzip_, &zstd_}) {
    if (const Form* made = form->load(std::memory_order_acquire)) bytes += made->body->size();
  }
  return bytes;
}

}  // namespace fairway::updateservice
