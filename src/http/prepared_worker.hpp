// PreparedWorker: one thread of a PreparedServer, with its listening socket, its epoll and its connections.
//
// Sockets are watched edge-triggered, once, so that a request costs no call besides reading and writing.
// Connections that wait for the same thing wait equally long; each such list is therefore in the order of its
// deadlines, and the first of each is all that has to be looked at. begin_stop(), poke() and join() are for
// other threads.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <sys/socket.h>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "http/prepared_connection.hpp"

namespace fairway::http {

class PreparedWorker {
 public:
  // Takes the listening socket over, also when it fails.
  static Result<std::unique_ptr<PreparedWorker>> start(PreparedShared& shared, int listener);
  ~PreparedWorker();
  PreparedWorker(const PreparedWorker&) = delete;
  PreparedWorker& operator=(const PreparedWorker&) = delete;

  void begin_stop(SteadyTime deadline);
  void poke();
  void join();

 private:
  using After = PreparedConnection::After;

  // Those that wait for one thing, the one whose time is over first in front.
  struct WaitList {
    PreparedConnection* first = nullptr;
    PreparedConnection* last = nullptr;

    void append(PreparedConnection& connection);
    void remove(PreparedConnection& connection);
  };
  struct Slot {
    std::unique_ptr<PreparedConnection> connection;
    std::uint32_t generation = 0;
  };

  PreparedWorker(PreparedShared& shared, std::shared_ptr<PreparedMailbox> mailbox, int listener, int epoll);
  Result<void> watch(int descriptor, std::uint64_t token, std::uint32_t events) const;

  void run();
  int milliseconds_to_wait() const;
  void on_event(std::uint64_t token, std::uint32_t events);
  void accept_some();
  bool accept_one();
  void admit(int socket, const sockaddr_storage& address);
  void pause_accepting();
  void resume_accepting();
  void deliver_mail();
  void run_ready();
  void expire();
  void stop_if_asked();
  void stop_accepting();

  PreparedConnection* find(std::uint32_t slot, std::uint32_t generation) const;
  void settle(PreparedConnection& connection, After after);
  void close(PreparedConnection& connection);
  Duration time_for(PreparedWait wait) const;

  PreparedShared& shared_;
  PreparedThread thread_;
  int listener_;
  const int epoll_;
  bool is_accepting_ = true;
  SteadyTime resume_at_{};

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::size_t open_ = 0;
  std::array<WaitList, kPreparedWaits> waits_;
  std::vector<ExchangeId> ready_;
  std::vector<ExchangeId> running_;
  std::vector<PreparedMailbox::Item> mail_;
  bool has_post_ = false;

  std::atomic<bool> is_asked_to_stop_ = false;
  std::atomic<SteadyTime::rep> stop_deadline_ = 0;
  std::thread loop_;
};

}  // namespace fairway::http
