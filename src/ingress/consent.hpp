// Consent: whether the operator may delete the Service of a living controller by itself, at this moment.
// Pure.
//
// The annotation kAutoDelete gives it, by being there. Two more, of ours, narrow it and never widen it: a
// window of hours (base/time_windows.hpp), and a dry run that only tells. What cannot be read is a refusal.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "ingress/types.hpp"

namespace fairway::ingress {

inline constexpr std::string_view kAutoDeleteWindow = "ingress.fairway.dev/auto-delete-window";
// Presence counts here too.
inline constexpr std::string_view kAutoDeleteDryRun = "ingress.fairway.dev/auto-delete-dry-run";

struct Permission {
  enum class State {
    None,   // the administrator deletes the Service, or nobody does
    Given,  // now
    Held,   // given, but not now
  };
  State state = State::None;
  std::string why = {};                  // it is held, as a sentence
  std::optional<WallTime> opens = {};    // of a window that is closed
  std::optional<Error> unreadable = {};  // the window
  bool is_dry_run = false;

  bool is_given() const { return state == State::Given; }
};

Permission auto_delete_permission(const IngressController& controller, WallTime now);

}  // namespace fairway::ingress
