#include "fleet/templates/evaluator.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "fleet/templates/encrypted.hpp"
#include "fleet/templates/lexer.hpp"
#include "fleet/templates/values.hpp"

namespace fairway::fleet::templates {
namespace {

constexpr std::string_view kMissing = "an answer is missing: ";
// A function may quote what it was given.
constexpr std::string_view kWithheld =
    "it failed; why is not told, because the template has decrypted values";

constexpr std::size_t kDecryptedInAStep = 256;

struct Variable {
  std::string name;
  json::Value value;
};

// How much a value holds; counting stops at `most`. A list that holds itself twice doubles with each call.
struct Weight {
  std::size_t nodes = 0;
  std::size_t bytes = 0;
};
void add_weight(const json::Value& value, std::size_t most, Weight& into) {
  if (into.nodes > most) return;
  if (value.is_string()) into.bytes += value.get_string().size();
  if (value.is_array()) {
    for (const json::Value& each : value.get_array()) {
      ++into.nodes;
      add_weight(each, most, into);
    }
  }
  if (value.is_object()) {
    for (const auto& each : value.get_object()) {
      ++into.nodes;
      into.bytes += each.key().size();
      add_weight(each.value(), most, into);
    }
  }
}
Weight weigh(const json::Value& value, std::size_t most) {
  Weight weight;
  add_weight(value, most, weight);
  return weight;
}

class Evaluator {
 public:
  explicit Evaluator(Session& session) : session_(session) {
    variables_.push_back({"$", json::Value(session.settings().context)});
  }

  Result<std::string> run(const std::vector<Node>& nodes) {
    const json::Value dot(session_.settings().context);
    FAIRWAY_TRY(const Flow flow, walk(nodes, dot));
    (void)flow;
    return std::move(output_);
  }

 private:
  enum class Flow : std::uint8_t { On, Break, Continue };

  // Variables live to the end of the list that they are declared in.
  Result<Flow> walk(const std::vector<Node>& nodes, const json::Value& dot) {
    const std::size_t scope = variables_.size();
    Flow flow = Flow::On;
    for (const Node& node : nodes) {
      FAIRWAY_CHECKED(session_.charge(1));
      FAIRWAY_TRY(flow, step(node, dot));
      if (flow != Flow::On) break;
    }
    variables_.resize(std::min(scope, variables_.size()));
    return flow;
  }

  Result<Flow> step(const Node& node, const json::Value& dot) {
    switch (node.kind) {
      case Node::Kind::Text:
        return put_text(node);
      case Node::Kind::Action: {
        FAIRWAY_TRY(const json::Value value, pipeline(node.pipeline, dot));
        if (!node.pipeline.variables.empty()) return Flow::On;
        return put(to_text(value));
      }
      case Node::Kind::If:
      case Node::Kind::With:
        return choose(node, dot);
      case Node::Kind::Range:
        return range(node, dot);
      case Node::Kind::Break:
        return Flow::Break;
      case Node::Kind::Continue:
        return Flow::Continue;
    }
    return Flow::On;
  }

  Result<Flow> put(std::string_view text) {
    FAIRWAY_CHECKED(session_.charge(0, text.size()));
    output_ += text;
    return Flow::On;
  }

  Result<Flow> put_text(const Node& node) {
    if (!node.text.contains(kEncryptedPrefix)) return put(node.text);
    const auto plain = session_.decrypt(node.text);
    if (!plain) return at(node.at, plain.error());
    return put(*plain);
  }

  Result<Flow> choose(const Node& node, const json::Value& dot) {
    const std::size_t scope = variables_.size();
    FAIRWAY_TRY(const json::Value value, pipeline(node.pipeline, dot));
    const bool holds = is_true(value);
    const json::Value& inner = holds && node.kind == Node::Kind::With ? value : dot;
    FAIRWAY_TRY(const Flow flow, walk(holds ? node.body : node.otherwise, inner));
    variables_.resize(scope);
    return flow;
  }

  // Lists in their order, maps by their sorted keys, a whole number as that many.
  Result<Flow> range(const Node& node, const json::Value& dot) {
    const std::size_t scope = variables_.size();
    Pipeline bare = node.pipeline;
    bare.variables.clear();
    FAIRWAY_TRY(const json::Value over, pipeline(bare, dot));
    std::vector<std::pair<json::Value, json::Value>> items;
    if (over.is_array()) {
      for (std::size_t i = 0; i < over.get_array().size(); ++i)
        items.emplace_back(static_cast<std::int64_t>(i), over.get_array()[i]);
    } else if (over.is_object()) {
      for (const auto& each : over.get_object()) items.emplace_back(json::Value(each.key()), each.value());
      std::ranges::sort(items, {}, [](const auto& item) { return to_text(item.first); });
    } else if (over.is_int64()) {
      FAIRWAY_CHECKED(session_.charge(static_cast<std::size_t>(std::max<std::int64_t>(0, over.get_int64()))));
      for (std::int64_t i = 0; i < over.get_int64(); ++i) items.emplace_back(i, i);
    } else if (!over.is_null()) {
      return at(node.at,
                fail(ErrorCode::Invalid, fmt::format("range cannot go over a {}", kind_word(over))).error());
    }
    if (items.empty()) return walk(node.otherwise, dot);
    for (const auto& [key, value] : items) {
      FAIRWAY_CHECKED(session_.charge(1));
      const auto& names = node.pipeline.variables;
      if (names.size() == 2) {
        FAIRWAY_CHECKED(set(node.pipeline, names[0], key));
        FAIRWAY_CHECKED(set(node.pipeline, names[1], value));
      } else if (names.size() == 1) {
        FAIRWAY_CHECKED(set(node.pipeline, names[0], value));
      }
      FAIRWAY_TRY(const Flow flow, walk(node.body, value));
      variables_.resize(scope);
      if (flow == Flow::Break) break;
    }
    return Flow::On;
  }

  static std::unexpected<Error> at(Position position, Error error) {
    if (!is_missing_answer(error) && !error.message.starts_with("line "))
      error.message = fmt::format("{}: {}", to_string(position), error.message);
    return std::unexpected(std::move(error));
  }

  Result<void> set(const Pipeline& pipeline, const std::string& name, json::Value value) {
    if (pipeline.declares) {
      variables_.push_back({name, std::move(value)});
      return {};
    }
    for (auto each = variables_.rbegin(); each != variables_.rend(); ++each) {
      if (each->name != name) continue;
      each->value = std::move(value);
      return {};
    }
    return syntax_error(pipeline.at, fmt::format("the variable {} is not declared", name));
  }

  Result<json::Value> pipeline(const Pipeline& pipeline, const json::Value& dot) {
    std::optional<json::Value> last;
    for (const Command& each : pipeline.commands) {
      FAIRWAY_TRY(json::Value value, command(each, dot, std::move(last)));
      last = std::move(value);
    }
    for (const std::string& name : pipeline.variables) FAIRWAY_CHECKED(set(pipeline, name, *last));
    return *std::move(last);
  }

  Result<json::Value> command(const Command& command, const json::Value& dot,
                              std::optional<json::Value> last) {
    const Operand& first = command.words.front();
    if (first.kind != Operand::Kind::Function) {
      if (command.words.size() > 1 || last)
        return syntax_error(first.at, "only a function takes arguments; this is a value");
      return operand(first, dot);
    }
    if (first.name == "and" || first.name == "or") return logic(command, dot, std::move(last));
    const FunctionEntry* function = find_function(first.name, session_.settings().side);
    if (function == nullptr) return syntax_error(first.at, unknown(first.name));
    std::vector<json::Value> arguments;
    for (std::size_t i = 1; i < command.words.size(); ++i) {
      FAIRWAY_TRY(json::Value value, operand(command.words[i], dot));
      arguments.push_back(std::move(value));
    }
    if (last) arguments.push_back(*std::move(last));
    return call(*function, first.at, arguments);
  }

  std::string unknown(const std::string& name) const {
    const auto near = nearest(name, function_names(session_.settings().side));
    return fmt::format("there is no function {}{}", quoted(name),
                       near ? fmt::format(", did you mean {}?", quoted(*near)) : "");
  }

  Result<json::Value> call(const FunctionEntry& function, Position position,
                           const std::vector<json::Value>& arguments) {
    if (arguments.size() < function.least || arguments.size() > function.most) {
      const std::string wanted = function.most == kAnyNumber ? fmt::format("at least {}", function.least)
                                 : function.least == function.most
                                     ? fmt::to_string(function.least)
                                     : fmt::format("{} to {}", function.least, function.most);
      return syntax_error(
          position, fmt::format("{} takes {} arguments, found {}", function.name, wanted, arguments.size()));
    }
    FAIRWAY_CHECKED(session_.charge(1));
    auto result = function.run({.arguments = arguments, .session = session_, .indent = indent()});
    if (!result) {
      if (!is_missing_answer(result.error()))
        result.error().message = fmt::format("{}: {}", function.name,
                                             session_.has_decrypted() ? kWithheld : result.error().message);
      return at(position, std::move(result.error()));
    }
    const Weight weight = weigh(*result, session_.settings().limits.max_steps);
    FAIRWAY_CHECKED(session_.charge(weight.nodes, weight.bytes));
    return result;
  }

  // The blanks that the present line of the output starts with.
  std::size_t indent() const {
    const std::size_t line = output_.rfind('\n') + 1;  // npos + 1 is the start
    const std::size_t text = output_.find_first_not_of(' ', line);
    return (text == std::string::npos ? output_.size() : text) - line;
  }

  // The first argument that decides it; the rest is not evaluated.
  Result<json::Value> logic(const Command& command, const json::Value& dot, std::optional<json::Value> last) {
    const bool is_and = command.words.front().name == "and";
    json::Value value;
    for (std::size_t i = 1; i < command.words.size(); ++i) {
      FAIRWAY_TRY(value, operand(command.words[i], dot));
      if (is_true(value) != is_and) return value;
    }
    if (last) return *std::move(last);
    if (command.words.size() == 1)
      return syntax_error(command.words.front().at,
                          fmt::format("{} needs at least one argument", command.words.front().name));
    return value;
  }

  Result<json::Value> operand(const Operand& word, const json::Value& dot) {
    switch (word.kind) {
      case Operand::Kind::Literal:
        return literal(word);
      case Operand::Kind::Dot:
        return field(dot, word);
      case Operand::Kind::Variable: {
        const auto found =
            std::ranges::find(variables_.rbegin(), variables_.rend(), word.name, &Variable::name);
        if (found == variables_.rend())
          return syntax_error(word.at, fmt::format("the variable {} is not declared", word.name));
        return field(found->value, word);
      }
      case Operand::Kind::Group: {
        FAIRWAY_TRY(const json::Value value, pipeline(*word.group, dot));
        return field(value, word);
      }
      case Operand::Kind::Function:
        break;
    }
    // A function without arguments among the arguments of another.
    const FunctionEntry* function = find_function(word.name, session_.settings().side);
    if (function == nullptr) return syntax_error(word.at, unknown(word.name));
    return call(*function, word.at, {});
  }

  Result<json::Value> literal(const Operand& word) {
    const bool is_encrypted =
        word.literal.is_string() && json::view(word.literal.get_string()).contains(kEncryptedPrefix);
    if (!is_encrypted) return word.literal;
    const auto plain = session_.decrypt(json::view(word.literal.get_string()));
    if (!plain) return at(word.at, plain.error());
    return json::Value(*plain);
  }

  static Result<json::Value> field(const json::Value& from, const Operand& word) {
    const json::Value* value = &from;
    for (const std::string& name : word.fields) {
      if (value->is_null()) return json::Value(nullptr);
      if (!value->is_object())
        return syntax_error(word.at, fmt::format("a {} has no field {}", kind_word(*value), quoted(name)));
      value = value->get_object().if_contains(name);
      if (value == nullptr) return json::Value(nullptr);
    }
    return *value;
  }

  Session& session_;
  std::string output_;
  std::vector<Variable> variables_;
};

}  // namespace

bool is_missing_answer(const Error& error) {
  return error.code == ErrorCode::NotFound && error.message.starts_with(kMissing);
}

bool Session::is_allowed(const Lookup& lookup) const {
  const bool is_own_cluster = lookup.kind == "ManagedCluster" && lookup.namespace_.empty() &&
                              !lookup.name.empty() &&
                              lookup.api_version.starts_with("cluster.open-cluster-management.io/") &&
                              lookup.name == settings_.only_cluster;
  // Without a namespace a lookup would be about all of them.
  return is_own_cluster || (!lookup.namespace_.empty() && lookup.namespace_ == *settings_.only_namespace);
}

Result<json::Value> Session::look_up(Lookup lookup) {
  if (settings_.only_namespace && !is_allowed(lookup)) {
    return fail(
        ErrorCode::Forbidden,
        fmt::format("{} may not be looked up here; what may be is the namespace {} and the ManagedCluster {}",
                    quoted(lookup.to_string()), quoted(*settings_.only_namespace),
                    quoted(settings_.only_cluster)));
  }
  if (asked_.size() >= settings_.limits.max_lookups && !asked_.contains(lookup))
    return fail(ErrorCode::Invalid,
                fmt::format("there are more than {} lookups", settings_.limits.max_lookups));
  asked_.insert(lookup);
  const Answers* answers = settings_.answers;
  const auto found = answers == nullptr ? Answers::const_iterator{} : answers->find(lookup);
  if (answers == nullptr || found == answers->end()) {
    missing_.insert(lookup);
    return fail(ErrorCode::NotFound, fmt::format("{}{}", kMissing, lookup.to_string()));
  }
  return found->second;
}

Result<std::string> Session::encrypt(std::string_view text) {
  if (!settings_.encrypt) {
    misses_key_ = true;
    return fail(ErrorCode::NotFound, fmt::format("{}the key of protect", kMissing));
  }
  FAIRWAY_TRY(const std::string bytes, settings_.encrypt(text));
  has_encrypted_ = true;
  return fmt::format("{}{}", kEncryptedPrefix, encode_base64(bytes));
}

Result<std::string> Session::decrypt(std::string_view text) {
  if (!settings_.decrypt) return std::string(text);
  FAIRWAY_CHECKED(charge(1 + text.size() / kDecryptedInAStep));
  FAIRWAY_TRY(std::string plain, decrypted(text, settings_.decrypt));
  has_decrypted_ |= plain != text;
  return plain;
}

Result<void> Session::charge(std::size_t steps, std::size_t bytes) {
  steps_ += std::min(steps, settings_.limits.max_steps + 1);
  bytes_ += std::min(bytes, settings_.limits.max_output + 1);
  if (steps_ > settings_.limits.max_steps)
    return fail(ErrorCode::Invalid,
                fmt::format("the template takes more than {} steps", settings_.limits.max_steps));
  // What functions make counts too, and not only what is put out: thus the factor.
  if (bytes_ > 8 * settings_.limits.max_output)
    return fail(ErrorCode::Invalid,
                fmt::format("the template makes more than {} bytes", settings_.limits.max_output));
  return {};
}

Result<std::string> evaluate(const std::vector<Node>& nodes, Session& session) {
  FAIRWAY_TRY(std::string text, Evaluator(session).run(nodes));
  if (text.size() > session.settings().limits.max_output)
    return fail(ErrorCode::Invalid,
                fmt::format("the template makes more than {} bytes", session.settings().limits.max_output));
  return text;
}

}  // namespace fairway::fleet::templates
