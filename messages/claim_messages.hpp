// SPDX-License-Identifier: MIT
// What drivers say to the claim coordinator, inside and outside of baton, and
// what it answers or orders. Every write carries its epoch; a refusal with
// errc::fenced ends that driver's claim for good (C2).
#pragma once

#include "messages/entry.hpp"
#include "messages/run_messages.hpp"

#include <cstdint>
#include <string>

namespace baton {

/// Claims an external run -> claim_granted. errc::held, terminal,
/// not_external, unknown_run. A grant is always a new epoch.
struct claim_run {
  run_id run;
  std::string holder;
  /// 0: the coordinator's default lease.
  std::uint64_t ttl_ms = 0;
  /// Take the claim although another is live.
  bool steal = false;
};
struct claim_granted {
  baton::epoch epoch;
  seq next_seq;
  position end;
  std::uint64_t ttl_ms = 0;
  bool cancel_requested = false;
};

/// Extends the lease -> claim_granted. errc::fenced.
struct renew_claim {
  run_id run;
  baton::epoch epoch;
};

/// Gives the claim back; the epoch stays the run's last -> claim_released.
struct release_claim {
  run_id run;
  baton::epoch epoch;
};
struct claim_released {
  run_id run;
};

/// Gives a run that baton drives to another node, or anew to the same one ->
/// run_moved. errc::terminal, no_eligible_node.
struct takeover_run {
  run_id run;
  /// Empty: any eligible node.
  node_id node;
};
struct run_moved {
  baton::epoch epoch;
  node_id node;
};

/// Appends lines -> append_done, or drive_refused, which as the answer of a
/// request is an error. Retries must be identical; acknowledged once (I3).
struct append_lines {
  run_id run;
  baton::epoch epoch;
  seq first_seq;
  /// Where the first line begins in the journal, checked when `has_begin`.
  position begin;
  bool has_begin = false;
  line_batch lines;
};
struct append_done {
  run_id run;
  baton::epoch epoch;
  seq last_seq;
  position end;
  /// Every line had been stored before.
  bool duplicate = false;
  bool cancel_requested = false;
};

/// Records, before a launch, that one may happen -> launch_recorded or
/// drive_refused. The first one fixes where the run's sandbox is.
struct record_launch {
  run_id run;
  baton::epoch epoch;
  std::string nonce_hash;
  std::string sandbox_id;
  /// Where this node would make the workspace that the thread shares; another
  /// one that exists already wins. Empty: the run shares none.
  std::string shared_id;
};
struct launch_recorded {
  run_record record;
};

/// Ends the run under the claim -> run_finished or drive_refused. `last_seq`
/// is the entry that the end follows (I5).
struct finish_run {
  run_id run;
  baton::epoch epoch;
  /// Checked when not 0.
  seq last_seq;
  run_outcome outcome;
};
struct run_finished {
  run_view view;
};

/// To a driver that sent rather than asked: nothing was written, and why.
struct drive_refused {
  run_id run;
  baton::epoch epoch;
  errc code = errc::none;
  std::string message;
};

// -- coordinator to node ------------------------------------------------------

/// Drive this run under the claim in its record.
struct drive_run {
  run_record record;
  /// The journal's last bytes before the record's end, as far as they are
  /// known: the successor checks that it continues the same journal.
  std::string tail;
};

/// The claim at this epoch is gone: stop at once, write nothing.
struct stop_drive {
  run_id run;
  baton::epoch epoch;
};

/// Kill the agent's process tree; the run then ends aborted (I11).
struct cancel_drive {
  run_id run;
  baton::epoch epoch;
};

// -- node to coordinator ------------------------------------------------------

/// The driver has the order to cancel and has asked for the agent's death. Not
/// answered; sent again until the run has ended.
struct cancel_delivered {
  run_id run;
  baton::epoch epoch;
};

/// A claim that a node holds: it drives the run under this epoch.
struct held_claim {
  run_id run;
  baton::epoch epoch;
};

/// A node offers itself, again after every loss of the coordinator; the sender
/// gets the orders -> node_welcome, or drive_refused with errc::in_use (another
/// node of that id is live) or errc::stale_store.
struct node_hello {
  node_id node;
  baton::incarnation incarnation;
  std::string host_label;
  /// Names of its sandbox providers.
  std::vector<std::string> providers;
  /// What it drives and goes on driving if the claim is still its own.
  std::vector<held_claim> driving;
  /// `coordinator` or `worker`.
  std::string role;
  /// Where it serves HTTP, for people.
  std::string address;
  /// It will send node_beat; without that the node is lost after one lease.
  bool beats = false;
};
struct node_welcome {
  std::uint64_t lease_ms = 0;
};

/// That life of the node goes on -> node_beat_seen, or hello_again when the
/// coordinator does not know it (any more).
struct node_beat {
  node_id node;
  baton::incarnation incarnation;
};
struct node_beat_seen {
  bool unused = false;
};
struct hello_again {
  bool unused = false;
};

/// The node is about to end: its runs go elsewhere now -> node_left.
struct node_leaving {
  node_id node;
  baton::incarnation incarnation;
};
struct node_left {
  bool unused = false;
};

/// To a run's driver: the coordinator is back; what it did not answer is worth
/// sending again at once.
struct coordinator_back {
  bool unused = false;
};

/// Who is in the cluster -> node_list.
struct list_nodes {
  bool unused = false;
};
struct node_view {
  node_id node;
  std::string role;
  std::string host_label;
  /// live, suspect, gone.
  std::string state;
  baton::incarnation incarnation;
  std::string address;
  std::uint32_t runs = 0;
  std::int64_t since_ms = 0;
};
struct node_list {
  std::vector<node_view> nodes;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, line_batch& x) {
  // Lengths go as bytes: CAF writes numeric vectors element by element.
  if constexpr (Inspector::writes_state) {
    std::string lengths;
    if (auto err = f(x.bytes, lengths))
      return err;
    x.lengths.resize(lengths.size() / sizeof(std::uint32_t));
    for (std::size_t i = 0; i < x.lengths.size(); ++i) {
      std::uint32_t n = 0;
      for (int shift = 0; shift < 4; ++shift)
        n |= std::uint32_t{static_cast<unsigned char>(
               lengths[4 * i + static_cast<std::size_t>(shift)])}
             << (8 * shift);
      x.lengths[i] = n;
    }
    if (!is_well_formed(x))
      return caf::sec::invalid_argument;
    return caf::none;
  } else {
    std::string lengths;
    lengths.reserve(x.lengths.size() * sizeof(std::uint32_t));
    for (auto n : x.lengths)
      for (int shift = 0; shift < 4; ++shift)
        lengths += static_cast<char>((n >> (8 * shift)) & 0xFF);
    return f(x.bytes, lengths);
  }
}

BATON_INSPECT(claim_run, x.run, x.holder, x.ttl_ms, x.steal)
BATON_INSPECT(claim_granted, x.epoch, x.next_seq, x.end, x.ttl_ms,
              x.cancel_requested)
BATON_INSPECT(renew_claim, x.run, x.epoch)
BATON_INSPECT(release_claim, x.run, x.epoch)
BATON_INSPECT(claim_released, x.run)
BATON_INSPECT(takeover_run, x.run, x.node)
BATON_INSPECT(run_moved, x.epoch, x.node)
BATON_INSPECT(append_lines, x.run, x.epoch, x.first_seq, x.begin, x.has_begin,
              x.lines)
BATON_INSPECT(append_done, x.run, x.epoch, x.last_seq, x.end, x.duplicate,
              x.cancel_requested)
BATON_INSPECT(record_launch, x.run, x.epoch, x.nonce_hash, x.sandbox_id,
              x.shared_id)
BATON_INSPECT(launch_recorded, x.record)
BATON_INSPECT(finish_run, x.run, x.epoch, x.last_seq, x.outcome)
BATON_INSPECT(run_finished, x.view)
BATON_INSPECT(drive_refused, x.run, x.epoch, x.code, x.message)
BATON_INSPECT(drive_run, x.record, x.tail)
BATON_INSPECT(stop_drive, x.run, x.epoch)
BATON_INSPECT(cancel_drive, x.run, x.epoch)
BATON_INSPECT(cancel_delivered, x.run, x.epoch)
BATON_INSPECT(held_claim, x.run, x.epoch)
BATON_INSPECT(node_hello, x.node, x.incarnation, x.host_label, x.providers,
              x.driving, x.role, x.address, x.beats)
BATON_INSPECT(node_welcome, x.lease_ms)
BATON_INSPECT(node_beat, x.node, x.incarnation)
BATON_INSPECT(node_beat_seen, x.unused)
BATON_INSPECT(hello_again, x.unused)
BATON_INSPECT(node_leaving, x.node, x.incarnation)
BATON_INSPECT(node_left, x.unused)
BATON_INSPECT(coordinator_back, x.unused)
BATON_INSPECT(list_nodes, x.unused)
BATON_INSPECT(node_view, x.node, x.role, x.host_label, x.state, x.incarnation,
              x.address, x.runs, x.since_ms)
BATON_INSPECT(node_list, x.nodes)

} // namespace baton
