// QueryResult: Prometheus' answer to an instant query, read as it arrives into a set of ids.
//
// A million series are a hundred megabytes of JSON and sixteen of ids, so the text is never held. Only a
// vector counts; samples without the label `_id` are counted and passed over. Whatever is not a whole,
// successful answer is an error, and an error blocks. Pure.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.hpp"
#include "updateservice/id_set.hpp"

namespace fairway::updateservice {

struct QueryResult {
  IdSet::Builder ids;
  std::size_t without_id = 0;
  std::size_t with_other_value = 0;  // neither 0 nor 1: they block
  std::size_t warnings = 0;
};

class QueryResultReader {
 public:
  static constexpr std::size_t kMostIds = 20'000'000;

  explicit QueryResultReader(std::size_t most_ids = kMostIds);
  ~QueryResultReader();
  QueryResultReader(const QueryResultReader&) = delete;
  QueryResultReader& operator=(const QueryResultReader&) = delete;

  Result<void> feed(std::string_view piece);
  Result<QueryResult> finish();

 private:
  class Listener;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fairway::updateservice
