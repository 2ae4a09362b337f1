// Admission: whether a controller may be published at all, judged by the operator itself. Pure.
//
// Runs when the controller is new, its spec has changed, or its status lost what later steps rely on. The
// status is written before anything is created.
#pragma once

#include "ingress/observed.hpp"

namespace fairway::ingress {

struct Admission {
  IngressControllerStatus status;
  bool is_accepted = false;
};

bool needs_admission(const IngressController& controller);
// `config.platform` is set.
Admission admit(const Observed& seen);

}  // namespace fairway::ingress
