// SPDX-License-Identifier: MIT
// May a reader of a run's raw journal have it, now or in a moment (B11)? The
// run's record decides, looked at again and again:
//
//   no such run                           refuse: unknown_run (404)
//   launched, or a byte is in its log     attach, however long ago that was
//   its driver is from outside            attach: baton launches nothing
//   ended, and was never launched         refuse: terminal (410)
//   goes on, and is not launched yet      wait, then refuse: journal_timeout
//                                         (504)
//   the record cannot be asked just now   wait likewise
//
// Threads: value type, pure.
#pragma once

#include "actors/clock.hpp"
#include "messages/claim_messages.hpp"
#include "messages/result.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace baton::http {

/// For which a journal may be missing, and how often its record is looked at.
constexpr std::chrono::milliseconds attach_wait_max{10'000};
constexpr std::chrono::milliseconds attach_probe_interval{100};

enum class attach_verdict : std::uint8_t { attach, wait, refuse };

class attach_preflight {
public:
  explicit attach_preflight(mono_time now) : asked_at_(now) {}

  /// The record as it stands, or why there is no telling.
  attach_verdict look(const result<run_view>& found, mono_time now);

  // -- requires: look() has said `refuse` -------------------------------------

  const status& why() const { return why_; }
  /// 0: the one of the code.
  int http_status() const { return http_status_; }
  /// Nobody watched the run when it was asked for; absent when that is not
  /// what the answer is about.
  std::optional<bool> detached() const {
    return why_.code == errc::journal_timeout ? detached_ : std::nullopt;
  }

private:
  attach_verdict refuse(status why, int http_status = 0);
  attach_verdict wait(mono_time now);

  mono_time asked_at_;
  /// Of the first look; absent before it.
  std::optional<bool> detached_;
  std::string run_;
  status why_;
  int http_status_ = 0;
};

} // namespace baton::http
