#include <array>
#include <fmt/format.h>

#include "base/text.hpp"
#include "fleet/templates/evaluator.hpp"
#include "fleet/templates/templates.hpp"

namespace fairway::fleet::templates {
namespace {

// Functions whose result is the value itself, when they end the one action that a text consists of.
constexpr std::array<std::string_view, 5> kTyped = {"toInt", "toBool", "toLiteral", "copySecretData",
                                                    "copyConfigMapData"};

bool is_typed(const std::vector<Node>& nodes) {
  if (nodes.size() != 1 || nodes.front().kind != Node::Kind::Action ||
      !nodes.front().pipeline.variables.empty())
    return false;
  const Operand& last = nodes.front().pipeline.commands.back().words.front();
  if (last.kind != Operand::Kind::Function) return false;
  for (const std::string_view each : kTyped)
    if (each == last.name) return true;
  return false;
}

// A pipeline that ends in a typed function, made to print its value as JSON.
std::vector<Node> printing_json(std::vector<Node> nodes) {
  Operand print{.kind = Operand::Kind::Function, .at = nodes.front().at, .name = "toJson"};
  nodes.front().pipeline.commands.push_back({.words = {std::move(print)}});
  return nodes;
}

class Resolver {
 public:
  explicit Resolver(const Settings& settings) : settings_(settings), session_(settings) {}

  Result<json::Value> text(std::string_view text, bool may_be_typed) {
    if (!is_template(text, settings_.side)) {
      if (!text.contains(kEncryptedPrefix)) return json::Value(text);
      FAIRWAY_TRY(const std::string plain, session_.decrypt(text));
      return json::Value(plain);
    }
    FAIRWAY_TRY(std::vector<Node> nodes,
                parse(may_be_typed ? trim(text) : text, settings_.side, settings_.limits));
    const bool typed = may_be_typed && is_typed(nodes);
    if (typed) {
      nodes = printing_json(std::move(nodes));
    } else if (may_be_typed) {
      FAIRWAY_TRY(nodes, parse(text, settings_.side, settings_.limits));
    }
    auto result = evaluate(nodes, session_);
    if (!result) {
      // Asked for, and answered at the next attempt: other texts are tried meanwhile.
      if (is_missing_answer(result.error())) return json::Value("");
      return std::unexpected(std::move(result.error()));
    }
    if (typed) return literal(*result);
    return json::Value(*result);
  }

  Result<json::Value> value(const json::Value& from, const std::string& path, std::size_t depth) {
    if (depth > settings_.limits.max_depth)
      return fail(ErrorCode::Invalid, fmt::format("{}: nested too deeply", path));
    if (from.is_string()) return at(path, text(json::view(from.get_string()), true));
    if (from.is_array()) {
      json::Array made;
      for (std::size_t i = 0; i < from.get_array().size(); ++i) {
        FAIRWAY_TRY(json::Value inner, value(from.get_array()[i], fmt::format("{}[{}]", path, i), depth + 1));
        made.push_back(std::move(inner));
      }
      return json::Value(std::move(made));
    }
    if (!from.is_object()) return from;
    json::Object made;
    for (const auto& each : from.get_object()) {
      const std::string key(each.key());
      const std::string inner_path = path.empty() ? key : fmt::format("{}.{}", path, key);
      FAIRWAY_TRY(const json::Value name, at(inner_path, text(key, false)));
      FAIRWAY_TRY(json::Value inner, value(each.value(), inner_path, depth + 1));
      made[json::view(name.get_string())] = std::move(inner);
    }
    return json::Value(std::move(made));
  }

  Resolution resolution(json::Value value) && {
    return {.value = std::move(value),
            .asked = session_.asked(),
            .missing = {session_.missing().begin(), session_.missing().end()},
            .is_skipped = session_.is_skipped(),
            .misses_key = session_.misses_key(),
            .has_encrypted = session_.has_encrypted(),
            .has_decrypted = session_.has_decrypted()};
  }

 private:
  // A text that is itself JSON or a plain word becomes what it says: "3" is three.
  static Result<json::Value> literal(const std::string& printed) {
    FAIRWAY_TRY(json::Value value, json::parse(printed));
    if (!value.is_string()) return value;
    if (auto inner = json::parse(json::view(value.get_string()))) return *std::move(inner);
    return value;
  }

  static Result<json::Value> at(const std::string& path, Result<json::Value> result) {
    if (!result && !path.empty()) return std::unexpected(std::move(result.error()).within(path));
    return result;
  }

  const Settings& settings_;
  Session session_;
};

}  // namespace

std::string Lookup::to_string() const {
  std::string place = namespace_.empty() ? name : fmt::format("{}/{}", namespace_, name);
  if (!selector.empty()) place += fmt::format("({})", selector);
  return fmt::format("{} {} {}", api_version, kind, place);
}

bool is_template(std::string_view text, Side side) {
  if (side == Side::Hub) return text.contains("{{hub");
  for (std::size_t at = text.find("{{"); at != std::string_view::npos; at = text.find("{{", at + 2))
    if (!text.substr(at).starts_with("{{hub")) return true;
  return false;
}

bool has_templates(const json::Value& value, Side side) {
  if (value.is_string()) return is_template(json::view(value.get_string()), side);
  if (value.is_array()) {
    for (const json::Value& each : value.get_array())
      if (has_templates(each, side)) return true;
  }
  if (value.is_object()) {
    for (const auto& each : value.get_object())
      if (is_template(std::string_view(each.key()), side) || has_templates(each.value(), side)) return true;
  }
  return false;
}

Result<Resolution> resolve(const json::Value& value, const Settings& settings) {
  Resolver resolver(settings);
  FAIRWAY_TRY(json::Value made, resolver.value(value, "", 0));
  return std::move(resolver).resolution(std::move(made));
}

Result<Resolution> resolve_text(std::string_view text, const Settings& settings) {
  Resolver resolver(settings);
  FAIRWAY_TRY(json::Value made, resolver.text(text, false));
  return std::move(resolver).resolution(std::move(made));
}

}  // namespace fairway::fleet::templates
