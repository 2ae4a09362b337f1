#include "updateservice/mock_service.hpp"

#include <array>
#include <fmt/format.h>
#include <vector>

#include "graph/builder.hpp"
#include "graph/graph_data.hpp"
#include "graph/view.hpp"
#include "updateservice/answer_forms.hpp"
#include "updateservice/openapi.hpp"
#include "updateservice/question.hpp"
#include "updateservice/routes.hpp"
#include "updateservice/service_parts.hpp"

namespace fairway::updateservice {
namespace {

constexpr std::string_view kDefaultVersion = "4.7.0";
constexpr std::string_view kError = "error";
constexpr std::string_view kSlow = "slow";

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kChannels{{
    {"simple", "one recommended update"},
    {"channel-head", "the client's version is the newest: no update"},
    {"version-not-found", "the channel does not have the client's version"},
    {"risks-always", "one update with a risk that applies to every cluster"},
    {"risks-promql", "one update with a risk that applies to clusters on vSphere"},
    {"risks-unknown", "one update with a risk of a type that no client knows"},
    {kSlow, "as simple, after a long while"},
    {kError, "status 500"},
}};

std::string later(const SemVer& version, std::uint64_t patches) {
  return fmt::format("{}.{}.{}", version.major, version.minor, version.patch + patches);
}

graph::Release release(const std::string& version, std::string_view arch, std::vector<std::string> previous) {
  graph::ReleaseMetadata metadata{.version = *SemVer::parse(version), .previous = std::move(previous)};
  metadata.metadata["url"] = "https://example.com/errata/" + version;
  // A digest that names the version, so that answers are the same everywhere.
  const std::string digest = tag_of(version) + tag_of(std::string(arch) + version);
  return *graph::make_release(std::move(metadata), std::string(arch),
                              fmt::format("registry.example.com/release@sha256:{}", digest));
}

std::string rule_of(std::string_view channel) {
  if (channel == "risks-promql")
    return "- type: PromQL\n  promql:\n    promql: |\n      "
           "cluster_infrastructure_provider{type=~\"VSphere|None\"} or 0 * "
           "cluster_infrastructure_provider\n";
  if (channel == "risks-unknown") return "- type: FromTheFuture\n  fromTheFuture: {}\n";
  return "- type: Always\n";
}

graph::SourceFiles data_for(std::string_view channel, const std::vector<std::string>& versions) {
  std::string members = fmt::format("name: {}\nversions:\n", channel);
  for (const std::string& version : versions) members += fmt::format("- {}\n", version);
  graph::SourceFiles files{
      {"version", "1.2.0\n"}, {"raw/metadata.json", "{}"}, {"channels/mock.yaml", members}};
  if (channel.starts_with("risks-")) {
    files.push_back(
        {fmt::format("blocked-edges/{}-MockRisk.yaml", versions.back()),
         fmt::format("to: {}\nfrom: .*\nurl: https://example.com/risks/MockRisk\nname: MockRisk\nmessage: "
                     "Something may go wrong.\nmatchingRules:\n{}",
                     versions.back(), rule_of(channel))});
  }
  return files;
}

bool is_mock_channel(std::string_view channel) {
  return std::ranges::any_of(kChannels, [&](const auto& known) { return known.first == channel; });
}

}  // namespace

std::span<const std::pair<std::string_view, std::string_view>> mock_channels() {
  return kChannels;
}

std::string mock_graph(std::string_view channel, std::string_view arch, const SemVer& version) {
  if (!is_mock_channel(channel)) return graph::empty_view();
  const std::string current = graph::plain_text(version);
  std::vector<std::string> versions{current, later(version, 1)};
  if (channel == "channel-head") versions = {current};
  if (channel == "version-not-found") versions = {later(version, 1), later(version, 2)};
  std::vector<graph::Release> releases;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    releases.push_back(
        release(versions[i], arch, i == 0 ? std::vector<std::string>{} : std::vector{versions[i - 1]}));
  }
  const auto reading = graph::read_graph_data(data_for(channel, versions));
  FAIRWAY_CHECK(reading.data, "the mock's own graph data was refused");
  const auto built = graph::build_graph(releases, *reading.data);
  FAIRWAY_CHECK(built, "the mock's own graph could not be built");
  const graph::Graph& graph = *built->graph;
  return graph::ViewRenderer(graph, graph::AllowedRules::all())
      .render(*graph.find_channel(channel), *graph.find_architecture(arch));
}

MockService::MockService(MockSettings settings, async::EventLoop& loop)
    : settings_(std::move(settings)), loop_(loop) {}

Judged<http::PreparedReply> MockService::answer(const http::RequestView& request, bool& is_slow) const {
  FAIRWAY_TRY(const Media media, choose_media(accept_of(request)));
  FAIRWAY_TRY(const GraphQuestion question, read_graph_question(request.query, {"channel"}));
  const std::string text = parameter(request.query, "version").value_or(std::string(kDefaultVersion));
  const auto version = SemVer::parse(text);
  if (!version)
    return std::unexpected(invalid_parameters(fmt::format("version '{}' is not a semantic version", text)));
  if (question.channel == kError) return std::unexpected(no_graph("the channel error always fails"));
  is_slow = question.channel == kSlow;
  AnswerForms forms(mock_graph(question.channel, question.arch, *version), {});
  return http::PreparedReply{
      forms.choose({media, request.header("Accept-Encoding"), request.header("If-None-Match")}),
      cors_headers(request)};
}

// Keeps the timer for as long as the answer is waited for.
struct MockService::Slow {
  http::PreparedReply reply;
  http::Responder responder;
  std::unique_ptr<Timer> timer = {};
};

void MockService::answer_slowly(http::PreparedReply reply, http::Responder responder) {
  auto slow = std::make_shared<Slow>(Slow{std::move(reply), std::move(responder)});
  loop_.post([this, slow] {
    slow->timer = loop_.clock().call_at(loop_.clock().steady() + settings_.delay, [slow] {
      slow->responder.send(std::move(slow->reply));
      auto done = std::move(slow->timer);  // the timer held the last reference to itself
    });
  });
}

void MockService::handle(const http::RequestView& request, http::Responder responder) {
  const Endpoint endpoint = find_route(request.path, settings_.prefix).endpoint;
  if (endpoint == Endpoint::OpenApi) {
    responder.send({http::PreparedAnswer::make(
        200, {{"Content-Type", kJson}},
        http::PreparedBody::make(openapi_document(settings_.prefix, {"channel"})))});
    return;
  }
  if (endpoint != Endpoint::Graph) {
    responder.send({http::PreparedAnswer::make(404, {}, http::PreparedBody::make({}))});
    return;
  }
  bool is_slow = false;
  auto reply = answer(request, is_slow);
  if (!reply) {
    const Problem& problem = reply.error();
    responder.send({http::PreparedAnswer::make(problem.status, {{"Content-Type", kJson}},
                                               http::PreparedBody::make(problem.to_json())),
                    cors_headers(request)});
  } else if (is_slow) {
    answer_slowly(*std::move(reply), std::move(responder));
  } else {
    responder.send(*std::move(reply));
  }
}

}  // namespace fairway::updateservice
