#include "json/schema_validate.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <re2/re2.h>
#include <set>
#include <tuple>

#include "json/schema_embedded.hpp"
#include "json/schema_lists.hpp"
#include "json/schema_numbers.hpp"

namespace fairway::json {
namespace {

// Where in the value we are, rendered only for an error.
struct Step {
  const Step* parent = nullptr;
  std::string_view name = {};
  std::size_t index = 0;
  bool is_index = false;
};

std::string render(const Step* step) {
  if (!step || !step->parent) return step ? std::string(step->name) : std::string();
  const std::string before = render(step->parent);
  return step->is_index ? index_path(before, step->index) : child_path(before, step->name);
}

// The errors, and how many checks passed: of several failed alternatives the nearest one is reported.
struct Outcome {
  FieldErrors errors;
  std::size_t passed = 0;

  bool is_valid() const { return errors.empty(); }
  void merge(Outcome&& other) {
    std::ranges::move(other.errors, std::back_inserter(errors));
    passed += other.passed;
  }
};

std::string_view type_name(const Value& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return "null";
    case boost::json::kind::bool_:
      return "boolean";
    case boost::json::kind::int64:
      return "integer";
    case boost::json::kind::uint64:
      return "integer";
    case boost::json::kind::double_:
      return "number";
    case boost::json::kind::string:
      return "string";
    case boost::json::kind::array:
      return "array";
    case boost::json::kind::object:
      return "object";
  }
  return "null";
}

std::string expected_type(const Schema& schema) {
  return schema.int_or_string ? "integer,string" : std::string(to_string(schema.type));
}

bool accepts_type(const Schema& schema, const Value& value) {
  if (schema.int_or_string) {
    return value.is_string() || value.is_int64() || value.is_uint64() || is_whole_number(value);
  }
  switch (schema.type) {
    case Schema::Type::Any:
      return true;
    case Schema::Type::Object:
      return value.is_object();
    case Schema::Type::Array:
      return value.is_array();
    case Schema::Type::String:
      return value.is_string();
    case Schema::Type::Boolean:
      return value.is_bool();
    case Schema::Type::Number:
      return value.is_number();
    case Schema::Type::Integer:
      return is_whole_number(value);
  }
  return false;
}

// A format is about text: lists are left to it where the type is not a number, other kinds are refused.
bool accepts_kind(const Schema& schema, const Value& value) {
  if (!schema.rules || schema.rules->format.empty() || value.is_string()) return accepts_type(schema, value);
  const bool is_number = schema.type == Schema::Type::Integer || schema.type == Schema::Type::Number;
  if (value.is_array()) return !is_number || accepts_type(schema, value);
  return accepts_type(schema, value) && (schema.type != Schema::Type::Any || schema.int_or_string);
}

std::string_view number_format(const Value& value) {
  if (value.is_double()) return "float64";
  return value.is_number() ? "int64" : "";
}

std::int64_t code_points(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

class Validator {
 public:
  explicit Validator(std::string_view path) : root_(path) {}

  Outcome check(const Schema& schema, const Value& value, const Step& at, std::size_t depth) {
    Outcome out;
    if (depth > kMaxSchemaDepth) {
      out.errors.push_back(FieldError::invalid(field(at), Value(""), "must not be nested so deep"));
      return out;
    }
    check_type(schema, value, at, out);
    if (value.is_null()) {
      check_enumeration(schema, value, at, out);
      return out;
    }
    // `passed` counts as the API does: every group of rules that concerns the value, met or not, and a few
    // of them once more when met. Only its comparison between alternatives has a meaning.
    if (schema.rules) check_branches(*schema.rules, value, at, depth, out);
    check_scalar(schema, value, at, out);
    if (const Array* list = value.if_array()) check_list(schema, *list, at, depth, out);
    check_enumeration(schema, value, at, out);
    if (const Object* object = value.if_object()) check_object(schema, *object, at, depth, out);
    out.passed += value.is_object() ? 5 : 4;
    return out;
  }

 private:
  std::string field(const Step& at) const {
    const std::string inside = render(&at);
    if (inside.empty()) return whole();
    return inside.starts_with('[') ? std::string(root_) + inside : child_path(root_, inside);
  }

  // Errors that belong to no single field stand at the root of what is validated.
  std::string whole() const { return root_.empty() ? "<nil>" : std::string(root_); }

  void add(const Step& at, Value value, std::string_view problem, Outcome& out) const {
    out.errors.push_back(
        FieldError::invalid(field(at), std::move(value), fmt::format("{} in body {}", render(&at), problem)));
  }

  void check_type(const Schema& schema, const Value& value, const Step& at, Outcome& out) const {
    const bool is_typed = schema.type != Schema::Type::Any || schema.int_or_string;
    const bool fits = value.is_null() ? schema.nullable || !is_typed : accepts_kind(schema, value);
    const bool has_format = schema.rules && !schema.rules->format.empty();
    if (!value.is_null() && (is_typed || has_format)) ++out.passed;
    if (fits) {
      if (is_typed || has_format) ++out.passed;
      return;
    }
    const bool by_format =
        schema.rules && !schema.rules->format.empty() && !value.is_null() && !value.is_string();
    const std::string expected = by_format ? schema.rules->format : expected_type(schema);
    const std::string_view actual = by_format ? number_format(value) : type_name(value);
    out.errors.push_back(FieldError::type_invalid(
        field(at), Value(actual),
        fmt::format("{} in body must be of type {}: \"{}\"", render(&at), expected, actual)));
  }

  void check_enumeration(const Schema& schema, const Value& value, const Step& at, Outcome& out) const {
    if (!schema.rules || schema.rules->enumeration.empty()) return;
    const auto& allowed = schema.rules->enumeration;
    if (std::ranges::any_of(allowed, [&](const Value& each) { return same_value(each, value); })) return;
    std::vector<std::string> supported;
    supported.reserve(allowed.size());
    for (const Value& each : allowed) {
      supported.push_back(each.is_string() ? std::string(view(each.get_string())) : serialize(each));
    }
    out.errors.push_back(FieldError::not_supported(field(at), value, supported));
  }

  void check_scalar(const Schema& schema, const Value& value, const Step& at, Outcome& out) const {
    if (value.is_string()) {
      out.passed += schema.rules && schema.rules->format_check ? 2 : 1;
      if (schema.rules) check_text(*schema.rules, view(value.get_string()), at, out);
    } else if (value.is_number()) {
      out.passed += 2;
      if (!schema.rules) return;
      for (const std::string& problem : number_problems(*schema.rules, value)) add(at, value, problem, out);
    }
  }

  void check_text(const ValueRules& rules, std::string_view text, const Step& at, Outcome& out) const {
    const std::int64_t length = code_points(text);
    if (rules.max_length && length > *rules.max_length) {
      out.errors.push_back(FieldError::too_long(field(at), *rules.max_length));
    } else if (rules.min_length && length < *rules.min_length) {
      add(at, Value(text), fmt::format("should be at least {} chars long", *rules.min_length), out);
    } else if (rules.regex &&
               !re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *rules.regex)) {
      add(at, Value(text), fmt::format("should match '{}'", rules.pattern), out);
    }
    if (rules.format_check && !rules.format_check(text)) {
      out.errors.push_back(FieldError::type_invalid(
          field(at), Value(text),
          fmt::format("{} in body must be of type {}: {}", render(&at), rules.format, go_quoted(text))));
    }
  }

  void check_list(const Schema& schema, const Array& list, const Step& at, std::size_t depth, Outcome& out) {
    for (std::size_t i = 0; schema.items && i < list.size(); ++i) {
      out.merge(check(*schema.items, list[i], Step{&at, {}, i, true}, depth + 1));
    }
    out.passed += 2;
    if (!schema.rules) return;
    const auto size = static_cast<std::int64_t>(list.size());
    const ValueRules& rules = *schema.rules;
    if (rules.min_items && size < *rules.min_items) {
      add(at, size, fmt::format("should have at least {} items", *rules.min_items), out);
    }
    if (rules.max_items && size > *rules.max_items) {
      out.errors.push_back(FieldError::too_many(field(at), size, *rules.max_items));
    }
    if (rules.unique_items && !are_unique(list)) add(at, Value(""), "shouldn't contain duplicates", out);
  }

  void check_object(const Schema& schema, const Object& object, const Step& at, std::size_t depth,
                    Outcome& out) {
    if (!check_size(schema, object, at, out)) return;
    for (const auto& [name, value] : object) {
      const Step inside{&at, name};
      if (name == "metadata" && schema.is_resource()) {
        Outcome implied = check(object_meta_schema(), value, inside, depth + 1);
        const bool is_metadata = implied.is_valid();
        out.merge(std::move(implied));
        if (!is_metadata) continue;
      }
      if (const Schema* known = schema.property(name)) {
        out.merge(check(*known, value, inside, depth + 1));
      } else if (schema.additional == Schema::Additional::Forbidden) {
        out.errors.push_back(FieldError::invalid(
            field(at), Value(name), fmt::format("{}.{} in body is a forbidden property", render(&at), name)));
      } else if (schema.additional_properties) {
        out.merge(check(*schema.additional_properties, value, inside, depth + 1));
      }
    }
    for (const std::string& name : schema.required) {
      if (!object.contains(name)) out.errors.push_back(FieldError::required(field(Step{&at, name})));
    }
  }

  bool check_size(const Schema& schema, const Object& object, const Step& at, Outcome& out) const {
    if (!schema.rules) return true;
    const auto size = static_cast<std::int64_t>(object.size());
    if (const auto least = schema.rules->min_properties; least && size < *least) {
      add(at, *least, fmt::format("should have at least {} properties", *least), out);
      return false;
    }
    if (const auto most = schema.rules->max_properties; most && size > *most) {
      out.errors.push_back(FieldError::too_many(field(at), size, *most));
      return false;
    }
    return true;
  }

  void check_branches(const ValueRules& rules, const Value& value, const Step& at, std::size_t depth,
                      Outcome& out) {
    const auto problem = [&](std::string_view text) {
      out.errors.push_back(
          FieldError::invalid(whole(), Value(""), fmt::format("{} {}", go_quoted(render(&at)), text)));
    };
    if (!rules.any_of.empty()) check_any_of(rules, value, at, depth, problem, out);
    if (!rules.one_of.empty()) check_one_of(rules, value, at, depth, problem, out);
    if (!rules.all_of.empty()) check_all_of(rules, value, at, depth, problem, out);
    if (rules.negated && check(*rules.negated, value, at, depth + 1).is_valid()) {
      problem("must not validate the schema (not)");
    }
  }

  void check_any_of(const ValueRules& rules, const Value& value, const Step& at, std::size_t depth,
                    const auto& problem, Outcome& out) {
    std::optional<Outcome> nearest;
    for (const Schema* branch : rules.any_of) {
      Outcome tried = check(*branch, value, at, depth + 1);
      if (tried.is_valid()) return out.merge(std::move(tried));
      if (!nearest || tried.passed > nearest->passed) nearest = std::move(tried);
    }
    problem("must validate at least one schema (anyOf)");
    out.merge(*std::move(nearest));
  }

  void check_one_of(const ValueRules& rules, const Value& value, const Step& at, std::size_t depth,
                    const auto& problem, Outcome& out) {
    std::optional<Outcome> nearest, first_valid;
    std::size_t valid = 0;
    for (const Schema* branch : rules.one_of) {
      Outcome tried = check(*branch, value, at, depth + 1);
      if (tried.is_valid()) {
        ++valid;
        if (!first_valid) first_valid = std::move(tried);
      } else if (!nearest || tried.passed > nearest->passed) {
        nearest = std::move(tried);
      }
    }
    if (valid == 1) return out.merge(*std::move(first_valid));
    problem(fmt::format("must validate one and only one schema (oneOf). {}",
                        valid == 0 ? "Found none valid" : fmt::format("Found {} valid alternatives", valid)));
    if (valid == 0) out.merge(*std::move(nearest));
  }

  void check_all_of(const ValueRules& rules, const Value& value, const Step& at, std::size_t depth,
                    const auto& problem, Outcome& out) {
    std::size_t valid = 0;
    for (const Schema* branch : rules.all_of) {
      Outcome tried = check(*branch, value, at, depth + 1);
      if (tried.is_valid()) ++valid;
      out.merge(std::move(tried));
    }
    if (valid == rules.all_of.size()) return;
    problem(fmt::format("must validate all the schemas (allOf){}", valid == 0 ? ". None validated" : ""));
  }

  std::string_view root_;
};

}  // namespace

FieldErrors validate(const Schema& schema, const Value& value, std::string_view path) {
  FieldErrors errors = Validator(path).check(schema, value, Step{}, 0).errors;
  // Alternatives of one schema may find the same fault.
  std::set<std::tuple<std::string, FieldError::Type, std::string>> seen;
  std::erase_if(errors, [&](const FieldError& error) {
    return !seen.emplace(error.field, error.type, error.detail).second;
  });
  check_list_types(schema, value, path, errors);
  check_embedded_resources(schema, value, path, errors);
  return errors;
}

}  // namespace fairway::json
