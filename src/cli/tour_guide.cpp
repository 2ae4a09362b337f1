#include "cli/tour_guide.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>

#include "base/text.hpp"
#include "cli/cluster_options.hpp"
#include "cli/shell_words.hpp"

namespace fairway::cli {
namespace {

// A rollout over a fleet is among them.
constexpr Duration kMostTime = std::chrono::minutes(30);

void indent(std::ostream& out, std::string_view text) {
  for (const std::string_view line : split(trim(text), '\n')) {
    if (!line.empty()) out << "    " << line;
    out << '\n';
  }
}

}  // namespace

TourGuide::TourGuide(TourPlace place, std::ostream& out, bool waits)
    : place_(std::move(place)), out_(out), waits_(waits) {}

void TourGuide::say(std::string_view text) {
  out_ << text << '\n' << std::flush;
}

Result<std::string> TourGuide::run(std::vector<std::string> words, std::vector<int> fine) {
  out_ << "\n  $ " << shell_line(words) << '\n' << std::flush;
  Command command{.program = words.front() == "fairway" ? place_.program : words.front(),
                  .arguments = {words.begin() + 1, words.end()},
                  .environment = {{"KUBECONFIG", place_.kubeconfig}},
                  .timeout = kMostTime};
  auto done = process_.run(command);
  if (!done && done.error().code == ErrorCode::NotFound)
    return fail(ErrorCode::NotFound,
                fmt::format("the tour types {} and there is none: install it (Debian: kubernetes-client)",
                            quoted(words.front())));
  if (!done) return std::unexpected(std::move(done).error());
  std::string text = done->output + done->error_output;
  indent(out_, text);
  if (std::ranges::find(fine, done->exit_code) == fine.end())
    return fail(ErrorCode::Unavailable, fmt::format("{} ended with {}", shell_line(words), done->exit_code));
  return text;
}

Result<void> TourGuide::wait(std::string_view what, const std::string& context, const kube::Resource& object,
                             const std::function<bool(const json::Object&)>& is_so) {
  async::EventLoop loop;
  FAIRWAY_TRY(const ConnectedClient client,
              connect(loop, {.kubeconfig = place_.kubeconfig, .context = context}));
  out_ << fmt::format("\n  … until {}\n", what) << std::flush;
  return follow_object(loop, *client.client, object,
                       [&](const json::Object& seen) -> Result<bool> { return is_so(seen); });
}

Result<json::Object> TourGuide::read(const std::string& context, const kube::Resource& object) {
  async::EventLoop loop;
  FAIRWAY_TRY(const ConnectedClient client,
              connect(loop, {.kubeconfig = place_.kubeconfig, .context = context}));
  return loop.block_on(client.client->get(object));
}

Result<void> TourGuide::expect(bool holds, std::string_view what) {
  if (!holds) return fail(ErrorCode::Internal, fmt::format("this does not hold: {}", what));
  out_ << fmt::format("  ✓ {}\n", what) << std::flush;
  return {};
}

void TourGuide::pause() {
  if (!waits_) return;
  out_ << "\nPress Enter to go on, Ctrl-C to stop here." << std::flush;
  std::string ignored;
  std::getline(std::cin, ignored);
}

}  // namespace fairway::cli
