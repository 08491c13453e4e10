// SPDX-License-Identifier: MIT
// Programs around the simulator, each with one thing to be found in it.
#pragma once

#include "actors/sim/program.hpp"

#include <caf/event_based_actor.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace baton::test {

inline bool has(const std::string& text, std::string_view what) {
  return text.find(what) != std::string::npos;
}

/// Breaks when a run had its second claim.
inline sim::program with_a_planted_bug() {
  sim::program x;
  x.check = [](const sim::witness& judge) -> std::optional<std::string> {
    for (const auto& [id, run] : judge.runs())
      if (run.claims.size() > 1)
        return "claimed twice";
    return std::nullopt;
  };
  return x;
}

/// Appends the line, then one behind a gap.
inline void append_twice(caf::event_based_actor* self,
                         const sim::driver_site& where) {
  claim_run ask;
  ask.run = where.run;
  ask.holder = where.name;
  ask.ttl_ms = 60'000;
  auto append = [self, where](append_lines x, auto then) {
    self->request(where.coordinator, caf::infinite, std::move(x))
      .then([then](const append_done&) { then(); }, [](const caf::error&) {});
  };
  self->request(where.coordinator, caf::infinite, ask)
    .then(
      [where, append](const claim_granted& got) {
        append_lines x;
        x.run = where.run;
        x.epoch = got.epoch;
        x.first_seq = got.next_seq;
        x.lines.add(where.source, false);
        append(x, [x, append] {
          auto behind = x;
          behind.first_seq = seq{9};
          append(behind, [] {});
        });
      },
      [self](const caf::error&) {
        self->delayed_send(self, std::chrono::seconds{1}, 1);
      });
}

inline caf::behavior one_line(caf::event_based_actor* self,
                              const sim::driver_site& where) {
  self->send(self, 1);
  return {[self, where](int) { append_twice(self, where); }};
}

/// A program with one run and one driver of its own.
inline sim::program with_driver(
  std::function<void(caf::event_based_actor*, const sim::driver_site&)> does) {
  sim::program x;
  x.external_runs = {{run_id{"feed"}, "a line\n"}};
  x.drivers = {{"mine",
                [does](caf::event_based_actor* self,
                       const sim::driver_site& where) -> caf::behavior {
                  self->send(self, 1);
                  return {[=](int) { does(self, where); }};
                }}};
  return x;
}

} // namespace baton::test
