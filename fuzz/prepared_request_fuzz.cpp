// Requests of the prepared server: whole, in pieces and with the body forgotten they come out the same.
#include <array>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "http/compression.hpp"
#include "http/prepared_request.hpp"

#include "fuzzer.hpp"

namespace {

using namespace fairway;
using http::RequestParser;
using Outcome = RequestParser::Outcome;

constexpr http::RequestLimits kRequestLimits{.max_header_bytes = 512, .max_body_bytes = 256};

void check_view(const RequestParser& parser, std::string_view bytes) {
  const http::PeerAddress peer;
  const http::RequestView view(parser, bytes, peer);
  FAIRWAY_CHECK(!view.method.empty() && !view.path.empty(), "a request without a method or a path");
  FAIRWAY_CHECK(parser.used() <= bytes.size(), "a request longer than its bytes");
  for (const RequestParser::Field& field : parser.fields()) {
    const std::string_view value = field.value.in(bytes);
    FAIRWAY_CHECK(value.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos,
                  "a header value that could break a line of an answer");
    FAIRWAY_CHECK(view.has_header(field.name.in(bytes)), "a header that cannot be found");
  }
  constexpr std::array kOffered = {http::Coding::Zstd, http::Coding::Gzip, http::Coding::Identity};
  (void)http::choose_coding(view.joined("accept-encoding"), kOffered);
}

}  // namespace

FAIRWAY_FUZZER(prepared_request, text) {
  RequestParser whole(kRequestLimits);
  const Outcome outcome = whole.feed(text);
  if (outcome == Outcome::Request) check_view(whole, text);
  for (const std::size_t piece : {1U, 5U}) {
    RequestParser parser(kRequestLimits);
    std::string held;
    std::size_t forgotten = 0;
    Outcome so_far = Outcome::NeedMore;
    for (std::size_t at = 0; at < text.size() && so_far == Outcome::NeedMore; at += piece) {
      held.append(text.substr(at, piece));
      so_far = parser.feed(held);
      if (so_far != Outcome::NeedMore || !parser.is_in_body()) continue;
      forgotten += held.size() - parser.header_bytes();
      held.resize(parser.header_bytes());
      parser.forget_body();
    }
    FAIRWAY_CHECK(so_far == outcome, "the pieces of a request differ from the whole");
    if (outcome == Outcome::Refusal)
      FAIRWAY_CHECK(parser.refusal().status == whole.refusal().status,
                    "refused for another reason in pieces");
    if (outcome == Outcome::Request) {
      FAIRWAY_CHECK(parser.used() + forgotten == whole.used(), "a request ends elsewhere in pieces");
      check_view(parser, held);
    }
  }
}
