#include "apiserver/list.hpp"

#include <fmt/format.h>

#include "async/callback.hpp"
#include "base/text.hpp"

namespace fairway::apiserver {
namespace {

constexpr std::string_view kTokenVersion = "meta.k8s.io/v1";
constexpr std::string_view kExpiredToken =
    "The provided continue parameter is too old to display a consistent list result. You can start a new "
    "list without "
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the "
    "results. "
    "Continuing with the provided token results in an inconsistent list - objects that were created, "
    "modified, or "
    "deleted between the time the first chunk was returned and now may show up in the list.";

std::unexpected<ApiError> forbidden_match(std::string why) {
  return refuse(
      invalid_options("ListOptions", json::FieldError::forbidden("resourceVersionMatch", std::move(why))));
}

std::unexpected<ApiError> bad_token() {
  return refuse(bad_request("continue key is not valid: start the list again without it"));
}

}  // namespace

std::string make_continue_token(std::optional<store::Revision> at, const store::Position& after) {
  const json::Object token{{"v", kTokenVersion},
                           {"rv", at ? static_cast<std::int64_t>(*at) : -1},
                           {"ns", after.ns},
                           {"name", after.name}};
  return encode_base64(json::serialize(token));
}

ApiResult<ContinueToken> ContinueToken::parse(std::string_view text) {
  const auto decoded = decode_base64(text);
  if (!decoded) return bad_token();
  const auto object = json::parse_object(*decoded);
  if (!object || json::get_string(*object, {"v"}) != kTokenVersion) return bad_token();
  const auto revision = json::get_int(*object, {"rv"});
  const auto ns = json::get_string(*object, {"ns"});
  const auto name = json::get_string(*object, {"name"});
  if (!revision || *revision < -1 || *revision == 0 || !ns || !name) return bad_token();
  ContinueToken token;
  if (*revision > 0) token.at = static_cast<store::Revision>(*revision);
  token.after = {std::string(*ns), std::string(*name)};
  return token;
}

ApiResult<ListOptions> ListOptions::parse(const http::Query& query, store::Revision current) {
  ListOptions options;
  if (const auto limit = query.get("limit"); limit && !limit->empty()) {
    const auto number = parse_signed(*limit);
    if (!number || *number < 0) {
      return refuse(
          bad_request(fmt::format("limit: Invalid value: {}: expected a number of objects", quoted(*limit))));
    }
    options.limit = static_cast<std::size_t>(*number);
  }
  const auto version = query.get("resourceVersion").value_or("");
  const auto match = query.get("resourceVersionMatch").value_or("");
  const auto revision = version.empty() ? std::optional<std::uint64_t>(0) : parse_unsigned(version);
  if (!revision) {
    return refuse(
        bad_request(fmt::format("resourceVersion: Invalid value: {}: expected a number", quoted(version))));
  }
  if (const auto token = query.get("continue"); token && !token->empty()) {
    if (*revision > 0)
      return refuse(bad_request("specifying resource version is not allowed when using continue"));
    if (!match.empty()) return forbidden_match("resourceVersionMatch is forbidden when continue is provided");
    auto parsed = ContinueToken::parse(*token);
    if (!parsed) return refuse(std::move(parsed.error()));
    options.at = parsed->at;
    options.after = std::move(parsed->after);
    return options;
  }
  if (query.has("sendInitialEvents")) {
    return refuse(invalid_options(
        "ListOptions",
        json::FieldError::forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list")));
  }
  if (!match.empty() && version.empty()) {
    return forbidden_match("resourceVersionMatch is forbidden unless resourceVersion is provided");
  }
  if (!match.empty() && match != "Exact" && match != "NotOlderThan") {
    static const std::vector<std::string> kMatches{"", "Exact", "NotOlderThan"};
    return refuse(invalid_options("ListOptions", json::FieldError::not_supported(
                                                     "resourceVersionMatch", json::Value(match), kMatches)));
  }
  if (match == "Exact" && *revision == 0) {
    return forbidden_match("resourceVersionMatch \"Exact\" is forbidden for resourceVersion \"0\"");
  }
  if (*revision > current) return refuse(too_large_resource_version(version, fmt::to_string(current)));
  if (match == "Exact") options.at = revision;
  return options;
}

ApiTask<ListResult> list_objects(store::Store& store, store::Scope scope, Selection selection,
                                 ListOptions options) {
  store::Query query{.cluster = scope.cluster,
                     .resource = scope.resource,
                     .ns = selection.ns(),
                     .after = options.after,
                     .limit = options.limit};
  if (selection.filters()) {
    query.matches = [shared = std::make_shared<Selection>(std::move(selection))](const store::Entry& entry) {
      return shared->matches(entry);
    };
  }
  store::Page page;
  if (options.at && *options.at != store.revision()) {
    auto past = co_await async::await_callback<store::Page>(
        [&](auto callback) { store.list_at(*options.at, std::move(query), std::move(callback)); });
    if (!past) {
      if (past.error().code != ErrorCode::Gone)
        co_return refuse(kube::status_internal(past.error().describe()));
      ApiError error = kube::status_expired(
          options.after
              ? std::string(kExpiredToken)
              : fmt::format("The resourceVersion for the provided list is too old: {}", *options.at));
      if (options.after) error.metadata["continue"] = make_continue_token(std::nullopt, *options.after);
      co_return refuse(std::move(error));
    }
    page = *std::move(past);
  } else {
    page = store.list(query);
    page.revision = store.revision();
  }
  ListResult result;
  result.head.revision = options.at ? *options.at : page.revision;
  if (page.has_more && !page.entries.empty()) {
    const store::Key& last = page.entries.back()->key;
    result.head.continue_token = make_continue_token(result.head.revision, {last.ns, last.name});
    result.head.remaining = page.remaining;
  }
  result.entries = std::move(page.entries);
  co_return result;
}

}  // namespace fairway::apiserver
