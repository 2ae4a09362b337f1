#include "device/object_rewrite.hpp"

#include <gtest/gtest.h>

#include "device/step_file.hpp"

namespace fairway::device {
namespace {

RewriteStep step() {
  return std::get<RewriteStep>(parse_step_file("rewrite: manifests\nconversions:\n"
                                               "- {from: apps/v1beta1, to: apps/v1, kind: Deployment}\n"
                                               "- {from: old/v1, to: new/v1}\n")
                                   .value());
}

std::optional<std::string> rewritten(std::string_view name, std::string_view text,
                                     RewriteReport* report = nullptr) {
  RewriteReport unused;
  const auto result = rewrite_objects(name, text, step(), report != nullptr ? *report : unused);
  EXPECT_TRUE(result) << result.error().describe();
  return result.value_or(std::nullopt);
}

TEST(ObjectRewrite, ChangesTheApiVersionAndNothingElse) {
  EXPECT_EQ(rewritten("a.yaml", "apiVersion: apps/v1beta1\nkind: Deployment\nspec: {replicas: 010}\n"),
            "apiVersion: apps/v1\nkind: Deployment\nspec:\n  replicas: 8\n");
  EXPECT_EQ(rewritten("a.json", R"({"apiVersion":"old/v1","kind":"Any","x":1})"),
            "{\n  \"apiVersion\": \"new/v1\",\n  \"kind\": \"Any\",\n  \"x\": 1\n}\n");
  EXPECT_EQ(rewritten("a.yaml", "apiVersion: apps/v1beta1\nkind: StatefulSet\n"), std::nullopt)
      << "of another kind";
  EXPECT_EQ(rewritten("a.yaml", "apiVersion: apps/v1\nkind: Deployment\n"), std::nullopt) << "new already";
  EXPECT_EQ(rewritten("a.yaml", "just: values\n"), std::nullopt);
}

TEST(ObjectRewrite, LooksIntoDocumentsAndLists) {
  RewriteReport report;
  const auto text = rewritten(
      "a.yaml",
      "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: old/v1, kind: A}\n- {apiVersion: new/v1, kind: A}\n"
      "---\napiVersion: old/v1\nkind: B\n",
      &report);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->find("old/v1"), std::string::npos);
  EXPECT_NE(text->find("---\n"), std::string::npos);
  EXPECT_EQ(to_text(report), "A: 1 of 2 changed, B: 1 of 1 changed, List: 0 of 1 changed");
  EXPECT_EQ(rewritten("a.yaml", *text), std::nullopt) << "twice is once";
}

TEST(ObjectRewrite, IsStrict) {
  for (const char* wrong :
       {"", "rewrite: ../x\nconversions: []\n", "rewrite: /x\nconversions: []\n", "rewrite: x\n",
        "rewrite: x\nconversions: [{from: a}]\n", "rewrite: x\nconversions: [1]\n"})
    EXPECT_FALSE(parse_step_file(wrong)) << wrong;
  RewriteReport report;
  EXPECT_FALSE(rewrite_objects("a.json", "{", step(), report)) << "what cannot be read fails the step";
  EXPECT_TRUE(is_object_file("a.yml"));
  EXPECT_FALSE(is_object_file("a.txt"));
}

}  // namespace
}  // namespace fairway::device
