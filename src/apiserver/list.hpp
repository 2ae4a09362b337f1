// List: the parameters of a list, its pages, and the tokens that lead from one to the next.
//
// All pages of a list show one state of the store. When that state is no longer kept, the client is told so
// (410) and given a token to go on with the present one, if it can live with that.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "apiserver/api_error.hpp"
#include "apiserver/objects.hpp"
#include "apiserver/output.hpp"
#include "apiserver/selection.hpp"
#include "http/message.hpp"
#include "store/store.hpp"

namespace fairway::apiserver {

struct ListOptions {
  std::size_t limit = 0;                      // 0: all
  std::optional<store::Position> after = {};  // from a continue token
  std::optional<store::Revision> at = {};     // exactly this state; none: the newest

  static ApiResult<ListOptions> parse(const http::Query& query, store::Revision current);
};

// Opaque to clients. `at` none: the newest state, whatever it is then.
std::string make_continue_token(std::optional<store::Revision> at, const store::Position& after);
struct ContinueToken {
  std::optional<store::Revision> at;
  store::Position after;
  static ApiResult<ContinueToken> parse(std::string_view text);
};

struct ListResult {
  ListHead head;
  std::vector<store::EntryPtr> entries;
};

ApiTask<ListResult> list_objects(store::Store& store, store::Scope scope, Selection selection,
                                 ListOptions options);

}  // namespace fairway::apiserver
