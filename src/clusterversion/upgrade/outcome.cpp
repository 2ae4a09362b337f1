#include "clusterversion/upgrade/outcome.hpp"

#include <fmt/format.h>

namespace fairway::clusterversion::upgrade {
namespace {

std::string ended(std::string_view text) {
  return text.ends_with('\n') ? std::string(text) : fmt::format("{}\n", text);
}

std::string all_of(const std::vector<Message>& messages, Message::Stream stream) {
  std::string text;
  for (const Message& message : messages) {
    if (message.stream == stream) text += message.text;
  }
  return text;
}

}  // namespace

void Outcome::print(std::string text) {
  messages.push_back({Message::Stream::Out, std::move(text)});
}

void Outcome::warn(std::string_view text) {
  messages.push_back({Message::Stream::Err, ended(fmt::format("warning: {}", text))});
}

void Outcome::note(std::string_view text) {
  messages.push_back({Message::Stream::Err, ended(text)});
}

void Outcome::refuse(std::string_view text, int code) {
  messages.push_back({Message::Stream::Err, ended(fmt::format("error: {}", text))});
  change.reset();
  exit_code = code;
}

std::string Outcome::out() const {
  return all_of(messages, Message::Stream::Out);
}

std::string Outcome::err() const {
  return all_of(messages, Message::Stream::Err);
}

Outcome refusal(std::string_view text, int code) {
  Outcome outcome;
  outcome.refuse(text, code);
  return outcome;
}

}  // namespace fairway::clusterversion::upgrade
