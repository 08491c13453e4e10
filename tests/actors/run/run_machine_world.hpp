// SPDX-License-Identifier: MIT
// A run machine at some point of its run's life, and what tests pick from what
// it wants done.
#pragma once

#include "actors/run/run_machine.hpp"

#include <string>
#include <vector>

namespace baton::run::test {

inline const std::string nonce = "ab12";

struct world {
  world() { s.epoch = epoch{3}; }

  run_machine make() {
    run_spec spec;
    spec.id = run_id{"r"};
    s.holder = "n";
    return {{std::make_shared<const run_spec>(std::move(spec)), s},
            nonce,
            {"new-box", "new-share"}};
  }

  /// A machine that has just ordered its launch.
  run_machine launching() {
    auto m = make();
    m.start(now);
    auto recorded = m.record();
    recorded.state.sandbox.id = "new-box";
    m.on_recorded(recorded, now);
    return m;
  }

  /// A machine that follows an agent it has just launched.
  run_machine following() {
    auto m = launching();
    m.on_launched(sandbox::launch_outcome::launched, now);
    return m;
  }

  run_state s;
  mono_time now{std::chrono::hours{1}};
};

template <class T>
std::vector<T> pick(const effects& xs) {
  std::vector<T> out;
  for (const auto& x : xs)
    if (auto* e = std::get_if<T>(&x))
      out.push_back(*e);
  return out;
}

inline line_batch lines(const std::vector<std::string>& xs) {
  line_batch out;
  for (const auto& x : xs)
    out.add(x, false);
  return out;
}

inline sandbox::probe_report probed(sandbox::agent_state s) {
  return {s, {}};
}

inline append_done done(std::uint64_t last, bool cancel = false) {
  append_done x;
  x.epoch = epoch{3};
  x.last_seq = seq{last};
  x.cancel_requested = cancel;
  return x;
}

inline drive_refused refused(errc code, std::uint64_t at = 3) {
  return {run_id{"r"}, epoch{at}, code, "why"};
}

} // namespace baton::run::test
