#include "clusterversion/scraped_queries.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "async/deadline.hpp"
#include "async/files.hpp"
#include "async/notify.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "clusterversion/query_answer.hpp"
#include "http/credential_files.hpp"
#include "promql/evaluator.hpp"
#include "promql/exposition.hpp"

namespace fairway::clusterversion {
namespace {

constexpr std::size_t kMostMetricsBytes = 64 * 1024 * 1024;

promql::Millis millis(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

// What the result means, in the words that a Prometheus' answer would be judged with.
QueryOutcome judged(const Result<promql::QueryResult>& result) {
  if (!result)
    return std::unexpected(
        QueryFailure{fmt::format("executing PromQL query: execution: {}", result.error().message)});
  std::vector<std::string> values;
  for (const promql::ResultSeries& series : result->series) {
    std::string text;
    for (const promql::Sample& sample : series.samples) text = promql::format_value(sample.value);
    values.push_back(std::move(text));
  }
  return judge_result(promql::to_string(result->type), values);
}

}  // namespace

ScrapedQueries::ScrapedQueries(ScrapeSettings settings, boost::asio::any_io_executor executor,
                               TimerClock& clock, async::WorkerPool& pool)
    : settings_(std::move(settings)),
      executor_(std::move(executor)),
      clock_(clock),
      pool_(pool),
      ring_(std::make_shared<promql::SampleRing>(std::set<std::string, std::less<>>(), settings_.ring)) {}

Task<std::string> ScrapedQueries::fetch(std::string source) {
  FAIRWAY_CO_TRY(http::Url url, http::Url::parse(source));
  http::ClientOptions options{.max_body_bytes = kMostMetricsBytes};
  FAIRWAY_CO_TRY(options.tls, http::tls_for(url, settings_.ca_file));
  http::ClientRequest request{.url = std::move(url),
                              .headers = {{"Accept", "text/plain;version=0.0.4"}},
                              .timeout = settings_.timeout};
  FAIRWAY_CO_CHECKED(http::add_bearer_token(request.headers, settings_.token_file));
  http::Client client(executor_, clock_, std::move(options));
  FAIRWAY_CO_TRY(const http::Response answer,
                 co_await async::with_deadline(clock_, clock_.steady() + settings_.timeout,
                                               client.send(std::move(request))));
  if (answer.status != 200)
    co_return fail(ErrorCode::Unavailable, fmt::format("expected status 200, found {}", answer.status));
  co_return answer.body.to_string();
}

Task<std::string> ScrapedQueries::read(std::string source) {
  if (http::is_url(source)) co_return co_await fetch(std::move(source));
  co_return co_await pool_.run([source] { return read_file(source, kMostMetricsBytes); });
}

Task<void> ScrapedQueries::scrape() {
  const promql::Millis now = millis(clock_.now());
  promql::Exposition all;
  std::vector<std::string> complaints;
  for (const std::string& source : settings_.sources) {
    const auto text = co_await read(source);
    if (!text && text.error().code == ErrorCode::Cancelled) co_return std::unexpected(text.error());
    auto exposed = text ? promql::read_exposition(*text) : std::unexpected(text.error());
    if (!exposed) {
      complaints.push_back(fmt::format("{}: {}", source, exposed.error().describe()));
      continue;
    }
    all.samples.insert(all.samples.end(), std::make_move_iterator(exposed->samples.begin()),
                       std::make_move_iterator(exposed->samples.end()));
  }
  std::string complaint = join(complaints, "; ");
  if (!complaint.empty() && complaint != complaint_)
    log::warning("metrics could not be read", {{"sources", complaint}});
  complaint_ = std::move(complaint);
  if (ring_.use_count() > 1) ring_ = std::make_shared<promql::SampleRing>(*ring_);
  const auto added = ring_->add(now, all);
  if (added.dropped > 0) log::debug("samples were not kept", {{"count", std::to_string(added.dropped)}});
  co_return Result<void>{};
}

Task<void> ScrapedQueries::run() {
  SteadyTime next = clock_.steady();
  for (;;) {
    FAIRWAY_CO_CHECKED(co_await scrape());
    next += settings_.interval;
    FAIRWAY_CO_CHECKED(co_await async::sleep_until(clock_, next));
  }
}

Task<QueryOutcome> ScrapedQueries::ask(promql::Expr query) {
  const auto metrics = promql::SampleRing::metrics_of({&query, 1});
  if (!metrics) co_return QueryOutcome(std::unexpect, metrics.error().message);
  const bool is_known = std::ranges::includes(ring_->metrics(), *metrics);
  if (!is_known) {
    if (ring_.use_count() > 1) ring_ = std::make_shared<promql::SampleRing>(*ring_);
    ring_->keep_also(*metrics);
    FAIRWAY_CO_CHECKED(co_await scrape());
  }
  // A source that is missing could be the one that says that the risk applies.
  if (!complaint_.empty())
    co_return QueryOutcome(std::unexpect, fmt::format("metrics could not be read: {}", complaint_), false);
  const auto ring = ring_;
  const promql::Millis now = millis(clock_.now());
  TimerClock* clock = &clock_;
  co_return co_await pool_.run([ring, now, clock, query]() -> Result<QueryOutcome> {
    return judged(promql::evaluate_instant(query, *ring, now, {.clock = clock}));
  });
}

}  // namespace fairway::clusterversion
