// SPDX-License-Identifier: MIT
// What must be true of a world that was healed long ago.
#include "actors/sim/witness.hpp"

#include <algorithm>

namespace baton::sim {

void witness::on_settled(const storage::store& contents) {
  for (const auto& [id, run] : runs_)
    if (!is_terminal(run.status))
      accuse("I9", id.str(),
             "the run must have ended long ago, it is "
               + std::string{to_string(run.status)} + ", held by '" + run.holder
               + "'");
    else
      check_end(id, run);
  for (const auto& id : cancels_) {
    auto run = runs_.find(id);
    if (run != runs_.end() && run->second.status != run_status::aborted)
      accuse("I11", id.str(),
             "a cancel was acknowledged while the run was running, it ended "
               + std::string{to_string(run->second.status)});
  }
  for (const auto& [id, x] : agents_.all())
    if (x.alive)
      accuse("I11", x.run.str(), "the run has ended, its agent lives");
  check_sandboxes(contents);
}

void witness::check_sandboxes(const storage::store& contents) {
  auto listed = contents.instances();
  if (!listed)
    return accuse("I10", "", "the list of sandboxes cannot be read");
  std::map<std::string, instance_state> stages;
  for (const auto& x : *listed)
    if (!stages.emplace(x.id, x.state).second)
      accuse("I10", x.run.str(), "the sandbox " + x.id + " is listed twice");
  for (const auto& [id, x] : agents_.all())
    if (x.on_disk && !stages.contains(id))
      accuse("I10", x.run.str(),
             "the sandbox " + id + " is there, and no record names it");
  for (const auto& x : *listed)
    check_left(x);
}

void witness::check_left(const instance_record& x) {
  auto run = std::ranges::find_if(
    runs_, [&](const auto& y) { return y.second.sandbox == x.id; });
  if (x.state == instance_state::must_destroy)
    return accuse("I10", x.run.str(),
                  "everything was healed long ago, and the sandbox " + x.id
                    + " still has to be destroyed: " + x.last_error);
  if (run == runs_.end())
    return accuse("I10", x.run.str(),
                  "the sandbox " + x.id
                    + " was left behind by a run that was removed");
  // Left to be looked at: only where nobody saw the agent's end.
  const auto& why = run->second.error;
  auto unseen = run->second.status == run_status::failed
                && !run->second.exit_code && why
                && why->code != errc::agent_lost;
  if (is_terminal(run->second.status) && !unseen)
    accuse("I10", x.run.str(),
           "the run has ended " + std::string{to_string(run->second.status)}
             + ", its sandbox " + x.id + " is left as "
             + std::string{to_string(x.state)});
}

void witness::check_end(const run_id& id, const durable_run& run) {
  auto wanted = run.cancel_cause == errc::expired
                || (run.cancelled && asked_cancels_.contains(id));
  if (run.status == run_status::aborted && !wanted)
    accuse("I12", id.str(), "nobody cancelled the run, and it was aborted");
  if (run.external) {
    if (auto source = sources_.find(id); source != sources_.end()
                                         && run.status == run_status::completed
                                         && run.bytes != source->second)
      accuse("I5", id.str(),
             "the run is completed with " + std::to_string(run.bytes.size())
               + " of " + std::to_string(source->second.size()) + " bytes");
    return;
  }
  const auto* x = agents_.of(id);
  if (run.status == run_status::aborted)
    return;
  if (x == nullptr)
    return accuse("I7", id.str(),
                  "the run ended " + std::string{to_string(run.status)}
                    + ", and no agent was ever launched");
  if (run.bytes != x->written)
    accuse("I3", id.str(),
           "the agent wrote " + std::to_string(x->written.size())
             + " bytes, the log has " + std::to_string(run.bytes.size()));
  auto code = run.error ? run.error->code : errc::none;
  auto right = x->lost ? code == errc::agent_lost
               : x->killed || x->script.exit_code != 0
                 ? code == errc::exit_nonzero
                 : run.status == run_status::completed;
  if (!right)
    accuse("I5", id.str(),
           "the agent ended "
             + (x->lost ? std::string{"unseen"}
                : x->killed
                  ? std::string{"by a signal"}
                  : "with code " + std::to_string(x->script.exit_code))
             + ", the run ended " + std::string{to_string(run.status)} + " "
             + std::string{to_string(code)});
}

} // namespace baton::sim
