// HTTP messages as plain values: headers, request targets, requests and responses.
//
// Header names compare without regard to case and keep their order. A body is a list of shared pieces, so
// that a large answer is put together without copying what it is made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/shared_text.hpp"

namespace fairway::http {

class Headers {
 public:
  using Field = std::pair<std::string, std::string>;

  Headers() = default;
  Headers(std::initializer_list<Field> fields) : fields_(fields) {}

  std::optional<std::string_view> find(std::string_view name) const;  // the first of that name
  std::vector<std::string_view> all(std::string_view name) const;
  // All values of a list-valued header, joined as one line would have been.
  std::string joined(std::string_view name) const;
  bool has_token(std::string_view name, std::string_view token) const;

  void add(std::string name, std::string value);
  void set(std::string_view name, std::string value);  // replaces all of that name
  void remove(std::string_view name);

  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }
  std::size_t size() const { return fields_.size(); }

 private:
  std::vector<Field> fields_;
};

// The decoded query of a request target, in order; a name may stand several times.
class Query {
 public:
  static Result<Query> parse(std::string_view text);

  std::optional<std::string_view> get(std::string_view name) const;
  std::vector<std::string_view> all(std::string_view name) const;
  bool has(std::string_view name) const { return get(name).has_value(); }
  void add(std::string name, std::string value);
  std::string to_string() const;

  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }
  bool empty() const { return fields_.empty(); }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

// /api/v1/namespaces?limit=5 → the path as it was sent, and the decoded query.
struct Target {
  std::string path;
  Query query;

  static Result<Target> parse(std::string_view text);
};

// Whether a place is given as a URL, and not as a file: only the scheme is looked at.
constexpr bool is_url(std::string_view place) {
  return place.starts_with("http://") || place.starts_with("https://");
}

struct Url {
  std::string scheme;  // http or https
  std::string host;    // an IPv6 address without its brackets
  std::uint16_t port = 0;
  std::string path;  // begins with a slash or is empty; with the query if there is one
  std::string user_info;

  static Result<Url> parse(std::string_view text);
  bool is_tls() const { return scheme == "https"; }
  std::string authority() const;  // host:port, as the Host header wants it
  std::string origin() const;     // scheme://host:port
};

// Who a verified client certificate names.
struct CertificateIdentity {
  std::string common_name;
  std::vector<std::string> organizations;

  bool operator==(const CertificateIdentity&) const = default;
};

struct Peer {
  std::string address;
  std::uint16_t port = 0;
  std::optional<CertificateIdentity> certificate;
};

struct Request {
  std::string method;
  std::string target;
  Headers headers;
  std::string body;
  Peer peer;  // set by the server
};

struct Body {
  std::vector<Text> pieces;

  Body() = default;
  Body(std::string text);  // NOLINT(google-explicit-constructor): a string is a body of one piece
  Body(const char* text) : Body(std::string(text)) {}  // NOLINT(google-explicit-constructor): the same

  std::size_t size() const;
  std::string to_string() const;
};

struct Response {
  int status = 200;
  Headers headers;
  Body body;
};

std::string_view reason_phrase(int status);

}  // namespace fairway::http
