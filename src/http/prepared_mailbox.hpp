// PreparedMailbox: how answers reach the thread of a PreparedServer that their connection lives on.
//
// An answer given on that very thread, as most are, takes no lock and no system call. Other threads put
// theirs into a list and wake the thread. The mailbox is shared with every Responder, so it outlives its
// thread; what is posted then is dropped.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "http/prepared_server.hpp"

namespace fairway::http {

class PreparedMailbox {
 public:
  struct Item {
    ExchangeId exchange;
    PreparedReply reply;  // without an answer when the Responder was dropped
  };

  static Result<std::shared_ptr<PreparedMailbox>> make();
  ~PreparedMailbox();
  PreparedMailbox(const PreparedMailbox&) = delete;
  PreparedMailbox& operator=(const PreparedMailbox&) = delete;

  // From any thread.
  void post(const ExchangeId& exchange, PreparedReply reply);
  void wake() const;

  // The rest is for the owner's thread. The event is readable when there is mail.
  int event() const { return event_; }
  void adopt_thread() const;
  // The answer that this thread has just given to this exchange.
  std::optional<PreparedReply> take(const ExchangeId& exchange);
  bool has_local() const { return !local_.empty(); }
  void collect_local(std::vector<Item>& into);
  void collect_posted(std::vector<Item>& into);
  void close();

 private:
  explicit PreparedMailbox(int event) : event_(event) {}

  const int event_;
  std::vector<Item> local_;  // of the owner's thread
  std::mutex mutex_;
  std::vector<Item> posted_;
  bool is_closed_ = false;
};

}  // namespace fairway::http
