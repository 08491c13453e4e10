// SPDX-License-Identifier: MIT
// baton-sim: takeover races found by seed, replayed exactly, told as a story.
#include "actors/sim/program.hpp"

int main(int argc, char** argv) {
  return baton::sim::run_program(argc, argv);
}
