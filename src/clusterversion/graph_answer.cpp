#include "clusterversion/graph_answer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "base/text.hpp"
#include "clusterversion/version_text.hpp"
#include "json/value.hpp"

namespace fairway::clusterversion {
namespace {

constexpr std::string_view kChannels = "io.openshift.upgrades.graph.release.channels";
constexpr std::string_view kArchitecture = "release.openshift.io/architecture";

std::unexpected<RetrievalFailure> invalid(std::string_view detail) {
  return std::unexpected(cannot_retrieve("ResponseInvalid", detail));
}

// Keys are found as existing clients find them: as written, else in any case.
const json::Value* field(const json::Object& object, std::string_view name) {
  if (const json::Value* exact = object.if_contains(name)) return exact->is_null() ? nullptr : exact;
  for (const auto& member : object) {
    if (equals_ignoring_case(member.key(), name)) return member.value().is_null() ? nullptr : &member.value();
  }
  return nullptr;
}

Error unexpected_kind(std::string_view path, std::string_view expected, const json::Value& found) {
  return {ErrorCode::Invalid, fmt::format("{}: expected {}, found {}", path, expected, json::a_kind(found))};
}

Result<std::string> text_field(const json::Object& object, std::string_view name, std::string_view path) {
  const json::Value* value = field(object, name);
  if (value == nullptr) return std::string();
  if (!value->is_string())
    return std::unexpected(unexpected_kind(fmt::format("{}.{}", path, name), "a string", *value));
  return std::string(json::view(value->get_string()));
}

Result<const json::Array*> array_field(const json::Object& object, std::string_view name,
                                       std::string_view path) {
  static const json::Array kNone;
  const json::Value* value = field(object, name);
  if (value == nullptr) return &kNone;
  if (!value->is_array()) {
    const std::string place = path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
    return std::unexpected(unexpected_kind(place, "an array", *value));
  }
  return &value->get_array();
}

Result<const json::Object*> object_item(const json::Value& value, std::string_view path) {
  if (!value.is_object()) return std::unexpected(unexpected_kind(path, "an object", value));
  return &value.get_object();
}

struct Node {
  std::string version;
  SemVer parsed;
  std::string payload;
  const json::Object* metadata = nullptr;
};

Result<std::vector<Node>> read_nodes(const json::Object& graph) {
  FAIRWAY_TRY(const json::Array* array, array_field(graph, "nodes", ""));
  std::vector<Node> nodes;
  nodes.reserve(array->size());
  for (std::size_t i = 0; i < array->size(); ++i) {
    const std::string path = fmt::format("nodes[{}]", i);
    FAIRWAY_TRY(const json::Object* object, object_item((*array)[i], path));
    Node node;
    FAIRWAY_TRY(node.version, text_field(*object, "version", path));
    FAIRWAY_TRY(node.parsed, parse_version(node.version));
    FAIRWAY_TRY(node.payload, text_field(*object, "payload", path));
    if (const json::Value* metadata = field(*object, "metadata")) {
      FAIRWAY_TRY(node.metadata, object_item(*metadata, path + ".metadata"));
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

Result<std::vector<std::string>> read_channels(const std::string& text) {
  if (text.empty()) return fail(ErrorCode::Invalid, fmt::format("{} is an empty string", kChannels));
  std::vector<std::string> channels;
  for (const std::string_view part : split(text, ',')) {
    if (part.empty()) {
      return fail(ErrorCode::Invalid, fmt::format("{} entry {} is an empty string: {}", kChannels,
                                                  channels.size(), quoted(text)));
    }
    channels.emplace_back(part);
  }
  std::ranges::sort(channels);
  const auto repeated = std::ranges::unique(channels);
  channels.erase(repeated.begin(), repeated.end());
  return channels;
}

// A text of the metadata; nothing when it is absent.
Result<std::optional<std::string>> metadata_text(const Node& node, std::string_view key,
                                                 std::string_view complaint) {
  const json::Value* value = node.metadata == nullptr ? nullptr : node.metadata->if_contains(key);
  if (value == nullptr || value->is_null()) return std::nullopt;
  if (!value->is_string())
    return fail(ErrorCode::Invalid, fmt::format("{}: {}", complaint, json::serialize(*value)));
  return std::string(json::view(value->get_string()));
}

// Almost every text is a reference to a page; what is left is what no program could follow.
std::optional<std::string> url_problem(std::string_view url) {
  if (std::ranges::any_of(url, [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    return "net/url: invalid control character in URL";
  if (url.starts_with(':')) return "missing protocol scheme";
  if (!percent_decode(url)) return "invalid URL escape";
  return std::nullopt;
}

Result<Release> release_of(const Node& node) {
  Release release{.version = node.parsed.to_string(), .image = node.payload};
  FAIRWAY_TRY(const auto url, metadata_text(node, "url", "URL is not a string"));
  if (url) {
    if (auto wrong = url_problem(*url))
      return fail(ErrorCode::Invalid, fmt::format("invalid release URL: parse {}: {}", quoted(*url), *wrong));
    release.url = *url;
  }
  FAIRWAY_TRY(const auto architecture,
              metadata_text(node, kArchitecture, "release.openshift.io/architecture is not a string"));
  if (architecture) {
    if (*architecture != "multi") {
      return fail(ErrorCode::Invalid,
                  fmt::format("unrecognized {} value {}", kArchitecture, quoted(*architecture)));
    }
    release.architecture = "Multi";
  }
  FAIRWAY_TRY(const auto channels,
              metadata_text(node, kChannels, fmt::format("{} is not a string", kChannels)));
  if (channels) {
    FAIRWAY_TRY(release.channels, read_channels(*channels));
  }
  return release;
}

Result<Release> release_of(const Node& node, std::string_view role) {
  auto release = release_of(node);
  if (!release) return fail(ErrorCode::Invalid, fmt::format("invalid {}: {}", role, release.error().message));
  return release;
}

// The edge's ends, whatever numbers they are; bounds are judged only where the edge matters.
Result<std::pair<std::int64_t, std::int64_t>> read_edge(const json::Value& value, std::size_t index) {
  const std::string path = fmt::format("edges[{}]", index);
  if (!value.is_array()) return std::unexpected(unexpected_kind(path, "an array", value));
  const json::Array& ends = value.get_array();
  if (ends.size() != 2)
    return fail(ErrorCode::Invalid, fmt::format("expected 2 fields, found {}", ends.size()));
  for (const json::Value& end : ends) {
    if (!end.is_int64()) return std::unexpected(unexpected_kind(path, "two integers", end));
  }
  return std::pair{ends[0].get_int64(), ends[1].get_int64()};
}

Result<std::vector<Release>> read_updates(const json::Object& graph, const std::vector<Node>& nodes,
                                          std::size_t current) {
  FAIRWAY_TRY(const json::Array* edges, array_field(graph, "edges", ""));
  std::vector<Release> updates;
  for (std::size_t i = 0; i < edges->size(); ++i) {
    FAIRWAY_TRY(const auto edge, read_edge((*edges)[i], i));
    if (!std::cmp_equal(edge.first, current)) continue;
    if (edge.second < 0 || std::cmp_greater_equal(edge.second, nodes.size())) {
      return fail(ErrorCode::Invalid, fmt::format("edge [{},{}] references a node outside 0..{}", edge.first,
                                                  edge.second, nodes.size() - 1));
    }
    FAIRWAY_TRY(Release release,
                release_of(nodes[static_cast<std::size_t>(edge.second)], "recommended update node"));
    updates.push_back(std::move(release));
  }
  return updates;
}

Result<MatchingRule> read_rule(const json::Value& value, const std::string& path) {
  FAIRWAY_TRY(const json::Object* object, object_item(value, path));
  MatchingRule rule;
  FAIRWAY_TRY(rule.type, text_field(*object, "type", path));
  if (const json::Value* promql = field(*object, "promql")) {
    FAIRWAY_TRY(const json::Object* nested, object_item(*promql, path + ".promql"));
    FAIRWAY_TRY(rule.promql.emplace().promql, text_field(*nested, "promql", path + ".promql"));
  }
  return rule;
}

Result<Risk> read_risk(const json::Value& value, const std::string& path) {
  FAIRWAY_TRY(const json::Object* object, object_item(value, path));
  Risk risk;
  FAIRWAY_TRY(risk.url, text_field(*object, "url", path));
  FAIRWAY_TRY(risk.name, text_field(*object, "name", path));
  FAIRWAY_TRY(risk.message, text_field(*object, "message", path));
  FAIRWAY_TRY(const json::Array* rules, array_field(*object, "matchingRules", path));
  for (std::size_t i = 0; i < rules->size(); ++i) {
    FAIRWAY_TRY(MatchingRule rule, read_rule((*rules)[i], fmt::format("{}.matchingRules[{}]", path, i)));
    risk.matching_rules.push_back(std::move(rule));
  }
  return risk;
}

Result<std::vector<Risk>> read_risks(const json::Object& group, const std::string& path) {
  FAIRWAY_TRY(const json::Array* array, array_field(group, "risks", path));
  std::vector<Risk> risks;
  for (std::size_t i = 0; i < array->size(); ++i) {
    FAIRWAY_TRY(Risk risk, read_risk((*array)[i], fmt::format("{}.risks[{}]", path, i)));
    risks.push_back(std::move(risk));
  }
  return risks;
}

void add_known(std::vector<Risk>& known, const std::vector<Risk>& risks) {
  for (const Risk& risk : risks) {
    if (std::ranges::find(known, risk.name, &Risk::name) == known.end()) known.push_back(risk);
  }
}

// One group of conditionalEdges: its edges from the running version, and its risks if any edge leads there.
Result<void> read_group(const json::Object& group, const std::string& path, const std::vector<Node>& nodes,
                        const std::string& version, GraphAnswer& answer) {
  FAIRWAY_TRY(const json::Array* edges, array_field(group, "edges", path));
  FAIRWAY_TRY(const std::vector<Risk> risks, read_risks(group, path));
  for (std::size_t i = 0; i < edges->size(); ++i) {
    const std::string edge_path = fmt::format("{}.edges[{}]", path, i);
    FAIRWAY_TRY(const json::Object* edge, object_item((*edges)[i], edge_path));
    FAIRWAY_TRY(const std::string from, text_field(*edge, "from", edge_path));
    FAIRWAY_TRY(const std::string to, text_field(*edge, "to", edge_path));
    if (to == version) add_known(answer.known_risks, risks);
    if (from != version) continue;
    const auto node = std::ranges::find(nodes, to, &Node::version);
    if (node == nodes.end())
      return fail(ErrorCode::Invalid, fmt::format("no node for conditional update {}", to));
    FAIRWAY_TRY(Release release, release_of(*node, "conditional update node"));
    answer.conditional.push_back({std::move(release), risks});
  }
  return {};
}

Result<void> read_conditional(const json::Object& graph, const std::vector<Node>& nodes,
                              const std::string& version, GraphAnswer& answer) {
  FAIRWAY_TRY(const json::Array* groups, array_field(graph, "conditionalEdges", ""));
  for (std::size_t i = 0; i < groups->size(); ++i) {
    const std::string path = fmt::format("conditionalEdges[{}]", i);
    FAIRWAY_TRY(const json::Object* group, object_item((*groups)[i], path));
    FAIRWAY_CHECKED(read_group(*group, path, nodes, version, answer));
  }
  return {};
}

// The answer once it is known which node is the cluster's.
Result<GraphAnswer> read_around(const json::Object& graph, const std::vector<Node>& nodes,
                                std::size_t current, const GraphQuestion& question) {
  GraphAnswer answer;
  FAIRWAY_TRY(answer.current, release_of(nodes[current], "current node"));
  if (question.wants_multi && !question.is_multi) {
    answer.updates.push_back(answer.current);
    return answer;
  }
  FAIRWAY_TRY(answer.updates, read_updates(graph, nodes, current));
  FAIRWAY_CHECKED(read_conditional(graph, nodes, question.version, answer));
  return answer;
}

// A graph without anything, for `null`.
Result<json::Object> parse_graph(std::string_view body) {
  auto parsed = json::parse(body);
  if (!parsed) {
    // The sentence that people know for a text that was cut off.
    if (parsed.error().message.starts_with("expected more JSON"))
      return fail(ErrorCode::Invalid, "unexpected end of JSON input");
    return std::unexpected(std::move(parsed).error());
  }
  json::Value value = *std::move(parsed);
  if (value.is_null()) return json::Object();
  if (!value.is_object()) return std::unexpected(unexpected_kind("graph", "an object", value));
  return std::move(value.get_object());
}

}  // namespace

RetrievalFailure cannot_retrieve(std::string reason, std::string_view detail) {
  return {std::move(reason), fmt::format("Unable to retrieve available updates: {}", detail)};
}

std::expected<GraphAnswer, RetrievalFailure> read_graph_answer(std::string_view body,
                                                               const GraphQuestion& question) {
  const auto graph = parse_graph(body);
  if (!graph) return invalid(graph.error().message);
  const auto nodes = read_nodes(*graph);
  if (!nodes) return invalid(nodes.error().message);
  const auto version = parse_version(question.version);
  const auto current = std::ranges::find_if(*nodes, [&](const Node& node) {
    return version && node.parsed.compare_precedence(*version) == std::strong_ordering::equal;
  });
  if (current == nodes->end()) {
    return std::unexpected(cannot_retrieve(
        "VersionNotFound", fmt::format("currently reconciling cluster version {} not found in the {} channel",
                                       question.version, quoted(question.channel))));
  }
  auto answer = read_around(*graph, *nodes, static_cast<std::size_t>(current - nodes->begin()), question);
  if (!answer) return invalid(answer.error().message);
  return *std::move(answer);
}

}  // namespace fairway::clusterversion
