// SPDX-License-Identifier: MIT
// `sandbox.workspace` of a request.
// Threads: a pure function.
// Failure: the first complaint is left in `why`, naming the field.
#pragma once

#include "actors/gateway/json_fields.hpp"
#include "messages/workspace.hpp"

namespace baton::http {

/// `sandbox`: the fields it is one of.
void read_workspace(fields& sandbox, const json::value& value,
                    workspace_spec& out, status& why);

} // namespace baton::http
