#include "clusterversion/query_answer.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "json/value.hpp"

namespace fairway::clusterversion {
namespace {

constexpr bool kNotJudged = false;

std::unexpected<QueryFailure> failed(std::string why, bool was_judged = true) {
  return std::unexpected(QueryFailure{std::move(why), was_judged});
}

std::unexpected<QueryFailure> bad_response(std::string_view what) {
  return failed(fmt::format("executing PromQL query: bad_response: {}", what), kNotJudged);
}

// The second element of a sample, [time, "value"].
std::optional<std::string> value_of(const json::Value& sample) {
  const json::Object* object = sample.if_object();
  const json::Array* pair = object == nullptr ? nullptr : json::get_array(*object, {"value"});
  if (pair == nullptr || pair->size() != 2 || !(*pair)[1].is_string()) return std::nullopt;
  return std::string(json::view((*pair)[1].get_string()));
}

QueryOutcome read_data(const json::Object& answer) {
  const auto type = json::get_string(answer, {"data", "resultType"});
  if (!type) return bad_response("the answer has no resultType");
  if (*type != "vector") return judge_result(*type, {});
  const json::Array* result = json::get_array(answer, {"data", "result"});
  if (result == nullptr) return bad_response("the answer has no result");
  std::vector<std::string> values;
  for (const json::Value& sample : *result) {
    auto value = value_of(sample);
    if (!value) return bad_response("a sample of the result has no value");
    values.push_back(*std::move(value));
  }
  return judge_result(*type, values);
}

QueryOutcome read_body(std::string_view body) {
  const auto answer = json::parse_object(body);
  if (!answer) return bad_response(answer.error().message);
  if (json::get_string(*answer, {"status"}) == "success") return read_data(*answer);
  return failed(fmt::format(
      "executing PromQL query: {}: {}", json::get_string(*answer, {"errorType"}).value_or("bad_response"),
      json::get_string(*answer, {"error"}).value_or("the answer is no success and has no error")));
}

}  // namespace

QueryOutcome judge_result(std::string_view type, const std::vector<std::string>& values) {
  if (type != "vector") return failed(fmt::format("invalid PromQL result type is {}, not vector", type));
  if (values.size() != 1)
    return failed(fmt::format("invalid PromQL result length must be one, but is {}", values.size()));
  const auto number = parse_double(values.front());
  if (number == 0) return false;
  if (number == 1) return true;
  return failed(fmt::format("invalid PromQL result (must be 0 or 1): {}", values.front()));
}

QueryOutcome read_query_answer(int status, std::string_view body) {
  if (status / 100 == 2 || status == 400 || status == 422) return read_body(body);
  if (status / 100 == 4) {
    return failed(fmt::format("executing PromQL query: client_error: client error: {}", status),
                  status != 401 && status != 403 && status != 404);
  }
  if (status / 100 == 5)
    return failed(fmt::format("executing PromQL query: server_error: server error: {}", status), kNotJudged);
  return bad_response(fmt::format("bad response code {}", status));
}

QueryFailure unreachable(std::string_view url, std::string_view error) {
  return {fmt::format("executing PromQL query: Get {}: {}", quoted(url), error), kNotJudged};
}

}  // namespace fairway::clusterversion
