// SPDX-License-Identifier: MIT
// How logs are read. A viewer pulls: it names its cursor in every request and
// has one request open, so nothing queues up for a viewer that does not read,
// and a reconnect is just the next request (I8).
#pragma once

#include "messages/claim_messages.hpp"
#include "messages/entry.hpp"
#include "messages/record_codec.hpp"

#include <caf/actor.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace baton {

/// Entries that many viewers share; never changed.
using shared_entry = std::shared_ptr<const entry>;
struct shared_entries {
  std::vector<shared_entry> items;
};

struct channel_opened {
  caf::actor channel;
  run_view view;
};

/// To a channel: entries behind `after`, as soon as there is one, or the end
/// -> entry_page. The sender counts as a viewer from its first request until
/// leave_channel or its death.
struct next_entries {
  seq after;
  std::uint32_t entries_max = 1024;
  std::uint32_t bytes_max = 1 << 20;
  /// 0: waits for ever. Else an empty page comes after that time: an answer
  /// from another node can be lost.
  std::uint32_t wait_ms = 0;
  /// How many viewers the sender stands for.
  std::uint32_t viewers = 1;
  /// The node they are on; empty: the channel's own.
  node_id node{};
};

/// To a channel: the sender stands for so many viewers from now on.
struct count_viewers {
  std::uint32_t viewers = 0;
  node_id node;
};

/// To a channel: the sender is no viewer any more.
struct leave_channel {
  bool unused = false;
};

/// To a reader: what the store has behind `after`, now -> entry_page. Counts
/// nobody. errc::unknown_run, corrupt.
struct read_entries {
  run_id run;
  seq after;
  std::uint32_t entries_max = 1024;
  std::uint32_t bytes_max = 1 << 20;
};

struct entry_page {
  shared_entries entries;
  /// The run is terminal and this page reaches the end of its log. The record
  /// is `view`.
  bool ended = false;
  /// Set when `ended`, or when the page is empty.
  std::vector<run_view> view;
};

/// Coordinator to channel: these entries are durable.
struct log_grew {
  shared_entries entries;
};

/// Coordinator to channel: this is durable; terminal means the end.
struct record_changed {
  run_view view;
};

/// Channel to coordinator.
struct viewers_changed {
  run_id run;
  std::uint32_t viewers = 0;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, shared_entries& x) {
  // Each entry as its stored form behind its length.
  if constexpr (Inspector::writes_state) {
    std::string bytes;
    std::vector<std::uint64_t> lengths;
    if (auto err = f(lengths, bytes))
      return err;
    std::size_t at = 0;
    x.items.clear();
    for (auto n : lengths) {
      if (n > bytes.size() - at)
        return caf::sec::invalid_argument;
      auto got = decode_entry(std::string_view{bytes}.substr(at, n));
      if (!got)
        return caf::sec::invalid_argument;
      x.items.push_back(std::make_shared<const entry>(*std::move(got)));
      at += n;
    }
    return caf::none;
  } else {
    std::string bytes;
    std::vector<std::uint64_t> lengths;
    for (const auto& e : x.items) {
      auto before = bytes.size();
      encode_to(*e, bytes);
      lengths.push_back(bytes.size() - before);
    }
    return f(lengths, bytes);
  }
}

BATON_INSPECT(channel_opened, x.channel, x.view)
BATON_INSPECT(next_entries, x.after, x.entries_max, x.bytes_max, x.wait_ms,
              x.viewers, x.node)
BATON_INSPECT(count_viewers, x.viewers, x.node)
BATON_INSPECT(leave_channel, x.unused)
BATON_INSPECT(read_entries, x.run, x.after, x.entries_max, x.bytes_max)
BATON_INSPECT(entry_page, x.entries, x.ended, x.view)
BATON_INSPECT(log_grew, x.entries)
BATON_INSPECT(viewers_changed, x.run, x.viewers)
BATON_INSPECT(record_changed, x.view)

} // namespace baton
