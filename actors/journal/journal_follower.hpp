// SPDX-License-Identifier: MIT
// Follows one run's journal for its run actor.
//
// Guarantees: sends lines only when asked (one batch a request, so the journal
// is the buffer), then the end of the agent: its exit report when all its
// bytes were sent, or why there is none. Silence of a live agent is no error,
// however long (B10).
// Requires: a host-visible journal.
// Threads: an actor. Reads the file and probes the agent in its handlers.
// Failure: journal_broken with journal_damaged or agent_lost; the follower then
// waits for its end. What else keeps a journal from being read passes: it is
// tried again, ever more seldom, and the operator is told.
#pragma once

#include "actors/journal/journal_cursor.hpp"
#include "actors/sandbox/provider.hpp"

#include <caf/actor.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/fwd.hpp>

#include <functional>
#include <memory>

namespace baton::journal {

struct follow_options {
  std::shared_ptr<sandbox::provider> provider;
  sandbox_binding where;
  std::vector<std::string> nonce_hashes;
  cursor_start start;
  framing_limits limits;
  /// Tells the operator.
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

/// From the run actor: the next batch, please.
struct read_lines {};

/// To the run actor, one for each read_lines.
struct lines_read {
  position begin;
  std::shared_ptr<line_batch> lines;
};

/// From the run actor: how long is the journal? -> journal_size, or nothing
/// when that cannot be told right now.
struct read_size {};
struct journal_size {
  position bytes;
};

/// To the run actor: everything the agent wrote was sent.
struct journal_over {
  sandbox::exit_report exit;
};

/// To the run actor: the journal will not come to an end of its own.
struct journal_broken {
  status why;
};

caf::behavior journal_follower(caf::event_based_actor* self, caf::actor run,
                               const follow_options& options);

} // namespace baton::journal

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(baton::journal::read_lines)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(baton::journal::lines_read)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(baton::journal::read_size)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(baton::journal::journal_size)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(baton::journal::journal_over)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(baton::journal::journal_broken)
