// SPDX-License-Identifier: MIT
// What is asked of the claim coordinator about runs, and what it answers. Each
// request is answered by the named type or by a caf::error of our category
// (caf_types.hpp turns it back into a status).
#pragma once

#include "messages/caf_inspect.hpp"
#include "messages/instance_record.hpp"
#include "messages/record.hpp"
#include "messages/record_codec.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace baton {

/// A record as it is shown: durable, never merely decided (R4).
struct run_view {
  run_record record;
  /// Live viewers on all nodes.
  std::uint32_t viewers = 0;
  sandbox_stage sandbox = sandbox_stage::none;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, run_record& x) {
  std::string spec = x.spec ? encode(*x.spec) : std::string{};
  std::string state = encode(x.state);
  if constexpr (Inspector::writes_state) {
    if (auto err = f(spec, state))
      return err;
    auto got_spec = decode_spec(spec);
    auto got_state = decode_state(state);
    if (!got_spec || !got_state)
      return caf::sec::invalid_argument;
    x.spec = std::make_shared<const run_spec>(*std::move(got_spec));
    x.state = *std::move(got_state);
    return caf::none;
  } else {
    return f(spec, state);
  }
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, run_view& x) {
  return f(x.record, x.viewers, x.sandbox);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, run_spec& x) {
  return inspect_as_bytes(
    f, "run_spec", [&] { return encode(x); },
    [&](const std::string& bytes) {
      auto got = decode_spec(bytes);
      if (!got)
        return got.error();
      x = *std::move(got);
      return status{};
    });
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, run_outcome& x) {
  return inspect_as_bytes(
    f, "run_outcome", [&] { return encode(x); },
    [&](const std::string& bytes) {
      auto got = decode_outcome(bytes);
      if (!got)
        return got.error();
      x = *std::move(got);
      return status{};
    });
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, claim_note& x) {
  return inspect_as_bytes(
    f, "claim_note", [&] { return encode(x); },
    [&](const std::string& bytes) {
      auto got = decode_claim_note(bytes);
      if (!got)
        return got.error();
      x = *std::move(got);
      return status{};
    });
}

/// Creates the run or finds that it exists -> run_created. errc::run_id_reused.
struct create_run {
  run_spec spec;
};
struct run_created {
  run_view view;
  /// The run was there before, for the same request (A3).
  bool existed = false;
};

/// -> run_view. errc::unknown_run.
struct get_run {
  run_id run;
};

/// The running run of the thread with the greatest start time (A5) ->
/// run_view. errc::unknown_thread.
struct get_active_run {
  thread_id thread;
};

/// In creation order -> run_page.
struct list_runs {
  /// Empty: all threads.
  thread_id thread;
  /// 0: every status; else a run_status.
  std::uint8_t status = 0;
  /// Only runs that have not ended.
  bool live_only = false;
  run_no after;
  std::uint32_t limit = 100;
};
struct run_page {
  std::vector<run_view> runs;
  /// Where the next page starts; 0: there is none.
  run_no next;
};

/// -> claim_history. errc::unknown_run.
struct get_claims {
  run_id run;
};
struct claim_history {
  std::vector<claim_note> claims;
};

/// Records the wish and pushes it to the driver -> run_view. Idempotent.
/// errc::terminal when the run ended otherwise (D2, I11).
struct cancel_run {
  run_id run;
};

/// running -> interrupted -> run_view. errc::terminal.
struct interrupt_run {
  run_id run;
};

/// interrupted -> running -> run_view. errc::terminal.
struct resume_run {
  run_id run;
};

/// Removes the entries before `before` -> run_view. errc::malformed when the
/// log does not reach that far.
struct trim_run {
  run_id run;
  seq before;
};

/// Removes a terminal run and its log -> run_removed. errc::not_terminal.
struct remove_run {
  run_id run;
};
struct run_removed {
  run_id run;
};

/// Opens the run for live viewing -> channel_opened. errc::unknown_run.
struct watch_run {
  run_id run;
};

#define BATON_INSPECT(type, ...)                                               \
  template <class Inspector>                                                   \
  typename Inspector::result_type inspect(Inspector& f, type& x) {             \
    return f(caf::meta::type_name(#type), __VA_ARGS__);                        \
  }

BATON_INSPECT(create_run, x.spec)
BATON_INSPECT(run_created, x.view, x.existed)
BATON_INSPECT(get_run, x.run)
BATON_INSPECT(get_active_run, x.thread)
BATON_INSPECT(list_runs, x.thread, x.status, x.live_only, x.after, x.limit)
BATON_INSPECT(run_page, x.runs, x.next)
BATON_INSPECT(get_claims, x.run)
BATON_INSPECT(claim_history, x.claims)
BATON_INSPECT(cancel_run, x.run)
BATON_INSPECT(interrupt_run, x.run)
BATON_INSPECT(resume_run, x.run)
BATON_INSPECT(trim_run, x.run, x.before)
BATON_INSPECT(remove_run, x.run)
BATON_INSPECT(run_removed, x.run)
BATON_INSPECT(watch_run, x.run)

} // namespace baton
