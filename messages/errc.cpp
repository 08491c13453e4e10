// SPDX-License-Identifier: MIT
#include "messages/errc.hpp"

#include <array>

namespace baton {
namespace {

struct row {
  errc code;
  std::string_view name;
  disposition next;
  int http_status;
};

using enum disposition;

constexpr std::array rows{
  row{errc::none, "none", give_up, 200},
  row{errc::malformed, "malformed", give_up, 400},
  row{errc::unknown_run, "unknown_run", give_up, 404},
  row{errc::run_id_reused, "run_id_reused", give_up, 409},
  row{errc::fenced, "fenced", stop_writing, 409},
  row{errc::held, "held", retry_after_read, 409},
  row{errc::gap, "gap", retry_after_read, 409},
  row{errc::mismatch, "mismatch", give_up, 409},
  row{errc::terminal, "terminal", give_up, 409},
  row{errc::not_terminal, "not_terminal", give_up, 409},
  row{errc::not_external, "not_external", give_up, 409},
  row{errc::empty, "empty", give_up, 400},
  row{errc::too_large, "too_large", give_up, 413},
  row{errc::corrupt, "corrupt", give_up, 500},
  row{errc::storage_failed, "storage_failed", outcome_unknown, 503},
  row{errc::outcome_unknown, "outcome_unknown", outcome_unknown, 503},
  row{errc::unavailable, "unavailable", retry_same, 503},
  row{errc::no_eligible_node, "no_eligible_node", retry_same, 503},
  row{errc::agent_lost, "agent_lost", give_up, 500},
  row{errc::launch_failed, "launch_failed", give_up, 500},
  row{errc::journal_damaged, "journal_damaged", give_up, 500},
  row{errc::journal_stalled, "journal_stalled", retry_after_read, 504},
  row{errc::journal_timeout, "journal_timeout", retry_after_read, 504},
  row{errc::unknown_thread, "unknown_thread", give_up, 404},
  row{errc::unauthorized, "unauthorized", give_up, 401},
  row{errc::forbidden, "forbidden", give_up, 403},
  row{errc::unsupported, "unsupported", give_up, 400},
  row{errc::timed_out, "timed_out", outcome_unknown, 504},
  row{errc::in_use, "in_use", give_up, 503},
  row{errc::foreign_data, "foreign_data", give_up, 503},
  row{errc::exit_nonzero, "exit_nonzero", give_up, 500},
  row{errc::expired, "expired", give_up, 409},
  row{errc::cancelled, "cancelled", give_up, 409},
  row{errc::too_many, "too_many", retry_same, 429},
  row{errc::unknown_node, "unknown_node", give_up, 404},
  row{errc::unknown_sandbox, "unknown_sandbox", give_up, 404},
  row{errc::not_found, "not_found", give_up, 404},
  row{errc::stale, "stale", retry_after_read, 409},
  row{errc::io_failed, "io_failed", retry_same, 503},
  row{errc::driver_failed, "driver_failed", give_up, 500},
  row{errc::method_not_allowed, "method_not_allowed", give_up, 405},
  row{errc::stale_store, "stale_store", give_up, 503},
  row{errc::trimmed, "trimmed", retry_after_read, 410},
  row{errc::setup_failed, "setup_failed", give_up, 500},
  row{errc::workspace_failed, "workspace_failed", give_up, 500},
};

constexpr bool rows_stand_at_their_value() {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (static_cast<std::size_t>(rows[i].code) != i)
      return false;
  return true;
}
static_assert(rows_stand_at_their_value());

const row& row_of(errc code) noexcept {
  auto i = static_cast<std::size_t>(code);
  return rows[i < rows.size() ? i : static_cast<std::size_t>(errc::malformed)];
}

} // namespace

std::string_view to_string(errc code) noexcept {
  return row_of(code).name;
}

std::optional<errc> errc_from_string(std::string_view name) noexcept {
  for (const auto& r : rows)
    if (r.name == name)
      return r.code;
  return std::nullopt;
}

disposition disposition_of(errc code) noexcept {
  return row_of(code).next;
}

int http_status_of(errc code) noexcept {
  return row_of(code).http_status;
}

} // namespace baton
