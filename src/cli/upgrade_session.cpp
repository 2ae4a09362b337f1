#include "cli/upgrade_session.hpp"

#include <fmt/format.h>
#include <ostream>

#include "base/text.hpp"
#include "cli/follow.hpp"
#include "cli/output.hpp"
#include "clusterversion/upgrade/view.hpp"
#include "json/yaml.hpp"
#include "kube/client/api.hpp"

namespace fairway::cli {
namespace {

namespace upgrade = clusterversion::upgrade;
using clusterversion::ClusterVersion;
using upgrade::Message;
using upgrade::Outcome;

constexpr const char* kFieldManager = "fairway-upgrade";
constexpr int kMostRetries = 2;  // a person is waiting

kube::Resource cluster_version() {
  return kube::Api<ClusterVersion>::type().in("", std::string(clusterversion::kObjectName));
}

Error explained(Error error) {
  if (error.code != ErrorCode::NotFound) return error;
  return {ErrorCode::NotFound,
          "No cluster version information available - you must be connected to an OpenShift version 4 server "
          "to fetch the current version"};
}

// The members of `object` that the patch names; null for those that are not there any more.
json::Object named_part(const json::Object& patch, const json::Object& object) {
  json::Object part;
  for (const auto& member : patch) {
    const json::Value* found = object.if_contains(member.key());
    const json::Object* inner = found == nullptr ? nullptr : found->if_object();
    const bool goes_on = member.key() == "spec" && inner != nullptr && member.value().is_object();
    if (goes_on) {
      part[member.key()] = named_part(member.value().get_object(), *inner);
    } else {
      part[member.key()] = found == nullptr ? json::Value(nullptr) : *found;
    }
  }
  return part;
}

}  // namespace

bool is_document(const std::string& format) {
  return format == "json" || format == "yaml";
}

Outcome with_document(Outcome outcome, const json::Value& document, const std::string& format) {
  std::erase_if(outcome.messages,
                [](const Message& message) { return message.stream == Message::Stream::Out; });
  outcome.print(to_text(document, format));
  return outcome;
}

Result<std::unique_ptr<UpgradeSession>> UpgradeSession::open(const ClusterSettings& settings,
                                                             Invocation& invocation) {
  std::unique_ptr<UpgradeSession> session(new UpgradeSession(invocation));
  FAIRWAY_TRY(session->connected_,
              connect(session->loop_, settings,
                      {.field_manager = kFieldManager, .retry = {.max_retries = kMostRetries}}));
  return session;
}

Result<ClusterVersion> UpgradeSession::read() {
  auto object = loop_.block_on(connected_.client->get(cluster_version()));
  if (!object) return std::unexpected(explained(std::move(object).error()));
  return kube::decode<ClusterVersion>(*object);
}

void UpgradeSession::print(const Outcome& outcome) {
  for (const Message& message : outcome.messages) {
    std::ostream& stream = message.stream == Message::Stream::Out ? invocation_.out : invocation_.err;
    stream << message.text << std::flush;  // in order, where both are one terminal
  }
}

void UpgradeSession::print_written(const upgrade::Change& change, const json::Object& object,
                                   const WriteStyle& style) {
  if (is_document(style.output)) {
    invocation_.out << to_text(object, style.output);
    return;
  }
  if (!style.is_dry_run) {
    invocation_.out << change.done;
    return;
  }
  const std::string_view words = change.done.empty() ? "Would be written" : trim(change.done);
  invocation_.out << fmt::format("{} (server dry run)\n{}", words,
                                 json::to_yaml(named_part(change.patch, object)));
}

Result<void> UpgradeSession::carry_out(const Outcome& outcome, const WriteStyle& style) {
  print(outcome);
  invocation_.verdict = outcome.exit_code;
  if (!outcome.change) return {};
  const auto written = loop_.block_on(connected_.client->patch(
      cluster_version(), kube::PatchKind::Merge, outcome.change->patch, {.dry_run = style.is_dry_run}));
  if (!written) {
    return fail(written.error().code,
                fmt::format("{}: {}", outcome.change->cannot, written.error().describe()));
  }
  print_written(*outcome.change, *written, style);
  return {};
}

// Whether an update that was running is complete.
Result<bool> UpgradeSession::show(const json::Object& object, const Render& render) {
  FAIRWAY_TRY(const ClusterVersion cluster, kube::decode<ClusterVersion>(object));
  const Outcome outcome = render(cluster);
  std::string text = outcome.out() + outcome.err();
  if (text != shown_) {
    if (!shown_.empty()) invocation_.out << '\n';
    print(outcome);
    shown_ = std::move(text);
  }
  const bool is_updating = upgrade::is_updating(cluster);
  const bool is_complete = was_updating_ && !is_updating;
  was_updating_ = is_updating;
  return is_complete;
}

Result<void> UpgradeSession::watch(const Render& render) {
  return follow_object(
      loop_, *connected_.client, cluster_version(),
      [&](const json::Object& object) { return show(object, render); }, explained);
}

}  // namespace fairway::cli
