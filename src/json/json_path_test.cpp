#include "json/json_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairway::json {
namespace {

using ::testing::HasSubstr;

const Value& document() {
  static const Value value = *parse(R"({
    "metadata": {"name": "x", "labels": {"app.kubernetes.io/name": "web", "it's": "q", "a]b": "br"}},
    "spec": {"replicas": 3, "ratio": 0.5, "paused": false, "empty": null,
             "ports": [{"name": "http", "port": 80}, {"name": "https", "port": 443}, {"port": 8080}]},
    "status": {"conditions": [{"type": "Available", "status": "True"},
                              {"type": "Ready", "status": "False", "on": true},
                              {"type": "a==b", "status": "Odd"}]},
    "matrix": [[1, 2], [3, 4]]})");
  return value;
}

struct PathCase {
  const char* path;
  const char* text;
};

class Paths : public testing::TestWithParam<PathCase> {};

TEST_P(Paths, FindWhatKubectlFinds) {
  const auto path = JsonPath::parse(GetParam().path);
  ASSERT_TRUE(path.has_value()) << path.error().describe();
  EXPECT_EQ(path->text(document()), GetParam().text) << GetParam().path;
}

INSTANTIATE_TEST_SUITE_P(
    JsonPath, Paths,
    testing::Values(
        PathCase{".metadata.name", "x"}, PathCase{"metadata.name", "x"}, PathCase{"{.metadata.name}", "x"},
        PathCase{"{ .metadata.name }", "x"}, PathCase{"$.metadata.name", "x"},
        PathCase{"{$.metadata.name}", "x"}, PathCase{".metadata['name']", "x"},
        PathCase{"['metadata']['name']", "x"}, PathCase{".['metadata'].name", "x"},
        PathCase{".metadata.labels['app.kubernetes.io/name']", "web"},
        PathCase{".metadata.labels[\"app.kubernetes.io/name\"]", "web"},
        PathCase{".metadata.labels.app\\.kubernetes\\.io/name", "web"},
        PathCase{".metadata.labels['it\\'s']", "q"}, PathCase{".metadata.labels['a]b']", "br"},
        PathCase{".spec.replicas", "3"}, PathCase{".spec.ratio", "0.5"}, PathCase{".spec.paused", "false"},
        PathCase{".spec.empty", "null"}, PathCase{".spec.missing", ""}, PathCase{".spec.replicas.below", ""},
        PathCase{".spec.ports.name", ""}, PathCase{".spec[0]", ""}, PathCase{".spec.ports[0].name", "http"},
        PathCase{".spec.ports[-1].port", "8080"}, PathCase{".spec.ports[3].port", ""},
        PathCase{".spec.ports[-4].port", ""}, PathCase{".spec.ports[*].port", "80 443 8080"},
        PathCase{".spec.ports[*].name", "http https"}, PathCase{".spec.ports[1:].port", "443 8080"},
        PathCase{".spec.ports[:2].port", "80 443"}, PathCase{".spec.ports[0:-1].port", "80 443"},
        PathCase{".spec.ports[2:9].port", "8080"}, PathCase{".spec.ports[-2:].port", "443 8080"},
        PathCase{".spec.ports[2:1].port", ""}, PathCase{".matrix[*][1]", "2 4"},
        PathCase{".matrix[1][0]", "3"}, PathCase{".matrix", "[[1,2],[3,4]]"},
        PathCase{".metadata.labels.*", "web q br"}, PathCase{".metadata.labels[*]", "web q br"},
        PathCase{".status.conditions[?(@.type==\"Ready\")].status", "False"},
        PathCase{".status.conditions[?(@.type=='Ready')].status", "False"},
        PathCase{".status.conditions[?( @.type == \"Ready\" )].status", "False"},
        PathCase{".status.conditions[?(@.type!=\"Ready\")].status", "True Odd"},
        PathCase{".status.conditions[?(@.type==\"a==b\")].status", "Odd"},
        PathCase{".status.conditions[?(@.type==\"None\")].status", ""},
        PathCase{".status.conditions[?(@.on)].type", "Ready"},
        PathCase{".status.conditions[?(@.on==true)].type", "Ready"},
        PathCase{".spec.ports[?(@.port>=443)].port", "443 8080"},
        PathCase{".spec.ports[?(@.port<443)].port", "80"},
        PathCase{".spec.ports[?(@.port<=80.5)].port", "80"},
        PathCase{".spec.ports[?(@.port>80)].name", "https"},
        PathCase{".spec.ports[?(@.name>\"http\")].port", "443"},
        PathCase{".spec.ports[?(@.name>5)].port", ""},
        PathCase{".spec.ports[?(@['name']=='http')].port", "80"}, PathCase{".matrix[?(@[0]==3)][1]", "4"},
        PathCase{".matrix[*][?(@>2)]", "3 4"}));

TEST(JsonPath, TheRootIsTheDocument) {
  EXPECT_EQ(JsonPath::parse("$")->first(document()), &document());
  EXPECT_EQ(JsonPath::parse("{.}")->first(document()), &document());
}

TEST(JsonPath, FirstPointsIntoTheDocument) {
  const auto path = JsonPath::parse(".spec.ports[*].port");
  EXPECT_EQ(*path->first(document()), Value(80));
  EXPECT_EQ(path->all(document()).size(), 3U);
  EXPECT_EQ(JsonPath::parse(".nothing")->first(document()), nullptr);
}

TEST(JsonPath, RefusesWhatItCannotRead) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"", "expected a JSONPath like .metadata.name, found nothing"},
      {".a[", "expected a closing bracket"},
      {".a['x]", "expected a closing bracket"},
      {".a[]", "expected an index"},
      {".a[x]", "expected an index"},
      {".a[1:x]", "expected a slice like [1:3]"},
      {".a['x'y]", "expected one quoted text"},
      {".a.", "expected a name after '.'"},
      {".a[0]b", "expected a step starting with '.' or '['"},
      {".a[?(b==1)]", "starting with '@'"},
      {".a[?(@.b==c)]", "expected a quoted text, a number, true or false to compare with"},
      {".a[?(@.b==inf)]", "expected a quoted text, a number, true or false to compare with"},
      {"..a", "recursive descent (..) is not supported"},
      {".a[0,1]", "unions ([a,b]) are not supported"},
      {"{range .items[*]}{.metadata.name}{end}", "templates are not supported"},
      {"{.a} {.b}", "templates are not supported"},
      {".a[?(@[?(@[?(@[?(@[?(@.x)])])])])]", "expected fewer filters inside one another"},
  };
  for (const auto& [text, message] : cases) {
    const auto path = JsonPath::parse(text);
    ASSERT_FALSE(path.has_value()) << text;
    EXPECT_THAT(path.error().message, HasSubstr(message)) << text;
  }
  EXPECT_FALSE(JsonPath::parse("." + std::string(5000, 'a')).has_value());
}

}  // namespace
}  // namespace fairway::json
