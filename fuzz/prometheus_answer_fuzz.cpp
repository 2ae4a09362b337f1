// Prometheus' answer to a query, in pieces: the same ids in whatever pieces it comes, or an error both times.
#include <string_view>

#include "base/result.hpp"
#include "updateservice/query_result.hpp"

#include "fuzzer.hpp"

namespace fairway::updateservice {
namespace {

Result<QueryResult> read(std::string_view text, std::size_t piece) {
  QueryResultReader reader(1000);
  for (std::size_t at = 0; at < text.size(); at += piece)
    FAIRWAY_CHECKED(reader.feed(text.substr(at, piece)));
  return reader.finish();
}

}  // namespace

FAIRWAY_FUZZER(prometheus_answer, input) {
  if (input.empty() || input.size() > 1 << 14) return;
  const std::string_view text = input.substr(1);
  auto whole = read(text, std::max<std::size_t>(1, text.size()));
  auto pieces = read(text, 1 + fuzz::bytes_of(input)[0] % 16U);
  FAIRWAY_CHECK(whole.has_value() == pieces.has_value(), "an answer is good in one piece and bad in several");
  if (!whole) return;
  FAIRWAY_CHECK(whole->ids.size() == pieces->ids.size() && whole->without_id == pieces->without_id,
                "an answer depends on its pieces");
  const IdSet set = std::move(whole->ids).build();
  (void)set.find(key_of("x"));
}

}  // namespace fairway::updateservice
