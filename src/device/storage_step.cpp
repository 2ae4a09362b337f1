#include "device/storage_step.hpp"

#include <fmt/format.h>
#include <map>

#include "base/text.hpp"
#include "device/record.hpp"

namespace fairway::device {
namespace {

using Setter = std::function<Result<void>(StorageStep&, const json::Value&)>;

std::unexpected<Error> expected(std::string_view what) {
  return fail(ErrorCode::Invalid, fmt::format("expected {}", what));
}

Setter text(std::string StorageStep::* member) {
  return [member](StorageStep& step, const json::Value& value) -> Result<void> {
    if (!value.is_string() || value.get_string().empty()) return expected("a text");
    step.*member = std::string(json::view(value.get_string()));
    return {};
  };
}

Setter texts(std::vector<std::string> StorageStep::* member) {
  return [member](StorageStep& step, const json::Value& value) -> Result<void> {
    if (!value.is_array()) return expected("a list of texts");
    for (const json::Value& item : value.get_array()) {
      if (!item.is_string() || item.get_string().empty()) return expected("a list of texts");
      (step.*member).emplace_back(json::view(item.get_string()));
    }
    return {};
  };
}

Result<void> set_page_size(StorageStep& step, const json::Value& value) {
  constexpr std::int64_t kMost = 10'000;
  if (!value.is_int64() || value.get_int64() < 1 || value.get_int64() > kMost)
    return expected("a number from 1 to 10000");
  step.page_size = value.get_int64();
  return {};
}

Result<void> set_wait(StorageStep& step, const json::Value& value) {
  const auto wait = value.is_string() ? parse_duration(json::view(value.get_string())) : std::nullopt;
  if (!wait || *wait <= Duration::zero()) return expected("a time such as 5m");
  step.wait = *wait;
  return {};
}

const std::map<std::string, Setter, std::less<>>& setters() {
  static const std::map<std::string, Setter, std::less<>> table = {
      {"kubeconfig", text(&StorageStep::kubeconfig)},
      {"context", text(&StorageStep::context)},
      {"program", texts(&StorageStep::program)},
      {"definitions", text(&StorageStep::definitions)},
      {"resources", texts(&StorageStep::resources)},
      {"page-size", set_page_size},
      {"wait", set_wait},
  };
  return table;
}

}  // namespace

Result<StorageStep> StorageStep::parse(const json::Object& object) {
  StorageStep step;
  for (const auto& [key, value] : object) {
    const std::string_view name(key.data(), key.size());
    const auto setter = setters().find(name);
    if (setter == setters().end())
      return fail(ErrorCode::Invalid, fmt::format("storage-versions: there is no key {}", quoted(name)));
    if (auto set = setter->second(step, value); !set)
      return std::unexpected(std::move(set).error().within(fmt::format("storage-versions: {}", name)));
  }
  if (step.kubeconfig.empty() && (!step.context.empty() || !step.program.empty()))
    return fail(ErrorCode::Invalid, "storage-versions: context and program need a kubeconfig");
  for (const std::string_view part : split(step.definitions, '/')) {
    if (!step.definitions.empty() && (part.empty() || part == "." || part == ".."))
      return fail(ErrorCode::Invalid,
                  fmt::format("storage-versions: definitions: expected a folder beside the step, found {}",
                              quoted(step.definitions)));
  }
  return step;
}

StoragePosition StoragePosition::parse(std::string_view text) {
  const auto object = json::parse_object(text, {.max_depth = 4, .max_bytes = kMaxRecordBytes});
  if (!object) return {};
  const auto field = [&](std::string_view key) {
    return std::string(json::get_string(*object, {key}).value_or(""));
  };
  return {field("cluster"), field("resource"), field("continue")};
}

std::string StoragePosition::serialize() const {
  return json::serialize(json::Object{{"cluster", cluster}, {"resource", resource}, {"continue", token}});
}

}  // namespace fairway::device
