#include "updateservice/client_tokens.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "http/crypto.hpp"

namespace fairway::updateservice {
namespace {

constexpr std::string_view kScheme = "bearer ";

bool has_scheme(std::string_view authorization) {
  if (authorization.size() <= kScheme.size()) return false;
  for (std::size_t i = 0; i < kScheme.size(); ++i) {
    const char c = authorization[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != kScheme[i]) return false;
  }
  return true;
}

}  // namespace

Result<ClientTokens> ClientTokens::parse(std::string_view text) {
  ClientTokens tokens;
  std::size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = trim(line);
    if (line.empty() || line.starts_with('#')) continue;
    if (line.size() < kLeastBytes) {
      return fail(ErrorCode::Invalid,
                  fmt::format("line {}: expected a token of at least {} characters", number, kLeastBytes));
    }
    tokens.digests_.insert(http::sha256(line));
  }
  if (tokens.digests_.empty())
    return fail(ErrorCode::Invalid, "expected tokens, one a line: with none, no client could send an id");
  return tokens;
}

bool ClientTokens::accepts(std::string_view authorization) const {
  return has_scheme(authorization) &&
         digests_.contains(http::sha256(trim(authorization.substr(kScheme.size()))));
}

}  // namespace fairway::updateservice
