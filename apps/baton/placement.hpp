// SPDX-License-Identifier: MIT
// What a run waits for that no node drives yet, as a person wants to know it.
// Threads: pure functions.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string>

namespace baton::cli {

/// The record is of a run that goes on and that nobody drives yet, or whose
/// driver waits for the thread's old sandbox to go.
bool waits(const boost::json::object& record);
/// `for a node`, in a word or two; empty when it does not wait.
std::string what_it_waits_for(const boost::json::object& record);

/// `r1 waits for a node that is eligible (asked: ...; connected: ...; ...)`.
/// Requires: it waits.
/// `asked_node` may be empty; `nodes` are those of `GET /v1/nodes`.
std::string waiting_text(const boost::json::object& record,
                         const std::string& asked_node,
                         const boost::json::array& nodes);

} // namespace baton::cli
