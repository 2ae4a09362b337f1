#include <chrono>
#include <cmath>

#include "promql/kernels.hpp"

namespace fairway::promql {

double date_part(DatePart part, double seconds) {
  using namespace std::chrono;
  constexpr double kLargest = 1e12;  // the calendar of <chrono> ends near the year 32767
  if (!(std::abs(seconds) < kLargest)) return kNaN;
  const sys_seconds time{std::chrono::seconds(static_cast<std::int64_t>(seconds))};
  const sys_days day = floor<days>(time);
  const year_month_day date(day);
  if (!date.ok()) return kNaN;
  const hh_mm_ss clock(time - day);
  switch (part) {
    case DatePart::Minute:
      return static_cast<double>(clock.minutes().count());
    case DatePart::Hour:
      return static_cast<double>(clock.hours().count());
    case DatePart::DayOfWeek:
      return weekday(day).c_encoding();
    case DatePart::DayOfMonth:
      return static_cast<unsigned>(date.day());
    case DatePart::DayOfYear:
      return static_cast<double>((day - sys_days(date.year() / January / 1)).count() + 1);
    case DatePart::DaysInMonth:
      return static_cast<unsigned>((date.year() / date.month() / last).day());
    case DatePart::Month:
      return static_cast<unsigned>(date.month());
    case DatePart::Year:
      return static_cast<int>(date.year());
  }
  return kNaN;
}

}  // namespace fairway::promql
