// Service: answers requests from what is published.
//
// handle() is called on the server's threads. A graph is a lookup; what takes time (a client's id that
// Prometheus has to be asked about, explanations, paths, files) goes backstage and is answered from there. No
// request waits for a reload: whatever is published when it arrives is what it gets.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "http/prepared_server.hpp"
#include "updateservice/backstage.hpp"
#include "updateservice/client_tokens.hpp"
#include "updateservice/problem.hpp"
#include "updateservice/published.hpp"
#include "updateservice/rate_limit.hpp"
#include "updateservice/routes.hpp"
#include "updateservice/service_metrics.hpp"

namespace fairway::updateservice {

struct ServiceSettings {
  std::string prefix = {};  // normalised
  std::set<std::string> mandatory = {"channel"};
  std::string signatures = {};  // a folder; empty: none
  bool decides_by_id = false;
  double client_rate = 0;  // requests with an id a second from one source; 0: any number
};

// A graph that is not the one being served: as of a Git revision or a date.
using PastGraph = std::function<Task<std::shared_ptr<const graph::Graph>>(std::string revision)>;

// The revisions of which there are such graphs, as the document that clients get.
using PastRevisions = std::function<Task<std::string>()>;

class Service {
 public:
  struct Parts {  // all outlive the service
    Clock& clock;
    Backstage& backstage;
    ServiceMetrics& metrics;
    Targeting* targeting = nullptr;        // none: not decided by id
    const ClientTokens* tokens = nullptr;  // none: any client may send an id
    PastGraph past_graph = {};             // empty: the source has no past
    PastRevisions past_revisions = {};     // likewise
  };

  Service(ServiceSettings settings, Parts parts);

  // From any thread. Gives back what was published before: requests may still be using it, and whoever lets
  // go of it last spends milliseconds on its end, so that should not be one of them.
  [[nodiscard]] std::shared_ptr<const Published> publish(std::shared_ptr<const Published> published);
  std::shared_ptr<const Published> published() const { return published_.load(std::memory_order_acquire); }
  // What a client is told while nothing has been published.
  void set_failure(std::string why);

  // The policy engine's and the metadata helper's endpoints.
  void handle(const http::RequestView& request, http::Responder responder);
  // The builder's: the whole graph, and graph data.
  void handle_builder(const http::RequestView& request, http::Responder responder);
  // After each answer, for the metrics.
  void note(const http::RequestLog& answered);

 private:
  struct Waiting;
  using Reply = std::shared_ptr<const http::PreparedAnswer>;

  void answer_graph(const http::RequestView& request, const Route& route, http::Responder responder);
  void answer_by_id(const http::RequestView& request, Media media, const std::string& id,
                    std::shared_ptr<const Published> published, const Snapshot::View& view,
                    http::Responder responder);
  boost::asio::awaitable<void> answer_later(std::shared_ptr<Waiting> waiting);
  void answer_tool(const http::RequestView& request, Endpoint endpoint, http::Responder responder);
  void compute_tool(Endpoint endpoint, std::shared_ptr<Waiting> waiting);
  boost::asio::awaitable<void> answer_from_past(Endpoint endpoint, std::shared_ptr<Waiting> waiting,
                                                std::string revision);
  boost::asio::awaitable<void> answer_revisions(std::shared_ptr<Waiting> waiting);
  void answer_signature(const http::RequestView& request, std::string_view path, http::Responder responder);
  void answer_graph_data(const http::RequestView& request, http::Responder responder);
  bool answer_method(const http::RequestView& request, http::Responder& responder);

  std::shared_ptr<Waiting> make_waiting(const http::RequestView& request, http::Responder responder) const;
  void refuse(const http::RequestView& request, const Problem& problem, http::Responder responder);
  void refuse(Waiting& waiting, const Problem& problem);
  void finish(Waiting& waiting, const Judged<std::string>& document);
  Reply error_answer(const Problem& problem);
  Reply describe_itself() const;
  Judged<std::shared_ptr<const Published>> current() const;

  ServiceSettings settings_;
  Parts parts_;
  RateLimit rate_limit_;
  Reply openapi_;  // the same for everyone
  std::atomic<std::shared_ptr<const Published>> published_;
  std::atomic<std::shared_ptr<const std::string>> failure_;
  struct PathCounters {
    std::string_view label;
    metrics::Counter* requests;
    std::array<metrics::Counter*, kMediaCount> negotiated;
  };
  std::array<PathCounters, 2> graph_counters_;  // /graph, /v1/graph
};

}  // namespace fairway::updateservice
