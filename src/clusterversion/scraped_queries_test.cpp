// Verdicts without a Prometheus: from files and endpoints, over the last hour.
#include "clusterversion/scraped_queries.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/task_group.hpp"
#include "http/test_server.hpp"
#include "kube/client/testing/temp_dir.hpp"
#include "promql/parser.hpp"

namespace fairway::clusterversion {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

// On a clock that the test moves; real files, a real endpoint, a real pool.
class ScrapedQueriesTest : public ::testing::Test {
 protected:
  void TearDown() override {
    tasks.cancel();
    server.loop.run_until([&] { return tasks.size() == 0; });
  }

  ScrapedQueries& queries() {
    if (!queries_) queries_.emplace(settings, server.loop.executor(), clock, pool);
    return *queries_;
  }
  std::string ask(const std::string& query) {
    const auto parsed = promql::parse(query);
    if (!parsed) return "not a query";
    const auto outcome = server.loop.block_on(queries().ask(*parsed));
    if (!outcome) return outcome.error().describe();
    if (*outcome) return **outcome ? "match" : "no match";
    return outcome->error().why + (outcome->error().was_judged ? "" : " (not judged)");
  }
  // Begins to read at every interval.
  void start() {
    tasks.spawn("scrape", queries().run());
    await_scrape();
  }
  void pass(Duration time) {
    for (Duration passed{}; passed < time; passed += settings.interval) {
      clock.advance(settings.interval);
      await_scrape();
    }
  }
  std::string expose(std::string_view text) { return temp.write("metrics", text); }

  Task<void> answer(const http::Request& request, http::ResponseWriter& writer) {
    asked.push_back(request);
    return writer.send({status, {}, body});
  }

  kube::testing::TempDir temp;
  ScrapeSettings settings;
  ManualClock clock;
  int status = 200;
  std::string body;
  std::vector<http::Request> asked;
  async::WorkerPool pool{"scrape-test", 1};
  http::testing::TestServer server{
      [this](const http::Request& request, http::ResponseWriter& writer) { return answer(request, writer); }};
  async::TaskGroup tasks{server.loop.executor()};

 private:
  // Between two scrapes the one timer is that of the next.
  void await_scrape() {
    server.loop.run_until([&] { return clock.pending() == 1; });
  }

  std::optional<ScrapedQueries> queries_;
};

TEST_F(ScrapedQueriesTest, Case32To36AFileIsJudgedAsAPrometheusWouldBe) {
  settings.sources = {expose("proxy{type=\"http\"} 0\nproxy{type=\"https\"} 1\nnodes 2\nratio NaN\n")};
  EXPECT_EQ(ask("max(proxy)"), "match");
  EXPECT_EQ(ask("min(proxy)"), "no match");
  EXPECT_EQ(ask("proxy"), "invalid PromQL result length must be one, but is 2");
  EXPECT_EQ(ask("absent_metric"), "invalid PromQL result length must be one, but is 0");
  EXPECT_EQ(ask("nodes"), "invalid PromQL result (must be 0 or 1): 2");
  EXPECT_EQ(ask("ratio"), "invalid PromQL result (must be 0 or 1): NaN");
  EXPECT_EQ(ask("1"), "invalid PromQL result type is scalar, not vector");
  EXPECT_EQ(ask("vector(1)"), "match");
}

TEST_F(ScrapedQueriesTest, ASelectorHasToNameItsMetric) {
  settings.sources = {expose("x 1\n")};
  EXPECT_THAT(ask("max({type=\"http\"})"), HasSubstr("name")) << "it would need all there are";
}

TEST_F(ScrapedQueriesTest, AnEndpointIsAskedWithItsToken) {
  settings.sources = {server.url("").origin() + "/metrics"};
  settings.token_file = temp.write("token", "secret\n");
  body = "proxy 1\n";
  EXPECT_EQ(ask("proxy"), "match");
  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_EQ(asked[0].target, "/metrics");
  EXPECT_EQ(asked[0].headers.find("authorization"), "Bearer secret");
  EXPECT_THAT(std::string(asked[0].headers.find("accept").value_or("")), StartsWith("text/plain"));
}

TEST_F(ScrapedQueriesTest, SourcesAreReadTogether) {
  settings.sources = {expose("x{from=\"file\"} 0\n"), server.url("").origin() + "/metrics"};
  body = "x{from=\"endpoint\"} 1\n";
  EXPECT_EQ(ask("max(x)"), "match");
  EXPECT_EQ(ask("x{from=\"file\"}"), "no match");
}

TEST_F(ScrapedQueriesTest, ASourceThatCannotBeReadGivesNoVerdict) {
  const std::string good = expose("x 0\n");
  const auto without_verdict = [&](const std::string& source) {
    ScrapedQueries fresh({.sources = {good, source}}, server.loop.executor(), clock, pool);
    const auto outcome = server.loop.block_on(fresh.ask(*promql::parse("max(x)")));
    EXPECT_TRUE(outcome);
    EXPECT_FALSE(*outcome) << "the source that is missing could say that the risk applies";
    return outcome && !*outcome ? outcome->error() : QueryFailure{};
  };
  const std::string endpoint = server.url("").origin() + "/metrics";
  status = 500;
  body = "x 1\n";
  for (const auto& [source, why] :
       std::map<std::string, std::string>{{temp.path("missing"), "missing"},
                                          {temp.write("broken", "x{ 1\n"), "line 1"},
                                          {endpoint, "expected status 200, found 500"},
                                          {"http://127.0.0.1:no/metrics", "127.0.0.1:no"}}) {
    const QueryFailure failure = without_verdict(source);
    EXPECT_THAT(failure.why, AllOf(StartsWith("metrics could not be read: "), HasSubstr(why)));
    EXPECT_FALSE(failure.was_judged) << "to be asked again soon";
  }
}

TEST_F(ScrapedQueriesTest, TheVerdictComesBackWithTheSource) {
  settings.sources = {expose("x 0\n")};
  start();
  EXPECT_EQ(ask("x"), "no match");
  std::filesystem::remove(temp.path("metrics"));
  pass(1min);
  EXPECT_THAT(ask("x"), AllOf(StartsWith("metrics could not be read: "), EndsWith(" (not judged)")));
  expose("x 1\n");
  pass(1min);
  EXPECT_EQ(ask("x"), "match");
}

TEST_F(ScrapedQueriesTest, AMetricThatVanishesIsNoLongerThere) {
  settings.sources = {expose("x 1\ny 1\n")};
  start();
  EXPECT_EQ(ask("x"), "match");
  expose("y 1\n");
  pass(1min);
  EXPECT_EQ(ask("x"), "invalid PromQL result length must be one, but is 0");
  EXPECT_EQ(ask("max_over_time(x[1h])"), "match") << "but it was, within the hour";
}

TEST_F(ScrapedQueriesTest, TheLastHourIsKept) {
  settings.sources = {expose("x 0\n")};
  start();
  EXPECT_EQ(ask("max_over_time(x[1h])"), "no match");
  pass(5min);
  expose("x 1\n");
  pass(1min);
  expose("x 0\n");
  pass(1min);
  EXPECT_EQ(ask("x"), "no match");
  EXPECT_EQ(ask("max_over_time(x[1h])"), "match");
  pass(57min);
  EXPECT_EQ(ask("max_over_time(x[1h])"), "match") << "58 minutes ago";
  pass(3min);
  EXPECT_EQ(ask("max_over_time(x[1h])"), "no match") << "61 minutes ago";
}

TEST_F(ScrapedQueriesTest, AMetricThatNobodyNamedBeforeIsReadAtOnce) {
  settings.sources = {server.url("").origin() + "/metrics"};
  body = "x 1\ny 0\n";
  start();
  EXPECT_EQ(ask("x"), "match");
  EXPECT_THAT(asked, SizeIs(2)) << "once at the start, once for x";
  EXPECT_EQ(ask("x"), "match");
  EXPECT_THAT(asked, SizeIs(2)) << "x is known now";
  EXPECT_EQ(ask("y"), "no match");
  EXPECT_THAT(asked, SizeIs(3));
  pass(2min);
  EXPECT_THAT(asked, SizeIs(5)) << "one an interval, whatever number of queries";
}

}  // namespace
}  // namespace fairway::clusterversion
