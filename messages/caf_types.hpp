// SPDX-License-Identifier: MIT
// CAF's view of our messages: type registration, error category, and the
// conversion between status and caf::error. The one place with idioms of the
// CAF version.
#pragma once

#include "messages/claim_messages.hpp"
#include "messages/errc.hpp"
#include "messages/greeting.hpp"
#include "messages/result.hpp"
#include "messages/run_messages.hpp"
#include "messages/sandbox_messages.hpp"
#include "messages/view_messages.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/error.hpp>
#include <caf/type_id.hpp>

CAF_ERROR_CODE_ENUM(baton::errc, "baton")

CAF_BEGIN_TYPE_ID_BLOCK(baton, caf::first_custom_type_id)
  CAF_ADD_TYPE_ID(baton, (baton::create_run))
  CAF_ADD_TYPE_ID(baton, (baton::run_created))
  CAF_ADD_TYPE_ID(baton, (baton::get_run))
  CAF_ADD_TYPE_ID(baton, (baton::run_view))
  CAF_ADD_TYPE_ID(baton, (baton::get_active_run))
  CAF_ADD_TYPE_ID(baton, (baton::list_runs))
  CAF_ADD_TYPE_ID(baton, (baton::run_page))
  CAF_ADD_TYPE_ID(baton, (baton::get_claims))
  CAF_ADD_TYPE_ID(baton, (baton::claim_history))
  CAF_ADD_TYPE_ID(baton, (baton::cancel_run))
  CAF_ADD_TYPE_ID(baton, (baton::interrupt_run))
  CAF_ADD_TYPE_ID(baton, (baton::resume_run))
  CAF_ADD_TYPE_ID(baton, (baton::remove_run))
  CAF_ADD_TYPE_ID(baton, (baton::run_removed))
  CAF_ADD_TYPE_ID(baton, (baton::watch_run))
  CAF_ADD_TYPE_ID(baton, (baton::claim_run))
  CAF_ADD_TYPE_ID(baton, (baton::claim_granted))
  CAF_ADD_TYPE_ID(baton, (baton::renew_claim))
  CAF_ADD_TYPE_ID(baton, (baton::release_claim))
  CAF_ADD_TYPE_ID(baton, (baton::claim_released))
  CAF_ADD_TYPE_ID(baton, (baton::takeover_run))
  CAF_ADD_TYPE_ID(baton, (baton::run_moved))
  CAF_ADD_TYPE_ID(baton, (baton::append_lines))
  CAF_ADD_TYPE_ID(baton, (baton::append_done))
  CAF_ADD_TYPE_ID(baton, (baton::record_launch))
  CAF_ADD_TYPE_ID(baton, (baton::launch_recorded))
  CAF_ADD_TYPE_ID(baton, (baton::finish_run))
  CAF_ADD_TYPE_ID(baton, (baton::run_finished))
  CAF_ADD_TYPE_ID(baton, (baton::drive_refused))
  CAF_ADD_TYPE_ID(baton, (baton::drive_run))
  CAF_ADD_TYPE_ID(baton, (baton::stop_drive))
  CAF_ADD_TYPE_ID(baton, (baton::cancel_drive))
  CAF_ADD_TYPE_ID(baton, (baton::node_hello))
  CAF_ADD_TYPE_ID(baton, (baton::node_welcome))
  CAF_ADD_TYPE_ID(baton, (baton::node_beat))
  CAF_ADD_TYPE_ID(baton, (baton::node_beat_seen))
  CAF_ADD_TYPE_ID(baton, (baton::hello_again))
  CAF_ADD_TYPE_ID(baton, (baton::node_leaving))
  CAF_ADD_TYPE_ID(baton, (baton::node_left))
  CAF_ADD_TYPE_ID(baton, (baton::coordinator_back))
  CAF_ADD_TYPE_ID(baton, (baton::greeting))
  CAF_ADD_TYPE_ID(baton, (baton::greeted))
  CAF_ADD_TYPE_ID(baton, (baton::count_viewers))
  CAF_ADD_TYPE_ID(baton, (baton::list_nodes))
  CAF_ADD_TYPE_ID(baton, (baton::node_list))
  CAF_ADD_TYPE_ID(baton, (baton::channel_opened))
  CAF_ADD_TYPE_ID(baton, (baton::next_entries))
  CAF_ADD_TYPE_ID(baton, (baton::leave_channel))
  CAF_ADD_TYPE_ID(baton, (baton::read_entries))
  CAF_ADD_TYPE_ID(baton, (baton::entry_page))
  CAF_ADD_TYPE_ID(baton, (baton::log_grew))
  CAF_ADD_TYPE_ID(baton, (baton::record_changed))
  CAF_ADD_TYPE_ID(baton, (baton::viewers_changed))
  CAF_ADD_TYPE_ID(baton, (baton::trim_run))
  CAF_ADD_TYPE_ID(baton, (baton::cancel_delivered))
  CAF_ADD_TYPE_ID(baton, (baton::list_sandboxes))
  CAF_ADD_TYPE_ID(baton, (baton::sandbox_list))
  CAF_ADD_TYPE_ID(baton, (baton::remove_sandbox))
  CAF_ADD_TYPE_ID(baton, (baton::collect_garbage))
  CAF_ADD_TYPE_ID(baton, (baton::garbage_report))
  CAF_ADD_TYPE_ID(baton, (baton::destroy_sandbox))
  CAF_ADD_TYPE_ID(baton, (baton::sandbox_destroyed))
  CAF_ADD_TYPE_ID(baton, (baton::probe_sandbox))
  CAF_ADD_TYPE_ID(baton, (baton::sandbox_probed))
  CAF_ADD_TYPE_ID(baton, (baton::list_local_sandboxes))
  CAF_ADD_TYPE_ID(baton, (baton::local_sandboxes))
CAF_END_TYPE_ID_BLOCK(baton)

namespace baton {

/// Registers every message type and the error category. Call before the
/// actor_system exists.
void register_messages(caf::actor_system_config& config);

/// Keeps code, message and details.
caf::error to_caf_error(const status& why);

/// The inverse. Errors of CAF itself become timed_out (no answer in time) or
/// unavailable (nobody there to answer).
status to_status(const caf::error& why);

} // namespace baton
