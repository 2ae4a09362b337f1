// What is found about each object of a template, and what is to be done about it. Pure.
//
// Nothing is written unless the policy is enforced; a dry-run update, which changes nothing, confirms every
// mismatch first, because a server may fill in what the definition seems to lack.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "fleet/agent/observed.hpp"

namespace fairway::fleet::agent {

struct TryUpdate {
  Subject subject;
  json::Object object;
};
struct CreateObject {
  Subject subject;
  json::Object object;
};
struct UpdateObject {
  Subject subject;
  json::Object object;  // its resourceVersion guards it
};
struct DeleteObject {
  Subject subject;
  std::string uid;
  std::string why;
};
using ObjectAction = std::variant<TryUpdate, CreateObject, UpdateObject, DeleteObject>;

enum class State : std::uint8_t {
  AsWanted,
  Created,
  Updated,
  Deleted,
  UnwantedAbsent,
  Absent,
  Differs,
  UnwantedPresent,
  CreateFailed,
  UpdateFailed,
  DeleteFailed,
};
bool is_compliant(State state);

struct Verdict {
  Subject subject;  // without a name where none fits
  State state = State::AsWanted;
  std::string error = {};
  std::string diff = {};
  bool matches_after_dry_run = false;
  ObjectPointer object = {};
};

struct Judgement {
  std::vector<Verdict> verdicts = {};
  std::vector<ObjectAction> actions = {};  // to be done before the verdicts stand
  std::vector<std::string> notes = {};     // for the log
};

Judgement judge(const PreparedTemplate& prepared, const Outcomes& outcomes, bool is_enforced);

}  // namespace fairway::fleet::agent
