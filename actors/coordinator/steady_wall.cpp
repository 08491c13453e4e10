// SPDX-License-Identifier: MIT
#include "actors/coordinator/steady_wall.hpp"

#include <algorithm>

namespace baton::coordinator {

steady_wall::steady_wall(std::chrono::milliseconds retain)
  : probation_(
    std::min<std::chrono::milliseconds>(retain, wall_probation_max)) {}

steady_wall::verdict steady_wall::look(instant now) {
  auto ahead = std::chrono::duration_cast<std::chrono::milliseconds>(
    now.wall.time_since_epoch() - now.mono.time_since_epoch());
  // Against the beginning, not the last look: many small steps are a jump too.
  jump_ = ahead - ahead_.value_or(ahead);
  bool jumped = std::chrono::abs(jump_) > wall_jump_min;
  if (jumped || !ahead_) {
    ahead_ = ahead;
    since_ = now.mono;
  }
  if (jumped)
    return verdict::jumped;
  return now.mono - since_ >= probation_ ? verdict::believed
                                         : verdict::on_probation;
}

} // namespace baton::coordinator
