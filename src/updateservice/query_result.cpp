#include "updateservice/query_result.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "json/stream.hpp"

namespace fairway::updateservice {
namespace {

// Prometheus writes numbers as Go does; 1 may also come as 1e0 from stores that speak its protocol.
IdVerdict verdict_of(std::string_view value) {
  if (value == "1") return IdVerdict::Allowed;
  if (value == "0") return IdVerdict::Blocked;
  double number = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (problem != std::errc{} || end != value.data() + value.size()) return IdVerdict::Unknown;
  return number == 1 ? IdVerdict::Allowed : number == 0 ? IdVerdict::Blocked : IdVerdict::Unknown;
}

}  // namespace

// Follows the path of keys into the document:
// {"status","data":{"resultType","result":[{"metric":{"_id"},"value":[t,"v"]}]},"error","warnings":[…]}
class QueryResultReader::Listener final : public json::StreamEvents {
 public:
  explicit Listener(std::size_t most_ids) : most_ids_(most_ids) {}

  bool begin_object() override {
    if (at({"data", "result", "[]"})) sample_ = {};
    return enter("");
  }
  bool end_object() override {
    leave();
    return !at({"data", "result", "[]"}) || add_sample();
  }
  bool begin_array() override { return enter("[]"); }
  bool end_array() override {
    leave();
    return true;
  }
  bool key(std::string_view name) override {
    path_.back() = name;
    return true;
  }
  bool string(std::string_view text) override {
    if (at({"status"})) status = text;
    if (at({"error"})) error = text;
    if (at({"data", "resultType"})) type = text;
    if (at({"warnings", "[]"})) ++result.warnings;
    if (at({"data", "result", "[]", "metric", "_id"})) sample_.id = text;
    if (at({"data", "result", "[]", "value", "[]"})) sample_.value = text;
    return true;
  }
  bool number(double) override { return true; }
  bool other() override { return true; }

  QueryResult result;
  std::string status;
  std::string error;
  std::string type;
  bool has_too_many = false;

 private:
  struct Sample {
    std::optional<std::string> id;
    std::optional<std::string> value;
  };

  bool enter(std::string_view step) {
    path_.emplace_back(step);
    return true;
  }
  void leave() { path_.pop_back(); }

  bool at(std::initializer_list<std::string_view> path) const {
    return std::equal(path_.begin(), path_.end(), path.begin(), path.end());
  }

  bool add_sample() {
    if (!sample_.id || sample_.id->empty()) {
      ++result.without_id;
      return true;
    }
    const IdVerdict verdict = sample_.value ? verdict_of(*sample_.value) : IdVerdict::Unknown;
    if (verdict == IdVerdict::Unknown) ++result.with_other_value;
    result.ids.add(*sample_.id, verdict);
    has_too_many = result.ids.size() > most_ids_;
    return !has_too_many;
  }

  std::size_t most_ids_;
  std::vector<std::string> path_;
  Sample sample_;
};

struct QueryResultReader::Impl {
  explicit Impl(std::size_t most_ids) : most(most_ids), listener(most_ids), reader(listener) {}

  Result<void> explained(Result<void> read) const {
    if (read) return read;
    if (listener.has_too_many)
      return fail(ErrorCode::Invalid, fmt::format("the answer has more than {} clusters", most));
    return std::unexpected(std::move(read).error().within("while reading Prometheus' answer"));
  }

  std::size_t most;
  Listener listener;
  json::StreamReader reader;
};

QueryResultReader::QueryResultReader(std::size_t most_ids) : impl_(std::make_unique<Impl>(most_ids)) {}
QueryResultReader::~QueryResultReader() = default;

Result<void> QueryResultReader::feed(std::string_view piece) {
  return impl_->explained(impl_->reader.feed(piece));
}

Result<QueryResult> QueryResultReader::finish() {
  FAIRWAY_CHECKED(impl_->explained(impl_->reader.finish()));
  Listener& listener = impl_->listener;
  if (listener.status != "success") {
    return fail(
        ErrorCode::Invalid,
        fmt::format("Prometheus refused the query: {}",
                    listener.error.empty() ? "its answer has no status \"success\"" : listener.error));
  }
  if (listener.type != "vector") {
    return fail(ErrorCode::Invalid,
                fmt::format("expected a query with one sample for each cluster (a vector by _id), "
                            "found a result of type {}",
                            quoted(listener.type)));
  }
  return std::move(listener.result);
}

}  // namespace fairway::updateservice
