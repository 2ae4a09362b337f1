// What a client of the update service sends: line one is its Accept header, line two its Accept-Encoding and
// If-None-Match, the rest path and query. What passes the judges keeps their promises.
#include <algorithm>
#include <string_view>

#include "base/result.hpp"
#include "http/compression.hpp"
#include "updateservice/answer_forms.hpp"
#include "updateservice/client_tokens.hpp"
#include "updateservice/id_set.hpp"
#include "updateservice/media.hpp"
#include "updateservice/question.hpp"
#include "updateservice/routes.hpp"
#include "updateservice/signatures.hpp"

#include "fuzzer.hpp"

namespace fairway::updateservice {
namespace {

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

bool is_plain(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '.';
  });
}

}  // namespace

FAIRWAY_FUZZER(update_request, text) {
  if (text.size() > 1 << 14) return;
  const std::string_view accept = next_line(text);
  const std::string_view codings = next_line(text);
  (void)choose_media(accept);
  (void)require_json(accept);
  const http::Coding offered[] = {http::Coding::Zstd, http::Coding::Gzip, http::Coding::Identity};
  (void)http::choose_coding(codings, offered);
  (void)matches(codings, "\"tag\"");
  const std::size_t mark = std::min(text.find('?'), text.size());
  const std::string_view path = text.substr(0, mark);
  const std::string_view query = text.substr(std::min(mark + 1, text.size()));
  const Route route = find_route(path, "");
  if (const auto name = parse_signature_path(route.endpoint == Endpoint::Signatures ? route.rest : path)) {
    const std::string file = name->file();
    FAIRWAY_CHECK(file.find("..") == std::string::npos || file.find("/..") == std::string::npos,
                  "a signature's name leads out of its folder");
    FAIRWAY_CHECK(std::ranges::count(file, '/') == 2, "a signature's name has folders of its own");
  }
  if (const auto question = read_graph_question(query, {"channel"})) {
    FAIRWAY_CHECK(is_plain(question->channel) && is_plain(question->arch),
                  "a value that the protocol does not allow");
    if (question->id) (void)key_of(*question->id);
  }
  (void)parameters(query, "accept");
  (void)parse_mandatory(query);
  if (const auto prefix = normalise_prefix(path)) {
    FAIRWAY_CHECK(*normalise_prefix(*prefix) == *prefix, "a normalised prefix changed when normalised again");
  }
  if (const auto tokens = ClientTokens::parse(text)) (void)tokens->accepts(accept);
}

}  // namespace fairway::updateservice
