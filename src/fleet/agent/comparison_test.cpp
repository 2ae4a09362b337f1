#include "fleet/agent/comparison.hpp"

#include <array>
#include <gtest/gtest.h>
#include <ostream>

#include "fleet/agent/difference.hpp"
#include "fleet/agent/matching.hpp"
#include "json/testing/objects.hpp"
#include "kube/client/backoff.hpp"

namespace fairway::fleet::agent {
namespace {

struct Case {
  const char* name;
  const char* definition;
  const char* live;
  bool must_have = true;       // whether musthave matches
  bool must_only_have = true;  // whether mustonlyhave matches
};
std::ostream& operator<<(std::ostream& out, const Case& each) {
  return out << each.name;
}

class Comparing : public ::testing::TestWithParam<Case> {};

TEST_P(Comparing, BothRules) {
  const auto definition = json::test_object(GetParam().definition);
  const auto live = json::test_object(GetParam().live);
  for (const Rule rule : {Rule::MustHave, Rule::MustOnlyHave}) {
    const Comparison found = compare(definition, live, {rule, rule});
    const bool wanted = rule == Rule::MustHave ? GetParam().must_have : GetParam().must_only_have;
    EXPECT_EQ(found.is_match(), wanted) << (rule == Rule::MustHave ? "musthave" : "mustonlyhave");
    if (!found.has_correction) {
      EXPECT_TRUE(found.corrected.empty());
      continue;
    }
    // What was put right is right, and stays so.
    const Comparison again = compare(definition, found.corrected, {rule, rule});
    EXPECT_FALSE(again.has_correction) << json::serialize(again.corrected);
  }
}

const Case kCases[] = {
    {"case 92: extra fields", "spec: {a: 1}", "spec: {a: 1, b: 2}", true, false},
    {"case 92: extra fields, deep", "spec: {a: {x: 1}}", "spec: {a: {x: 1, y: {z: 1}}}", true, false},
    {"other top-level keys are not meant", "spec: {a: 1}", "{spec: {a: 1}, data: {k: v}}"},
    {"a field is missing", "spec: {a: 1, b: 2}", "spec: {a: 1}", false, false},
    {"another value", "spec: {a: 1}", "spec: {a: 2}", false, false},
    {"another type", "spec: {a: {b: 1}}", "spec: {a: [1]}", false, false},
    {"case 93: items in another order", "spec: {l: [a, b, c]}", "spec: {l: [c, a, b]}"},
    {"case 93: maps in another order", "spec: {l: [{k: 1}, {k: 2}]}", "spec: {l: [{k: 2}, {k: 1}]}"},
    {"extra items", "spec: {l: [a]}", "spec: {l: [b, a]}", true, false},
    {"an item is missing", "spec: {l: [a, b]}", "spec: {l: [b]}", false, false},
    {"an item twice", "spec: {l: [a, a]}", "spec: {l: [a]}", false, false},
    {"an item twice in the object", "spec: {l: [a]}", "spec: {l: [a, a]}", true, false},
    {"each wanted item finds its own", "spec: {l: [{a: 1}, {a: 1, b: 2}]}",
     "spec: {l: [{a: 1, b: 2}, {a: 1}]}"},
    {"case 94: the item of that name", "spec: {c: [{name: web, image: b}]}",
     "spec: {c: [{name: web, image: a}]}", false, false},
    {"case 95: quantities", "spec: {cpu: 1000m}", "spec: {cpu: '1'}"},
    {"quantities with units", "spec: {m: 1Gi}", "spec: {m: 1024Mi}"},
    {"a number for a quantity", "spec: {cpu: 2}", "spec: {cpu: '2'}"},
    {"a fraction for a quantity", "spec: {cpu: '1.0'}", "spec: {cpu: '1'}"},
    {"versions are no quantities", "spec: {v: '4.10'}", "spec: {v: '4.1'}", false, false},
    {"identifiers are no quantities", "spec: {v: '007'}", "spec: {v: '7'}", false, false},
    {"numbers by their text", "spec: {p: '8080'}", "spec: {p: 8080}"},
    {"booleans by their text", "spec: {p: 'true'}", "spec: {p: true}"},
    {"case 102: the status is compared", "status: {phase: Ready}", "status: {phase: Ready, x: 1}", true,
     false},
    {"case 102: the status differs", "status: {phase: Ready}", "status: {phase: Failed}", false, false},
    {"zero equals absence", "spec: {a: 0, b: false, c: '', d: [], e: {}, f: null}", "spec: {x: 1}", true,
     false},
    {"absence equals zero", "spec: {x: 1}", "{spec: {x: 1, a: 0, b: false, c: '', d: [], e: {}}}"},
    {"zero is not one", "spec: {a: 0}", "spec: {a: 1}", false, false},
    {"null takes away", "spec: {a: null}", "spec: {a: 1}", false, false},
    {"an empty part", "spec: {}", "metadata: {}"},
    {"labels", "metadata: {labels: {a: x}}", "metadata: {labels: {a: x, b: y}}", true, false},
    {"labels that nobody mentions", "metadata: {name: n, annotations: {a: x}}",
     "metadata: {name: n, labels: {b: y}, annotations: {a: x}, uid: u}"},
    {"labels are texts", "metadata: {labels: {a: 1000m}}", "metadata: {labels: {a: '1'}}", false, false},
    {"last-applied is nobody's", "metadata: {annotations: {a: x}}",
     "metadata: {annotations: {a: x, kubectl.kubernetes.io/last-applied-configuration: '{}'}}"},
    {"what namespaces are given",
     "{apiVersion: v1, kind: Namespace, metadata: {labels: {a: x}, annotations: {b: y}}}",
     "{apiVersion: v1, kind: Namespace, metadata: {labels: {a: x, kubernetes.io/metadata.name: n}, "
     "annotations: {b: y, "
     "openshift.io/sa.scc.mcs: z}}}"},
    {"names and finalizers do not count", "metadata: {name: a, finalizers: [f]}", "metadata: {name: a}"},
    {"case 103: stringData is data", "{apiVersion: v1, kind: Secret, stringData: {k: value}}",
     "{apiVersion: v1, kind: Secret, data: {k: dmFsdWU=}}"},
    {"case 103: other stringData", "{apiVersion: v1, kind: Secret, stringData: {k: other}}",
     "{apiVersion: v1, kind: Secret, data: {k: dmFsdWU=}}", false, false},
    {"texts of ConfigMaps", "{apiVersion: v1, kind: ConfigMap, data: {k: 1000m}}",
     "{apiVersion: v1, kind: ConfigMap, data: {k: '1'}}", false, false},
};
INSTANTIATE_TEST_SUITE_P(Table, Comparing, ::testing::ValuesIn(kCases));

TEST(Comparison, Case92CorrectionKeepsOrRemovesExtras) {
  const auto definition = json::test_object("spec: {a: 2}");
  const auto live = json::test_object("{metadata: {resourceVersion: '7'}, spec: {a: 1, b: {c: 1}}}");
  const auto merged = compare(definition, live, {});
  EXPECT_EQ(json::serialize(merged.corrected),
            R"({"metadata":{"resourceVersion":"7"},"spec":{"a":2,"b":{"c":1}}})");
  const auto replaced = compare(definition, live, {Rule::MustOnlyHave, Rule::MustOnlyHave});
  EXPECT_EQ(json::serialize(replaced.corrected), R"({"metadata":{"resourceVersion":"7"},"spec":{"a":2}})");
}

TEST(Comparison, Case94ChangesThatItemOnly) {
  const auto found = compare(
      json::test_object("spec: {containers: [{name: web, image: new}]}"),
      json::test_object("spec: {containers: [{name: side, image: s}, {name: web, image: old, tty: true}]}"),
      {});
  EXPECT_EQ(
      json::serialize(found.corrected),
      R"({"spec":{"containers":[{"name":"side","image":"s"},{"name":"web","image":"new","tty":true}]}})");
}

TEST(Comparison, Case102NeverWritesTheStatus) {
  const auto found = compare(json::test_object("{spec: {a: 1}, status: {phase: Ready}}"),
                             json::test_object("{spec: {a: 2}, status: {phase: Failed}}"), {});
  EXPECT_TRUE(found.has_status_mismatch);
  EXPECT_EQ(json::serialize(found.corrected), R"({"spec":{"a":1},"status":{"phase":"Failed"}})");
  EXPECT_EQ(json::serialize(
                as_created(json::test_object("{metadata: {name: o, uid: u}, status: {phase: Ready}}"), "ns")),
            R"({"metadata":{"name":"o","namespace":"ns"}})");
}

TEST(Comparison, MetadataHasItsOwnRule) {
  const auto definition = json::test_object("{metadata: {labels: {a: x}}, spec: {a: 1}}");
  const auto live = json::test_object("{metadata: {labels: {a: x, b: y}}, spec: {a: 1, b: 1}}");
  EXPECT_TRUE(compare(definition, live, {Rule::MustHave, Rule::MustHave}).is_match());
  const auto labels_only = compare(definition, live, {Rule::MustHave, Rule::MustOnlyHave});
  EXPECT_EQ(json::serialize(labels_only.corrected),
            R"({"metadata":{"labels":{"a":"x"}},"spec":{"a":1,"b":1}})");
}

TEST(Comparison, CorrectedSecretHasDataOnly) {
  const auto found =
      compare(json::test_object("{apiVersion: v1, kind: Secret, stringData: {k: other}}"),
              json::test_object("{apiVersion: v1, kind: Secret, data: {k: dmFsdWU=, l: eA==}}"), {});
  EXPECT_EQ(json::serialize(found.corrected),
            R"({"apiVersion":"v1","kind":"Secret","data":{"k":"b3RoZXI=","l":"eA=="}})");
}

TEST(Comparison, SameObjectApartFromBookkeeping) {
  EXPECT_TRUE(is_same_object(
      json::test_object("{metadata: {name: a, resourceVersion: '1', generation: 1, managedFields: []}}"),
      json::test_object("{metadata: {name: a, resourceVersion: '2', generation: 2}}")));
  EXPECT_FALSE(is_same_object(json::test_object("{metadata: {name: a}, spec: {}}"),
                              json::test_object("{metadata: {name: a}, spec: {a: 1}}")));
}

// Values as definitions and objects have them: few names and words, so that they often meet.
json::Value some_value(kube::Random& random, int depth) {
  switch (random.below(depth > 0 ? 8 : 6)) {
    case 0:
      return json::Value(nullptr);
    case 1:
      return json::Value(random.below(2) == 0);
    case 2:
      return json::Value(static_cast<std::int64_t>(random.below(3)));
    case 3:
      return json::Value(std::array{"", "x", "1", "1000m"}[random.below(4)]);
    case 4:
      return json::Value(json::Array());
    case 5:
      return json::Value(json::Object());
    case 6: {
      json::Array list;
      for (auto left = random.below(4); left > 0; --left) list.push_back(some_value(random, depth - 1));
      return json::Value(std::move(list));
    }
    default: {
      json::Object map;
      for (auto left = random.below(4); left > 0; --left)
        map[std::array{"name", "a", "b"}[random.below(3)]] = some_value(random, depth - 1);
      return json::Value(std::move(map));
    }
  }
}

// Whatever the values: correcting once is enough, and a correction is never about nothing.
TEST(Comparison, CorrectingOnceIsEnough) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    kube::Random random(seed);
    const json::Object definition{{"spec", some_value(random, 3)}};
    const json::Object live{{"spec", some_value(random, 3)}};
    for (const Rule rule : {Rule::MustHave, Rule::MustOnlyHave}) {
      const ComparisonRules rules{rule, rule};
      EXPECT_TRUE(compare(definition, definition, rules).is_match()) << seed;
      const Comparison found = compare(definition, live, rules);
      if (!found.has_correction) continue;
      EXPECT_FALSE(json::same_value(live, found.corrected)) << seed;
      EXPECT_FALSE(compare(definition, found.corrected, rules).has_correction)
          << "seed " << seed << ": " << json::serialize(definition) << " on " << json::serialize(live)
          << " gives " << json::serialize(found.corrected);
    }
  }
}

TEST(Matching, ChangesAGreedyChoice) {
  // 0 fits both, 1 fits only the first.
  const auto fits = [](std::size_t i, std::size_t j) { return i == 0 || j == 0; };
  EXPECT_EQ(match_items(2, 2, fits), (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(match_items(3, 1, [](auto, auto) { return true; }),
            (std::vector<std::size_t>{0, kNowhere, kNowhere}));
}

TEST(Difference, IsAUnifiedDiffOfYaml) {
  const auto live = json::test_object(
      "{metadata: {name: o, namespace: ns, resourceVersion: '1'}, spec: {a: 1, b: 2, c: 3, d: 4, e: 5}}");
  auto next = live;
  json::ensure_object(next, {"spec"})["b"] = 7;
  EXPECT_EQ(difference(live, next),
            "--- ns/o : existing\n+++ ns/o : updated\n@@ -3,7 +3,7 @@\n   namespace: ns\n spec:\n   a: 1\n-  "
            "b: 2\n+  b: 7\n"
            "   c: 3\n   d: 4\n   e: 5");
  EXPECT_EQ(difference(live, live), "");
}

TEST(Difference, IsCutAndCensored) {
  json::Array many;
  for (int i = 0; i < 200; ++i) many.push_back(i);
  auto live = json::test_object("{metadata: {name: n}, spec: {}}");
  auto next = live;
  json::ensure_object(next, {"spec"})["l"] = many;
  EXPECT_TRUE(difference(live, next).starts_with("# Truncated: showing 50/20"))
      << difference(live, next).substr(0, 60);
  EXPECT_TRUE(is_sensitive(json::test_object("{apiVersion: v1, kind: Secret}")));
  EXPECT_TRUE(is_sensitive(json::test_object("{apiVersion: route.openshift.io/v1, kind: Route}")));
  EXPECT_FALSE(is_sensitive(json::test_object("{apiVersion: v1, kind: Pod}")));
}

}  // namespace
}  // namespace fairway::fleet::agent
