// SPDX-License-Identifier: MIT
// Drives one run on this node under one claim: the shell of run_machine.
// Threads: an actor; launches and clean-ups happen in the sandbox host.
// Failure: ends itself when it is fenced or the run is over.
#pragma once

#include "actors/clock.hpp"
#include "actors/run/lag_board.hpp"
#include "actors/sandbox/provider.hpp"
#include "messages/line_framing.hpp"
#include "messages/record.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <functional>
#include <memory>
#include <string>

namespace baton::run {

struct run_options {
  run_record record;
  /// The journal's bytes before the record's end, as far as they are known.
  std::string tail;
  std::shared_ptr<sandbox::provider> provider;
  caf::actor coordinator;
  /// Runs the provider's slower calls (sandbox_host.hpp).
  caf::actor host;
  environment env;
  framing_limits limits;
  /// Where the run's lag is shown; null: nowhere.
  std::shared_ptr<lag_board> lag;
  /// Tells the operator.
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

/// Takes stop_drive and cancel_drive of its epoch from the node.
caf::behavior run_actor(caf::event_based_actor* self,
                        const run_options& options);

} // namespace baton::run
