// SPDX-License-Identifier: MIT
// What happened in one simulated world, in the order in which it happened:
// lanes (who) and events (what), as plain data for checkers, texts and
// pictures.
//
// Guarantees: the same seed gives the same events and the same hash on every
// machine: nothing in it depends on addresses, real time or thread schedules.
// Threads: value types; owned by one world.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace baton::sim {

enum class lane_kind : std::uint8_t {
  node,
  coordinator,
  agent,
  viewer,
  driver,
};

std::string_view to_string(lane_kind x) noexcept;

/// Who does something. Names are unique within their kind.
struct lane {
  lane_kind kind = lane_kind::node;
  std::string name;
  /// The lanes of the nodes it lives on, or lived.
  std::vector<std::size_t> on = {};
  /// A node that is gone for good.
  bool is_gone = false;
};

enum class event_kind : std::uint8_t {
  /// A run was created; on the coordinator's lane.
  create,
  /// A claim is durable; on the holder's lane. `text` is the cause.
  claim,
  /// A writer sent entries seq_first..seq_last; on its lane.
  append,
  /// A commit is durable; on the coordinator's lane. Entries, if any, are
  /// seq_first..seq_last.
  commit,
  /// A writer was told that its entries are durable.
  ack,
  /// A writer was told no; `text` is the error code.
  refused,
  /// An agent was started; on the agent's lane.
  launch,
  /// An agent wrote to its journal.
  output,
  /// An agent ended.
  exit,
  /// The run's end is durable; on the coordinator's lane. `text` is the status.
  finish,
  /// A viewer was given entries seq_first..seq_last.
  viewer_got,
  /// A viewer was told that the run has ended.
  viewer_end,
  /// A person asks for something (cancel, takeover); `text` says what.
  request,
  /// A message left for another place, `text` names it; only the rare ones.
  sent,
  /// A message was lost on the way.
  lost,
  /// Something was broken; on the lane it hits. `text` begins with the fault's
  /// name.
  fault,
  /// What was broken is whole again.
  heal,
  /// An invariant does not hold: `text` is "I3: expected, found".
  violation,
  note,
};

std::string_view to_string(event_kind x) noexcept;

struct event {
  /// True time of the world, from its begin: no node's own clock.
  std::int64_t at_us = 0;
  std::size_t lane = 0;
  event_kind kind = event_kind::note;
  /// Empty where it does not apply.
  std::string run = {};
  std::uint64_t epoch = 0;
  /// 0: does not apply.
  std::uint64_t seq_first = 0;
  std::uint64_t seq_last = 0;
  std::string text = {};
  /// Index of the event that led to this one.
  std::optional<std::size_t> caused_by = {};
  /// More for people, behind `text`; not in the hash.
  std::string detail = {};
  /// A fault that is only set: when it strikes, that is an event of its own.
  bool is_armed = false;
};

class trace {
public:
  /// The lane of that kind and name; made when it is not there yet.
  std::size_t lane_of(lane_kind kind, std::string_view name);

  /// It lives there from now on; for people, not in the hash.
  void place(std::size_t lane, std::size_t on);

  /// "driver d1 on n2, then n3": it moved when n2 was gone for good.
  std::string name_of(std::size_t lane) const;

  /// "d1 on n2, then n3".
  std::string seat_of(std::size_t lane) const;

  /// Returns the event's index.
  std::size_t add(event x);

  /// For people alone: not in the hash. Returns the event's index.
  std::size_t show(event x);

  /// Tells an event otherwise, for people: the hash stays that of what was told
  /// first.
  void retell(std::size_t event, std::string run, std::string text);

  const std::vector<lane>& lanes() const noexcept { return lanes_; }
  const std::vector<event>& events() const noexcept { return events_; }

  /// Of everything that was added or mixed in so far.
  std::uint64_t hash() const noexcept { return hash_; }

  /// Takes something into the hash that is no event: every step of the
  /// schedule.
  void mix(std::uint64_t x) noexcept;

private:
  void mix(std::string_view x) noexcept;

  std::vector<lane> lanes_;
  std::vector<event> events_;
  std::uint64_t hash_ = 14695981039346656037U;
};

} // namespace baton::sim
