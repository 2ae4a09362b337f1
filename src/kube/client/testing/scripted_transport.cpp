#include "kube/client/testing/scripted_transport.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace fairway::kube::testing {

namespace asio = boost::asio;

void StreamScript::push(std::string bytes) {
  if (bytes.empty()) return;
  pieces_.emplace_back(std::move(bytes));
  changed_.notify();
}

void StreamScript::end() {
  pieces_.emplace_back(std::string());
  changed_.notify();
}

void StreamScript::cut(Error error) {
  pieces_.emplace_back(std::move(error));
  changed_.notify();
}

ScriptedStream::ScriptedStream(TimerClock& clock, int status, http::Headers headers,
                               std::shared_ptr<StreamScript> script)
    : clock_(clock), status_(status), headers_(std::move(headers)), script_(std::move(script)) {}

ScriptedStream::~ScriptedStream() {
  script_->is_closed_ = true;
}

Task<std::string> ScriptedStream::read(Duration timeout) {
  const SteadyTime deadline = clock_.steady() + timeout;
  while (script_->pieces_.empty())
    FAIRWAY_CO_CHECKED(co_await script_->changed_.wait_until(clock_, deadline));
  if (co_await async::is_cancelled()) co_return async::cancelled();
  auto piece = std::move(script_->pieces_.front());
  script_->pieces_.pop_front();
  if (auto* error = std::get_if<Error>(&piece)) co_return std::unexpected(std::move(*error));
  co_return std::get<std::string>(std::move(piece));
}

ScriptedTransport::ScriptedTransport(TimerClock& clock, Answer answer, Open open)
    : clock_(clock), answer_(std::move(answer)), open_(std::move(open)) {}

Task<http::Response> ScriptedTransport::send(http::ClientRequest request) {
  co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
  if (co_await async::is_cancelled()) co_return async::cancelled();
  requests_.push_back(request);
  co_return answer_(request);
}

Task<std::unique_ptr<http::ResponseStream>> ScriptedTransport::open(http::ClientRequest request) {
  co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
  if (co_await async::is_cancelled()) co_return async::cancelled();
  requests_.push_back(request);
  if (open_) co_return open_(request);
  FAIRWAY_CO_TRY(http::Response response, answer_(request));
  auto script = std::make_shared<StreamScript>();
  for (const Text& piece : response.body.pieces) script->push(*piece);
  script->end();
  co_return std::make_unique<ScriptedStream>(clock_, response.status, response.headers, std::move(script));
}

std::vector<std::string> ScriptedTransport::asked() const {
  std::vector<std::string> lines;
  lines.reserve(requests_.size());
  for (const auto& request : requests_) lines.push_back(request.method + " " + request.url.path);
  return lines;
}

http::Response json_response(int status, std::string body) {
  return {status, {{"Content-Type", "application/json"}}, std::move(body)};
}

}  // namespace fairway::kube::testing
