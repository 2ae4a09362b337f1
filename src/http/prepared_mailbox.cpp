#include "http/prepared_mailbox.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace fairway::http {
namespace {

thread_local const PreparedMailbox* mailbox_of_this_thread = nullptr;

}  // namespace

Result<std::shared_ptr<PreparedMailbox>> PreparedMailbox::make() {
  const int event = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (event < 0)
    return fail(ErrorCode::Unavailable,
                fmt::format("cannot make an event: {}", std::generic_category().message(errno)));
  return std::shared_ptr<PreparedMailbox>(new PreparedMailbox(event));
}

PreparedMailbox::~PreparedMailbox() {
  ::close(event_);
}

void PreparedMailbox::adopt_thread() const {
  mailbox_of_this_thread = this;
}

void PreparedMailbox::wake() const {
  const std::uint64_t one = 1;
  // A full counter is as readable as any other.
  [[maybe_unused]] const auto written = ::write(event_, &one, sizeof one);
}

void PreparedMailbox::post(const ExchangeId& exchange, PreparedReply reply) {
  if (mailbox_of_this_thread == this) {
    local_.push_back({exchange, std::move(reply)});
    return;
  }
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    if (is_closed_) return;
    is_first = posted_.empty();
    posted_.push_back({exchange, std::move(reply)});
  }
  if (is_first) wake();
}

std::optional<PreparedReply> PreparedMailbox::take(const ExchangeId& exchange) {
  if (local_.empty() || local_.back().exchange != exchange) return std::nullopt;
  std::optional<PreparedReply> reply = std::move(local_.back().reply);
  local_.pop_back();
  return reply;
}

void PreparedMailbox::collect_local(std::vector<Item>& into) {
  into.swap(local_);
}

void PreparedMailbox::collect_posted(std::vector<Item>& into) {
  std::uint64_t count = 0;
  // Before the list is taken: who posts in between wakes us once too often, never once too seldom.
  [[maybe_unused]] const auto got = ::read(event_, &count, sizeof count);
  const std::lock_guard lock(mutex_);
  into.swap(posted_);
}

void PreparedMailbox::close() {
  mailbox_of_this_thread = nullptr;
  std::vector<Item> dropped;
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  dropped.swap(posted_);
}

Responder::Responder(std::shared_ptr<PreparedMailbox> mailbox, ExchangeId exchange)
    : mailbox_(std::move(mailbox)), exchange_(exchange) {}

Responder& Responder::operator=(Responder&& other) noexcept {
  std::swap(mailbox_, other.mailbox_);
  std::swap(exchange_, other.exchange_);
  return *this;
}

Responder::~Responder() {
  if (mailbox_) mailbox_->post(exchange_, {});
}

void Responder::send(PreparedReply reply) {
  FAIRWAY_CHECK(mailbox_ != nullptr, "a second answer to one request");
  std::exchange(mailbox_, nullptr)->post(exchange_, std::move(reply));
}

}  // namespace fairway::http
