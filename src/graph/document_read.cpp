// Graph JSON from outside to a Document.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <unordered_map>

#include "base/text.hpp"
#include "graph/document.hpp"

namespace fairway::graph {
namespace {

constexpr std::size_t kMostNodes = 1'000'000;

std::unexpected<Error> invalid(std::string message) {
  return fail(ErrorCode::Invalid, std::move(message));
}

class DocumentReader {
 public:
  Result<Document> read(std::string_view text) {
    FAIRWAY_TRY(const json::Object object, json::parse_object(text));
    FAIRWAY_CHECKED(check_keys(object));
    FAIRWAY_CHECKED(read_nodes(*json::get_array(object, {"nodes"})));
    FAIRWAY_CHECKED(read_edges(*json::get_array(object, {"edges"})));
    if (const json::Array* groups = json::get_array(object, {"conditionalEdges"})) {
      FAIRWAY_CHECKED(read_groups(*groups));
    }
    return finish();
  }

 private:
  static Result<void> check_keys(const json::Object& object) {
    static const std::vector<std::string> kKeys{"version", "nodes", "edges", "conditionalEdges"};
    for (const auto& item : object) {
      const std::string_view name(item.key().data(), item.key().size());
      if (std::ranges::find(kKeys, name) != kKeys.end()) continue;
      const auto near = nearest(name, kKeys);
      return invalid(
          fmt::format("expected only version, nodes, edges and conditionalEdges in a graph, found {}{}",
                      quoted(name), near ? fmt::format("; did you mean {}?", quoted(*near)) : ""));
    }
    for (const char* name : {"nodes", "edges", "conditionalEdges"}) {
      const json::Value* value = object.if_contains(name);
      const bool is_optional = std::string_view(name) == "conditionalEdges";
      if (value == nullptr && !is_optional)
        return invalid(fmt::format("expected a graph to have the list {}", quoted(name)));
      if (value != nullptr && !value->is_array()) {
        return invalid(fmt::format("expected {} to be a list, found {}", quoted(name), json::a_kind(*value)));
      }
    }
    return {};
  }

  Result<void> read_nodes(const json::Array& nodes) {
    if (nodes.size() > kMostNodes)
      return invalid(fmt::format("expected at most {} nodes, found {}", kMostNodes, nodes.size()));
    std::vector<Document::Node> read;
    read.reserve(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      auto node = read_node(nodes[i]);
      if (!node) return std::unexpected(std::move(node).error().within(fmt::format("nodes[{}]", i)));
      read.push_back(*std::move(node));
    }
    std::vector<std::uint32_t> order(read.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order,
                      [&](std::uint32_t a, std::uint32_t b) { return read[a].version < read[b].version; });
    place_.resize(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      place_[order[i]] = i;
      document_.nodes.push_back(std::move(read[order[i]]));
      if (i > 0 && document_.nodes[i].text == document_.nodes[i - 1].text) {
        return invalid(fmt::format("version {} stands twice in \"nodes\"", quoted(document_.nodes[i].text)));
      }
    }
    for (std::uint32_t i = 0; i < document_.nodes.size(); ++i) ids_.emplace(document_.nodes[i].text, i);
    return {};
  }

  static Result<Document::Node> read_node(const json::Value& value) {
    if (!value.is_object()) return invalid(fmt::format("expected an object, found {}", json::a_kind(value)));
    const json::Object& object = value.get_object();
    const auto version = json::get_string(object, {"version"});
    if (!version || version->empty()) return invalid("expected a text \"version\" that is not empty");
    Document::Node node;
    FAIRWAY_TRY(node.version, SemVer::parse(*version));
    node.text = *version;
    const json::Value* payload = object.if_contains("payload");
    node.is_abstract = payload == nullptr;
    if (payload != nullptr && !payload->is_string()) return invalid("expected \"payload\" to be text");
    if (payload != nullptr) node.payload = json::view(payload->get_string());
    const json::Value* metadata = object.if_contains("metadata");
    if (metadata == nullptr || metadata->is_null()) return node;
    if (!metadata->is_object()) return invalid("expected \"metadata\" to be an object");
    for (const auto& item : metadata->get_object()) {
      if (!item.value().is_string()) return invalid("expected the values of \"metadata\" to be text");
      node.metadata.emplace(std::string_view(item.key().data(), item.key().size()),
                            json::view(item.value().get_string()));
    }
    return node;
  }

  Result<void> read_edges(const json::Array& edges) {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const json::Array* pair = edges[i].if_array();
      const auto index = [&](std::size_t k) -> std::optional<std::size_t> {
        if (pair == nullptr || pair->size() != 2) return std::nullopt;
        const json::Value& value = (*pair)[k];
        if (value.is_int64() && value.get_int64() >= 0) return static_cast<std::size_t>(value.get_int64());
        return value.is_uint64() ? std::optional<std::size_t>(value.get_uint64()) : std::nullopt;
      };
      const auto from = index(0);
      const auto to = index(1);
      if (!from || !to || *from >= place_.size() || *to >= place_.size()) {
        return invalid(fmt::format("expected edges[{}] to be two indexes below {}, the number of nodes", i,
                                   place_.size()));
      }
      edges_.try_emplace({place_[*from], place_[*to]});
    }
    return {};
  }

  Result<void> read_groups(const json::Array& groups) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      auto read = read_group(groups[i]);
      if (!read)
        return std::unexpected(std::move(read).error().within(fmt::format("conditionalEdges[{}]", i)));
    }
    return {};
  }

  Result<void> read_group(const json::Value& value) {
    const json::Array* edges = value.is_object() ? json::get_array(value.get_object(), {"edges"}) : nullptr;
    const json::Array* risks = value.is_object() ? json::get_array(value.get_object(), {"risks"}) : nullptr;
    if (edges == nullptr || risks == nullptr)
      return invalid("expected an object with the lists \"edges\" and \"risks\"");
    std::vector<std::uint32_t> list;
    for (const json::Value& risk : *risks) {
      if (!risk.is_object()) return invalid("expected \"risks\" to hold objects");
      FAIRWAY_TRY(Risk read, read_risk(risk.get_object()));
      list.push_back(add_risk(std::move(read)));
    }
    if (list.empty()) return invalid("expected at least one risk");
    for (const json::Value& edge : *edges) {
      const auto from = edge.is_object() ? json::get_string(edge.get_object(), {"from"}) : std::nullopt;
      const auto to = edge.is_object() ? json::get_string(edge.get_object(), {"to"}) : std::nullopt;
      if (!from || !to)
        return invalid("expected \"edges\" to hold objects with the versions \"from\" and \"to\"");
      const auto source = ids_.find(std::string(*from));
      const auto target = ids_.find(std::string(*to));
      if (source == ids_.end() || target == ids_.end()) continue;
      // Conditional wins where an edge is in both lists, as it does on clusters.
      auto& risks_of_edge = edges_[{source->second, target->second}];
      for (const std::uint32_t risk : list) {
        if (std::ranges::find(risks_of_edge, risk) == risks_of_edge.end()) risks_of_edge.push_back(risk);
      }
    }
    return {};
  }

  std::uint32_t add_risk(Risk risk) {
    const auto [place, is_new] = risk_ids_.try_emplace(json::serialize(to_json(risk)),
                                                       static_cast<std::uint32_t>(document_.risks.size()));
    if (is_new) document_.risks.push_back(std::move(risk));
    return place->second;
  }

  Result<Document> finish() {
    std::map<std::vector<std::uint32_t>, std::uint32_t> lists;
    for (const auto& [ends, risks] : edges_) {
      std::uint32_t list = kRecommended;
      if (!risks.empty()) {
        const auto [place, is_new] =
            lists.try_emplace(risks, static_cast<std::uint32_t>(document_.risk_lists.size()));
        if (is_new) document_.risk_lists.push_back(risks);
        list = place->second;
      }
      document_.edges.push_back({ends.first, ends.second, list});
    }
    if (has_cycle())
      return invalid("expected a graph without cycles, found edges that lead back to where they start");
    return std::move(document_);
  }

  // Kahn's algorithm: what is left when no node without incoming edges is left lies on a cycle.
  bool has_cycle() const {
    std::vector<std::size_t> incoming(document_.nodes.size(), 0);
    for (const Document::Edge& edge : document_.edges) ++incoming[edge.to];
    std::vector<std::uint32_t> ready;
    for (std::uint32_t i = 0; i < incoming.size(); ++i) {
      if (incoming[i] == 0) ready.push_back(i);
    }
    std::size_t done = 0;
    while (!ready.empty()) {
      const std::uint32_t node = ready.back();
      ready.pop_back();
      ++done;
      for (const Document::Edge& edge : document_.edges_from(node)) {
        if (--incoming[edge.to] == 0) ready.push_back(edge.to);
      }
    }
    return done != document_.nodes.size();
  }

  Document document_;
  std::vector<std::uint32_t> place_;  // of the nodes as they were written
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> edges_;  // with their risks
  std::unordered_map<std::string, std::uint32_t> risk_ids_;
};

}  // namespace

Result<Document> read_document(std::string_view text) {
  return DocumentReader().read(text);
}

}  // namespace fairway::graph
