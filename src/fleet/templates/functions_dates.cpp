#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "fleet/templates/functions.hpp"
#include "fleet/templates/go_time.hpp"
#include "fleet/templates/values.hpp"

namespace fairway::fleet::templates {
namespace {

using Answer = Result<json::Value>;

constexpr std::string_view kRfc3339 = "2006-01-02T15:04:05Z07:00";

constexpr std::size_t kReadInAStep = 256;

// Its year is one that fits, in any zone.
bool is_in_range(WallTime time) {
  constexpr WallTime kFirst{std::chrono::sys_days(std::chrono::year(1678) / 1 / 3)};
  constexpr WallTime kLast{std::chrono::sys_days(std::chrono::year(2261) / 12 / 29)};
  return time >= kFirst && time <= kLast;
}

std::unexpected<Error> out_of_range() {
  return fail(ErrorCode::Invalid, "the time is not between the years 1678 and 2261");
}

Answer printed(GoTime time) {
  return json::Value(format_time(time, kPrintedTime));
}

Result<WallTime> now_of(const Call& call) {
  const Settings& settings = call.session.settings();
  if (settings.now) return *settings.now;
  if (settings.side == Side::Hub)
    return fail(
        ErrorCode::Unsupported,
        "a template of the hub has no time: each look would be another, and would write the policy of "
        "every cluster anew; use it in a template of the cluster, {{ now }}");
  return fail(ErrorCode::Unsupported, "the time is not known here");
}

std::optional<GoTime> time_in(const json::Value& value) {
  if (value.is_int64()) {
    Duration::rep nanoseconds = 0;
    if (__builtin_mul_overflow(value.get_int64(), 1'000'000'000, &nanoseconds)) return std::nullopt;
    return GoTime{.at = WallTime(Duration(nanoseconds))};
  }
  if (!value.is_string()) return std::nullopt;
  for (const std::string_view layout : {kPrintedTime, kRfc3339})
    if (auto found = parse_time(json::view(value.get_string()), layout)) return *found;
  return std::nullopt;
}

Result<GoTime> time_at(const Call& call, std::size_t index) {
  const json::Value& value = call.arguments[index];
  if (value.is_string()) FAIRWAY_CHECKED(call.session.charge(value.get_string().size() / kReadInAStep));
  const auto found = time_in(value);
  if (!found)
    return fail(ErrorCode::Invalid,
                fmt::format("argument {} must be a time (of now or toDate, as in RFC 3339, or "
                            "in seconds since 1970), found {}",
                            index + 1,
                            value.is_string() ? quoted(json::view(value.get_string()))
                                              : fmt::format("a {}", kind_word(value))));
  if (!is_in_range(found->at)) return out_of_range();
  return *found;
}

Answer formatted_in(const Call& call, std::string_view layout, std::size_t time, std::string_view zone) {
  FAIRWAY_CHECKED(call.session.charge(layout.size() / kReadInAStep));
  FAIRWAY_TRY(GoTime found, time_at(call, time));
  FAIRWAY_TRY(found.offset, parse_zone(zone));
  return json::Value(format_time(found, layout));
}

// dateModify "-1.5h" time
Answer modified(const Call& call) {
  const auto by = parse_duration(text_at(call, 0));
  if (!by)
    return fail(ErrorCode::Invalid,
                fmt::format("{} is no duration; expected one like -1.5h", quoted(text_at(call, 0))));
  FAIRWAY_TRY(GoTime time, time_at(call, 1));
  Duration::rep sum = 0;
  if (__builtin_add_overflow(time.at.time_since_epoch().count(), by->count(), &sum)) return out_of_range();
  time.at = WallTime(Duration(sum));
  if (!is_in_range(time.at)) return out_of_range();
  return printed(time);
}

Answer to_date(const Call& call) {
  const std::string layout = text_at(call, 0);
  const std::string text = text_at(call, 1);
  FAIRWAY_CHECKED(call.session.charge((layout.size() + text.size()) / kReadInAStep));
  FAIRWAY_TRY(const GoTime time, parse_time(text, layout));
  return printed(time);
}

Result<Duration> since(const Call& call, std::size_t index) {
  FAIRWAY_TRY(const WallTime now, now_of(call));
  FAIRWAY_TRY(const GoTime time, time_at(call, index));
  Duration::rep difference = 0;
  if (__builtin_sub_overflow(now.time_since_epoch().count(), time.at.time_since_epoch().count(), &difference))
    return out_of_range();
  return Duration(difference);
}

Answer ago(const Call& call) {
  FAIRWAY_TRY(const Duration passed, since(call, 0));
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(passed);
  const Duration rest = passed - seconds;
  if (rest >= std::chrono::milliseconds(500)) ++seconds;
  if (rest <= std::chrono::milliseconds(-500)) --seconds;
  // Rounding away from zero may leave what nanoseconds can count.
  constexpr auto kMost = std::chrono::duration_cast<std::chrono::seconds>(Duration::max());
  return json::Value(format_duration(std::clamp(seconds, -kMost, kMost)));
}

Answer duration(const Call& call) {
  FAIRWAY_TRY(const std::int64_t seconds, whole_at(call, 0));
  Duration::rep nanoseconds = 0;
  if (__builtin_mul_overflow(seconds, 1'000'000'000, &nanoseconds))
    return fail(ErrorCode::Invalid, "the duration is too long");
  return json::Value(format_duration(Duration(nanoseconds)));
}

// To the largest unit; of a duration, of nanoseconds, or of the time since then.
Answer duration_round(const Call& call) {
  const json::Value& value = call.arguments[0];
  Duration length = {};
  if (value.is_int64()) {
    length = Duration(value.get_int64());
  } else if (const auto found = parse_duration(text_at(call, 0))) {
    length = *found;
  } else {
    FAIRWAY_TRY(length, since(call, 0));
  }
  const auto bits = static_cast<std::uint64_t>(length.count());
  const std::uint64_t size = length < Duration::zero() ? ~bits + 1 : bits;
  constexpr std::uint64_t kSecond = 1'000'000'000;
  constexpr std::uint64_t kDay = 24 * 3600 * kSecond;
  constexpr std::pair<std::uint64_t, std::string_view> kUnits[] = {{365 * kDay, "y"},   {30 * kDay, "mo"},
                                                                   {kDay, "d"},         {3600 * kSecond, "h"},
                                                                   {60 * kSecond, "m"}, {kSecond, "s"}};
  for (const auto& [unit, name] : kUnits)
    if (size > unit) return json::Value(fmt::format("{}{}", size / unit, name));
  return json::Value("0s");
}

constexpr Function kDateInZone = [](const Call& call) {
  return formatted_in(call, text_at(call, 0), 1, text_at(call, 2));
};

constexpr FunctionEntry kDatesFunctions[] = {
    {"now",
     [](const Call& call) -> Answer {
       FAIRWAY_TRY(const WallTime now, now_of(call));
       return printed({.at = now});
     },
     0, 0},
    {"date", [](const Call& call) { return formatted_in(call, text_at(call, 0), 1, "UTC"); }, 2, 2},
    {"dateInZone", kDateInZone, 3, 3},
    {"date_in_zone", kDateInZone, 3, 3},
    {"htmlDate", [](const Call& call) { return formatted_in(call, "2006-01-02", 0, "UTC"); }, 1, 1},
    {"htmlDateInZone", [](const Call& call) { return formatted_in(call, "2006-01-02", 0, text_at(call, 1)); },
     2, 2},
    {"dateModify", modified, 2, 2},
    {"date_modify", modified, 2, 2},
    {"mustDateModify", modified, 2, 2},
    {"must_date_modify", modified, 2, 2},
    {"toDate", to_date, 2, 2},
    {"mustToDate", to_date, 2, 2},
    {"unixEpoch",
     [](const Call& call) -> Answer {
       FAIRWAY_TRY(const GoTime time, time_at(call, 0));
       return json::Value(
           fmt::to_string(std::chrono::floor<std::chrono::seconds>(time.at).time_since_epoch().count()));
     },
     1, 1},
    {"duration", duration, 1, 1},
    {"durationRound", duration_round, 1, 1},
    {"ago", ago, 1, 1},
};

}  // namespace

std::span<const FunctionEntry> date_functions() {
  return kDatesFunctions;
}

}  // namespace fairway::fleet::templates
