#include "http/prepared_connection.hpp"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>

namespace fairway::http {
namespace {

constexpr std::size_t kPreparedReadBlock = 32 * 1024;
constexpr std::size_t kRequestsPerTurn = 16;
constexpr std::size_t kBytesPerTurn = 512 * 1024;
constexpr std::size_t kPreparedLingerBytes = 1024 * 1024;

bool would_block() {
  return errno == EAGAIN || errno == EWOULDBLOCK;
}

}  // namespace

PreparedReply PreparedShared::refusal(int status, std::string_view message) const {
  if (options.refusal) {
    PreparedReply reply = options.refusal(status, message);
    if (reply.answer) return reply;
  }
  return {PreparedAnswer::make(status, {{"Content-Type", "text/plain; charset=utf-8"}},
                               PreparedBody::make(fmt::format("{}\n", message)))};
}

PreparedThread::PreparedThread(PreparedShared& its_shared, std::shared_ptr<PreparedMailbox> its_mailbox)
    : shared(its_shared),
      mailbox(std::move(its_mailbox)),
      scratch(kPreparedReadBlock),
      parser({shared.options.max_header_bytes, shared.options.max_body_bytes}) {
  read_clock();
}

void PreparedThread::read_clock() {
  now = shared.clock.steady();
  const auto date = std::chrono::floor<std::chrono::seconds>(shared.clock.now());
  if (date == date_ && !closed.empty()) return;
  date_ = date;
  const std::string line = fmt::format("Date: {}\r\n", format_http_date(date));
  kept_alive = line + "\r\n";
  kept_alive_http10 = line + "Connection: keep-alive\r\n\r\n";
  closed = line + "Connection: close\r\n\r\n";
}

PreparedConnection::PreparedConnection(PreparedThread& thread, int socket, const PeerAddress& peer,
                                       ExchangeId id)
    : thread_(thread), socket_(socket), peer_(peer), id_(id) {}

PreparedConnection::~PreparedConnection() {
  if (phase_ == Phase::Writing) report(false);
  ::close(socket_);
}

PreparedConnection::After PreparedConnection::on_events(std::uint32_t events) {
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) return After::Close;
  if ((events & EPOLLRDHUP) != 0) peer_has_ended_ = true;
  if ((events & (EPOLLIN | EPOLLRDHUP)) != 0) is_readable_ = true;
  if ((events & EPOLLOUT) != 0) is_writable_ = true;
  return go_on();
}

PreparedConnection::After PreparedConnection::on_reply(const ExchangeId& exchange, PreparedReply reply) {
  if (phase_ != Phase::Handling || exchange != id_) return After::Wait;
  begin_answer(std::move(reply));
  return go_on();
}

PreparedConnection::After PreparedConnection::on_timeout() {
  if (wait_ == PreparedWait::WholeRequest) return refuse(408, "the request did not come in time");
  if (wait_ == PreparedWait::Answer) return refuse(503, "the answer was not ready in time; try again");
  return After::Close;
}

PreparedConnection::After PreparedConnection::on_stop() {
  is_readable_ = true;
  return go_on();
}

PreparedConnection::After PreparedConnection::refuse(int status, std::string_view message) {
  // Whether a request that is not whole would have been a HEAD is not known; the last one's method says
  // nothing.
  if (phase_ == Phase::Reading) is_head_ = false;
  input_ = {};
  parser_.reset();
  begin_refusal(status, message);
  return go_on();
}

// As far as the socket, the handler and this turn's share allow.
PreparedConnection::After PreparedConnection::go_on() {
  budget_ = {kRequestsPerTurn, kBytesPerTurn};
  Step last = Step::GoOn;
  while (last == Step::GoOn) last = step();
  if (last == Step::End) return After::Close;
  settle();
  if (thread_.is_stopping && is_idle()) return After::Close;
  return last == Step::TurnOver ? After::GoOn : After::Wait;
}

PreparedConnection::Step PreparedConnection::step() {
  switch (phase_) {
    case Phase::Reading:
      return read();
    case Phase::Handling:
      return Step::Blocked;
    case Phase::Writing:
      return write();
    case Phase::Lingering:
      return drain();
  }
  std::unreachable();
}

// Leaves the thread's buffer to the next connection, and says what is waited for.
void PreparedConnection::settle() {
  hold();
  PreparedWait wait = PreparedWait::Linger;
  if (phase_ == Phase::Handling) wait = PreparedWait::Answer;
  if (phase_ == Phase::Writing) wait = PreparedWait::Write;
  if (phase_ == Phase::Reading) {
    wait = !held_.empty()     ? PreparedWait::WholeRequest
           : id_.request == 0 ? PreparedWait::FirstRequest
                              : PreparedWait::NextRequest;
  }
  if (wait != wait_) is_new_wait_ = true;
  wait_ = wait;
}

void PreparedConnection::hold() {
  if (input_.empty()) {
    std::string().swap(held_);  // an assignment would keep the memory
    return;
  }
  if (needs_more_) {
    if (!parser_) parser_ = std::make_unique<RequestParser>(thread_.parser);
    if (parser_->is_in_body()) {
      input_ = input_.substr(0, parser_->header_bytes());
      parser_->forget_body();
    }
  }
  if (is_input_held_) {
    const auto begin = static_cast<std::size_t>(input_.data() - held_.data());
    const std::size_t size = input_.size();
    held_.resize(begin + size);
    held_.erase(0, begin);
  } else {
    held_.assign(input_);
  }
  input_ = held_;
  is_input_held_ = true;
}

PreparedConnection::Step PreparedConnection::read() {
  if (input_.empty() || needs_more_) {
    if (const Step received = receive(); received != Step::GoOn) return received;
    needs_more_ = false;
  }
  if (budget_.requests == 0) return Step::TurnOver;
  if (!parser_) thread_.parser.reset();
  RequestParser& parser = parser_ ? *parser_ : thread_.parser;
  switch (parser.feed(input_)) {
    case RequestParser::Outcome::NeedMore:
      return more_needed(parser);
    case RequestParser::Outcome::Refusal:
      return refuse_request(parser);
    case RequestParser::Outcome::Request:
      --budget_.requests;
      return handle(parser);
  }
  std::unreachable();
}

PreparedConnection::Step PreparedConnection::receive() {
  if (!is_readable_) return Step::Blocked;
  if (!input_.empty()) hold();
  const auto got = ::recv(socket_, thread_.scratch.data(), thread_.scratch.size(), 0);
  if (got < 0 && errno == EINTR) return receive();
  if (got < 0 && would_block()) {
    is_readable_ = false;
    return Step::Blocked;
  }
  if (got <= 0) return Step::End;
  const std::string_view bytes(thread_.scratch.data(), static_cast<std::size_t>(got));
  // Fewer bytes than there was room for: the socket is empty, and more will be an event of its own.
  if (bytes.size() < thread_.scratch.size() && !peer_has_ended_) is_readable_ = false;
  if (input_.empty()) {
    input_ = bytes;
    is_input_held_ = false;
  } else {
    held_.append(bytes);
    input_ = held_;
  }
  return Step::GoOn;
}

PreparedConnection::Step PreparedConnection::more_needed(RequestParser& parser) {
  if (parser.is_blank()) {
    input_ = {};
    parser_.reset();
    return Step::GoOn;
  }
  needs_more_ = true;
  if (!parser.awaits_continue() || has_continued_) return Step::GoOn;
  has_continued_ = true;
  constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  const auto sent = ::send(socket_, kContinue.data(), kContinue.size(), MSG_NOSIGNAL);
  return sent == static_cast<ssize_t>(kContinue.size()) ? Step::GoOn : Step::End;
}

PreparedConnection::Step PreparedConnection::refuse_request(const RequestParser& parser) {
  const RequestRefusal refusal = parser.refusal();
  const RequestView view(parser, input_, peer_);
  is_head_ = view.method == "HEAD";
  asked_ = &view;
  begin_refusal(refusal.status, refusal.message);
  const Step step = write_in_sight();
  parser_.reset();
  input_ = {};
  return step;
}

PreparedConnection::Step PreparedConnection::handle(RequestParser& parser) {
  const RequestView view(parser, input_, peer_);
  keeps_alive_ = parser.keeps_alive();
  is_http10_ = parser.is_http10();
  is_head_ = view.method == "HEAD";
  has_continued_ = false;
  ++id_.request;
  phase_ = Phase::Handling;
  is_new_wait_ = true;
  asked_ = &view;
  if (thread_.shared.options.on_answer) asked_at_ = thread_.shared.clock.steady();
  thread_.shared.handler(view, Responder(thread_.mailbox, id_));
  // The view keeps the bytes that it points to; they stay where they are until the turn is over.
  input_.remove_prefix(parser.used());
  if (auto reply = thread_.mailbox->take(id_)) begin_answer(*std::move(reply));
  const Step step = write_in_sight();
  parser_.reset();
  return step;
}

// Writes while the request can still be seen, and keeps what the log will need when that is not the end.
PreparedConnection::Step PreparedConnection::write_in_sight() {
  Step step = phase_ == Phase::Writing ? write() : Step::GoOn;
  while (step == Step::GoOn && phase_ == Phase::Writing) step = write();
  const bool is_unfinished = phase_ == Phase::Writing || phase_ == Phase::Handling;
  if (thread_.shared.options.on_answer && is_unfinished && asked_ != nullptr) {
    asked_text_ = std::make_unique<LogText>(LogText{std::string(asked_->method), std::string(asked_->target),
                                                    std::string(asked_->header("user-agent"))});
  }
  asked_ = nullptr;
  return step;
}

void PreparedConnection::begin_answer(PreparedReply reply) {
  if (!reply.answer) return begin_refusal(500, "internal error");
  reply_ = std::move(reply);
  phase_ = Phase::Writing;
  keeps_alive_ = keeps_alive_ && !thread_.is_stopping && !is_refused_;
  has_begun_head_ = false;
  body_sent_ = 0;
  body_size_ = is_head_ ? 0 : reply_.answer->body_size();
}

void PreparedConnection::begin_refusal(int status, std::string_view message) {
  if (asked_at_ == SteadyTime{}) asked_at_ = thread_.now;
  is_refused_ = true;
  needs_more_ = false;
  begin_answer(thread_.shared.refusal(status, message));
}

std::string_view PreparedConnection::head_end() const {
  if (!keeps_alive_) return thread_.closed;
  return is_http10_ ? thread_.kept_alive_http10 : thread_.kept_alive;
}

PreparedConnection::Step PreparedConnection::write() {
  if (!is_writable_) return Step::Blocked;
  if (budget_.bytes == 0) return Step::TurnOver;
  const bool has_file = body_size_ > 0 && reply_.answer->body()->file() >= 0;
  if (!has_begun_head_ || !unsent_head_.empty() || !has_file) {
    if (const Step sent = send_text(); sent != Step::GoOn) return sent;
  }
  if (has_file && unsent_head_.empty()) {
    if (const Step sent = send_file(); sent != Step::GoOn) return sent;
  }
  return unsent_head_.empty() && body_sent_ == body_size_ ? finish_answer() : Step::GoOn;
}

// What is left of the head, together with the body if that is text.
PreparedConnection::Step PreparedConnection::send_text() {
  const PreparedAnswer& answer = *reply_.answer;
  const bool has_file = body_size_ > 0 && answer.body()->file() >= 0;
  std::array<std::string_view, 4> parts = {answer.head(), reply_.more_headers, head_end(), {}};
  if (has_begun_head_) parts = {unsent_head_, {}, {}, {}};
  const std::size_t head_size = parts[0].size() + parts[1].size() + parts[2].size();
  if (body_size_ > 0 && !has_file) parts[3] = answer.body()->text().substr(body_sent_);
  std::array<iovec, 4> blocks{};
  std::size_t count = 0;
  for (const std::string_view part : parts)
    if (!part.empty()) blocks[count++] = {const_cast<char*>(part.data()), part.size()};  // sendmsg only reads
  msghdr message{};
  message.msg_iov = blocks.data();
  message.msg_iovlen = count;
  const auto sent = ::sendmsg(socket_, &message, MSG_NOSIGNAL | (has_file ? MSG_MORE : 0));
  if (sent < 0 && errno == EINTR) return Step::GoOn;
  if (sent < 0 && !would_block()) return Step::End;
  if (sent < 0) is_writable_ = false;
  const std::size_t taken = sent < 0 ? 0 : static_cast<std::size_t>(sent);
  if (taken > 0) is_new_wait_ = true;
  if (taken < head_size) {
    // Rare: the client does not read. The end of the head may change before the rest goes out, so it is
    // copied.
    const std::string head = std::string(parts[0]).append(parts[1]).append(parts[2]);
    unsent_head_ = head.substr(taken);
  } else {
    if (!unsent_head_.empty()) std::string().swap(unsent_head_);
    body_sent_ += taken - head_size;
  }
  has_begun_head_ = true;
  budget_.bytes -= std::min(budget_.bytes, taken);
  return is_writable_ ? Step::GoOn : Step::Blocked;
}

PreparedConnection::Step PreparedConnection::send_file() {
  auto offset = static_cast<off_t>(body_sent_);
  const std::size_t wanted = std::min(body_size_ - body_sent_, budget_.bytes);
  const auto sent = ::sendfile(socket_, reply_.answer->body()->file(), &offset, wanted);
  if (sent < 0 && errno == EINTR) return Step::GoOn;
  if (sent < 0 && would_block()) {
    is_writable_ = false;
    return Step::Blocked;
  }
  if (sent <= 0) return Step::End;
  is_new_wait_ = true;
  body_sent_ += static_cast<std::size_t>(sent);
  budget_.bytes -= std::min(budget_.bytes, static_cast<std::size_t>(sent));
  return Step::GoOn;
}

PreparedConnection::Step PreparedConnection::finish_answer() {
  report(true);
  reply_ = {};
  asked_text_.reset();
  asked_at_ = {};
  is_new_wait_ = true;
  phase_ = Phase::Reading;
  if (keeps_alive_) return Step::GoOn;
  // What the client still sends would make the kernel reset the connection, and the answer would be lost.
  const bool may_send_more = is_refused_ || !input_.empty() || is_readable_;
  return may_send_more ? linger() : Step::End;
}

PreparedConnection::Step PreparedConnection::linger() {
  ::shutdown(socket_, SHUT_WR);
  phase_ = Phase::Lingering;
  input_ = {};
  is_readable_ = true;
  return Step::GoOn;
}

PreparedConnection::Step PreparedConnection::drain() {
  if (!is_readable_) return Step::Blocked;
  const auto got = ::recv(socket_, thread_.scratch.data(), thread_.scratch.size(), 0);
  if (got < 0 && errno == EINTR) return Step::GoOn;
  if (got < 0 && would_block()) {
    is_readable_ = false;
    return Step::Blocked;
  }
  if (got <= 0) return Step::End;
  drained_ += static_cast<std::size_t>(got);
  return drained_ < kPreparedLingerBytes ? Step::GoOn : Step::End;
}

void PreparedConnection::report(bool is_complete) {
  const PreparedShared& shared = thread_.shared;
  if (!shared.options.on_answer || !reply_.answer) return;
  const LogText none;
  const LogText& text = asked_text_ ? *asked_text_ : none;
  RequestLog log{.method = text.method,
                 .target = text.target,
                 .user_agent = text.user_agent,
                 .peer = peer_,
                 .status = reply_.answer->status(),
                 .bytes = body_sent_,
                 .duration = shared.clock.steady() - asked_at_,
                 .is_complete = is_complete};
  if (asked_ != nullptr) {
    log.method = asked_->method;
    log.target = asked_->target;
    log.user_agent = asked_->header("user-agent");
  }
  shared.options.on_answer(log);
}

}  // namespace fairway::http
