// What an HTTP request is made of besides its framing: targets, queries, media types, URLs.
#include <string_view>

#include "http/accept.hpp"
#include "http/message.hpp"

#include "fuzzer.hpp"

FAIRWAY_FUZZER(http_request, text) {
  using namespace fairway;
  if (const auto query = http::Query::parse(text)) {
    const auto again = http::Query::parse(query->to_string());
    FAIRWAY_CHECK(again.has_value(), "a query changed on its way through text");
  }
  (void)http::Target::parse(text);
  if (const auto url = http::Url::parse(text))
    FAIRWAY_CHECK(!url->host.empty() && url->port != 0, "a URL without host or port");
  if (const auto accepted = http::parse_accept(text))
    (void)http::negotiate(*accepted, {"application/json", "application/yaml"});
}
