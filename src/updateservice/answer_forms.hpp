// AnswerForms: one body in every form that a client may ask for.
//
// Two media types, three codings, each with a strong ETag and the answer 304; all made beforehand, so that a
// request only chooses. The compressed forms come later than the plain one (compress(), once, by one thread)
// and are offered from then on; any number of threads may choose meanwhile, without locks.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/compression.hpp"
#include "http/prepared.hpp"
#include "updateservice/media.hpp"

namespace fairway::updateservice {

struct FormRequest {
  Media media = Media::Json;
  std::string_view accept_encoding = {};
  std::string_view if_none_match = {};
};

class AnswerForms {
 public:
  struct Shape {
    std::string_view cache_control = "no-cache";  // whoever keeps an answer asks again before using it
    std::string_view vary = "Accept, Accept-Encoding, Origin";
  };

  AnswerForms(std::string_view body, const Shape& shape);
  AnswerForms(const AnswerForms&) = delete;
  AnswerForms& operator=(const AnswerForms&) = delete;

  // 200, or 304 when the client has it.
  const std::shared_ptr<const http::PreparedAnswer>& choose(const FormRequest& request) const;

  // Names the bytes: two of equal tag have equal bodies. Without quotes.
  const std::string& tag() const { return tag_; }
  std::size_t size() const { return plain_->body->size(); }
  std::string body() const { return plain_->body->to_string(); }

  bool is_compressed() const { return zstd_.load(std::memory_order_acquire) != nullptr; }
  void compress();

  // Bytes held by all forms.
  std::size_t footprint() const;

 private:
  using Answer = std::shared_ptr<const http::PreparedAnswer>;
  struct Form {
    std::string etag;  // with quotes
    std::shared_ptr<const http::PreparedBody> body;
    std::array<Answer, kMediaCount> full;
    std::array<Answer, kMediaCount> not_modified;
  };

  std::unique_ptr<Form> make(http::Coding coding, std::string_view bytes) const;
  const Form& form_for(std::string_view accept_encoding) const;

  Shape shape_;
  std::string tag_;
  std::unique_ptr<Form> plain_;
  std::array<std::unique_ptr<Form>, 2> owned_;  // of compress()
  std::atomic<const Form*> gzip_ = nullptr;
  std::atomic<const Form*> zstd_ = nullptr;
};

// The name of a body's bytes: 32 hexadecimal digits of its SHA-256.
std::string tag_of(std::string_view body);
// Whether If-None-Match lists the tag (which has its quotes), or is "*".
bool matches(std::string_view if_none_match, std::string_view etag);

}  // namespace fairway::updateservice
