// SPDX-License-Identifier: MIT
// `sandbox.workspace` of a request, and what a record shows of it.
// Threads: pure functions.
// Failure: the first complaint is left in `why`, naming the field.
#pragma once

#include "actors/gateway/json_fields.hpp"
#include "messages/workspace.hpp"

namespace baton::http {

/// `sandbox`: the fields it is one of.
void read_workspace(fields& sandbox, const json::value& value,
                    workspace_spec& out, status& why);

/// Where it comes from and what is done to it, in short: a set-up may be as
/// long as a program, and a page of records holds many.
json::object workspace_summary(const workspace_spec& x);

} // namespace baton::http
