#include "api.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "json/json_pointer.hpp"
#include "json/yaml.hpp"

namespace fairway::contract {
namespace {

constexpr Duration kPause = std::chrono::milliseconds(20);

Value parsed_or_null(std::string_view body) {
  const std::string_view text = trim(body);
  if (!text.starts_with('{') && !text.starts_with('[')) return nullptr;
  auto value = json::parse(text);
  return value ? *std::move(value) : Value(nullptr);
}

}  // namespace

Value yaml(std::string_view text) {
  auto value = json::parse_yaml(text);
  FAIRWAY_CHECK(value.has_value(), "the YAML of a case is wrong: " + std::string(text));
  return *std::move(value);
}

const Value* find_at(const Value& value, std::string_view pointer) {
  const auto parsed = json::Pointer::parse(pointer);
  FAIRWAY_CHECK(parsed.has_value(), "the JSON pointer of a case is wrong: " + std::string(pointer));
  return parsed->find(value);
}

std::string text_at(const Value& value, std::string_view pointer) {
  const Value* found = find_at(value, pointer);
  if (found == nullptr) return "<absent>";
  return found->is_string() ? std::string(json::view(found->get_string())) : json::serialize(*found);
}

std::string Answer::header(std::string_view name) const {
  return headers.joined(name);
}

Watch::Watch(async::EventLoop& loop, std::unique_ptr<http::ResponseStream> stream)
    : loop_(loop), stream_(std::move(stream)) {}

int Watch::status() const {
  return stream_ ? stream_->status() : 0;
}

std::string Watch::header(std::string_view name) const {
  return stream_ ? stream_->headers().joined(name) : std::string();
}

bool Watch::read_more() {
  if (!stream_) return false;
  auto piece = loop_.block_on(stream_->read(kPatience));
  if (!piece) {
    ADD_FAILURE() << "the watch broke off: " << piece.error().describe();
    stream_.reset();
    return false;
  }
  buffer_ += *piece;
  return !piece->empty();
}

WatchEvent Watch::next() {
  std::size_t end = 0;
  while ((end = buffer_.find('\n')) == std::string::npos) {
    if (!read_more()) return {};
  }
  const Value event = parsed_or_null(std::string_view(buffer_).substr(0, end));
  buffer_.erase(0, end + 1);
  const Value* object = find_at(event, "/object");
  return {text_at(event, "/type"), object == nullptr ? Value(nullptr) : *object};
}

Names Watch::take(std::size_t count) {
  Names seen;
  while (seen.size() < count) {
    const WatchEvent event = next();
    if (event.type.empty()) break;
    if (event.type != "BOOKMARK") seen.push_back(event.type + " " + event.name());
  }
  return seen;
}

Answer Watch::rest() {
  while (read_more()) continue;
  Answer answer{.status = status(), .body = buffer_, .json = parsed_or_null(buffer_)};
  if (stream_) answer.headers = stream_->headers();
  return answer;
}

std::string with(std::string_view path, Query query) {
  std::string result(path);
  char separator = path.contains('?') ? '&' : '?';
  for (const auto& [key, value] : query) {
    result += fmt::format("{}{}={}", separator, key, percent_encode(value));
    separator = '&';
  }
  return result;
}

Api::Api(async::EventLoop& loop, std::shared_ptr<http::Transport> transport, http::Url server)
    : loop_(loop), transport_(std::move(transport)), server_(std::move(server)) {}

http::ClientRequest Api::request(std::string_view method, std::string_view path,
                                 http::Headers headers) const {
  http::ClientRequest request{.method = std::string(method), .url = server_, .headers = std::move(headers)};
  if (request.url.path.ends_with('/')) request.url.path.pop_back();
  request.url.path += path;
  request.timeout = kPatience;
  if (!request.headers.find("Accept")) request.headers.set("Accept", "application/json");
  return request;
}

Answer Api::send(std::string_view method, std::string_view path, http::Headers headers, std::string body) {
  http::ClientRequest asked = request(method, path, std::move(headers));
  asked.body = std::move(body);
  auto response = loop_.block_on(transport_->send(std::move(asked)));
  if (!response) {
    ADD_FAILURE() << method << " " << path << ": " << response.error().describe();
    return {};
  }
  Answer answer{.status = response->status, .headers = response->headers, .body = response->body.to_string()};
  answer.json = parsed_or_null(answer.body);
  return answer;
}

Answer Api::get(std::string_view path, http::Headers headers) {
  return send("GET", path, std::move(headers), {});
}

Answer Api::get_from_host(std::string_view path) {
  Api host(loop_, transport_, server_);
  host.server_.path.clear();
  return host.get(path);
}

Answer Api::post(std::string_view path, const Body& body, http::Headers headers) {
  if (!headers.find("Content-Type")) headers.set("Content-Type", "application/json");
  return send("POST", path, std::move(headers), json::serialize(body.value));
}

Answer Api::put(std::string_view path, const Body& body, http::Headers headers) {
  if (!headers.find("Content-Type")) headers.set("Content-Type", "application/json");
  return send("PUT", path, std::move(headers), json::serialize(body.value));
}

Answer Api::patch(std::string_view path, std::string_view type, const Body& patch) {
  return send("PATCH", path, {{"Content-Type", std::string(type)}}, json::serialize(patch.value));
}

Answer Api::apply(std::string_view path, std::string manager, const Body& object, bool force) {
  return patch(with(path, {{"fieldManager", std::move(manager)}, {"force", force ? "true" : "false"}}),
               kApplyPatch, object);
}

Answer Api::remove(std::string_view path) {
  return send("DELETE", path, {}, {});
}

Answer Api::remove(std::string_view path, const Body& options) {
  Value body = yaml("{apiVersion: v1, kind: DeleteOptions}");
  for (const auto& [key, value] : options.value.as_object()) body.as_object()[key] = value;
  return send("DELETE", path, {{"Content-Type", "application/json"}}, json::serialize(body));
}

Watch Api::watch(std::string_view path, http::Headers headers) {
  const std::string asked = with(path, {{"watch", "true"}});
  auto stream = loop_.block_on(transport_->open(request("GET", asked, std::move(headers))));
  if (!stream) {
    ADD_FAILURE() << "GET " << asked << ": " << stream.error().describe();
    return {loop_, nullptr};
  }
  return {loop_, *std::move(stream)};
}

bool Api::eventually(const std::function<bool()>& holds) {
  TimerClock& clock = loop_.clock();
  const SteadyTime deadline = clock.steady() + kPatience;
  while (!holds()) {
    if (clock.steady() >= deadline) return false;
    bool is_over = false;
    const auto timer = clock.call_at(clock.steady() + kPause, [&] { is_over = true; });
    loop_.run_until([&] { return is_over; });
  }
  return true;
}

}  // namespace fairway::contract
