#include "promql/result_format.hpp"

#include <fmt/format.h>

namespace fairway::promql {
namespace {

std::string stamped(const Sample& sample) {
  return fmt::format("{} @[{}]", format_value(sample.value), format_seconds(sample.time));
}

json::Value json_seconds(Millis time) {
  if (time % 1000 == 0) return time / 1000;
  return seconds(time);
}

json::Object series_object(const ResultSeries& series, bool is_matrix) {
  json::Object object{{"metric", to_json(series.labels)}};
  if (!is_matrix) {
    object["value"] = to_json(series.samples.front());
    return object;
  }
  json::Array values;
  for (const Sample& sample : series.samples) values.push_back(to_json(sample));
  object["values"] = std::move(values);
  return object;
}

}  // namespace

std::string to_text(const QueryResult& result) {
  if (result.type == ValueType::Scalar) return fmt::format("scalar: {}\n", stamped(result.scalar));
  if (result.type == ValueType::String) return result.text + "\n";
  std::string text;
  for (const ResultSeries& series : result.series) {
    if (result.type == ValueType::Vector) {
      text += fmt::format("{} => {}\n", series.labels.to_metric(), stamped(series.samples.front()));
      continue;
    }
    text += fmt::format("{} =>\n", series.labels.to_metric());
    for (const Sample& sample : series.samples) text += fmt::format("{}\n", stamped(sample));
  }
  return text;
}

json::Object to_json(const Labels& labels) {
  json::Object object;
  for (const Label label : labels) object[label.name] = label.value;
  return object;
}

json::Array to_json(const Sample& sample) {
  return {json_seconds(sample.time), format_value(sample.value)};
}

json::Object to_json(const QueryResult& result) {
  json::Object data{{"resultType", to_string(result.type)}};
  if (result.type == ValueType::Scalar) {
    data["result"] = to_json(result.scalar);
  } else if (result.type == ValueType::String) {
    data["result"] = json::Array{json_seconds(result.scalar.time), result.text};
  } else {
    json::Array series;
    for (const ResultSeries& one : result.series) {
      series.push_back(series_object(one, result.type == ValueType::Matrix));
    }
    data["result"] = std::move(series);
  }
  return data;
}

}  // namespace fairway::promql
