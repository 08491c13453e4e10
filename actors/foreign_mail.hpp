// SPDX-License-Identifier: MIT
// What our actors do with mail they were not made for.
//
// Anybody who holds a handle can send anything to it, and CAF by itself sends
// an error back to the sender of what its receiver does not understand. Its
// defaults print the one to stdout, and end the actor that gets the other: an
// answer of ours that some caller has no handler for would end the coordinator.
#pragma once

#include <caf/error.hpp>
#include <caf/scheduled_actor.hpp>

namespace baton {

/// From now on what nobody handles is refused, where somebody waits for an
/// answer, and otherwise forgotten.
inline void survive_foreign_mail(caf::scheduled_actor& self) {
  self.set_default_handler(caf::drop);
  self.set_error_handler([](caf::error&) {});
}

} // namespace baton
