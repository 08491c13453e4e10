// SPDX-License-Identifier: MIT
// The shape that stands for a kind of event in a picture, around the origin.
#pragma once

#include "actors/sim/trace.hpp"

#include <string_view>

namespace baton::sim {

/// SVG, at most 8 units in each direction. Classes: s is filled, o is open,
/// l is drawn by its lines alone.
std::string_view shape_of(event_kind kind) noexcept;

/// What the legend says of it.
std::string_view meaning_of(event_kind kind) noexcept;

} // namespace baton::sim
