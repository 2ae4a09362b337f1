#include "updateservice/service.hpp"

#include <fmt/format.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "updateservice/question.hpp"
#include "updateservice/service_parts.hpp"

namespace fairway::updateservice {
namespace {

constexpr std::size_t kMostIdBytes = 256;

}  // namespace

Service::Service(ServiceSettings settings, Parts parts)
    : settings_(std::move(settings)),
      parts_(std::move(parts)),
      rate_limit_(settings_.client_rate),
      openapi_(describe_itself()),
      failure_(std::make_shared<const std::string>("no graph has been built yet")) {
  std::size_t place = 0;
  for (const std::string_view label : {"/graph", "/v1/graph"}) {
    const std::string path = settings_.prefix + std::string(label);
    PathCounters& counters = graph_counters_[place++];
    counters = {label, &parts_.metrics.requests.with({path}), {}};
    for (const Media media : {Media::Json, Media::CincinnatiV1}) {
      counters.negotiated[static_cast<std::size_t>(media)] =
          &parts_.metrics.negotiated.with({path, std::string(to_string(media))});
    }
  }
}

std::shared_ptr<const Published> Service::publish(std::shared_ptr<const Published> published) {
  return published_.exchange(std::move(published), std::memory_order_acq_rel);
}

void Service::set_failure(std::string why) {
  failure_.store(std::make_shared<const std::string>(std::move(why)), std::memory_order_release);
}

Judged<std::shared_ptr<const Published>> Service::current() const {
  auto published = published_.load(std::memory_order_acquire);
  if (!published) return std::unexpected(no_graph(*failure_.load(std::memory_order_acquire)));
  return published;
}

Service::Reply Service::error_answer(const Problem& problem) {
  parts_.metrics.response_errors.with({std::to_string(problem.status), std::string(problem.kind)}).add();
  http::Headers headers{{"Content-Type", std::string(kJson)}, {"Vary", "Accept, Origin"}};
  if (problem.status == 401) headers.add("WWW-Authenticate", "Bearer");
  if (problem.status == 429 || problem.status == 503) headers.add("Retry-After", "1");
  return http::PreparedAnswer::make(problem.status, headers, http::PreparedBody::make(problem.to_json()));
}

void Service::refuse(const http::RequestView& request, const Problem& problem, http::Responder responder) {
  log::info("refused", {{"status", std::to_string(problem.status)},
                        {"kind", std::string(problem.kind)},
                        {"why", problem.value},
                        {"method", std::string(request.method)},
                        {"path", std::string(request.path)},
                        {"query", std::string(request.query)},
                        {"user_agent", std::string(request.header("User-Agent"))},
                        {"accept", std::string(request.header("Accept"))},
                        {"peer", request.peer.to_string()}});
  responder.send({error_answer(problem), cors_headers(request)});
}

void Service::refuse(Waiting& waiting, const Problem& problem) {
  log::info("refused", {{"status", std::to_string(problem.status)},
                        {"kind", std::string(problem.kind)},
                        {"why", problem.value},
                        {"method", waiting.method},
                        {"target", waiting.target},
                        {"peer", waiting.peer}});
  waiting.send(error_answer(problem));
}

std::shared_ptr<Service::Waiting> Service::make_waiting(const http::RequestView& request,
                                                        http::Responder responder) const {
  return std::make_shared<Waiting>(Waiting{.responder = std::move(responder),
                                           .more_headers = cors_headers(request),
                                           .method = std::string(request.method),
                                           .target = std::string(request.target),
                                           .query = std::string(request.query),
                                           .peer = request.peer.to_string(),
                                           .accept_encoding = request.joined("Accept-Encoding"),
                                           .if_none_match = request.joined("If-None-Match")});
}

// Everything but GET and HEAD. True when it has been answered.
bool Service::answer_method(const http::RequestView& request, http::Responder& responder) {
  if (request.method == "GET" || request.method == "HEAD") return false;
  if (request.method == "OPTIONS" && request.has_header("Origin")) {
    static const auto preflight =
        http::PreparedAnswer::make(200, {{"Access-Control-Allow-Methods", "GET, HEAD"}, {"Vary", "Origin"}},
                                   http::PreparedBody::make({}));
    responder.send({preflight, cors_headers(request)});
    return true;
  }
  static const auto refusal =
      http::PreparedAnswer::make(405, {{"Allow", "GET, HEAD"}}, http::PreparedBody::make({}));
  responder.send({refusal, cors_headers(request)});
  return true;
}

void Service::handle(const http::RequestView& request, http::Responder responder) {
  const Route route = find_route(request.path, settings_.prefix);
  if (route.endpoint == Endpoint::Unknown) {
    static const auto not_found = http::PreparedAnswer::make(404, {}, http::PreparedBody::make({}));
    responder.send({not_found, cors_headers(request)});
    return;
  }
  if (answer_method(request, responder)) return;
  switch (route.endpoint) {
    case Endpoint::Graph:
      return answer_graph(request, route, std::move(responder));
    case Endpoint::GraphData:
      return answer_graph_data(request, std::move(responder));
    case Endpoint::Signatures:
      return answer_signature(request, route.rest, std::move(responder));
    default:
      return answer_tool(request, route.endpoint, std::move(responder));
  }
}

void Service::answer_graph(const http::RequestView& request, const Route& route, http::Responder responder) {
  PathCounters& counters = graph_counters_[route.label == graph_counters_[0].label ? 0 : 1];
  counters.requests->add();
  const auto media = choose_media(accept_of(request));
  if (!media) return refuse(request, media.error(), std::move(responder));
  const auto question = read_graph_question(request.query, settings_.mandatory);
  if (!question) return refuse(request, question.error(), std::move(responder));
  auto published = current();
  if (!published) return refuse(request, published.error(), std::move(responder));
  counters.negotiated[static_cast<std::size_t>(*media)]->add();
  const Snapshot& snapshot = *(*published)->snapshot;
  const Snapshot::View* view = snapshot.find(question->channel, question->arch);
  if (view && !view->rules.empty() && question->id)
    return answer_by_id(request, *media, *question->id, *std::move(published), *view, std::move(responder));
  const AnswerForms& forms = view ? *view->forms : snapshot.empty();
  responder.send({forms.choose({*media, request.header("Accept-Encoding"), request.header("If-None-Match")}),
                  cors_headers(request)});
}

void Service::answer_by_id(const http::RequestView& request, Media media, const std::string& id,
                           std::shared_ptr<const Published> published, const Snapshot::View& view,
                           http::Responder responder) {
  if (parts_.tokens && !parts_.tokens->accepts(request.header("Authorization")))
    return refuse(request, unauthorized(), std::move(responder));
  if (!rate_limit_.allows(request.peer, parts_.clock.steady())) {
    parts_.metrics.rate_limited.add();
    return refuse(request, too_many_requests(request.peer.to_string()), std::move(responder));
  }
  parts_.metrics.by_id.add();
  // An id that no cluster can have is answered like none.
  const bool is_plausible = !id.empty() && id.size() <= kMostIdBytes;
  const IdKey key = is_plausible ? key_of(id) : IdKey{};
  const Verdicts verdicts =
      is_plausible ? parts_.targeting->verdicts(published->rules, view.rules, key) : Verdicts{};
  const FormRequest form{media, request.header("Accept-Encoding"), request.header("If-None-Match")};
  auto forms = published->snapshot->find_variant(view, verdicts.allowed);
  if (verdicts.expired.empty() && forms) {
    responder.send({forms->choose(form), cors_headers(request)});
    return;
  }
  auto waiting = make_waiting(request, std::move(responder));
  waiting->media = media;
  waiting->id = key;
  waiting->view = &view;
  waiting->published = std::move(published);
  if (parts_.backstage.start("answer by id", [this, waiting] { return answer_later(waiting); })) return;
  // Too many wait already. What nobody can tell in time is blocked.
  waiting->send(view.forms->choose(form));
}

boost::asio::awaitable<void> Service::answer_later(std::shared_ptr<Waiting> waiting) {
  const Published& published = *waiting->published;
  const Snapshot& snapshot = *published.snapshot;
  const Snapshot::View& view = *waiting->view;
  Verdicts verdicts = parts_.targeting->verdicts(published.rules, view.rules, waiting->id);
  if (!verdicts.expired.empty()) {
    co_await parts_.targeting->refresh(published.rules, verdicts.expired);
    verdicts = parts_.targeting->verdicts(published.rules, view.rules, waiting->id);
  }
  auto forms = snapshot.find_variant(view, verdicts.allowed);
  if (!forms) {
    forms = co_await parts_.backstage.pool().run(
        [&snapshot, &view, allowed = verdicts.allowed] { return snapshot.make_variant(view, allowed); });
  }
  waiting->send(forms->choose({waiting->media, waiting->accept_encoding, waiting->if_none_match}));
}

}  // namespace fairway::updateservice
