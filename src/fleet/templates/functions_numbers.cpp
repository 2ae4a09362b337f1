#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "base/text.hpp"
#include "fleet/templates/functions.hpp"
#include "fleet/templates/values.hpp"

namespace fairway::fleet::templates {
namespace {

using Answer = Result<json::Value>;

std::unexpected<Error> too_large() {
  return fail(ErrorCode::Invalid, "the number is too large");
}

using Checked = bool (*)(std::int64_t, std::int64_t, std::int64_t*);

// Over all arguments from the left.
Answer fold(const Call& call, Checked overflows) {
  FAIRWAY_TRY(std::int64_t made, whole_at(call, 0));
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    FAIRWAY_TRY(const std::int64_t next, whole_at(call, i));
    if (overflows(made, next, &made)) return too_large();
  }
  return json::Value(made);
}

Answer divide(const Call& call, bool wants_rest) {
  FAIRWAY_TRY(const std::int64_t left, whole_at(call, 0));
  FAIRWAY_TRY(const std::int64_t right, whole_at(call, 1));
  if (right == 0) return fail(ErrorCode::Invalid, "nothing can be divided by zero");
  if (right == -1)
    return wants_rest                                         ? Answer(json::Value(std::int64_t{0}))
           : left == std::numeric_limits<std::int64_t>::min() ? Answer(too_large())
                                                              : Answer(json::Value(-left));
  return json::Value(wants_rest ? left % right : left / right);
}

Answer extreme(const Call& call, bool wants_most) {
  FAIRWAY_TRY(std::int64_t made, whole_at(call, 0));
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    FAIRWAY_TRY(const std::int64_t next, whole_at(call, i));
    made = wants_most ? std::max(made, next) : std::min(made, next);
  }
  return json::Value(made);
}

Answer rounded(const Call& call, double (*how)(double)) {
  const auto real = to_real(call.arguments[0]);
  if (!real) return fail(ErrorCode::Invalid, "argument 1 must be a number");
  return json::Value(how(*real));
}

// untilStep 3 6 2 is 3, 5.
Answer steps(const Call& call, std::int64_t from, std::int64_t to, std::int64_t step) {
  json::Array made;
  if (step == 0) return json::Value(std::move(made));
  for (std::int64_t at = from; step > 0 ? at < to : at > to;) {
    FAIRWAY_CHECKED(call.session.charge(1));
    made.push_back(at);
    if (__builtin_add_overflow(at, step, &at)) break;
  }
  return json::Value(std::move(made));
}

Answer until(const Call& call) {
  FAIRWAY_TRY(const std::int64_t count, whole_at(call, 0));
  return steps(call, 0, count, count < 0 ? -1 : 1);
}

Answer until_step(const Call& call) {
  FAIRWAY_TRY(const std::int64_t from, whole_at(call, 0));
  FAIRWAY_TRY(const std::int64_t to, whole_at(call, 1));
  FAIRWAY_TRY(const std::int64_t step, whole_at(call, 2));
  return steps(call, from, to, step);
}

Answer to_int(const Call& call) {
  if (const auto whole = to_whole(call.arguments[0])) return json::Value(*whole);
  return fail(ErrorCode::Invalid, fmt::format("{} is no whole number", quoted(text_at(call, 0))));
}

// What cannot be read is zero, as Sprig has it.
Answer int_or_zero(const Call& call) {
  return json::Value(to_whole(call.arguments[0]).value_or(0));
}

Answer to_bool(const Call& call) {
  const json::Value& value = call.arguments[0];
  if (value.is_bool()) return value;
  const std::string text = to_lower(trim(text_at(call, 0)));
  if (text == "true" || text == "1" || text == "t") return json::Value(true);
  if (text == "false" || text == "0" || text == "f") return json::Value(false);
  return fail(ErrorCode::Invalid, fmt::format("{} is neither true nor false", quoted(text)));
}

constexpr FunctionEntry kNumbersFunctions[] = {
    {"add",
     [](const Call& call) {
       return fold(call, [](std::int64_t a, std::int64_t b, std::int64_t* c) {
         return __builtin_add_overflow(a, b, c);
       });
     },
     1, kAnyNumber},
    {"add1",
     [](const Call& call) -> Answer {
       FAIRWAY_TRY(std::int64_t made, whole_at(call, 0));
       if (__builtin_add_overflow(made, 1, &made)) return too_large();
       return json::Value(made);
     },
     1, 1},
    {"sub",
     [](const Call& call) {
       return fold(call, [](std::int64_t a, std::int64_t b, std::int64_t* c) {
         return __builtin_sub_overflow(a, b, c);
       });
     },
     2, 2},
    {"mul",
     [](const Call& call) {
       return fold(call, [](std::int64_t a, std::int64_t b, std::int64_t* c) {
         return __builtin_mul_overflow(a, b, c);
       });
     },
     1, kAnyNumber},
    {"div", [](const Call& call) { return divide(call, false); }, 2, 2},
    {"mod", [](const Call& call) { return divide(call, true); }, 2, 2},
    {"max", [](const Call& call) { return extreme(call, true); }, 1, kAnyNumber},
    {"min", [](const Call& call) { return extreme(call, false); }, 1, kAnyNumber},
    {"floor", [](const Call& call) { return rounded(call, [](double value) { return std::floor(value); }); },
     1, 1},
    {"ceil", [](const Call& call) { return rounded(call, [](double value) { return std::ceil(value); }); }, 1,
     1},
    {"round", [](const Call& call) { return rounded(call, [](double value) { return std::round(value); }); },
     1, 2},
    {"until", until, 1, 1},
    {"untilStep", until_step, 3, 3},
    {"atoi", int_or_zero, 1, 1},
    {"int", int_or_zero, 1, 1},
    {"int64", int_or_zero, 1, 1},
    {"float64",
     [](const Call& call) -> Answer { return json::Value(to_real(call.arguments[0]).value_or(0)); }, 1, 1},
    {"toInt", to_int, 1, 1},
    {"toBool", to_bool, 1, 1},
};

}  // namespace

std::span<const FunctionEntry> number_functions() {
  return kNumbersFunctions;
}

}  // namespace fairway::fleet::templates
