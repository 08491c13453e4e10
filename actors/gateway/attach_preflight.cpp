// SPDX-License-Identifier: MIT
#include "actors/gateway/attach_preflight.hpp"

namespace baton::http {
namespace {

/// Its launch is recorded before it happens, so this is true from the moment
/// that there may be a journal.
bool has_journal(const run_record& run) {
  const auto& state = run.state;
  return run.spec->external || !state.sandbox.id.empty()
         || state.last_seq.value > 0;
}

status never_launched(const run_record& run) {
  const auto& state = run.state;
  auto text = "run '" + printable(run.id().str()) + "' ended "
              + std::string{to_string(state.status)} + " before it was launched"
              + " and never had a journal";
  if (state.error)
    text += ": " + state.error->message + " ("
            + std::string{to_string(state.error->code)} + ")";
  return make_status(errc::terminal, text + "; its record tells the rest");
}

} // namespace

attach_verdict attach_preflight::look(const result<run_view>& found,
                                      mono_time now) {
  if (!found) {
    auto code = found.error().code;
    if (!detached_ || disposition_of(code) == disposition::give_up)
      return refuse(found.error());
    return wait(now);
  }
  const auto& run = found->record;
  if (has_journal(run))
    return attach_verdict::attach;
  if (is_terminal(run.state.status))
    return refuse(never_launched(run), 410);
  if (!detached_)
    detached_ = run.state.detached_since.has_value();
  run_ = printable(run.id().str());
  return wait(now);
}

attach_verdict attach_preflight::wait(mono_time now) {
  if (now - asked_at_ < attach_wait_max)
    return attach_verdict::wait;
  return refuse(make_status(
    errc::journal_timeout,
    "run '" + run_
      + "' has not been launched within 10 s and has no journal yet; its "
        "record tells what it waits for, and its events can be waited for"));
}

attach_verdict attach_preflight::refuse(status why, int http_status) {
  why_ = std::move(why);
  http_status_ = http_status;
  return attach_verdict::refuse;
}

} // namespace baton::http
