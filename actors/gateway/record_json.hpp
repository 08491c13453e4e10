// SPDX-License-Identifier: MIT
// What the HTTP API shows of runs, claims, nodes and errors, as JSON text on
// one line.
// Threads: pure functions.
#pragma once

#include "messages/claim_messages.hpp"
#include "messages/result.hpp"
#include "messages/run_messages.hpp"
#include "messages/sandbox_messages.hpp"

#include <string>
#include <utility>
#include <vector>

namespace baton::http {

/// The contract's Record.
std::string to_json(const run_view& x);
/// `{runs, next_cursor?}`.
std::string to_json(const run_page& x);
/// `{claims: [{epoch, holder, cause, first_seq, last_seq?, at}]}`; a claim
/// under which nothing was written has no last_seq. `last` is the log's.
std::string to_json(const claim_history& x, seq last);
/// `{nodes: [...]}`.
std::string to_json(const node_list& x);
/// `{sandboxes: [...]}`.
std::string to_json(const sandbox_list& x);
/// One of them, as `DELETE /v1/sandboxes/{key}` answers.
std::string to_json(const instance_record& x);
/// The same for one that is not there any more.
std::string gone_json(const instance_key& key);
/// `{found: [...], silent_nodes: [...]}`.
std::string to_json(const garbage_report& x);
std::string to_json(const claim_granted& x);
std::string to_json(const run_moved& x);
std::string to_json(const append_done& x);
/// `{error: {code, message, details...}}`. Text that is not UTF-8 is escaped
/// as printable() does. `facts`: members of the error that are true or false.
using error_facts = std::vector<std::pair<std::string, bool>>;
std::string error_json(const status& why, const error_facts& facts = {});

} // namespace baton::http
