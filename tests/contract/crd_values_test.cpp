// Values that a definition's schema does not allow: what is told about them.
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

class Values : public ContractTest {
 protected:
  // Offers a widget with this spec; nothing is kept.
  Answer offer(std::string_view spec) {
    return api().post(with(widgets(), {{"dryRun", "All"}}), widget("a", fmt::format("{{spec: {}}}", spec)));
  }
  void define_field(std::string_view schema) {
    define(widget_crd(fmt::format("{{type: object, properties: {{f: {}}}}}", schema)));
  }
};

CONTRACT(Values, Types, "a value of another type is 422 with the cause FieldValueTypeInvalid") {
  define_field("{type: integer}");
  const Answer wrong = offer("{f: text}");
  EXPECT_TRUE(refused(wrong, 422, "Invalid",
                      fmt::format(R"(Widget.{} "a" is invalid: spec.f: Invalid value: "string": )"
                                  R"(spec.f in body must be of type integer: "string")",
                                  group())));
  EXPECT_TRUE(has_cause(wrong, "FieldValueTypeInvalid", "spec.f", "must be of type integer"));
  EXPECT_EQ(wrong.text("/details/group"), group());
  EXPECT_EQ(wrong.text("/details/kind"), "Widget");
  EXPECT_TRUE(answered(offer("{f: 3}"), 201));
}

CONTRACT(Values, Required, "a required field that is missing is 422 with the cause FieldValueRequired") {
  define(widget_crd("{type: object, required: [f], properties: {f: {type: string}}}"));
  const Answer wrong = offer("{}");
  EXPECT_TRUE(refused(wrong, 422, "Invalid", "spec.f: Required value"));
  EXPECT_TRUE(has_cause(wrong, "FieldValueRequired", "spec.f"));
}

CONTRACT(Values, Enums,
         "a value outside of an enum is 422 with the cause FieldValueNotSupported and the values that are") {
  define_field("{type: string, enum: [red, blue]}");
  const Answer wrong = offer("{f: pink}");
  EXPECT_TRUE(refused(wrong, 422, "Invalid",
                      R"(spec.f: Unsupported value: "pink": supported values: "red", "blue")"));
  EXPECT_TRUE(has_cause(wrong, "FieldValueNotSupported", "spec.f"));
  EXPECT_TRUE(answered(offer("{f: blue}"), 201));
}

CONTRACT(Values, Patterns, "a text that does not match the pattern is 422 and told the pattern") {
  define_field("{type: string, pattern: '^[a-z]+$'}");
  const Answer wrong = offer("{f: A1}");
  EXPECT_TRUE(refused(wrong, 422, "Invalid",
                      R"(spec.f: Invalid value: "A1": spec.f in body should match '^[a-z]+$')"));
  EXPECT_TRUE(has_cause(wrong, "FieldValueInvalid", "spec.f"));
  EXPECT_TRUE(answered(offer("{f: ok}"), 201));
}

CONTRACT(Values, Bounds, "minimum and maximum hold, exclusive ones too") {
  define(widget_crd(R"({type: object, properties: {f: {type: integer, minimum: 1, maximum: 10},
                        x: {type: number, minimum: 0, exclusiveMinimum: true}}})"));
  EXPECT_TRUE(refused(offer("{f: 0}"), 422, "Invalid",
                      "spec.f: Invalid value: 0: spec.f in body should be greater than or equal to 1"));
  EXPECT_TRUE(refused(offer("{f: 11}"), 422, "Invalid",
                      "spec.f: Invalid value: 11: spec.f in body should be less than or equal to 10"));
  EXPECT_TRUE(refused(offer("{x: 0}"), 422, "Invalid", "spec.x in body should be greater than 0"));
  EXPECT_TRUE(answered(offer("{f: 10, x: 0.5}"), 201));
}

CONTRACT(Values, MultipleOf, "multipleOf holds") {
  define_field("{type: integer, multipleOf: 5}");
  EXPECT_TRUE(refused(offer("{f: 7}"), 422, "Invalid", "spec.f in body should be a multiple of 5"));
}

CONTRACT(Values, Lengths, "minLength and maxLength count characters, not bytes") {
  define_field("{type: string, minLength: 2, maxLength: 3}");
  EXPECT_TRUE(refused(offer("{f: a}"), 422, "Invalid", "spec.f in body should be at least 2 chars long"));
  const Answer longer = offer("{f: abcd}");
  EXPECT_TRUE(refused(longer, 422, "Invalid"));
  EXPECT_TRUE(has_cause(longer, "FieldValueTooLong", "spec.f"));
  EXPECT_TRUE(answered(offer("{f: äöü}"), 201));
}

CONTRACT(Values, ListLengths, "minItems and maxItems hold") {
  define_field("{type: array, minItems: 1, maxItems: 2, items: {type: integer}}");
  EXPECT_TRUE(refused(offer("{f: []}"), 422, "Invalid", "spec.f in body should have at least 1 items"));
  const Answer longer = offer("{f: [1, 2, 3]}");
  EXPECT_TRUE(refused(longer, 422, "Invalid", "must have at most 2 items"));
  EXPECT_TRUE(has_cause(longer, "FieldValueTooMany", "spec.f"));
}

CONTRACT(Values, MapSizes, "minProperties and maxProperties hold") {
  define_field("{type: object, maxProperties: 1, additionalProperties: {type: string}}");
  const Answer longer = offer("{f: {a: x, b: z}}");
  EXPECT_TRUE(refused(longer, 422, "Invalid"));
  EXPECT_TRUE(has_cause(longer, "FieldValueTooMany", "spec.f"));
}

CONTRACT(Values, Items, "an element of a list is named by its index") {
  define_field("{type: array, items: {type: object, properties: {num: {type: integer, minimum: 1}}}}");
  const Answer wrong = offer("{f: [{num: 1}, {num: 0}]}");
  EXPECT_TRUE(refused(wrong, 422, "Invalid"));
  EXPECT_TRUE(has_cause(wrong, "FieldValueInvalid", "spec.f[1].num", "should be greater than or equal to 1"));
}

CONTRACT(Values, MapEntries, "an entry of a map is named by its key") {
  define_field("{type: object, additionalProperties: {type: integer}}");
  const Answer wrong = offer("{f: {good: 1, bad: x}}");
  EXPECT_TRUE(refused(wrong, 422, "Invalid"));
  EXPECT_TRUE(has_cause(wrong, "FieldValueTypeInvalid", "spec.f.bad", "must be of type integer"));
}

CONTRACT(Values, Nulls,
         "null stays in nullable fields, is dropped from others, and is no element of a list") {
  define(widget_crd(R"({type: object, properties: {f: {type: string}, z: {type: string, nullable: true},
                        l: {type: array, items: {type: string}}}})"));
  const Answer made = offer("{f: null, z: null}");
  ASSERT_TRUE(answered(made, 201));
  EXPECT_EQ(made.text("/spec/f"), "<absent>");
  EXPECT_EQ(made.text("/spec/z"), "null");
  EXPECT_TRUE(refused(offer("{l: [null]}"), 422, "Invalid", R"(must be of type string: "null")"));
}

CONTRACT(Values, IntOrString, "x-kubernetes-int-or-string takes both and nothing else") {
  define_field("{x-kubernetes-int-or-string: true}");
  EXPECT_EQ(offer("{f: 5}").text("/spec/f"), "5");
  EXPECT_EQ(offer("{f: '50%'}").text("/spec/f"), "50%");
  EXPECT_TRUE(refused(offer("{f: true}"), 422, "Invalid", "spec.f"));
}

CONTRACT(Values, DateTimes, "format date-time is checked") {
  define_field("{type: string, format: date-time}");
  EXPECT_TRUE(answered(offer("{f: '2024-02-29T12:00:00Z'}"), 201));
  EXPECT_TRUE(refused(offer("{f: tomorrow}"), 422, "Invalid",
                      R"(spec.f in body must be of type date-time: "tomorrow")"));
}

CONTRACT(Values, OtherFormats, "formats that Kubernetes knows are checked, others are ignored") {
  define(widget_crd(
      R"({type: object, properties: {ip: {type: string, format: ipv4}, u: {type: string, format: uuid},
                        free: {type: string, format: nosuch}}})"));
  EXPECT_TRUE(answered(offer("{ip: 192.0.2.1, u: 123e4567-e89b-12d3-a456-426614174000, free: any}"), 201));
  EXPECT_TRUE(refused(offer("{ip: '300.1.1.1'}"), 422, "Invalid", "spec.ip in body must be of type ipv4"));
  EXPECT_TRUE(refused(offer("{u: short}"), 422, "Invalid", "spec.u in body must be of type uuid"));
}

CONTRACT(Values, LargeIntegers, "integers of 64 bits are kept exactly") {
  define_field("{type: integer, format: int64}");
  EXPECT_EQ(offer("{f: 9223372036854775807}").text("/spec/f"), "9223372036854775807");
}

CONTRACT(Values, OneOf, "oneOf holds: exactly one branch") {
  define(widget_crd(R"({type: object, properties: {a: {type: string}, b: {type: string}},
                        oneOf: [{required: [a]}, {required: [b]}]})"));
  EXPECT_TRUE(answered(offer("{a: x}"), 201));
  EXPECT_TRUE(
      refused(offer("{a: x, b: z}"), 422, "Invalid", "must validate one and only one schema (oneOf)"));
  EXPECT_TRUE(refused(offer("{}"), 422, "Invalid", "must validate one and only one schema (oneOf)"));
}

CONTRACT(Values, AnyOfAllOfNot, "anyOf, allOf and not hold") {
  define(widget_crd(R"(
type: object
properties:
  any: {type: integer, anyOf: [{maximum: 1}, {minimum: 5}]}
  all: {type: integer, allOf: [{maximum: 9}, {minimum: 5}]}
  never: {type: integer, not: {enum: [7]}}
)"));
  EXPECT_TRUE(answered(offer("{any: 5, all: 5, never: 5}"), 201));
  EXPECT_TRUE(refused(offer("{any: 3}"), 422, "Invalid", "must validate at least one schema (anyOf)"));
  EXPECT_TRUE(refused(offer("{all: 3}"), 422, "Invalid", "spec.all"));
  EXPECT_TRUE(refused(offer("{never: 7}"), 422, "Invalid", "must not validate the schema (not)"));
}

CONTRACT(Values, MapListsHaveKeysOnce,
         "a list of type map has each key once: the cause is FieldValueDuplicate") {
  define_field(R"({type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k],
                   items: {type: object, required: [k], properties: {k: {type: string}, v: {type: string}}}})");
  EXPECT_TRUE(answered(offer("{f: [{k: a}, {k: b}]}"), 201));
  const Answer twice = offer("{f: [{k: a, v: x}, {k: a, v: z}]}");
  EXPECT_TRUE(refused(twice, 422, "Invalid"));
  EXPECT_TRUE(has_cause(twice, "FieldValueDuplicate", "spec.f[1]", "Duplicate value"));
}

CONTRACT(Values, SetsHaveValuesOnce,
         "a list of type set has each value once: the cause is FieldValueDuplicate") {
  define_field("{type: array, x-kubernetes-list-type: set, items: {type: string}}");
  const Answer twice = offer("{f: [a, b, a]}");
  EXPECT_TRUE(refused(twice, 422, "Invalid"));
  EXPECT_TRUE(has_cause(twice, "FieldValueDuplicate", "spec.f[2]", R"(Duplicate value: "a")"));
}

CONTRACT(Values, SeveralProblemsTogether, "all that is wrong with an object is told at once") {
  define(
      widget_crd("{type: object, required: [r], properties: {num: {type: integer, minimum: 1}, e: {type: "
                 "string, enum: [x]}, r: {type: string}}}"));
  const Answer wrong = offer("{num: 0, e: z}");
  EXPECT_TRUE(refused(wrong, 422, "Invalid", "is invalid: ["));
  EXPECT_TRUE(has_cause(wrong, "FieldValueInvalid", "spec.num"));
  EXPECT_TRUE(has_cause(wrong, "FieldValueNotSupported", "spec.e"));
  EXPECT_TRUE(has_cause(wrong, "FieldValueRequired", "spec.r"));
}

CONTRACT(Values, UpdatesAreCheckedToo, "updates and patches are held to the schema") {
  define_field("{type: integer, minimum: 1}");
  Value made = create_widget(widget("a", "{spec: {f: 1}}"));
  EXPECT_TRUE(refused(api().merge(widgets("a"), "{spec: {f: 0}}"), 422, "Invalid"));
  set(made, "/spec/f", "0");
  EXPECT_TRUE(refused(api().put(widgets("a"), made), 422, "Invalid"));
  EXPECT_EQ(api().get(widgets("a")).text("/spec/f"), "1");
}

}  // namespace
}  // namespace fairway::contract
