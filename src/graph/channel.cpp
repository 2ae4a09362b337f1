#include "graph/channel.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "base/text.hpp"
#include "graph/yaml_source.hpp"

namespace fairway::graph {
namespace {

constexpr std::uint64_t kMostUnits = 10'000;

class ChannelReader {
 public:
  ChannelReader(const SourceFile& file, Patterns& patterns, Findings& findings)
      : yaml_(file, "channel", findings), patterns_(patterns) {
    channel_.file = file.path;
    channel_.is_internal = file.path.starts_with("internal-channels/");
  }

  std::optional<Channel> read() {
    static const std::vector<std::string> kKeys{"name", "versions", "feeder", "tombstones"};
    if (!yaml_.parse()) return std::nullopt;
    const auto name = yaml_.text("name");
    if (!name || name->empty()) {
      yaml_.refuse("name", "expected \"name\", the channel's name", "add it");
      return std::nullopt;
    }
    channel_.name = *name;
    const json::Value* versions = yaml_.find("versions");
    if (versions == nullptr) {
      yaml_.refuse("versions", "expected \"versions\", the channel's list of versions",
                   "add it; [] for none");
      return std::nullopt;
    }
    yaml_.check_keys(kKeys);
    bool legible = read_versions(*versions, "versions", channel_.versions);
    if (const json::Value* tombstones = yaml_.find("tombstones")) {
      legible &= read_versions(*tombstones, "tombstones", channel_.tombstones);
    }
    read_feeder();
    if (!legible) return std::nullopt;
    return std::move(channel_);
  }

 private:
  bool read_versions(const json::Value& value, std::string_view field, std::vector<SemVer>& into) {
    if (value.is_null()) return true;
    if (!value.is_array()) {
      return yaml_.refuse(
          field,
          fmt::format("expected {} to be a list of versions, found {}", quoted(field), json::a_kind(value)),
          "write one version a line, each after a dash");
    }
    bool legible = true;
    for (const json::Value& item : value.get_array()) {
      const std::string_view text = item.is_string() ? json::view(item.get_string()) : std::string_view{};
      auto version = SemVer::parse(text);
      if (version) {
        into.push_back(*std::move(version));
        continue;
      }
      legible = yaml_.refuse_at("version", line_of_item(yaml_.source(), text), version.error().message,
                                "write a full version");
    }
    return legible;
  }

  // A feeder that is not understood keeps versions from being promoted, and nothing else.
  void read_feeder() {
    const json::Value* value = yaml_.find("feeder");
    if (value == nullptr || value->is_null()) return;
    if (!value->is_object())
      return yaml_.error("feeder", {"feeder"}, "expected \"feeder\" to be a mapping", "correct it");
    const json::Object& object = value->get_object();
    Feeder feeder;
    bool understood = check_feeder_keys(object);
    const auto name = json::get_string(object, {"name"});
    if (!name) {
      yaml_.error("feeder-name", {"feeder"}, "expected feeder.name, the channel that versions come from",
                  "add it");
      understood = false;
    }
    feeder.name = name.value_or("");
    understood &= read_delay(object, feeder);
    understood &= read_errata(object, feeder);
    understood &= read_filter(object, feeder);
    if (understood) channel_.feeder = std::move(feeder);
  }

  bool check_feeder_keys(const json::Object& object) {
    static const std::vector<std::string> kKeys{"name", "delay", "errata", "filter"};
    bool understood = true;
    for (const auto& item : object) {
      const std::string_view key(item.key().data(), item.key().size());
      if (std::ranges::find(kKeys, key) != kKeys.end() && item.value().is_string()) continue;
      const auto near = nearest(key, kKeys);
      yaml_.error(
          "feeder-key", {"feeder", key},
          fmt::format("{} with {} is not understood in feeder", quoted(key), json::a_kind(item.value())),
          near && *near != key ? fmt::format("did you mean {}?", quoted(*near)) : "correct or remove it");
      understood = false;
    }
    return understood;
  }

  bool read_delay(const json::Object& object, Feeder& feeder) {
    const auto text = json::get_string(object, {"delay"});
    if (!text) return true;
    feeder.delay_text = *text;
    feeder.delay = parse_delay(*text);
    if (!feeder.delay) {
      yaml_.error("feeder-delay", {"feeder", "delay"},
                  fmt::format("expected a delay like P1W, P4D or PT48H, found {}", quoted(*text)),
                  "correct it");
    }
    return feeder.delay.has_value();
  }

  bool read_errata(const json::Object& object, Feeder& feeder) {
    const auto text = json::get_string(object, {"errata"});
    feeder.wants_public_errata = text == "public";
    if (!text || feeder.wants_public_errata) return true;
    yaml_.error("feeder-errata", {"feeder", "errata"},
                fmt::format("expected errata: public, found {}", quoted(*text)),
                "write public, or remove it");
    return false;
  }

  bool read_filter(const json::Object& object, Feeder& feeder) {
    const auto text = json::get_string(object, {"filter"});
    if (!text) return true;
    const auto pattern = patterns_.add(*text);
    if (!pattern) {
      yaml_.error("feeder-filter", {"feeder", "filter"}, pattern.error().message, "correct the expression");
      return false;
    }
    feeder.filter = *pattern;
    return true;
  }

  YamlSource yaml_;
  Patterns& patterns_;
  Channel channel_;
};

std::string_view suffix(std::string_view name) {
  const auto dash = name.find('-');
  return dash == std::string_view::npos ? name : name.substr(dash + 1);
}

// The number before `unit`, taken off the front of `text`.
std::optional<std::uint64_t> take(std::string_view& text, char unit) {
  const auto end = text.find_first_not_of("0123456789");
  if (end == 0 || end == std::string_view::npos || text[end] != unit) return std::nullopt;
  const auto number = parse_unsigned(text.substr(0, end));
  if (!number || *number > kMostUnits) return std::nullopt;
  text.remove_prefix(end + 1);
  return number;
}

}  // namespace

std::optional<Duration> parse_delay(std::string_view text) {
  if (!text.starts_with('P')) return std::nullopt;
  text.remove_prefix(1);
  if (const auto weeks = take(text, 'W')) {
    return text.empty()
               ? std::optional<Duration>(std::chrono::hours(24 * 7 * static_cast<std::int64_t>(*weeks)))
               : std::nullopt;
  }
  std::int64_t hours = 0;
  const auto days = take(text, 'D');
  hours += 24 * static_cast<std::int64_t>(days.value_or(0));
  if (text.starts_with('T')) {
    text.remove_prefix(1);
    const auto given = take(text, 'H');
    if (!given) return std::nullopt;
    hours += static_cast<std::int64_t>(*given);
  } else if (!days) {
    return std::nullopt;
  }
  return text.empty() ? std::optional<Duration>(std::chrono::hours(hours)) : std::nullopt;
}

bool is_channel_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '.';
  });
}

bool channel_less(std::string_view left, std::string_view right) {
  return std::pair(suffix(left), left) < std::pair(suffix(right), right);
}

std::optional<Channel> read_channel(const SourceFile& file, Patterns& patterns, Findings& findings) {
  return ChannelReader(file, patterns, findings).read();
}

}  // namespace fairway::graph
