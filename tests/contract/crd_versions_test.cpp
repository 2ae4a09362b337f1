// Several versions of one definition.
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

class Versions : public ContractTest {
 protected:
  // v1 stored, v1beta1 served besides, v1alpha1 neither.
  Value three_versions() const {
    Value crd = widget_crd("{type: object, properties: {num: {type: integer}}}");
    json::Array& versions = crd.at("spec").at("versions").as_array();
    for (const char* name : {"v1beta1", "v1alpha1"}) {
      Value version = *find_at(crd, "/spec/versions/0");
      set(version, "/name", name);
      set(version, "/storage", "false");
      set(version, "/served", std::string_view(name) == "v1beta1" ? "true" : "false");
      versions.push_back(version);
    }
    return crd;
  }
  Value beta(std::string_view name, const Body& rest = "{}") const {
    return object(group() + "/v1beta1", "Widget", name, rest);
  }
};

CONTRACT(Versions, ShowTheSameObject, "an object is shown in each served version: only apiVersion differs") {
  define(three_versions());
  ASSERT_TRUE(answered(api().post(widgets("", "", "v1beta1"), beta("a", "{spec: {num: 1}}")), 201));
  const Answer stored = api().get(widgets("a"));
  const Answer shown = api().get(widgets("a", "", "v1beta1"));
  EXPECT_EQ(stored.text("/apiVersion"), group() + "/v1");
  EXPECT_EQ(shown.text("/apiVersion"), group() + "/v1beta1");
  EXPECT_EQ(stored.text("/spec/num"), "1");
  EXPECT_EQ(uid_of(stored.json), uid_of(shown.json));
  EXPECT_EQ(version_of(stored.json), version_of(shown.json));
}

CONTRACT(Versions, ListsAndWatchesAreOfOneVersion,
         "lists and watches show objects in the version of the path") {
  define(three_versions());
  create_widget(widget("a"));
  const Answer list = api().get(widgets("", "", "v1beta1"));
  EXPECT_EQ(list.text("/apiVersion"), group() + "/v1beta1");
  EXPECT_EQ(list.text("/items/0/apiVersion"), group() + "/v1beta1");
  Watch watch = api().watch(widgets("", "", "v1beta1"));
  EXPECT_EQ(watch.next().text("/apiVersion"), group() + "/v1beta1");
}

CONTRACT(Versions, TheBodyIsOfThePathsVersion, "an object is written in the version of the path") {
  define(three_versions());
  EXPECT_TRUE(refused(api().post(widgets(), beta("a")), 400, "BadRequest",
                      "does not match the expected API version"));
}

CONTRACT(Versions, UnservedVersionsAreNotFound, "a version that is not served is 404") {
  define(three_versions());
  EXPECT_TRUE(answered(api().get(widgets("", "", "v1alpha1")), 404));
  EXPECT_TRUE(answered(api().get(widgets("", "", "v7")), 404));
}

CONTRACT(Versions, CanBeWithdrawn,
         "a version that is no longer served is 404, its objects stay in the others") {
  define(three_versions());
  ASSERT_TRUE(answered(api().post(widgets("", "", "v1beta1"), beta("a")), 201));
  ASSERT_TRUE(answered(
      api().patch(crd_path(), kJsonPatch, "[{op: replace, path: /spec/versions/1/served, value: false}]"),
      200));
  EXPECT_TRUE(api().eventually([&] { return api().get(widgets("a", "", "v1beta1")).status == 404; }));
  EXPECT_TRUE(answered(api().get(widgets("a")), 200));
}

CONTRACT(Versions, StorageVersionsAreRemembered,
         "status.storedVersions has every version that was ever the storage version") {
  define(three_versions());
  ASSERT_TRUE(answered(
      api().patch(crd_path(), kJsonPatch, R"([{op: replace, path: /spec/versions/0/storage, value: false},
                                                              {op: replace, path: /spec/versions/1/storage, value: true}])"),
      200));
  EXPECT_EQ(api().get(crd_path()).text("/status/storedVersions"), R"(["v1","v1beta1"])");
}

CONTRACT(Versions, ObjectsOutliveTheStorageVersion,
         "objects of an older storage version are still served, in every version") {
  define(three_versions());
  create_widget(widget("a", "{spec: {num: 1}}"));
  ASSERT_TRUE(answered(
      api().patch(crd_path(), kJsonPatch, R"([{op: replace, path: /spec/versions/0/storage, value: false},
                                                              {op: replace, path: /spec/versions/1/storage, value: true}])"),
      200));
  const Answer found = api().get(widgets("a"));
  EXPECT_EQ(found.text("/apiVersion"), group() + "/v1");
  EXPECT_EQ(found.text("/spec/num"), "1");
  EXPECT_EQ(api().get(widgets("a", "", "v1beta1")).text("/apiVersion"), group() + "/v1beta1");
}

CONTRACT(Versions, StoredVersionsMustStay,
         "a version in status.storedVersions cannot be taken out of the definition") {
  define(three_versions());
  ASSERT_TRUE(answered(
      api().patch(crd_path(), kJsonPatch, R"([{op: replace, path: /spec/versions/0/storage, value: false},
                                                              {op: replace, path: /spec/versions/1/storage, value: true}])"),
      200));
  const Answer written = api().patch(crd_path(), kJsonPatch, "[{op: remove, path: /spec/versions/0}]");
  EXPECT_TRUE(refused(written, 422, "Invalid", "status.storedVersions[0]"));
  EXPECT_TRUE(contains(written.text("/message"),
                       "v1 was previously a storage version, and must remain in spec.versions"));
}

CONTRACT(Versions, DeprecationIsWarnedOf, "a deprecated version is answered with a Warning header") {
  Value crd = three_versions();
  set(crd, "/spec/versions/1/deprecated", "true");
  set(crd, "/spec/versions/1/deprecationWarning", "use v1 instead");
  define(crd);
  EXPECT_EQ(api().get(widgets("", "", "v1beta1")).header("Warning"), R"(299 - "use v1 instead")");
  EXPECT_EQ(api().get(widgets()).header("Warning"), "");
}

CONTRACT(Versions, DeprecationHasWords,
         "without words of its own a deprecated version is warned of by kind and version") {
  Value crd = three_versions();
  set(crd, "/spec/versions/1/deprecated", "true");
  define(crd);
  // Kubernetes adds a version to use instead, if there is one.
  EXPECT_TRUE(contains(api().get(widgets("", "", "v1beta1")).header("Warning"),
                       fmt::format(R"(299 - "{}/v1beta1 Widget is deprecated)", group())));
}

CONTRACT(Versions, PatchesAreOfThePathsVersion, "a patch is made and answered in the version of the path") {
  define(three_versions());
  create_widget(widget("a", "{spec: {num: 1}}"));
  const Answer written = api().merge(widgets("a", "", "v1beta1"), "{spec: {num: 2}}");
  EXPECT_EQ(written.text("/apiVersion"), group() + "/v1beta1");
  EXPECT_EQ(api().get(widgets("a")).text("/spec/num"), "2");
}

CONTRACT(Versions, AreOrderedInDiscovery, "a group prefers its most stable version") {
  define(three_versions());
  Answer found;
  EXPECT_TRUE(api().eventually([&] {
    found = api().get("/apis/" + group());
    return found.status == 200 && found.text("/versions/1/version") == "v1beta1";
  })) << found.body;
  EXPECT_EQ(found.text("/preferredVersion/version"), "v1");
  EXPECT_EQ(found.text("/versions/0/version"), "v1");
  EXPECT_EQ(found.text("/versions/2"), "<absent>");
}

}  // namespace
}  // namespace fairway::contract
