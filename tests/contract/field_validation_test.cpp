// fieldValidation: what happens to fields that nobody knows.
#include "harness.hpp"

namespace fairway::contract {
namespace {

class FieldValidation : public ContractTest {
 protected:
  std::string checked(const std::string& path, std::string mode) {
    return with(path, {{"fieldValidation", std::move(mode)}});
  }
};

CONTRACT(FieldValidation, StrictRefuses, "Strict refuses unknown fields with 400 and names them") {
  const Answer made =
      api().post(checked(at("configmaps"), "Strict"), config_map("a", "{nosuch: x, metadata: {other: x}}"));
  EXPECT_TRUE(refused(made, 400, "BadRequest", "strict decoding error: "));
  EXPECT_TRUE(contains(made.text("/message"), R"(unknown field "nosuch")"));
  EXPECT_TRUE(contains(made.text("/message"), R"(unknown field "metadata.other")"));
  EXPECT_TRUE(answered(api().get(at("configmaps", "a")), 404));
}

CONTRACT(FieldValidation, WarnWarns, "Warn drops unknown fields and says so in a Warning header") {
  const Answer made = api().post(checked(at("configmaps"), "Warn"), config_map("a", "{nosuch: x}"));
  ASSERT_TRUE(answered(made, 201));
  EXPECT_EQ(made.header("Warning"), R"(299 - "unknown field \"nosuch\"")");
  EXPECT_EQ(made.text("/nosuch"), "<absent>");
}

CONTRACT(FieldValidation, WarnIsTheDefault, "without fieldValidation it is Warn") {
  const Answer made = api().post(at("configmaps"), config_map("a", "{nosuch: x}"));
  ASSERT_TRUE(answered(made, 201));
  EXPECT_TRUE(contains(made.header("Warning"), R"(unknown field \"nosuch\")"));
}

CONTRACT(FieldValidation, IgnoreIsSilent, "Ignore drops unknown fields without a word") {
  const Answer made = api().post(checked(at("configmaps"), "Ignore"), config_map("a", "{nosuch: x}"));
  ASSERT_TRUE(answered(made, 201));
  EXPECT_EQ(made.header("Warning"), "");
}

CONTRACT(FieldValidation, KnownFieldsAreFine,
         "an object without unknown fields passes Strict without a warning") {
  const Answer made = api().post(checked(at("deployments"), "Strict"), deployment("a"));
  ASSERT_TRUE(answered(made, 201));
  EXPECT_EQ(made.header("Warning"), "");
}

CONTRACT(FieldValidation, DeepFieldsAreNamedByPath, "unknown fields deep inside are named by their path") {
  const Answer made = api().post(
      checked(at("deployments"), "Strict"),
      deployment("a", "{spec: {template: {spec: {containers: [{name: main, image: x, imagee: z}]}}}}"));
  EXPECT_TRUE(refused(made, 400, "BadRequest", R"(unknown field "spec.template.spec.containers[0].imagee")"));
}

CONTRACT(FieldValidation, Updates, "updates are checked too") {
  Value made = create("configmaps", config_map("a"));
  set(made, "/nosuch", "x");
  EXPECT_TRUE(refused(api().put(checked(at("configmaps", "a"), "Strict"), made), 400, "BadRequest",
                      R"(unknown field "nosuch")"));
  EXPECT_TRUE(contains(api().put(checked(at("configmaps", "a"), "Warn"), made).header("Warning"), "nosuch"));
}

CONTRACT(FieldValidation, Patches, "the result of a patch is checked: Strict is 422") {
  create("configmaps", config_map("a"));
  const Answer strict = api().merge(checked(at("configmaps", "a"), "Strict"), "{nosuch: x}");
  EXPECT_TRUE(refused(strict, 422, "Invalid", R"(strict decoding error: unknown field "nosuch")"));
  const Answer warned = api().merge(checked(at("configmaps", "a"), "Warn"), "{nosuch: x}");
  ASSERT_TRUE(answered(warned, 200));
  EXPECT_TRUE(contains(warned.header("Warning"), R"(unknown field \"nosuch\")"));
}

CONTRACT(FieldValidation, CustomObjects, "fields outside of a definition's schema are unknown") {
  define(widget_crd("{type: object, properties: {num: {type: integer}}}"));
  const Value object = widget("a", "{spec: {num: 1, nosuch: x}}");
  EXPECT_TRUE(refused(api().post(checked(widgets(), "Strict"), object), 400, "BadRequest",
                      R"(strict decoding error: unknown field "spec.nosuch")"));
  const Answer made = api().post(checked(widgets(), "Warn"), object);
  ASSERT_TRUE(answered(made, 201));
  EXPECT_EQ(made.header("Warning"), R"(299 - "unknown field \"spec.nosuch\"")");
}

CONTRACT(FieldValidation, DuplicateFields, "Strict refuses a field that stands twice") {
  const Answer made = api().send(
      "POST", checked(at("configmaps"), "Strict"), {{"Content-Type", "application/json"}},
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"1","k":"2"}})");
  EXPECT_TRUE(refused(made, 400, "BadRequest"));
}

CONTRACT(FieldValidation, CaseMatters, "a field in another case is unknown") {
  const Answer made = api().post(checked(at("configmaps"), "Strict"), config_map("a", "{Data: {k: v}}"));
  EXPECT_TRUE(refused(made, 400, "BadRequest", R"(unknown field "Data")"));
}

CONTRACT(FieldValidation, HasThreeValues, "a fieldValidation other than Ignore, Warn and Strict is 422") {
  const Answer made = api().post(checked(at("configmaps"), "Hard"), config_map("a"));
  EXPECT_TRUE(refused(made, 422, "Invalid"));
  EXPECT_TRUE(has_cause(made, "FieldValueNotSupported", "fieldValidation", R"(Unsupported value: "Hard")"));
}

}  // namespace
}  // namespace fairway::contract
