#include "graph/block.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "graph/yaml_source.hpp"
#include "json/yaml.hpp"

namespace fairway::graph {
namespace {

const std::vector<std::string>& known_keys() {
  static const std::vector<std::string> keys{
      "to", "from", "url", "name", "message", "matchingRules", "fixedIn", "autoExtend", "clusters"};
  return keys;
}

// Reads one file; each step adds to the block or reports.
class BlockReader {
 public:
  BlockReader(const SourceFile& file, Patterns& patterns, Findings& findings)
      : yaml_(file, "block", findings), patterns_(patterns) {
    block_.file = file.path;
  }

  std::optional<Block> read() {
    if (!yaml_.parse()) return std::nullopt;
    const bool has_to = read_to();
    const bool has_from = read_from();
    if (!has_to || !has_from) return std::nullopt;
    yaml_.check_keys(known_keys());
    read_reason();
    read_notes();
    read_query();
    read_rules();
    if (!understood_) close();
    return std::move(block_);
  }

 private:
  bool read_to() {
    const auto text = yaml_.text("to");
    if (!text) return yaml_.refuse("to", "expected \"to\", the version that updates lead to", "add it");
    auto version = SemVer::parse(*text);
    if (!version) return yaml_.refuse("to", version.error().message, "write a full version");
    block_.to = *std::move(version);
    return true;
  }

  bool read_from() {
    const auto text = yaml_.text("from");
    if (!text) {
      return yaml_.refuse("from",
                          "expected \"from\", a regular expression for the versions that updates start at",
                          "add it; .* stands for all of them");
    }
    const auto pattern = patterns_.add(*text);
    if (!pattern)
      return yaml_.refuse("from-regex", "from", pattern.error().message, "correct the expression");
    block_.from = *text;
    block_.pattern = *pattern;
    return true;
  }

  void read_reason() {
    block_.url = yaml_.optional_text("url").value_or("");
    block_.name = yaml_.optional_text("name").value_or("");
    block_.message = yaml_.optional_text("message").value_or("");
  }

  void read_notes() {
    if (const auto text = yaml_.optional_text("fixedIn")) {
      auto version = SemVer::parse(*text);
      if (version) {
        block_.fixed_in = *std::move(version);
      } else {
        yaml_.error("fixed-in", {"fixedIn"}, version.error().message, "write a full version");
      }
    }
    if (const json::Value* value = yaml_.find("autoExtend")) {
      block_.auto_extend = !(value->is_null() || (value->is_bool() && !value->get_bool()));
    }
  }

  void read_query() {
    const json::Value* clusters = yaml_.find("clusters");
    if (clusters == nullptr) return;
    if (!clusters->is_object())
      return misread("clusters", {"clusters"}, "expected \"clusters\" to be a mapping with the key promql");
    const json::Object& object = clusters->get_object();
    const json::Value* query = object.if_contains("promql");
    if (const json::Value* old = object.if_contains("prometheus"); query == nullptr && old != nullptr) {
      query = old;
      yaml_.warn("clusters-spelling", {"clusters", "prometheus"},
                 "clusters.prometheus is an old spelling of clusters.promql", "write clusters.promql");
    }
    if (object.size() != 1 || query == nullptr || !query->is_string()) {
      return misread("clusters", {"clusters"},
                     "expected \"clusters\" to have one key, promql, with a query as text");
    }
    block_.query = std::string(json::view(query->get_string()));
  }

  void read_rules() {
    const json::Value* value = yaml_.find("matchingRules");
    if (value == nullptr) {
      // A reason without rules: listed, so that it can be read, and recommended to nobody.
      if (block_.has_reason() && !block_.query) block_.rules.push_back(always_rule());
      return;
    }
    if (!block_.has_reason()) {
      misread("reason", {"matchingRules"}, "matchingRules need url, name and message beside them");
    }
    if (!value->is_array()) return misread("rules", {"matchingRules"}, "expected matchingRules to be a list");
    if (value->get_array().empty()) {
      yaml_.error("rules", {"matchingRules"}, "matchingRules is empty, which recommends the update to nobody",
                  "write `- type: Always` if that is meant");
      block_.rules.push_back(always_rule());
    }
    for (std::size_t i = 0; i < value->get_array().size(); ++i) read_rule(value->get_array()[i], i);
    check_types();
  }

  void read_rule(const json::Value& value, std::size_t index) {
    const json::Object* object = value.if_object();
    const json::Value* type = object == nullptr ? nullptr : object->if_contains("type");
    if (type == nullptr || !type->is_string()) {
      return misread("rule-type", {"matchingRules"}, "expected each entry of matchingRules to have a type");
    }
    const std::string_view name = json::view(type->get_string());
    if (name == "Always") {
      if (object->size() > 1) {
        yaml_.error("rule-keys", {"matchingRules", "type"}, "a rule of type Always has no other key",
                    "remove the others");
      }
      block_.rules.push_back(always_rule());
    } else if (name == "PromQL") {
      read_promql(*object);
    } else {
      const std::vector<std::string> known{"Always", "PromQL"};
      const auto near = nearest(name, known);
      yaml_.error("rule-type", {"matchingRules", "type"},
                  fmt::format("expected type Always or PromQL, found {}", quoted(name)),
                  near ? fmt::format("did you mean {}?", *near)
                       : "clusters that do not know the type will not recommend the update");
      block_.rules.push_back(Rule{.type = std::string(name), .wire = verbatim(*object, index)});
    }
  }

  // Versions are read with numbers as text; what is passed on to clusters keeps its types.
  json::Object verbatim(const json::Object& as_text, std::size_t index) const {
    const auto typed = json::parse_yaml(yaml_.source());
    const json::Array* rules =
        typed && typed->is_object() ? json::get_array(typed->get_object(), {"matchingRules"}) : nullptr;
    if (rules == nullptr || index >= rules->size() || !(*rules)[index].is_object()) return as_text;
    return (*rules)[index].get_object();
  }

  void read_promql(const json::Object& object) {
    const json::Value* outer = object.if_contains("promql");
    if (const json::Value* odd = object.if_contains("PromQL"); outer == nullptr && odd != nullptr) {
      outer = odd;
      yaml_.warn("promql-spelling", {"matchingRules", "PromQL"},
                 "PromQL as a key is an old spelling of promql", "write promql");
    }
    const json::Object* inner = outer == nullptr ? nullptr : outer->if_object();
    const json::Value* query = inner == nullptr ? nullptr : inner->if_contains("promql");
    if (query == nullptr && inner != nullptr) query = inner->if_contains("PromQL");
    if (query == nullptr || !query->is_string()) {
      return misread("promql", {"matchingRules"},
                     "expected a rule of type PromQL to have the query at promql.promql, as text");
    }
    if (object.size() != 2 || inner->size() != 1) {
      yaml_.error("rule-keys", {"matchingRules", "promql"},
                  "a rule of type PromQL has the keys type and promql, and promql has promql",
                  "remove the others");
    }
    block_.rules.push_back(promql_rule(std::string(json::view(query->get_string()))));
  }

  void check_types() {
    std::vector<std::string> types;
    types.reserve(block_.rules.size());
    for (const Rule& rule : block_.rules) types.push_back(rule.type);
    std::ranges::sort(types);
    if (const auto twice = std::ranges::adjacent_find(types); twice != types.end()) {
      yaml_.error("rule-type-twice", {"matchingRules"}, fmt::format("two rules have type {}", quoted(*twice)),
                  "the first that can be evaluated counts; keep one of a type");
    }
  }

  void misread(std::string_view id, std::initializer_list<std::string_view> where, std::string message) {
    yaml_.error(id, where, std::move(message),
                "as it stands, the file blocks these updates for every cluster");
    understood_ = false;
  }

  // What was not understood may have been meant to block more than what was.
  void close() {
    block_.rules.clear();
    block_.query.reset();
  }

  YamlSource yaml_;
  Patterns& patterns_;
  Block block_;
  bool understood_ = true;
};

}  // namespace

Rule always_rule() {
  return {.type = "Always", .wire = json::Object{{"type", "Always"}}};
}

Rule promql_rule(std::string query) {
  Rule rule{.type = "PromQL", .promql = std::move(query)};
  rule.wire = json::Object{{"type", "PromQL"}};
  if (!rule.promql.empty()) rule.wire["promql"] = json::Object{{"promql", rule.promql}};
  return rule;
}

json::Object to_json(const Risk& risk) {
  json::Array rules;
  for (const Rule& rule : risk.rules) rules.push_back(rule.wire);
  return json::Object{
      {"url", risk.url}, {"name", risk.name}, {"message", risk.message}, {"matchingRules", std::move(rules)}};
}

Result<Risk> read_risk(const json::Object& object) {
  Risk risk;
  for (const auto& [field, into] :
       {std::pair{"url", &risk.url}, std::pair{"name", &risk.name}, std::pair{"message", &risk.message}}) {
    const auto text = json::get_string(object, {field});
    if (!text)
      return fail(ErrorCode::Invalid, fmt::format("expected a risk to have the text {}", quoted(field)));
    *into = *text;
  }
  const json::Array* rules = json::get_array(object, {"matchingRules"});
  if (rules == nullptr) return fail(ErrorCode::Invalid, "expected a risk to have the list \"matchingRules\"");
  for (const json::Value& value : *rules) {
    const auto type = value.is_object() ? json::get_string(value.get_object(), {"type"}) : std::nullopt;
    if (!type) return fail(ErrorCode::Invalid, "expected each of a risk's matchingRules to have a type");
    const json::Object& rule = value.get_object();
    auto query = json::get_string(rule, {"promql", "promql"});
    if (!query) query = json::get_string(rule, {"PromQL", "PromQL"});
    if (*type == "PromQL" && query) {
      risk.rules.push_back(promql_rule(std::string(*query)));
    } else {
      risk.rules.push_back(*type == "Always" ? always_rule()
                                             : Rule{.type = std::string(*type), .wire = rule});
    }
  }
  return risk;
}

// Releases for s390x once had it in their version; a block for such a version is meant for s390x alone.
bool is_meant_for(const Block& block, std::string_view arch) {
  constexpr std::string_view kLegacyArch = "s390x";
  if (!block.to.build.empty()) return block.to.build == arch;
  const bool is_legacy = block.is_unconditional() && block.to.prerelease.size() == 1 &&
                         block.to.prerelease.front() == kLegacyArch;
  return !is_legacy || arch == kLegacyArch;
}

bool is_block_file(std::string_view path) {
  const std::string ending = to_lower(extension(path));
  const std::string_view name = file_name(path);
  // .yaml, .yml and the .yaaml that the reference takes, too.
  const bool is_yaml = ending.starts_with(".y") && ending.ends_with("ml") &&
                       std::ranges::all_of(std::string_view(ending).substr(2, ending.size() - 4),
                                           [](char c) { return c == 'a'; });
  return is_yaml || (!name.empty() && name.front() >= '0' && name.front() <= '9');
}

std::optional<Block> read_block(const SourceFile& file, Patterns& patterns, Findings& findings) {
  return BlockReader(file, patterns, findings).read();
}

}  // namespace fairway::graph
