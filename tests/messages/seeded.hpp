// SPDX-License-Identifier: MIT
// Random input that is the same on every machine: the simulator's.
#pragma once

#include "actors/sim/seeded.hpp"

namespace baton::test {

using sim::seeded;

} // namespace baton::test
