// SPDX-License-Identifier: MIT
// A sandbox instance as it is stored: what exists somewhere, who it is for, and
// whether it still has to be destroyed (I10).
// Threads: value types.
// Failure: decoding returns errc::corrupt for what the encoder cannot have
// written.
#pragma once

#include "messages/ids.hpp"
#include "messages/result.hpp"
#include "messages/wall_time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace baton {

/// Values are stored: never renumber.
enum class instance_state : std::uint8_t {
  /// Exists and may be used.
  ready = 1,
  /// Not to be used again; stays listed until it is gone.
  must_destroy = 2,
  /// Its run ended and nobody saw how: what is in it may be wanted (B12).
  kept = 3,
};

std::string_view to_string(instance_state s) noexcept;

struct instance_record {
  instance_key key;
  std::string provider;
  /// The provider's own name of the instance.
  std::string id;
  thread_id thread;
  /// The run it was made for; empty when the thread shares it.
  run_id run;
  /// Nodes with this label reach it; empty: every node does.
  std::string host_label;
  wall_time created_at{};
  instance_state state = instance_state::ready;

  /// The destruction: how often it failed, why, and when to try again.
  std::string last_error;
  std::uint32_t attempts = 0;
  std::optional<wall_time> next_attempt;

  bool operator==(const instance_record&) const = default;
};

/// What stands of a run's sandbox.
enum class sandbox_stage : std::uint8_t {
  /// Nothing was made for the run yet.
  none = 0,
  in_use = 1,
  /// Its destruction is owed, and tried until it is done (I10).
  must_destroy = 2,
  /// Left for somebody to look at.
  kept = 3,
  gone = 4,
};

std::string_view to_string(sandbox_stage s) noexcept;

std::string encode(const instance_record& x);
result<instance_record> decode_instance(std::string_view bytes);

} // namespace baton
