// Evaluation of a parsed template, and what its functions are given. Pure.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/templates/syntax.hpp"
#include "fleet/templates/templates.hpp"

namespace fairway::fleet::templates {

// What all templates of one resolution share: the lookups, and what is left of the limits.
class Session {
 public:
  explicit Session(const Settings& settings) : settings_(settings) {}

  const Settings& settings() const { return settings_; }
  // The answer, which may be null; an error when it is missing, which is then on record.
  Result<json::Value> look_up(Lookup lookup);
  // Each action, pass and call is a step; texts and lists count by their size.
  Result<void> charge(std::size_t steps, std::size_t bytes = 0);
  void skip_object() { is_skipped_ = true; }
  // What protect gives for the text.
  Result<std::string> encrypt(std::string_view text);
  // The text, with what is encrypted in it decrypted.
  Result<std::string> decrypt(std::string_view text);

  const std::set<Lookup>& asked() const { return asked_; }
  const std::set<Lookup>& missing() const { return missing_; }
  bool is_skipped() const { return is_skipped_; }
  bool misses_key() const { return misses_key_; }
  bool has_encrypted() const { return has_encrypted_; }
  bool has_decrypted() const { return has_decrypted_; }

 private:
  bool is_allowed(const Lookup& lookup) const;

  const Settings& settings_;
  std::set<Lookup> asked_;
  std::set<Lookup> missing_;
  std::size_t steps_ = 0;
  std::size_t bytes_ = 0;
  bool is_skipped_ = false;
  bool misses_key_ = false;
  bool has_encrypted_ = false;
  bool has_decrypted_ = false;
};

// Whether an error says no more than that a lookup has no answer yet.
bool is_missing_answer(const Error& error);

using Arguments = std::span<const json::Value>;
struct Call {
  Arguments arguments;
  Session& session;
  std::size_t indent = 0;  // blanks before the action in its line; for autoindent
};
using Function = Result<json::Value> (*)(const Call&);

struct FunctionEntry {
  std::string_view name;
  Function run;
  std::size_t least = 0;         // arguments
  std::size_t most = 0;          // kAnyNumber: no limit
  Side only_on = Side::Cluster;  // where it exists, if not on both sides
  bool is_everywhere = true;
};
inline constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);

// All functions but and, or, whose arguments are evaluated one after the other.
const FunctionEntry* find_function(std::string_view name, Side side);
// For "did you mean".
std::vector<std::string> function_names(Side side);

Result<std::string> evaluate(const std::vector<Node>& nodes, Session& session);

}  // namespace fairway::fleet::templates
