// The endpoints of the service that are not the graph.
#include <fmt/format.h>

#include "async/files.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "updateservice/answer_forms.hpp"
#include "updateservice/openapi.hpp"
#include "updateservice/question.hpp"
#include "updateservice/service.hpp"
#include "updateservice/service_parts.hpp"
#include "updateservice/signatures.hpp"
#include "updateservice/tools.hpp"

namespace fairway::updateservice {
namespace {

constexpr std::size_t kMostSignatureBytes = 1024 * 1024;
constexpr std::size_t kMostRevisionBytes = 256;

std::shared_ptr<const http::PreparedAnswer> json_answer(std::string_view body) {
  return http::PreparedAnswer::make(200, {{"Content-Type", kJson}, {"Vary", "Accept, Origin"}},
                                    http::PreparedBody::make(body));
}

// To a client that is not known by an id.
graph::AllowedRules rules_without_id(bool decides_by_id) {
  return decides_by_id ? graph::AllowedRules::none() : graph::AllowedRules::all();
}

}  // namespace

Service::Reply Service::describe_itself() const {
  return json_answer(openapi_document(settings_.prefix, settings_.mandatory));
}

void Service::finish(Waiting& waiting, const Judged<std::string>& document) {
  if (!document) return refuse(waiting, document.error());
  waiting.send(json_answer(*document));
}

void Service::answer_tool(const http::RequestView& request, Endpoint endpoint, http::Responder responder) {
  parts_.metrics.requests.with({std::string(request.path)}).add();
  if (auto accepted = require_json(accept_of(request)); !accepted)
    return refuse(request, accepted.error(), std::move(responder));
  if (endpoint == Endpoint::OpenApi) {
    responder.send({openapi_, cors_headers(request)});
    return;
  }
  auto published = current();
  if (!published) return refuse(request, published.error(), std::move(responder));
  auto waiting = make_waiting(request, std::move(responder));
  waiting->published = *std::move(published);
  if (endpoint == Endpoint::Revisions) {
    if (!parts_.backstage.start("revisions", [this, waiting] { return answer_revisions(waiting); }))
      refuse(*waiting, overloaded("questions"));
    return;
  }
  const auto revision = endpoint == Endpoint::AsOf   ? parameter(request.query, "revision")
                        : endpoint == Endpoint::Diff ? parameter(request.query, "since")
                                                     : std::nullopt;
  if (endpoint == Endpoint::AsOf && !revision)
    return refuse(*waiting, missing_parameters(std::vector<std::string>{"revision"}));
  const bool started = revision ? parts_.backstage.start("past graph",
                                                         [this, endpoint, waiting, name = *revision] {
                                                           return answer_from_past(endpoint, waiting, name);
                                                         })
                                : parts_.backstage.compute("question", [this, endpoint, waiting] {
                                    compute_tool(endpoint, waiting);
                                  });
  if (!started) refuse(*waiting, overloaded("questions"));
}

void Service::compute_tool(Endpoint endpoint, std::shared_ptr<Waiting> waiting) {
  const graph::Graph& graph = waiting->published->snapshot->graph();
  const graph::AllowedRules allowed = rules_without_id(settings_.decides_by_id);
  switch (endpoint) {
    case Endpoint::Explain:
      return finish(*waiting, explain(graph, allowed, waiting->query));
    case Endpoint::Path:
      return finish(*waiting, find_way(graph, allowed, waiting->query));
    case Endpoint::Diff:
      return finish(*waiting, compare(graph, graph, allowed, waiting->query));
    default:
      return finish(*waiting, list_channels(graph));
  }
}

boost::asio::awaitable<void> Service::answer_from_past(Endpoint endpoint, std::shared_ptr<Waiting> waiting,
                                                       std::string revision) {
  if (!parts_.past_graph || revision.empty() || revision.size() > kMostRevisionBytes) {
    refuse(*waiting,
           invalid_parameters("the past is known only of graph data from Git (--graph-data git:DIR)"));
    co_return;
  }
  const auto past = co_await parts_.past_graph(std::move(revision));
  if (!past) {
    refuse(*waiting, does_not_exist(past.error().describe()));
    co_return;
  }
  const graph::AllowedRules allowed = rules_without_id(settings_.decides_by_id);
  const Judged<std::string> document = co_await parts_.backstage.pool().run([&]() -> Judged<std::string> {
    if (endpoint == Endpoint::AsOf) return render(**past, allowed, waiting->query);
    return compare(**past, waiting->published->snapshot->graph(), allowed, waiting->query);
  });
  finish(*waiting, document);
}

boost::asio::awaitable<void> Service::answer_revisions(std::shared_ptr<Waiting> waiting) {
  if (!parts_.past_revisions) {  // the source has no past
    waiting->send(json_answer(R"({"revisions":[]})"));
    co_return;
  }
  auto document = co_await parts_.past_revisions();
  if (document) {
    waiting->send(json_answer(*document));
  } else {
    refuse(*waiting, does_not_exist(document.error().describe()));
  }
}

void Service::answer_signature(const http::RequestView& request, std::string_view path,
                               http::Responder responder) {
  parts_.metrics.signature_requests.with({settings_.prefix + "/signatures"}).add();
  const auto name = parse_signature_path(path);
  if (!name) return refuse(request, name.error(), std::move(responder));
  const Problem absent =
      does_not_exist(fmt::format("signature {}={}/{}", name->algorithm, name->digest, name->name));
  if (settings_.signatures.empty()) return refuse(request, absent, std::move(responder));
  auto waiting = make_waiting(request, std::move(responder));
  const bool started = parts_.backstage.compute(
      "signature", [this, waiting, absent, file = settings_.signatures + "/" + name->file()] {
        const auto bytes = read_file(file, kMostSignatureBytes);
        if (!bytes) return refuse(*waiting, absent);
        waiting->send(http::PreparedAnswer::make(200, {{"Content-Type", "application/octet-stream"}},
                                                 http::PreparedBody::make(*bytes)));
      });
  if (!started) refuse(*waiting, overloaded("signatures"));
}

void Service::answer_graph_data(const http::RequestView& request, http::Responder responder) {
  parts_.metrics.builder_requests.with({settings_.prefix + "/graph-data"}).add();
  const auto published = current();
  if (!published || !(*published)->graph_data)
    return refuse(request, no_graph_data("graph data has not been loaded yet"), std::move(responder));
  const std::string& etag = (*published)->graph_data_etag;
  const bool has_it = request.has_header("If-None-Match") && matches(request.joined("If-None-Match"), etag);
  responder.send({has_it ? http::PreparedAnswer::make(304, {{"ETag", etag}}, http::PreparedBody::make({}))
                         : (*published)->graph_data,
                  cors_headers(request)});
}

void Service::handle_builder(const http::RequestView& request, http::Responder responder) {
  const Route route = find_route(request.path, settings_.prefix);
  if (route.endpoint != Endpoint::Graph && route.endpoint != Endpoint::GraphData) {
    responder.send({http::PreparedAnswer::make(404, {}, http::PreparedBody::make({}))});
    return;
  }
  if (answer_method(request, responder)) return;
  if (route.endpoint == Endpoint::GraphData) return answer_graph_data(request, std::move(responder));
  parts_.metrics.builder_requests.with({settings_.prefix + std::string(route.label)}).add();
  if (auto accepted = require_json(accept_of(request)); !accepted)
    return refuse(request, accepted.error(), std::move(responder));
  const auto published = current();
  if (!published) return refuse(request, published.error(), std::move(responder));
  responder.send(
      {(*published)
           ->snapshot->whole()
           ->choose({Media::Json, request.header("Accept-Encoding"), request.header("If-None-Match")})});
}

void Service::note(const http::RequestLog& answered) {
  const std::string_view path = answered.target.substr(0, answered.target.find('?'));
  if (answered.status < 400 && find_route(path, settings_.prefix).endpoint == Endpoint::Graph)
    parts_.metrics.serve_duration.observe(std::chrono::duration<double>(answered.duration).count());
  if (!log::is_enabled(log::Level::Debug)) return;
  log::debug("answered", {{"method", std::string(answered.method)},
                          {"target", std::string(answered.target)},
                          {"status", std::to_string(answered.status)},
                          {"bytes", std::to_string(answered.bytes)},
                          {"duration", format_duration(answered.duration)},
                          {"user_agent", std::string(answered.user_agent)},
                          {"peer", answered.peer.to_string()}});
}

}  // namespace fairway::updateservice
