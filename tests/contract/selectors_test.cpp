// Label and field selectors of lists.
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

class Selectors : public ContractTest {
 protected:
  // Five secrets: tier and env in some, a number in two.
  void make_secrets() {
    create("secrets", secret("a", "{metadata: {labels: {tier: front, env: prod}}}"));
    create("secrets", secret("b", "{metadata: {labels: {tier: back, env: prod}}}"));
    create("secrets", secret("c", "{metadata: {labels: {tier: back, env: test, size: '3'}}}"));
    create("secrets", secret("d", "{metadata: {labels: {tier: '', size: '10'}}}"));
    create("secrets", secret("e"));
  }
  Names labelled(const std::string& selector) {
    const Answer list = api().get(with(at("secrets"), {{"labelSelector", selector}}));
    EXPECT_TRUE(answered(list, 200)) << selector;
    return names_of(list.json);
  }
  Names with_fields(const std::string& selector) {
    const Answer list = api().get(with(at("secrets"), {{"fieldSelector", selector}}));
    EXPECT_TRUE(answered(list, 200)) << selector;
    return names_of(list.json);
  }
};

CONTRACT(Selectors, Equality, "key=value and key==value select objects that have the label with that value") {
  make_secrets();
  EXPECT_EQ(labelled("tier=back"), (Names{"b", "c"}));
  EXPECT_EQ(labelled("tier==back"), (Names{"b", "c"}));
  EXPECT_EQ(labelled("tier="), Names{"d"});
}

CONTRACT(Selectors, Inequality, "key!=value selects also objects without the label") {
  make_secrets();
  EXPECT_EQ(labelled("tier!=back"), (Names{"a", "d", "e"}));
}

CONTRACT(Selectors, Sets, "key in (…) needs the label, key notin (…) does not") {
  make_secrets();
  EXPECT_EQ(labelled("tier in (front,back)"), (Names{"a", "b", "c"}));
  EXPECT_EQ(labelled("tier notin (front,back)"), (Names{"d", "e"}));
  EXPECT_EQ(labelled("env in (test)"), Names{"c"});
}

CONTRACT(Selectors, Existence, "key selects objects that have the label, !key those that do not") {
  make_secrets();
  EXPECT_EQ(labelled("env"), (Names{"a", "b", "c"}));
  EXPECT_EQ(labelled("!env"), (Names{"d", "e"}));
}

CONTRACT(Selectors, Conjunction, "commas mean and") {
  make_secrets();
  EXPECT_EQ(labelled("tier=back,env=prod"), Names{"b"});
  EXPECT_EQ(labelled("tier,env notin (prod)"), (Names{"c", "d"}));
  EXPECT_EQ(labelled("tier=front,tier=back"), Names{});
}

CONTRACT(Selectors, Comparison, "key>number and key<number compare labels that are integers") {
  make_secrets();
  EXPECT_EQ(labelled("size>3"), Names{"d"});
  EXPECT_EQ(labelled("size<10"), Names{"c"});
}

CONTRACT(Selectors, MalformedLabelSelectors, "a label selector that cannot be read is 400") {
  for (const char* selector : {"a in", "a in b", "=b", "a,,b", "a=b c", "-bad-=x", "a>x", "a=no!"}) {
    SCOPED_TRACE(selector);
    EXPECT_TRUE(refused(api().get(with(at("secrets"), {{"labelSelector", selector}})), 400, "BadRequest"));
  }
}

CONTRACT(Selectors, ByName, "metadata.name selects by name") {
  make_secrets();
  EXPECT_EQ(with_fields("metadata.name=b"), Names{"b"});
  EXPECT_EQ(with_fields("metadata.name!=b"), (Names{"a", "c", "d", "e"}));
  EXPECT_EQ(with_fields("metadata.name=b,metadata.name=c"), Names{});
}

CONTRACT(Selectors, ByNamespace, "metadata.namespace selects by namespace in a list of all of them") {
  create("secrets", secret("mine"));
  const Answer list = api().get(with("/api/v1/secrets", {{"fieldSelector", "metadata.namespace=" + ns()}}));
  ASSERT_TRUE(answered(list, 200));
  EXPECT_EQ(names_of(list.json), Names{"mine"});
}

CONTRACT(Selectors, LabelsAndFieldsTogether, "both kinds of selectors must agree") {
  make_secrets();
  const Answer list =
      api().get(with(at("secrets"), {{"labelSelector", "tier=back"}, {"fieldSelector", "metadata.name!=b"}}));
  EXPECT_EQ(names_of(list.json), Names{"c"});
}

CONTRACT(Selectors, UnknownFieldsAreRefused,
         "a field that the kind does not offer for selection is 400, the field named") {
  for (const char* plural : {"secrets", "configmaps", "deployments", "leases"}) {
    SCOPED_TRACE(plural);
    const Answer list = api().get(with(at(plural), {{"fieldSelector", "spec.nosuch=1"}}));
    EXPECT_TRUE(refused(list, 400, "BadRequest", "spec.nosuch"));
  }
}

CONTRACT(Selectors, UnknownFieldsOfCustomObjects,
         "custom objects are selected by name and namespace only, unless defined otherwise") {
  define();
  create_widget(widget("a"));
  create_widget(widget("b"));
  EXPECT_EQ(names_of(api().get(with(widgets(), {{"fieldSelector", "metadata.name=b"}})).json), Names{"b"});
  EXPECT_TRUE(refused(api().get(with(widgets(), {{"fieldSelector", "spec.num=1"}})), 400, "BadRequest",
                      "field label not supported: spec.num"));
}

CONTRACT(Selectors, MalformedFieldSelectors, "a field selector without an operator is 400") {
  EXPECT_TRUE(refused(api().get(with(at("secrets"), {{"fieldSelector", "metadata.name"}})), 400, "BadRequest",
                      "invalid selector"));
}

CONTRACT(Selectors, SecretsByType, "secrets are also selected by type") {
  create("secrets", secret("plain"));
  create("secrets", secret("other", "{type: example.com/own}"));
  EXPECT_EQ(with_fields("type=example.com/own"), Names{"other"});
  EXPECT_EQ(with_fields("type!=example.com/own"), Names{"plain"});
}

CONTRACT(Selectors, NamespacesByPhase, "namespaces are also selected by status.phase") {
  const Answer list =
      api().get(with("/api/v1/namespaces", {{"fieldSelector", "status.phase=Active,metadata.name=" + ns()}}));
  EXPECT_EQ(names_of(list.json), Names{ns()});
}

CONTRACT(Selectors, EventsByObject, "events are also selected by the object that they are about") {
  const auto event = [&](std::string_view name, std::string_view about) {
    return object(
        "v1", "Event", name,
        fmt::format("{{type: Normal, reason: Test, message: m, involvedObject: {{apiVersion: v1, kind: "
                    "Secret, namespace: {}, name: {}}}}}",
                    ns(), about));
  };
  create("events", event("one", "x"));
  create("events", event("two", "z"));
  const Answer list = api().get(with(
      at("events"), {{"fieldSelector", "involvedObject.name=z,involvedObject.kind=Secret,reason=Test"}}));
  EXPECT_EQ(names_of(list.json), Names{"two"});
}

}  // namespace
}  // namespace fairway::contract
