#include "json/codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/semver.hpp"

namespace fairway::json {
namespace {

using ::testing::HasSubstr;

enum class Phase { Pending, Running, Failed };
BOOST_DESCRIBE_ENUM(Phase, Pending, Running, Failed)

enum class Action { Inform, Enforce };
BOOST_DESCRIBE_ENUM(Action, Inform, Enforce)
constexpr auto json_fields(const Action*) {
  return std::array{Field{.member = "Inform", .json = "inform"},
                    Field{.member = "Enforce", .json = "enforce"}};
}

struct Batch {
  std::string name;
  std::int32_t max_concurrency = 1;
  bool operator==(const Batch&) const = default;
};
BOOST_DESCRIBE_STRUCT(Batch, (), (name, max_concurrency))
constexpr auto json_fields(const Batch*) {
  return std::array{Field{.member = "name", .required = true}};
}

struct Named {
  std::string namespace_;
  std::string operator_;
  std::string default_;
  std::string continue_;
  std::string cluster_ip;
  std::string api_version;
  std::string a_b2_c;
};
BOOST_DESCRIBE_STRUCT(Named, (),
                      (namespace_, operator_, default_, continue_, cluster_ip, api_version, a_b2_c))
constexpr auto json_fields(const Named*) {
  return std::array{Field{.member = "cluster_ip", .json = "clusterIP"}};
}

struct Spec {
  std::optional<std::string> channel;
  std::optional<Batch> canary;
  std::vector<Batch> batches;
  std::map<std::string, std::int64_t> weights;
  Phase phase = Phase::Pending;
  Action action = Action::Inform;
  double ratio = 0.5;
  bool paused = false;
  Value anything;
  Object object;
  Array array;
  std::optional<WallTime> started;
  std::optional<MicroTime> renewed;
  std::optional<Duration> timeout;
  std::vector<std::vector<int>> matrix;
};
BOOST_DESCRIBE_STRUCT(Spec, (),
                      (channel, canary, batches, weights, phase, action, ratio, paused, anything, object,
                       array, started, renewed, timeout, matrix))

struct Open {
  std::string name;
  std::vector<std::string> items;
  Object unknown;
};
BOOST_DESCRIBE_STRUCT(Open, (), (name, items, unknown))
constexpr auto json_fields(const Open*) {
  return std::array{Field{.member = "items", .keep_empty = true}};
}

struct Inner {
  std::string text;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(Inner, (), (text, count))
constexpr auto json_fields(const Inner*) {
  return std::array{Field{.member = "*", .omit_empty = true}};
}

struct Sparse {
  Inner inner;
  Inner kept;
  bool flag = false;
  Phase phase = Phase::Pending;
};
BOOST_DESCRIBE_STRUCT(Sparse, (), (inner, kept, flag, phase))
constexpr auto json_fields(const Sparse*) {
  return std::array{Field{.member = "inner", .omit_empty = true},
                    Field{.member = "flag", .omit_empty = true}};
}

struct Base {
  std::string kind;
};
BOOST_DESCRIBE_STRUCT(Base, (), (kind))
struct Derived : Base {
  int size = 0;
};
BOOST_DESCRIBE_STRUCT(Derived, (Base), (size))

struct Small {
  std::int8_t i8 = 0;
  std::uint8_t u8 = 0;
  std::int64_t i64 = 0;
  std::uint64_t u64 = 0;
};
BOOST_DESCRIBE_STRUCT(Small, (), (i8, u8, i64, u64))

struct Release {
  SemVer version;
};
BOOST_DESCRIBE_STRUCT(Release, (), (version))

}  // namespace

template <>
struct Codec<SemVer> {
  static Result<SemVer> read(const Value& value) {
    if (!value.is_string()) return fail(ErrorCode::Invalid, "expected a version");
    return SemVer::parse(view(value.get_string()));
  }
  static Value write(const SemVer& version) { return Value(version.to_string()); }
  static bool is_empty(const SemVer& version) { return version == SemVer{}; }
};

namespace {

template <class T>
std::string error_of(std::string_view text) {
  const auto result = from_json<T>(*parse(text));
  if (result) return "read";
  EXPECT_EQ(result.error().code, ErrorCode::Invalid);
  return result.error().message;
}

TEST(FromJson, ReadsEveryKind) {
  const auto spec = from_json<Spec>(*parse(R"({
    "channel": "stable", "canary": {"name": "c"}, "batches": [{"name": "a", "maxConcurrency": 2}, {"name": "b"}],
    "weights": {"x": 1, "z": -2}, "phase": "Running", "action": "enforce", "ratio": 2, "paused": true,
    "anything": [1], "object": {"k": null}, "array": [{}], "started": "2024-02-29T12:00:00Z",
    "renewed": "2024-02-29T12:00:00.123456Z", "timeout": "1h30m", "matrix": [[1], [], [2, 3]]})"));
  ASSERT_TRUE(spec.has_value()) << spec.error().describe();
  EXPECT_EQ(spec->channel, "stable");
  EXPECT_EQ(spec->canary, (Batch{"c", 1}));
  EXPECT_EQ(spec->batches, (std::vector<Batch>{{"a", 2}, {"b", 1}}));
  EXPECT_EQ(spec->weights, (std::map<std::string, std::int64_t>{{"x", 1}, {"z", -2}}));
  EXPECT_EQ(spec->phase, Phase::Running);
  EXPECT_EQ(spec->action, Action::Enforce);
  EXPECT_EQ(spec->ratio, 2.0);
  EXPECT_TRUE(spec->paused);
  EXPECT_EQ(serialize(spec->anything), "[1]");
  EXPECT_EQ(serialize(spec->object), R"({"k":null})");
  EXPECT_EQ(spec->array.size(), 1U);
  EXPECT_EQ(spec->started, WallTime{std::chrono::seconds{1709208000}});
  EXPECT_EQ(spec->renewed->time,
            WallTime{std::chrono::seconds{1709208000} + std::chrono::microseconds{123456}});
  EXPECT_EQ(spec->timeout, std::chrono::minutes{90});
  EXPECT_EQ(spec->matrix, (std::vector<std::vector<int>>{{1}, {}, {2, 3}}));
}

TEST(FromJson, NullIsAbsentAndAbsentKeepsTheDefault) {
  for (const char* text : {"{}", R"({"channel":null,"batches":null,"ratio":null,"phase":null,"canary":null,
                                     "started":null,"weights":null,"paused":null,"object":null,"array":null})"}) {
    const auto spec = from_json<Spec>(*parse(text));
    ASSERT_TRUE(spec.has_value()) << spec.error().describe();
    EXPECT_EQ(spec->channel, std::nullopt);
    EXPECT_TRUE(spec->batches.empty());
    EXPECT_EQ(spec->ratio, 0.5);
    EXPECT_EQ(spec->phase, Phase::Pending);
  }
}

TEST(FromJson, NamesThePathOfWhatIsWrong) {
  EXPECT_EQ(error_of<Spec>(R"({"channel":1})"), "channel: expected a string, found an integer");
  EXPECT_EQ(error_of<Spec>(R"({"batches":[{"name":"a"},{"name":"b"},{"name":true}]})"),
            "batches[2].name: expected a string, found a boolean");
  EXPECT_EQ(error_of<Spec>(R"({"batches":{}})"), "batches: expected an array, found an object");
  EXPECT_EQ(error_of<Spec>(R"({"batches":[null]})"), "batches[0]: expected an object, found null");
  EXPECT_EQ(error_of<Spec>(R"({"canary":{}})"),
            "canary.name: expected a value, found none: this field is required");
  EXPECT_EQ(error_of<Spec>(R"({"canary":{"name":null}})"),
            "canary.name: expected a value, found none: this field is required");
  EXPECT_EQ(error_of<Spec>(R"({"weights":{"a.b/c":"x"}})"),
            R"(weights["a.b/c"]: expected an integer, found "x")");
  EXPECT_EQ(error_of<Spec>(R"({"matrix":[[1],[2,"x"]]})"), R"(matrix[1][1]: expected an integer, found "x")");
  EXPECT_EQ(error_of<Spec>(R"({"paused":"yes"})"), R"(paused: expected a boolean, found "yes")");
  EXPECT_EQ(error_of<Spec>(R"({"ratio":"1"})"), R"(ratio: expected a number, found "1")");
  EXPECT_EQ(error_of<Spec>(R"({"object":[]})"), "object: expected an object, found an array");
  EXPECT_EQ(error_of<Spec>(R"({"array":{}})"), "array: expected an array, found an object");
  EXPECT_EQ(error_of<Spec>(R"({"started":"yesterday"})"),
            R"(started: expected a time like 2024-02-29T12:00:00Z, found "yesterday")");
  EXPECT_EQ(error_of<Spec>(R"({"timeout":90})"), "timeout: expected a duration like 1h30m, found an integer");
  EXPECT_EQ(error_of<Spec>("[]"), "expected an object, found an array");
  EXPECT_EQ(error_of<Spec>("null"), "expected an object, found null");
  EXPECT_EQ(error_of<std::vector<Batch>>(R"([{"name":1}])"), "[0].name: expected a string, found an integer");
}

TEST(FromJson, RefusesUnknownEnumeratorsAndSuggests) {
  EXPECT_EQ(error_of<Spec>(R"({"phase":"Runing"})"),
            R"(phase: expected one of Pending, Running, Failed, found "Runing": did you mean Running?)");
  EXPECT_EQ(error_of<Spec>(R"({"action":"Enforce"})"),
            R"(action: expected one of inform, enforce, found "Enforce": did you mean enforce?)");
  EXPECT_EQ(error_of<Spec>(R"({"phase":2})"), "phase: expected a string, found an integer");
}

TEST(FromJson, ChecksTheRangeOfIntegers) {
  EXPECT_EQ(error_of<Small>(R"({"i8":127,"u8":255})"), "read");
  EXPECT_EQ(error_of<Small>(R"({"i8":-128,"u8":0})"), "read");
  EXPECT_EQ(error_of<Small>(R"({"i8":128})"), "i8: expected an integer from -128 to 127, found 128");
  EXPECT_EQ(error_of<Small>(R"({"i8":-129})"), "i8: expected an integer from -128 to 127, found -129");
  EXPECT_EQ(error_of<Small>(R"({"u8":-1})"), "u8: expected an integer from 0 to 255, found -1");
  EXPECT_EQ(
      error_of<Small>(R"({"i64":9223372036854775808})"),
      "i64: expected an integer from -9223372036854775808 to 9223372036854775807, found 9223372036854775808");
  EXPECT_EQ(error_of<Small>(R"({"i8":1.0})"), "i8: expected an integer, found a number");
  const auto small = from_json<Small>(*parse(R"({"u64":18446744073709551615,"i64":-9223372036854775808})"));
  ASSERT_TRUE(small.has_value()) << small.error().describe();
  EXPECT_EQ(small->u64, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(small->i64, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(serialize(to_json(*small)),
            R"({"i8":0,"u8":0,"i64":-9223372036854775808,"u64":18446744073709551615})");
}

TEST(Codec, MapsNames) {
  const std::string text =
      R"({"namespace":"n","operator":"o","default":"d","continue":"c","clusterIP":"1.2.3.4",)"
      R"("apiVersion":"v1","aB2C":"x"})";
  const auto named = from_json<Named>(*parse(text));
  ASSERT_TRUE(named.has_value());
  EXPECT_EQ(named->namespace_, "n");
  EXPECT_EQ(named->cluster_ip, "1.2.3.4");
  EXPECT_EQ(serialize(to_json(*named)), text);
}

TEST(ToJson, LeavesOutEmptyOptionalsAndContainers) {
  EXPECT_EQ(serialize(to_json(Spec{})),
            R"({"phase":"Pending","action":"inform","ratio":0.5,"paused":false})");
}

TEST(ToJson, WritesEveryKind) {
  Spec spec;
  spec.channel = "";
  spec.canary = Batch{"c", 2};
  spec.batches = {{"a", 1}};
  spec.weights = {{"z", 1}, {"x", 2}};
  spec.anything = 3;
  spec.object = {{"k", 1}};
  spec.array = {true};
  spec.started = WallTime{std::chrono::milliseconds{1709208000500}};
  spec.renewed = MicroTime{WallTime{std::chrono::microseconds{1709208000000001}}};
  spec.timeout = std::chrono::minutes{90};
  spec.matrix = {{}, {1}};
  EXPECT_EQ(
      serialize(to_json(spec)),
      R"({"channel":"","canary":{"name":"c","maxConcurrency":2},"batches":[{"name":"a","maxConcurrency":1}],)"
      R"("weights":{"x":2,"z":1},"phase":"Pending","action":"inform","ratio":0.5,"paused":false,"anything":3,)"
      R"("object":{"k":1},"array":[true],"started":"2024-02-29T12:00:00Z",)"
      R"("renewed":"2024-02-29T12:00:00.000001Z","timeout":"1h30m0s","matrix":[[],[1]]})");
}

TEST(Codec, KeepsUnknownFields) {
  const std::string text = R"({"name":"x","items":[],"zeta":{"a":[1]},"alpha":null})";
  const auto open = from_json<Open>(*parse(text));
  ASSERT_TRUE(open.has_value());
  EXPECT_EQ(serialize(open->unknown), R"({"zeta":{"a":[1]},"alpha":null})");
  EXPECT_EQ(serialize(to_json(*open)), text);
}

TEST(Codec, AFieldCalledUnknownIsAnUnknownField) {
  const auto open = from_json<Open>(*parse(R"({"name":"x","unknown":1})"));
  ASSERT_TRUE(open.has_value());
  EXPECT_EQ(serialize(to_json(*open)), R"({"name":"x","items":[],"unknown":1})");
}

TEST(ToJson, OmitsEmptyWhereMarked) {
  EXPECT_EQ(serialize(to_json(Sparse{})), R"({"kept":{},"phase":"Pending"})");
  Sparse sparse;
  sparse.inner.count = 1;
  sparse.kept.text = "t";
  sparse.flag = true;
  EXPECT_EQ(serialize(to_json(sparse)),
            R"({"inner":{"count":1},"kept":{"text":"t"},"flag":true,"phase":"Pending"})");
}

TEST(Codec, IncludesBases) {
  const auto derived = from_json<Derived>(*parse(R"({"kind":"k","size":3})"));
  ASSERT_TRUE(derived.has_value());
  EXPECT_EQ(derived->kind, "k");
  EXPECT_EQ(serialize(to_json(*derived)), R"({"kind":"k","size":3})");
}

TEST(Codec, UsesATypesOwnCodec) {
  const auto release = from_json<Release>(*parse(R"({"version":"4.10.3"})"));
  ASSERT_TRUE(release.has_value());
  EXPECT_EQ(release->version.minor, 10U);
  EXPECT_EQ(serialize(to_json(*release)), R"({"version":"4.10.3"})");
  EXPECT_THAT(error_of<Release>(R"({"version":"4.10"})"),
              HasSubstr("version: expected a version like 4.10.3"));
}

TEST(Codec, ReadsObjectsWithoutCopyingThem) {
  const Object object = parse(R"({"name":"a"})")->get_object();
  EXPECT_EQ(from_json<Batch>(object)->name, "a");
  EXPECT_EQ(from_json<Batch>(Object{}).error().message,
            "name: expected a value, found none: this field is required");
  EXPECT_EQ(serialize(to_object(Batch{"b", 3})), R"({"name":"b","maxConcurrency":3})");
}

TEST(EnumText, GoesBothWays) {
  EXPECT_EQ(enum_text(Action::Enforce), "enforce");
  EXPECT_EQ(enum_text(Phase::Failed), "Failed");
  EXPECT_EQ(enum_from_text<Action>("inform"), Action::Inform);
  EXPECT_EQ(enum_from_text<Action>("Inform"), std::nullopt);
}

}  // namespace
}  // namespace fairway::json
