// SPDX-License-Identifier: MIT
// Reads a run's log to its end, across broken connections and daemons that die
// and come back.
// Guarantees: the sink gets every byte (or entry) behind the cursor once and
//   in order, whatever breaks in between (I8); "finished" is said only when
//   the run has ended and the sink has all of its log.
// Threads: not thread-safe.
// Failure: a status when repeating cannot help: unknown run, no access.
#pragma once

#include "apps/baton/http_client.hpp"
#include "apps/baton/interrupts.hpp"
#include "messages/result.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace baton::cli {

enum class follow_end : std::uint8_t {
  /// The run ended and so did its log.
  finished,
  /// Not live: the log's present end.
  caught_up,
  /// Ctrl-C.
  interrupted,
  /// The sink wanted no more.
  stopped,
};

struct follow_result {
  follow_end end = follow_end::finished;
  /// The final record's JSON text, when finished.
  std::string record;
};

struct follow_options {
  std::string run;
  /// Bytes for the journal, seq for entries: what was seen already.
  std::uint64_t from = 0;
  bool live = true;
};

/// Takes one entry's JSON text; false to stop.
using entry_sink = std::function<bool(std::uint64_t seq, std::string_view)>;

class log_follower {
public:
  /// `notice` tells the person, once an outage, that the daemon is away.
  log_follower(const http_client& client, const interrupts& ctrl_c,
               std::function<void(const std::string&)> notice)
    : client_(client), ctrl_c_(ctrl_c), notice_(std::move(notice)) {}

  /// The log as the agent's exact bytes.
  result<follow_result> journal(const follow_options& options,
                                const byte_sink& sink);

  /// The same behind the entry `options.from`: a seq, not a byte.
  result<follow_result> journal_behind(const follow_options& options,
                                       const byte_sink& sink);

  /// The log as entries.
  result<follow_result> entries(const follow_options& options,
                                const entry_sink& sink);

private:
  /// What to do after a stream has ended.
  enum class next : std::uint8_t { again, interrupted };

  /// Says so, waits, and lets try again; or the status that makes it useless.
  result<next> after_failure(const status& why);
  void on_progress();
  /// Waits for the next attempt.
  next pause();
  /// The record's JSON text.
  result<std::string> read_record(const std::string& run);

  const http_client& client_;
  const interrupts& ctrl_c_;
  std::function<void(const std::string&)> notice_;
  bool is_away_ = false;
  bool is_live_ = true;
  std::chrono::milliseconds delay_{0};
  std::chrono::milliseconds waited_{0};
};

} // namespace baton::cli
