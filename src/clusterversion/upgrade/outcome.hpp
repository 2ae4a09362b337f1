// Outcome: what one form of the upgrade command says, and the one change that it asks for. Pure values.
//
// Messages are in the order in which a terminal shows them, each for stdout or stderr. A change is a merge
// patch of the ClusterVersion; its last words are printed once it has been written. Whoever runs the command
// prints, writes, and ends with the exit code.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.hpp"

namespace fairway::clusterversion::upgrade {

inline constexpr int kDone = 0;
inline constexpr int kRefused = 1;
inline constexpr int kNotRecommended = 3;  // refused, because the update is not recommended for this cluster

struct Message {
  enum class Stream { Out, Err };
  Stream stream;
  std::string text;  // with its newlines
  bool operator==(const Message&) const = default;
};

struct Change {
  json::Object patch = {};  // a merge patch
  std::string done = {};    // said when it is written; may be empty
  std::string cannot = {};  // said before the server's words when it is not
};

struct Outcome {
  std::vector<Message> messages = {};
  std::optional<Change> change = {};
  int exit_code = kDone;

  void print(std::string text);      // on stdout, as it stands
  void warn(std::string_view text);  // on stderr, as a warning
  void note(std::string_view text);  // on stderr, as it stands and a newline
  // On stderr, as an error; the outcome is a refusal.
  void refuse(std::string_view text, int code = kRefused);

  std::string out() const;
  std::string err() const;
};

Outcome refusal(std::string_view text, int code = kRefused);

}  // namespace fairway::clusterversion::upgrade
