// Problem: why a client gets no graph, in the protocol's own words.
//
// Every error of the service is one of these kinds; kind, status and the beginning of the text are what
// clients and dashboards of the reference know. Pure.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>

namespace fairway::updateservice {

struct Problem {
  int status = 500;
  std::string_view kind;   // one of the kinds below
  std::string value = {};  // one sentence for people

  std::string to_json() const;  // {"kind":"…","value":"…"}
};

template <class T>
using Judged = std::expected<T, Problem>;

Problem invalid_content_type();                                  // 406
Problem missing_parameters(std::span<const std::string> names);  // 400; names in order
Problem invalid_parameters(std::string_view why);                // 400
Problem no_graph(std::string_view why);                          // 500: nothing has been built yet
Problem no_graph_data(std::string_view why);                     // 500
Problem does_not_exist(std::string_view what);                   // 404
Problem unauthorized();                                          // 401: a client's token is missing or wrong
Problem too_many_requests(std::string_view source);              // 429
Problem overloaded(std::string_view what);                       // 503

}  // namespace fairway::updateservice
