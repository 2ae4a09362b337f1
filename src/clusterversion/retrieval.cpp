#include "clusterversion/retrieval.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "base/text.hpp"
#include "clusterversion/cluster_id.hpp"
#include "clusterversion/version_text.hpp"

namespace fairway::clusterversion {
namespace {

constexpr std::string_view kMulti = "Multi";

// As HTML forms encode: a blank is a plus.
std::string form_encode(std::string_view text) {
  return replace_all(percent_encode(text), "%20", "+");
}

struct Parameter {
  std::string name;
  std::string value;
};

std::string form_decode(std::string_view text) {
  return percent_decode(text, true).value_or(std::string(text));
}

// The base's own parameters stay; all are sorted by name, those of one name in their order.
std::string with_parameters(std::string_view base, std::vector<Parameter> added) {
  const std::string_view without_fragment = base.substr(0, base.find('#'));
  const auto mark = without_fragment.find('?');
  std::vector<Parameter> all;
  if (mark != std::string_view::npos) {
    for (const std::string_view pair : split(without_fragment.substr(mark + 1), '&')) {
      if (pair.empty()) continue;
      const auto equals = pair.find('=');
      const bool has_value = equals != std::string_view::npos;
      all.push_back(
          {form_decode(pair.substr(0, equals)), has_value ? form_decode(pair.substr(equals + 1)) : ""});
    }
  }
  all.insert(all.end(), std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
  std::ranges::stable_sort(all, {}, &Parameter::name);
  std::string url(without_fragment.substr(0, mark));
  char separator = '?';
  for (const Parameter& parameter : all) {
    url += fmt::format("{}{}={}", separator, form_encode(parameter.name), form_encode(parameter.value));
    separator = '&';
  }
  return url;
}

std::optional<std::string> wrong_url(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) return fmt::format("parse {}: invalid URI for request", quoted(url));
  const std::string_view name = url.substr(0, scheme);
  if (name != "http" && name != "https") return fmt::format("unsupported protocol scheme {}", quoted(name));
  const std::string_view host = url.substr(scheme + 3, url.find_first_of("/?#", scheme + 3) - scheme - 3);
  if (host.empty()) return fmt::format("parse {}: no host", quoted(url));
  if (std::ranges::any_of(url, [](unsigned char c) { return c <= 0x20 || c == 0x7f; }))
    return fmt::format("parse {}: invalid character in URL", quoted(url));
  return std::nullopt;
}

std::unexpected<RetrievalFailure> refused(std::string reason, std::string message) {
  return std::unexpected(RetrievalFailure{std::move(reason), std::move(message)});
}

}  // namespace

Duration retrieval_interval(double drawn, Duration period) {
  const double factor = 1.0 + std::clamp(drawn, 0.0, 1.0 - 1e-9);
  return Duration(static_cast<Duration::rep>(static_cast<double>(period.count()) * factor));
}

std::string effective_service(const ClusterVersionSpec& spec, const RetrievalSettings& settings) {
  if (!settings.update_service.empty()) return settings.update_service;
  return spec.upstream.empty() ? std::string(kDefaultUpdateService) : spec.upstream;
}

std::expected<GraphRequest, RetrievalFailure> graph_request(const ClusterVersionSpec& spec,
                                                            const Release& current,
                                                            const RetrievalSettings& settings) {
  GraphRequest request{.service = effective_service(spec, settings)};
  if (request.service.empty())
    return refused("NoUpstream", "No updateService server has been set to retrieve updates.");
  if (auto wrong = wrong_url(request.service))
    return refused("InvalidURI", fmt::format("failed to parse update service URL: {}", *wrong));
  const auto id = parse_uuid(spec.cluster_id);
  if (!id) return refused("InvalidID", fmt::format("invalid cluster ID: {}", id.error().message));
  const bool is_multi = current.architecture == kMulti;
  const bool wants_multi = is_multi || (spec.desired_update && spec.desired_update->architecture == kMulti);
  request.architecture = wants_multi ? "multi" : settings.architecture;
  if (request.architecture.empty()) return refused("NoArchitecture", "Architecture has not been configured.");
  if (current.version.empty()) {
    return refused(
        "NoCurrentVersion",
        "The cluster version does not have a semantic version assigned and cannot calculate valid upgrades.");
  }
  if (spec.channel.empty()) return refused("NoChannel", "The update channel has not been configured.");
  const auto version = parse_version(current.version);
  if (!version) {
    return refused("InvalidCurrentVersion",
                   "The current cluster version is not a valid semantic version and cannot be used to "
                   "calculate upgrades.");
  }
  request.question = {version->to_string(), spec.channel, wants_multi, is_multi};
  request.url = with_parameters(request.service, {{"arch", request.architecture},
                                                  {"channel", spec.channel},
                                                  {"id", id->to_string()},
                                                  {"version", request.question.version}});
  return request;
}

FetchDecision when_to_fetch(const RetrievalState& state, const GraphRequest& wanted,
                            const RetrievalSettings& settings, SteadyTime now) {
  if (!state.request || !state.attempted)
    return {.is_due = true, .failure_clears = true, .why = "first look"};
  if (*state.request != wanted)
    return {
        .is_due = true, .failure_clears = true, .why = "service, channel, architecture or version changed"};
  if (state.is_under_way) return {};
  const SteadyTime next = *state.attempted + settings.interval;
  if (now < next) return {.next = next};
  const bool is_old = !state.settled || now - state.settled->steady >= settings.keep;
  return {
      .is_due = true, .failure_clears = is_old, .why = is_old ? "no success for long" : "interval is over"};
}

void begin_fetch(RetrievalState& state, const GraphRequest& request, Moment now) {
  if (!state.request || *state.request != request) state.settled = now;
  // Updates from another version are not updates from this one.
  if (state.request && state.request->question.version != request.question.version) state.offer.reset();
  state.request = request;
  state.attempted = now.steady;
  state.is_under_way = true;
}

void end_fetch(RetrievalState& state, std::expected<GraphAnswer, RetrievalFailure> answer,
               bool failure_clears, const Storable& storable, Moment begun) {
  state.is_under_way = false;
  if (answer) {
    state.offer = std::make_shared<const Offer>(make_offer(*answer, storable));
    state.failure.reset();
    state.settled = begun;
    return;
  }
  const std::string& reason = answer.error().reason;
  if (failure_clears || reason == "VersionNotFound" || reason == "InvalidRequest") state.offer.reset();
  state.failure = std::move(answer).error();
}

kube::Condition retrieved_updates(const RetrievalState& state) {
  kube::Condition made{.type = "RetrievedUpdates", .status = std::string(kube::kConditionFalse)};
  if (state.failure) {
    made.reason = state.failure->reason;
    made.message = state.failure->message;
  } else if (state.offer) {
    made.status = kube::kConditionTrue;
  }
  return made;
}

}  // namespace fairway::clusterversion
