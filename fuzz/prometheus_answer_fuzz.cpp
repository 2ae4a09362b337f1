// Prometheus' answer to a query, in pieces: the same ids in whatever pieces it comes, or an error both times.
#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "updateservice/query_result.hpp"

namespace {

using namespace fairway;
using namespace fairway::updateservice;

Result<QueryResult> read(std::string_view text, std::size_t piece) {
  QueryResultReader reader(1000);
  for (std::size_t at = 0; at < text.size(); at += piece)
    FAIRWAY_CHECKED(reader.feed(text.substr(at, piece)));
  return reader.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1 || size > 1 << 14) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  auto whole = read(text, std::max<std::size_t>(1, text.size()));
  auto pieces = read(text, 1 + data[0] % 16U);
  FAIRWAY_CHECK(whole.has_value() == pieces.has_value(), "an answer is good in one piece and bad in several");
  if (!whole) return 0;
  FAIRWAY_CHECK(whole->ids.size() == pieces->ids.size() && whole->without_id == pieces->without_id,
                "an answer depends on its pieces");
  const IdSet set = std::move(whole->ids).build();
  (void)set.find(key_of("x"));
  return 0;
}
