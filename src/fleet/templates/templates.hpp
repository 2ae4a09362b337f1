// Templates of policies: Go's template syntax between {{hub … hub}} (resolved on the hub, for each cluster)
// or {{ … }} (resolved in the cluster), in the texts of an object or in a raw text. Pure, total, bounded.
//
// What a template looks up is asked for, never fetched: a resolution lists the lookups that it misses, the
// caller answers them and resolves again, until none is missing. What it asked for is listed too, so that the
// caller can watch it. A missing field or key is the empty text, never "<no value>". An error names the place
// of the template and the place in it.
//
// What is encrypted ($ocm_encrypted:…, by protect on the hub) is decrypted where a policy wrote it: in its
// texts and in the literals of its actions, before any function sees them. It is never read as a template
// itself, and what was looked up is never decrypted. Once something was, errors of functions no longer say
// why: they could show it.
//
//   templates::Answers answers;
//   for (;;) {
//     auto found = templates::resolve(spec, {.side = Side::Hub, .context = context, .answers = &answers});
//     if (!found || found->missing.empty()) break;
//     for (const Lookup& each : found->missing) answers[each] = co_await look_up(each);
//   }
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "json/value.hpp"

namespace fairway::fleet::templates {

enum class Side : std::uint8_t { Cluster, Hub };

// One object by its name, or, without a name, all objects of the kind in a namespace (or in all).
struct Lookup {
  std::string api_version;
  std::string kind;
  std::string namespace_ = {};
  std::string name = {};
  std::string selector = {};  // of labels, where there is no name

  std::string to_string() const;  // v1 ConfigMap apps/settings
  auto operator<=>(const Lookup&) const = default;
};

// The object, or {"items": […]}; null: there is none. An error is told at the template that asked.
using Answer = Result<json::Value>;
using Answers = std::map<Lookup, Answer>;

// What protect gives, in front of the base64 of the bytes.
inline constexpr std::string_view kEncryptedPrefix = "$ocm_encrypted:";
// From a text to its encrypted bytes, or back. Its errors say nothing of the text.
using Cipher = std::function<Result<std::string>(std::string_view)>;

struct Limits {
  std::size_t max_output = 1024 * 1024;  // bytes of one resolution
  std::size_t max_steps = 100'000;       // actions, loop passes and calls
  std::size_t max_depth = 64;            // of nested actions, parentheses and values
  std::size_t max_lookups = 200;
};

struct Settings {
  Side side = Side::Cluster;
  json::Object context = {};         // what the dot is: .ManagedClusterName, .ObjectNamespace, …
  const Answers* answers = nullptr;  // null: none
  // Where given, nothing else may be looked up than this namespace, and the ManagedCluster of this name.
  std::optional<std::string> only_namespace = {};
  std::string only_cluster = {};
  // What now gives; without it there is none, as on the hub, where each look would write every child anew.
  std::optional<WallTime> now = {};
  // For protect, on the hub; without it a resolution that uses protect says so (misses_key).
  Cipher encrypt = {};
  // For texts that are encrypted, in the cluster; without it they stay as they are.
  Cipher decrypt = {};
  Limits limits = {};
};

struct Resolution {
  json::Value value = {};  // as it was, with its templates replaced; not to be used while any are missing
  std::set<Lookup> asked = {};       // all lookups that were made
  std::vector<Lookup> missing = {};  // those without an answer
  bool is_skipped = false;           // skipObject was called: the object is not meant here
  bool misses_key = false;     // protect was called, and there is nothing to encrypt with: not to be used
  bool has_encrypted = false;  // protect was called
  bool has_decrypted = false;  // the value holds what nobody may be shown
};

// Every text in the value, keys included. A text that is one action and ends in toInt, toBool, toLiteral,
// copySecretData or copyConfigMapData becomes the value itself, everything else stays a text.
Result<Resolution> resolve(const json::Value& value, const Settings& settings);
// A text as a whole; the value is a text.
Result<Resolution> resolve_text(std::string_view text, const Settings& settings);

// Whether a text, or a key, of the value is encrypted.
bool has_encrypted(const json::Value& value);
// Whether all of them can be read; the error is the first one's.
Result<void> check_encrypted(const json::Value& value, const Cipher& decrypt);

bool is_template(std::string_view text, Side side);
bool has_templates(const json::Value& value, Side side);

}  // namespace fairway::fleet::templates
