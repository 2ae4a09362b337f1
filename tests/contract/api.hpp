// Api: one caller of the server under test, with calls that block until the answer is there.
//
// Every call has a guard against hanging; no case asserts how long anything takes. A connection that breaks
// is a failure of the running case and gives an answer with status 0. Bodies are written as YAML where they
// stand in the source, and sent as JSON.
//
//   Answer made = api.post("/api/v1/namespaces", "{metadata: {name: a}}");
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "async/event_loop.hpp"
#include "http/client.hpp"
#include "json/value.hpp"

namespace fairway::contract {

using json::Value;
using Names = std::vector<std::string>;

// How long a case waits for what must come, before it is called missing.
inline constexpr Duration kPatience = std::chrono::seconds(60);

inline constexpr std::string_view kJsonPatch = "application/json-patch+json";
inline constexpr std::string_view kMergePatch = "application/merge-patch+json";
inline constexpr std::string_view kStrategicPatch = "application/strategic-merge-patch+json";
inline constexpr std::string_view kApplyPatch = "application/apply-patch+yaml";

// YAML of a source line; a mistake in it is a defect of the case and ends the process.
Value yaml(std::string_view text);

struct Body {
  Value value;

  Body(Value from) : value(std::move(from)) {}          // NOLINT(google-explicit-constructor): reads well
  Body(const char* text) : value(yaml(text)) {}         // NOLINT(google-explicit-constructor): the same
  Body(const std::string& text) : value(yaml(text)) {}  // NOLINT(google-explicit-constructor): the same
};

// What stands at a JSON pointer: a string as it is, anything else as JSON, "<absent>" where nothing is.
std::string text_at(const Value& value, std::string_view pointer);
const Value* find_at(const Value& value, std::string_view pointer);

struct Answer {
  int status = 0;
  http::Headers headers = {};
  std::string body = {};
  Value json = nullptr;  // null where the body is not JSON

  std::string text(std::string_view pointer) const { return text_at(json, pointer); }
  std::string header(std::string_view name) const;
};

struct WatchEvent {
  std::string type = {};  // empty at the end of the stream
  Value object = nullptr;

  std::string text(std::string_view pointer) const { return text_at(object, pointer); }
  std::string name() const { return text("/metadata/name"); }
  std::string version() const { return text("/metadata/resourceVersion"); }
};

// A watch that is open. Destroying it closes the connection.
class Watch {
 public:
  Watch(async::EventLoop& loop, std::unique_ptr<http::ResponseStream> stream);

  int status() const;
  std::string header(std::string_view name) const;
  // The next event, whatever its type; a failure of the case when none comes.
  WatchEvent next();
  // The next `count` events other than bookmarks, as "ADDED a".
  Names take(std::size_t count);
  // All that is left of an answer that is not a stream of events: a refusal.
  Answer rest();

 private:
  bool read_more();

  async::EventLoop& loop_;
  std::unique_ptr<http::ResponseStream> stream_;
  std::string buffer_;
};

using Query = std::initializer_list<std::pair<std::string_view, std::string>>;
// The path with its query, percent-encoded.
std::string with(std::string_view path, Query query);

class Api {
 public:
  Api(async::EventLoop& loop, std::shared_ptr<http::Transport> transport, http::Url server);

  Answer get(std::string_view path, http::Headers headers = {});
  // A path from the root of the host, where the server itself may be somewhere below it.
  Answer get_from_host(std::string_view path);
  Answer post(std::string_view path, const Body& body, http::Headers headers = {});
  Answer put(std::string_view path, const Body& body, http::Headers headers = {});
  Answer patch(std::string_view path, std::string_view type, const Body& patch);
  Answer merge(std::string_view path, const Body& patch) { return this->patch(path, kMergePatch, patch); }
  // Server-side apply; further parameters go into the path.
  Answer apply(std::string_view path, std::string manager, const Body& object, bool force = false);
  Answer remove(std::string_view path);
  Answer remove(std::string_view path, const Body& options);
  Watch watch(std::string_view path, http::Headers headers = {});
  // The body as it is given.
  Answer send(std::string_view method, std::string_view path, http::Headers headers, std::string body);

  // Asks again, with pauses, until it holds; false when it still does not.
  bool eventually(const std::function<bool()>& holds);

 private:
  http::ClientRequest request(std::string_view method, std::string_view path, http::Headers headers) const;

  async::EventLoop& loop_;
  std::shared_ptr<http::Transport> transport_;
  http::Url server_;
};

}  // namespace fairway::contract
