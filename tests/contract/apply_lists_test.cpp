// Server-side apply of lists: maps by key, sets, atomic lists.
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

class ApplyLists : public ContractTest {
 protected:
  Answer apply_ports(std::string manager, std::string_view ports, bool force = false) {
    Value object =
        fairway::contract::object("v1", "Service", "a", fmt::format("{{spec: {{ports: {}}}}}", ports));
    return api().apply(at("services", "a"), std::move(manager), object, force);
  }
  void define_lists() {
    define(widget_crd(R"(
type: object
properties:
  tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
  words: {type: array, x-kubernetes-list-type: atomic, items: {type: string}}
  parts:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [name]
    items: {type: object, required: [name], properties: {name: {type: string}, size: {type: integer}}}
  bag: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: string}}
)"));
  }
  Answer apply_spec(std::string manager, const std::string& spec, bool force = false) {
    return api().apply(widgets("a"), std::move(manager), widget("a", fmt::format("{{spec: {}}}", spec)),
                       force);
  }
};

CONTRACT(ApplyLists, ItemsOfAMapAreOwnedByKey, "two managers own different ports of a service") {
  ASSERT_TRUE(answered(apply_ports("alice", "[{name: web, port: 80}]"), 201));
  const Answer written = apply_ports("bob", "[{name: tls, port: 443}]");
  ASSERT_TRUE(answered(written, 200));
  const Value* ports = find_at(written.json, "/spec/ports");
  EXPECT_EQ(ports->get_array().size(), 2U);
  EXPECT_NE(element(ports, "port", "80"), nullptr);
  const Value* bob = managed_by(written.json, "bob");
  ASSERT_NE(bob, nullptr);
  EXPECT_TRUE(
      contains(text_at(*bob, "/fieldsV1/f:spec/f:ports"), R"(k:{\"port\":443,\"protocol\":\"TCP\"})"));
}

CONTRACT(ApplyLists, ItemsThatAreNoLongerAppliedGo,
         "an item of a map list that its manager no longer applies is removed") {
  apply_ports("alice", "[{name: web, port: 80}, {name: alt, port: 81}]");
  ASSERT_TRUE(answered(apply_ports("bob", "[{name: tls, port: 443}]"), 200));
  const Answer written = apply_ports("alice", "[{name: web, port: 80}]");
  ASSERT_TRUE(answered(written, 200));
  const Value* ports = find_at(written.json, "/spec/ports");
  EXPECT_EQ(element(ports, "port", "81"), nullptr);
  EXPECT_NE(element(ports, "port", "443"), nullptr);
}

CONTRACT(ApplyLists, FieldsInItemsConflict,
         "another value in another manager's item conflicts, the item named by its key") {
  apply_ports("alice", "[{name: web, port: 80, targetPort: 8080}]");
  const Answer conflict = apply_ports("bob", "[{name: web, port: 80, targetPort: 9090}]");
  EXPECT_TRUE(refused(conflict, 409, "Conflict"));
  EXPECT_TRUE(
      has_cause(conflict, "FieldManagerConflict", R"(.spec.ports[port=80,protocol="TCP"].targetPort)"));
}

CONTRACT(ApplyLists, CustomMapLists, "list-map keys of a definition decide how its lists are merged") {
  define_lists();
  ASSERT_TRUE(answered(apply_spec("alice", "{parts: [{name: x, size: 1}]}"), 201));
  ASSERT_TRUE(answered(apply_spec("bob", "{parts: [{name: z, size: 2}]}"), 200));
  const Answer written = apply_spec("alice", "{parts: [{name: x, size: 3}]}");
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/spec/parts"), R"([{"name":"x","size":3},{"name":"z","size":2}])");
}

CONTRACT(ApplyLists, Sets, "values of a set list are owned one by one") {
  define_lists();
  ASSERT_TRUE(answered(apply_spec("alice", "{tags: [one, two]}"), 201));
  ASSERT_TRUE(answered(apply_spec("bob", "{tags: [two, three]}"), 200));
  const Answer written = apply_spec("alice", "{tags: [one]}");
  ASSERT_TRUE(answered(written, 200));
  const std::string tags = written.text("/spec/tags");
  for (const char* tag : {"one", "two", "three"}) EXPECT_TRUE(contains(tags, tag));
  EXPECT_EQ(find_at(written.json, "/spec/tags")->get_array().size(), 3U);
}

CONTRACT(ApplyLists, AtomicLists, "an atomic list is owned whole: another list conflicts") {
  define_lists();
  ASSERT_TRUE(answered(apply_spec("alice", "{words: [one]}"), 201));
  const Answer conflict = apply_spec("bob", "{words: [one, two]}");
  EXPECT_TRUE(refused(conflict, 409, "Conflict"));
  EXPECT_TRUE(has_cause(conflict, "FieldManagerConflict", ".spec.words"));
  EXPECT_EQ(apply_spec("bob", "{words: [two]}", true).text("/spec/words"), R"(["two"])");
}

CONTRACT(ApplyLists, AtomicMaps, "an atomic map is owned whole") {
  define_lists();
  ASSERT_TRUE(answered(apply_spec("alice", "{bag: {k: v}}"), 201));
  const Answer conflict = apply_spec("bob", "{bag: {num: m}}");
  EXPECT_TRUE(has_cause(conflict, "FieldManagerConflict", ".spec.bag"));
}

CONTRACT(ApplyLists, Containers, "a deployment's containers are merged by name and keep their order") {
  const auto with_containers = [](std::string_view containers) {
    return deployment("a", fmt::format("{{spec: {{template: {{spec: {{containers: {}}}}}}}}}", containers));
  };
  ASSERT_TRUE(answered(
      api().apply(at("deployments", "a"), "alice", with_containers("[{name: main, image: 'x:1'}]")), 201));
  Value side = object("apps/v1", "Deployment", "a",
                      "{spec: {template: {spec: {containers: [{name: side, image: 'y:1'}]}}}}");
  const Answer written = api().apply(at("deployments", "a"), "bob", side);
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/spec/template/spec/containers/0/name"), "main");
  EXPECT_EQ(written.text("/spec/template/spec/containers/1/name"), "side");
}

CONTRACT(ApplyLists, DuplicatesAreRefused, "an applied map list with the same key twice is refused") {
  define_lists();
  const Answer refusal = apply_spec("alice", "{parts: [{name: x}, {name: x}]}");
  EXPECT_GE(refusal.status, 400);
  EXPECT_TRUE(answered(api().get(widgets("a")), 404));
}

}  // namespace
}  // namespace fairway::contract
