#include "http/prepared.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

#include "base/text.hpp"

namespace fairway::http {
namespace {

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Connections need descriptors too: bodies leave them half of those that the process may have. A new
// descriptor is the lowest free number, so its number says how many there are.
bool leaves_room(int file) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && static_cast<rlim_t>(file) < limit.rlim_cur / 2;
}

// Sealed, so that not even a defect of ours can change or shorten what is being sent.
int make_file(std::string_view bytes) {
  const int file = ::memfd_create("prepared-body", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return -1;
  constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
  if (leaves_room(file) && write_all(file, bytes) && ::fcntl(file, F_ADD_SEALS, kSeals) == 0) return file;
  ::close(file);
  return -1;
}

bool is_ours_to_say(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames = {"content-length", "transfer-encoding", "connection",
                                                      "date"};
  return std::ranges::any_of(kNames, [&](std::string_view own) { return equals_ignoring_case(own, name); });
}

void append_line(std::string& head, std::string_view name, std::string_view value) {
  head.append(name).append(": ");
  for (const char c : value) head += c == '\r' || c == '\n' || c == '\0' ? ' ' : c;
  head += "\r\n";
}

}  // namespace

PreparedBody::PreparedBody(int file, std::size_t size, std::string text)
    : file_(file), size_(size), text_(std::move(text)) {}

std::shared_ptr<const PreparedBody> PreparedBody::make(std::string_view bytes) {
  const int file = bytes.size() >= kSmallestFile ? make_file(bytes) : -1;
  // The constructor is private, so make_shared cannot call it.
  return std::shared_ptr<const PreparedBody>(
      new PreparedBody(file, bytes.size(), std::string(file < 0 ? bytes : std::string_view())));
}

PreparedBody::~PreparedBody() {
  if (file_ >= 0) ::close(file_);
}

std::string PreparedBody::to_string() const {
  if (file_ < 0) return text_;
  std::string text(size_, '\0');
  for (std::size_t at = 0; at < size_;) {
    const auto got = ::pread(file_, text.data() + at, size_ - at, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    FAIRWAY_CHECK(got > 0, "a sealed memory file has fewer bytes than were written to it");
    at += static_cast<std::size_t>(got);
  }
  return text;
}

PreparedAnswer::PreparedAnswer(int status, std::string head, std::shared_ptr<const PreparedBody> body)
    : status_(status), head_(std::move(head)), body_(std::move(body)) {}

std::shared_ptr<const PreparedAnswer> PreparedAnswer::make(int status, const Headers& headers,
                                                           std::shared_ptr<const PreparedBody> body) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", status, reason_phrase(status));
  for (const auto& [name, value] : headers)
    if (!is_ours_to_say(name)) append_line(head, name, value);
  const bool has_body = status >= 200 && status != 204 && status != 304;
  if (has_body) fmt::format_to(std::back_inserter(head), "Content-Length: {}\r\n", body ? body->size() : 0);
  if (!has_body) body.reset();
  return std::shared_ptr<const PreparedAnswer>(new PreparedAnswer(status, std::move(head), std::move(body)));
}

std::string format_http_date(WallTime time) {
  constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - day));
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                     kDays[std::chrono::weekday(day).c_encoding()], static_cast<unsigned>(date.day()),
                     kMonths[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

}  // namespace fairway::http
