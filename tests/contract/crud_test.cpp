// Creating, reading, replacing and deleting objects, and requests that are wrong.
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

using Crud = ContractTest;

CONTRACT(Crud, CreateAnswers201WithTheStoredObject,
         "a create is answered with 201 and the object as stored") {
  const Answer made = api().post(at("configmaps"), config_map("a", "{data: {k: v}}"));
  ASSERT_TRUE(answered(made, 201));
  EXPECT_EQ(made.text("/kind"), "ConfigMap");
  EXPECT_EQ(made.text("/apiVersion"), "v1");
  EXPECT_EQ(made.text("/metadata/namespace"), ns());
  EXPECT_EQ(made.text("/data/k"), "v");
  EXPECT_EQ(api().get(at("configmaps", "a")).json, made.json);
}

CONTRACT(Crud, GetOfAMissingObject,
         "a missing object is 404 NotFound, its name and resource in the details") {
  const Answer missing = api().get(at("configmaps", "nobody"));
  EXPECT_TRUE(refused(missing, 404, "NotFound", R"(configmaps "nobody" not found)"));
  EXPECT_EQ(missing.text("/details/name"), "nobody");
  EXPECT_EQ(missing.text("/details/kind"), "configmaps");
}

CONTRACT(Crud, NotFoundNamesTheGroup, "a NotFound of another group says RESOURCE.GROUP and details.group") {
  const Answer missing = api().get(at("deployments", "nobody"));
  EXPECT_TRUE(refused(missing, 404, "NotFound", R"(deployments.apps "nobody" not found)"));
  EXPECT_EQ(missing.text("/details/group"), "apps");
  EXPECT_EQ(missing.text("/details/kind"), "deployments");
}

CONTRACT(Crud, PutReplacesTheObject, "an update replaces the whole object and raises its resourceVersion") {
  Value made = create("configmaps", config_map("a", "{data: {k: v, old: x}}"));
  set(made, "/data", "{k: w}");
  const Answer written = api().put(at("configmaps", "a"), made);
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/data"), R"({"k":"w"})");
  EXPECT_NE(version_of(written.json), version_of(made));
  EXPECT_EQ(uid_of(written.json), uid_of(made));
  EXPECT_EQ(api().get(at("configmaps", "a")).json, written.json);
}

CONTRACT(Crud, PutOfAMissingObject, "an update of an object that does not exist is 404 NotFound") {
  EXPECT_TRUE(refused(api().put(at("configmaps", "a"), config_map("a")), 404, "NotFound",
                      R"(configmaps "a" not found)"));
}

CONTRACT(Crud, DeleteAnswersWithAStatus,
         "a delete is answered with a Status of success and the object's uid") {
  const Value made = create("configmaps", config_map("a"));
  const Answer deleted = api().remove(at("configmaps", "a"));
  ASSERT_TRUE(answered(deleted, 200));
  EXPECT_EQ(deleted.text("/kind"), "Status");
  EXPECT_EQ(deleted.text("/status"), "Success");
  EXPECT_EQ(deleted.text("/details/name"), "a");
  EXPECT_EQ(deleted.text("/details/kind"), "configmaps");
  EXPECT_EQ(deleted.text("/details/uid"), uid_of(made));
  EXPECT_TRUE(refused(api().get(at("configmaps", "a")), 404, "NotFound"));
}

CONTRACT(Crud, DeleteOfAMissingObject, "a delete of an object that does not exist is 404 NotFound") {
  EXPECT_TRUE(
      refused(api().remove(at("configmaps", "nobody")), 404, "NotFound", R"(configmaps "nobody" not found)"));
}

CONTRACT(Crud, ARecreatedObjectIsAnother, "a name that is used again belongs to an object with another uid") {
  const Value first = create("configmaps", config_map("a"));
  ASSERT_TRUE(answered(api().remove(at("configmaps", "a")), 200));
  const Value second = create("configmaps", config_map("a"));
  EXPECT_NE(uid_of(first), uid_of(second));
  EXPECT_LT(std::stoull(version_of(first)), std::stoull(version_of(second)));
}

CONTRACT(Crud, DeleteCollectionHonoursSelectors,
         "a delete of a collection deletes what the selectors select and nothing else") {
  create("secrets", secret("a", "{metadata: {labels: {go: 'yes'}}}"));
  create("secrets", secret("b", "{metadata: {labels: {go: 'no'}}}"));
  create("secrets", secret("c", "{metadata: {labels: {go: 'yes'}}}"));
  const Answer deleted = api().remove(with(at("secrets"), {{"labelSelector", "go=yes"}}));
  ASSERT_TRUE(answered(deleted, 200));
  EXPECT_EQ(names_of(api().get(with(at("secrets"), {{"labelSelector", "go"}})).json), Names{"b"});
}

CONTRACT(Crud, TheNamespaceMustExist, "nothing is created in a namespace that does not exist: 404 NotFound") {
  const std::string nowhere = unique("nowhere");
  const Answer made = api().post(fmt::format("/api/v1/namespaces/{}/configmaps", nowhere), config_map("a"));
  EXPECT_TRUE(refused(made, 404, "NotFound", fmt::format(R"(namespaces "{}" not found)", nowhere)));
  EXPECT_EQ(made.text("/details/kind"), "namespaces");
}

CONTRACT(Crud, TheNamespaceMustMatchThePath, "an object's namespace must be the one of the path: 400") {
  const Answer made = api().post(at("configmaps"), config_map("a", "{metadata: {namespace: other}}"));
  EXPECT_TRUE(
      refused(made, 400, "BadRequest",
              "the namespace of the provided object does not match the namespace sent on the request"));
}

CONTRACT(Crud, TheNameMustMatchThePath, "an updated object's name must be the one of the path: 400") {
  create("configmaps", config_map("a"));
  const Answer written = api().put(at("configmaps", "a"), config_map("b"));
  EXPECT_TRUE(refused(written, 400, "BadRequest",
                      "the name of the object (b) does not match the name on the URL (a)"));
}

CONTRACT(Crud, AnUpdateNeedsAName, "an updated object without a name is 400") {
  create("configmaps", config_map("a"));
  EXPECT_TRUE(
      refused(api().put(at("configmaps", "a"), "{apiVersion: v1, kind: ConfigMap}"), 400, "BadRequest"));
}

CONTRACT(Crud, GenerateNameMakesAName,
         "without a name, generateName and five further characters become one") {
  const Value first =
      create("configmaps", "{apiVersion: v1, kind: ConfigMap, metadata: {generateName: pre-}}");
  const Value second =
      create("configmaps", "{apiVersion: v1, kind: ConfigMap, metadata: {generateName: pre-}}");
  const std::string name = text_at(first, "/metadata/name");
  EXPECT_TRUE(name.starts_with("pre-")) << name;
  EXPECT_EQ(name.size(), 9U);
  EXPECT_EQ(text_at(first, "/metadata/generateName"), "pre-");
  EXPECT_NE(name, text_at(second, "/metadata/name"));
}

CONTRACT(Crud, GenerateNameIsCutTo63, "a generated name has at most 63 characters: a longer prefix is cut") {
  const std::string prefix(70, 'p');
  Value object = config_map("unused");
  set(object, "/metadata", Value(json::Object{{"generateName", prefix}}));
  EXPECT_EQ(text_at(create("configmaps", object), "/metadata/name").size(), 63U);
}

CONTRACT(Crud, ANameWinsOverGenerateName, "a given name is used and generateName is only kept") {
  const Value made = create("configmaps", config_map("given", "{metadata: {generateName: pre-}}"));
  EXPECT_EQ(text_at(made, "/metadata/name"), "given");
}

CONTRACT(Crud, KindMayBeLeftOutOfABuiltin,
         "a built-in object without kind and apiVersion is taken as what the path says") {
  const Answer made = api().post(at("configmaps"), "{metadata: {name: a}, data: {k: v}}");
  ASSERT_TRUE(answered(made, 201));
  EXPECT_EQ(made.text("/kind"), "ConfigMap");
}

CONTRACT(Crud, KindIsNeededInACustomObject, "a custom object without kind is 400") {
  define();
  Value object = widget("a");
  erase(object, "/kind");
  EXPECT_TRUE(refused(api().post(widgets(), object), 400, "BadRequest", "Object 'Kind' is missing"));
}

CONTRACT(Crud, AnotherKindIsRefused, "an object of another kind than the path's is 400") {
  const Answer made = api().post(at("configmaps"), secret("a"));
  EXPECT_TRUE(refused(made, 400, "BadRequest", "cannot be handled as a ConfigMap"));
}

CONTRACT(Crud, AnotherVersionIsRefused, "an object of another apiVersion than the path's is 400") {
  EXPECT_TRUE(refused(api().post(at("configmaps"), object("apps/v1", "ConfigMap", "a")), 400, "BadRequest"));
}

CONTRACT(Crud, AnotherVersionOfACustomObjectIsRefused,
         "a custom object of another group is 400 and told both versions") {
  define();
  const Answer made = api().post(widgets(), object("other.example.com/v1", "Widget", "a"));
  EXPECT_TRUE(refused(made, 400, "BadRequest",
                      fmt::format("the API version in the data (other.example.com/v1) does not match the "
                                  "expected API version ({}/v1)",
                                  group())));
}

CONTRACT(Crud, AnEmptyBodyIsRefused, "a create without a body is 400") {
  EXPECT_TRUE(refused(api().send("POST", at("configmaps"), {{"Content-Type", "application/json"}}, ""), 400,
                      "BadRequest"));
}

CONTRACT(Crud, MalformedJsonIsRefused, "a body that is not JSON is 400") {
  for (const char* body : {"{", "nonsense", R"({"metadata":{"name":"a"}} trailing)", "[]", "\"text\"", "7"}) {
    SCOPED_TRACE(body);
    EXPECT_TRUE(refused(api().send("POST", at("configmaps"), {{"Content-Type", "application/json"}}, body),
                        400, "BadRequest"));
  }
}

CONTRACT(Crud, WrongTypesOfFieldsAreRefused, "a field of another JSON type than the kind's is 400") {
  for (const char* rest :
       {"{data: [k]}", "{data: {k: 7}}", "{metadata: {labels: [a]}}", "{immutable: 'yes'}"}) {
    SCOPED_TRACE(rest);
    EXPECT_TRUE(refused(api().post(at("configmaps"), config_map("a", rest)), 400, "BadRequest",
                        "cannot be handled as a ConfigMap"));
  }
}

CONTRACT(Crud, YamlIsABodyToo, "a body may be YAML when its Content-Type says so") {
  const Answer made = api().send("POST", at("configmaps"), {{"Content-Type", "application/yaml"}},
                                 "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n");
  ASSERT_TRUE(answered(made, 201));
  EXPECT_EQ(made.text("/data/k"), "v");
}

CONTRACT(Crud, UnknownResourcesAreNotFound, "a resource that the version does not have is 404 NotFound") {
  EXPECT_TRUE(refused(api().get("/api/v1/nosuchthings"), 404, "NotFound",
                      "the server could not find the requested resource"));
  EXPECT_TRUE(refused(api().get(at("nosuchthings", "a")), 404, "NotFound"));
}

CONTRACT(Crud, UnknownGroupsAreNotFound, "a group or version that nobody serves is 404") {
  EXPECT_TRUE(answered(api().get("/apis/nosuch.example.com/v1/things"), 404));
  EXPECT_TRUE(answered(api().get("/apis/apps/v99/deployments"), 404));
}

CONTRACT(Crud, UnknownSubresourcesAreNotFound, "a subresource that the kind does not have is 404") {
  create("configmaps", config_map("a"));
  EXPECT_TRUE(answered(api().get(at("configmaps", "a", "status")), 404));
}

CONTRACT(Crud, MethodsThatDoNotFitAreRefused,
         "a method that the path does not take is 405 MethodNotAllowed") {
  create("configmaps", config_map("a"));
  const std::string_view message = "the server does not allow this method on the requested resource";
  EXPECT_TRUE(refused(api().put(at("configmaps"), config_map("a")), 405, "MethodNotAllowed", message));
  EXPECT_TRUE(refused(api().post(at("configmaps", "a"), config_map("a")), 405, "MethodNotAllowed", message));
}

CONTRACT(Crud, ReviewsAreOnlyCreated, "a resource that is only created refuses to be listed with 405") {
  EXPECT_TRUE(
      refused(api().get("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"), 405, "MethodNotAllowed"));
}

CONTRACT(Crud, ResourceVersionIsNotForCreates, "a create with a resourceVersion is refused") {
  const Answer made = api().post(at("configmaps"), config_map("a", "{metadata: {resourceVersion: '1'}}"));
  // kube-apiserver answers this with a plain 500, others with 400; the words are the same.
  EXPECT_GE(made.status, 400);
  EXPECT_TRUE(contains(made.body, "resourceVersion should not be set on objects to be created"));
  EXPECT_TRUE(answered(api().get(at("configmaps", "a")), 404));
}

CONTRACT(Crud, ResourceVersionsGrow, "resourceVersions are decimal numbers and grow with every write") {
  unsigned long long last = 0;
  for (const char* name : {"a", "b", "c"}) {
    const Value made = create("configmaps", config_map(name));
    const unsigned long long version = std::stoull(version_of(made));
    EXPECT_EQ(fmt::to_string(version), version_of(made));
    EXPECT_GT(version, last);
    last = version;
  }
}

CONTRACT(Crud, AListIsOfItsKind, "a list has the kind's list kind, a resourceVersion and the objects") {
  create("secrets", secret("a"));
  const Answer list = api().get(at("secrets"));
  ASSERT_TRUE(answered(list, 200));
  EXPECT_EQ(list.text("/kind"), "SecretList");
  EXPECT_EQ(list.text("/apiVersion"), "v1");
  EXPECT_GT(std::stoull(version_of(list.json)), 0U);
  EXPECT_EQ(names_of(list.json), Names{"a"});
}

CONTRACT(Crud, AnEmptyListHasItems, "a list of nothing has an empty array of items, never null") {
  EXPECT_EQ(api().get(at("leases")).text("/items"), "[]");
}

}  // namespace
}  // namespace fairway::contract
