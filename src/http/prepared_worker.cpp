#include "http/prepared_worker.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <netinet/in.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

#include "base/log.hpp"
#include "http/pauses.hpp"

namespace fairway::http {
namespace {

constexpr std::uint64_t kListener = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMailbox = kListener - 1;
constexpr std::size_t kEventsPerTurn = 256;
constexpr int kAcceptsPerTurn = 64;
constexpr std::size_t kRefusedAtATime = 64;  // above the limit, with time to read their 503
constexpr Duration kLongestWait = std::chrono::minutes(1);

std::uint64_t token_of(const ExchangeId& id) {
  return (std::uint64_t{id.generation} << 32) | id.slot;
}

PeerAddress peer_of(const sockaddr_storage& address) {
  PeerAddress peer;
  if (address.ss_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    std::memcpy(peer.bytes.data(), &v6.sin6_addr, 16);
    peer.port = ntohs(v6.sin6_port);
  } else {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    peer.bytes[10] = peer.bytes[11] = 0xff;
    std::memcpy(&peer.bytes[12], &v4.sin_addr, 4);
    peer.port = ntohs(v4.sin_port);
  }
  return peer;
}

// Whoever asks for short turns is let in sooner when it wakes beside a thread that computes (Linux 6.12 and
// later; elsewhere nothing changes). glibc has no function and no type for it.
void ask_for_short_turns() {
  struct {
    std::uint32_t size = sizeof(*this);
    std::uint32_t policy = SCHED_OTHER;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = 100'000;  // nanoseconds: the least that is allowed
    std::uint64_t deadline = 0;
    std::uint64_t period = 0;
  } attributes;
  (void)::syscall(SYS_sched_setattr, 0, &attributes, 0U);
}

// sendfile() raises SIGPIPE in the thread that calls it; every other signal is for the process's main thread.
void take_no_signals() {
  sigset_t all;
  ::sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigdelset(&all, fault);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace

void PreparedWorker::WaitList::append(PreparedConnection& connection) {
  connection.place.previous = last;
  connection.place.next = nullptr;
  (last != nullptr ? last->place.next : first) = &connection;
  last = &connection;
}

void PreparedWorker::WaitList::remove(PreparedConnection& connection) {
  auto& place = connection.place;
  (place.previous != nullptr ? place.previous->place.next : first) = place.next;
  (place.next != nullptr ? place.next->place.previous : last) = place.previous;
}

PreparedWorker::PreparedWorker(PreparedShared& shared, std::shared_ptr<PreparedMailbox> mailbox, int listener,
                               int epoll)
    : shared_(shared), thread_(shared, std::move(mailbox)), listener_(listener), epoll_(epoll) {}

Result<std::unique_ptr<PreparedWorker>> PreparedWorker::start(PreparedShared& shared, int listener) {
  auto mailbox = PreparedMailbox::make();
  const int epoll = mailbox ? ::epoll_create1(EPOLL_CLOEXEC) : -1;
  if (epoll < 0) {
    const int error = errno;
    ::close(listener);
    if (!mailbox) return std::unexpected(mailbox.error());
    return fail(ErrorCode::Unavailable,
                fmt::format("cannot make an epoll: {}", std::generic_category().message(error)));
  }
  std::unique_ptr<PreparedWorker> worker(new PreparedWorker(shared, *std::move(mailbox), listener, epoll));
  FAIRWAY_CHECKED(worker->watch(listener, kListener, EPOLLIN));
  FAIRWAY_CHECKED(worker->watch(worker->thread_.mailbox->event(), kMailbox, EPOLLIN));
  worker->loop_ = std::thread([its = worker.get()] { its->run(); });
  return worker;
}

PreparedWorker::~PreparedWorker() {
  join();
  if (listener_ >= 0) ::close(listener_);
  ::close(epoll_);
}

Result<void> PreparedWorker::watch(int descriptor, std::uint64_t token, std::uint32_t events) const {
  epoll_event event{};
  event.events = events;
  event.data.u64 = token;
  if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0) return {};
  return fail(ErrorCode::Unavailable,
              fmt::format("cannot watch a descriptor: {}", std::generic_category().message(errno)));
}

void PreparedWorker::begin_stop(SteadyTime deadline) {
  stop_deadline_ = deadline.time_since_epoch().count();
  is_asked_to_stop_ = true;
  poke();
}

void PreparedWorker::poke() {
  thread_.mailbox->wake();
}

void PreparedWorker::join() {
  if (loop_.joinable()) loop_.join();
}

void PreparedWorker::run() {
  take_no_signals();
  ask_for_short_turns();
  thread_.mailbox->adopt_thread();
  std::array<epoll_event, kEventsPerTurn> events;
  while (!thread_.is_stopping || open_ > 0) {
    const int wait = ready_.empty() && !thread_.mailbox->has_local() ? milliseconds_to_wait() : 0;
    const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), wait);
    thread_.read_clock();
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      on_event(event.data.u64, event.events);
    }
    run_ready();
    deliver_mail();
    expire();
    stop_if_asked();
  }
  thread_.mailbox->close();
}

int PreparedWorker::milliseconds_to_wait() const {
  SteadyTime until = thread_.now + kLongestWait;
  for (const WaitList& list : waits_)
    if (list.first != nullptr) until = std::min(until, list.first->place.deadline);
  if (!is_accepting_) until = std::min(until, resume_at_);
  if (thread_.is_stopping) until = std::min(until, SteadyTime{Duration{stop_deadline_}});
  // Rounded up: waking a little early would only mean to wait again.
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - thread_.now).count();
  return static_cast<int>(std::max<decltype(left)>(left, 0));
}

void PreparedWorker::on_event(std::uint64_t token, std::uint32_t events) {
  if (token == kListener) return accept_some();
  if (token == kMailbox) {
    has_post_ = true;
    return;
  }
  PreparedConnection* connection =
      find(static_cast<std::uint32_t>(token), static_cast<std::uint32_t>(token >> 32));
  // Closed by an earlier event of the same turn.
  if (connection == nullptr) return;
  settle(*connection, connection->on_events(events));
}

void PreparedWorker::accept_some() {
  for (int i = 0; i < kAcceptsPerTurn; ++i)
    if (!accept_one()) return;
}

bool PreparedWorker::accept_one() {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  const int socket =
      ::accept4(listener_, reinterpret_cast<sockaddr*>(&address), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (socket >= 0) {
    admit(socket, address);
    return true;
  }
  if (errno == EAGAIN || errno == EWOULDBLOCK) return false;
  if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
    log::warning("cannot accept connections", {{"error", ::strerrordesc_np(errno)}});
    pause_accepting();
    return false;
  }
  return true;  // the client has gone in the meantime
}

void PreparedWorker::admit(int socket, const sockaddr_storage& address) {
  const std::size_t before = shared_.connections.fetch_add(1);
  const bool is_too_many = before >= shared_.options.max_connections;
  const bool is_far_too_many = before >= shared_.options.max_connections + kRefusedAtATime;
  if (is_far_too_many) {
    --shared_.connections;
    ::close(socket);
    return;
  }
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t index = free_slots_.back();
  free_slots_.pop_back();
  Slot& slot = slots_[index];
  const ExchangeId id{index, slot.generation, 0};
  slot.connection = std::make_unique<PreparedConnection>(thread_, socket, peer_of(address), id);
  ++open_;
  PreparedConnection& connection = *slot.connection;
  if (!watch(socket, token_of(id), EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET)) return close(connection);
  settle(connection, is_too_many ? connection.refuse(503, "the server has too many connections; try again")
                                 : After::Wait);
}

void PreparedWorker::pause_accepting() {
  ::epoll_ctl(epoll_, EPOLL_CTL_DEL, listener_, nullptr);
  is_accepting_ = false;
  resume_at_ = thread_.now + kAcceptPause;
}

void PreparedWorker::resume_accepting() {
  is_accepting_ = watch(listener_, kListener, EPOLLIN).has_value();
  resume_at_ = thread_.now + kAcceptPause;
}

void PreparedWorker::deliver_mail() {
  const auto deliver = [this] {
    for (PreparedMailbox::Item& item : mail_) {
      PreparedConnection* connection = find(item.exchange.slot, item.exchange.generation);
      if (connection != nullptr)
        settle(*connection, connection->on_reply(item.exchange, std::move(item.reply)));
    }
    mail_.clear();
  };
  if (thread_.mailbox->has_local()) {
    thread_.mailbox->collect_local(mail_);
    deliver();
  }
  if (!std::exchange(has_post_, false)) return;
  thread_.mailbox->collect_posted(mail_);
  deliver();
}

void PreparedWorker::run_ready() {
  running_.swap(ready_);
  for (const ExchangeId& id : running_) {
    PreparedConnection* connection = find(id.slot, id.generation);
    if (connection == nullptr) continue;
    connection->place.is_ready = false;
    settle(*connection, connection->go_on());
  }
  running_.clear();
}

void PreparedWorker::expire() {
  for (WaitList& list : waits_) {
    while (list.first != nullptr && list.first->place.deadline <= thread_.now) {
      PreparedConnection& late = *list.first;
      settle(late, late.on_timeout());
    }
  }
  if (!is_accepting_ && listener_ >= 0 && resume_at_ <= thread_.now) resume_accepting();
}

void PreparedWorker::stop_if_asked() {
  if (!is_asked_to_stop_) return;
  const bool is_over = thread_.now >= SteadyTime{Duration{stop_deadline_}};
  if (!thread_.is_stopping) stop_accepting();
  for (const Slot& slot : slots_) {
    if (slot.connection == nullptr) continue;
    if (is_over) {
      close(*slot.connection);
    } else if (slot.connection->is_idle()) {
      settle(*slot.connection, slot.connection->on_stop());
    }
  }
}

// Whoever is already connected counts as accepted; the kernel would reset them.
void PreparedWorker::stop_accepting() {
  accept_some();
  thread_.is_stopping = true;
  is_accepting_ = false;
  resume_at_ = SteadyTime::max();
  ::close(std::exchange(listener_, -1));
}

PreparedConnection* PreparedWorker::find(std::uint32_t slot, std::uint32_t generation) const {
  if (slot >= slots_.size() || slots_[slot].generation != generation) return nullptr;
  return slots_[slot].connection.get();
}

Duration PreparedWorker::time_for(PreparedWait wait) const {
  const PreparedServerOptions& options = shared_.options;
  switch (wait) {
    case PreparedWait::FirstRequest:
    case PreparedWait::WholeRequest:
      return options.header_timeout;
    case PreparedWait::NextRequest:
      return options.idle_timeout;
    case PreparedWait::Answer:
      return options.handler_timeout;
    case PreparedWait::Write:
      return options.write_timeout;
    case PreparedWait::Linger:
      return kLingerTime;
  }
  std::unreachable();
}

void PreparedWorker::settle(PreparedConnection& connection, After after) {
  if (after == After::Close) return close(connection);
  auto& place = connection.place;
  if (after == After::GoOn && !std::exchange(place.is_ready, true)) ready_.push_back(connection.id());
  if (!connection.takes_new_wait()) return;
  if (place.is_waiting) waits_[static_cast<std::size_t>(place.waits_for)].remove(connection);
  place.is_waiting = true;
  place.waits_for = connection.wait();
  place.deadline = thread_.now + time_for(place.waits_for);
  waits_[static_cast<std::size_t>(place.waits_for)].append(connection);
}

void PreparedWorker::close(PreparedConnection& connection) {
  const std::uint32_t index = connection.id().slot;
  if (connection.place.is_waiting)
    waits_[static_cast<std::size_t>(connection.place.waits_for)].remove(connection);
  // Counted before it can be seen: a client that saw the end finds its place free.
  --open_;
  --shared_.connections;
  slots_[index].connection.reset();
  ++slots_[index].generation;
  free_slots_.push_back(index);
}

}  // namespace fairway::http
