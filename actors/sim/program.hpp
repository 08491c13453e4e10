// SPDX-License-Identifier: MIT
// baton-sim as a function: the simulator's command line around worlds of
// yours. A program that tests its own driver is this and the driver:
//
//   sim::program p;
//   p.name = "my_test";
//   p.external_runs = {{run_id{"feed"}, text}};
//   p.drivers = {{"a", my_driver}, {"b", my_driver}};
//   return sim::run_program(argc, argv, p);
//
// Guarantees: a seed names a story, on every machine; the same seed twice has
// the same trace hash.
// Threads: one.
// See apps/examples/sim_custom_driver.
#pragma once

#include "actors/sim/driver.hpp"
#include "actors/sim/world.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace baton::sim {

using driver_maker =
  std::function<caf::behavior(caf::event_based_actor*, const driver_site&)>;

struct program {
  /// In its own words on the command line, for "replay with".
  std::string name = "baton-sim";
  /// For --help: what only this program takes.
  std::string help = {};
  /// Runs that your drivers drive. Their logs are judged by their sources.
  std::vector<custom_run> external_runs;
  std::vector<custom_driver> drivers;
  /// An invariant of your own, looked at after each commit: what is wrong, or
  /// nothing.
  std::function<std::optional<std::string>(const witness&)> check;
};

/// Exit code 0: nothing broke; 1: something did, and its story is told; 2: the
/// command line is wrong, or nothing broke and the picture could not be
/// written, in one line. What stops or crashes the process names the seed on
/// stderr first.
int run_program(int argc, char** argv, const program& what = {});

} // namespace baton::sim
