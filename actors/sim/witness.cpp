// SPDX-License-Identifier: MIT
#include "actors/sim/witness.hpp"

#include "actors/sim/byte_difference.hpp"
#include "actors/sim/faults.hpp"
#include "messages/exit_marker.hpp"

#include <algorithm>

namespace baton::sim {
namespace {

/// A coordinator's clock runs at most so much faster than the world's: see
/// fault_kind::clock_drift.
constexpr int fastest_clock = 2;
/// From a decision to its commit on a slow disk.
constexpr world_time commit_delay_max = std::chrono::seconds{4};

std::int64_t in_ms(world_time x) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(x).count();
}

std::string number(std::uint64_t x) {
  return std::to_string(x);
}

/// The epoch that a driver_line() names.
std::optional<std::uint64_t> epoch_in(std::string_view line) {
  constexpr std::string_view key = "\"epoch\":";
  auto at = line.find(key);
  if (at == std::string_view::npos)
    return std::nullopt;
  return std::stoull(std::string{line.substr(at + key.size(), 20)});
}

bool tells_of_a_loss(const claim_note& x) {
  return x.cause == "node_lost" || x.cause == "lease_lapsed";
}

} // namespace

std::string driver_line(const std::string& driver, epoch held, seq at) {
  return "{\"by\":\"" + driver + "\",\"epoch\":" + number(held.value)
         + ",\"seq\":" + number(at.value) + "}\n";
}

witness::witness(trace& story, const agent_world& agents,
                 std::function<world_time()> now)
  : trace_(story), agents_(agents), now_(std::move(now)) {
  // nop
}

// -- telling ------------------------------------------------------------------

std::size_t witness::put(event_kind what, std::size_t lane,
                         const std::string& run, std::uint64_t epoch,
                         std::uint64_t first, std::uint64_t last,
                         std::string text, std::optional<std::size_t> cause) {
  return trace_.add(
    {now_us(), lane, what, run, epoch, first, last, std::move(text), cause});
}

std::int64_t witness::now_us() const {
  return std::chrono::duration_cast<std::chrono::microseconds>(now_()).count();
}

void witness::tell(event_kind what, lane_kind who, const std::string& name,
                   std::string text, const std::string& run) {
  auto at = put(what, trace_.lane_of(who, name), run, 0, 0, 0, std::move(text));
  if (what == event_kind::fault)
    last_fault_ = at;
}

void witness::tell_armed(std::string text, const std::string& detail) {
  event x{now_us(), coordinator_lane(), event_kind::fault};
  x.text = std::move(text);
  x.detail = detail;
  x.is_armed = true;
  last_fault_ = trace_.add(std::move(x));
}

void witness::show_death() {
  event x{now_us(), coordinator_lane(), event_kind::fault};
  x.text = to_string(fault_kind::kill_coordinator);
  x.detail = "in the middle of a commit";
  x.caused_by = last_fault_;
  trace_.show(std::move(x));
}

void witness::accuse(const std::string& invariant, const std::string& run,
                     std::string text, const std::string& detail) {
  if (broken_)
    return;
  auto holder = runs_.find(run_id{run});
  event x{now_us(),
          holder == runs_.end() ? coordinator_lane()
                                : lane_of_holder(holder->second.holder),
          event_kind::violation, run};
  x.text = invariant + ": " + text;
  x.detail = detail;
  trace_.add(std::move(x));
  broken_ =
    violation{invariant, run, detail.empty() ? text : text + ": " + detail};
}

std::size_t witness::coordinator_lane() {
  return trace_.lane_of(lane_kind::coordinator, "coordinator");
}

std::size_t witness::lane_of_holder(const std::string& holder) {
  if (holder.empty())
    return coordinator_lane();
  return trace_.lane_of(
    nodes.contains(holder) ? lane_kind::node : lane_kind::driver, holder);
}

std::size_t witness::agent_lane(const agent& x) {
  return trace_.lane_of(lane_kind::agent, x.run.str());
}

void witness::expect(const run_id& run, std::string source) {
  sources_.insert_or_assign(run, std::move(source));
}

// -- commits ------------------------------------------------------------------

void witness::on_commit(const storage::commit& c,
                        const storage::commit_outcome& got) {
  if (got.code != errc::none)
    return accuse("I1", c.record.id().str(),
                  "a commit was refused, although the coordinator is the only "
                  "writer of its store");
  auto [at, is_new] = runs_.try_emplace(c.record.id());
  auto& run = at->second;
  if (is_new) {
    run.no = got.no;
    run.external = c.record.spec->external;
    run.epoch = epochs_[at->first];
    run.first_epoch = c.record.state.epoch.value;
  }
  const auto& state = c.record.state;
  if (is_terminal(run.status))
    accuse("I5", at->first.str(),
           "the run had ended as " + std::string{to_string(run.status)}
             + ", and then something was written");
  if (state.version != run.version + 1)
    accuse("I2", at->first.str(),
           "version " + number(run.version + 1) + " was next, found "
             + number(state.version));
  check_epoch(run, c);
  check_entries(run, c);
  check_expiry(run, c);
  check_takeover(run, c);
  check_abort(run, c);
  tell_commit(run, c);
  run.version = state.version;
  run.epoch = std::max(run.epoch, state.epoch.value);
  run.status = state.status;
  run.holder = state.holder;
  run.sandbox = state.sandbox.id;
  run.nonce_hashes = state.nonce_hashes;
  run.cancelled = state.cancel_requested_at.has_value();
  run.cancel_cause = state.cancel_cause;
  run.error = state.error;
  run.exit_code = state.exit_code;
  epochs_[at->first] = std::max(epochs_[at->first], run.epoch);
  if (also && !broken_)
    if (auto why = also(*this))
      accuse("check", at->first.str(), *why);
}

void witness::check_epoch(durable_run& run, const storage::commit& c) {
  const auto& id = c.record.id().str();
  auto held = c.record.state.epoch.value;
  if (held < run.epoch)
    return accuse("I1", id,
                  "epoch " + number(run.epoch)
                    + " is durable, and then something was written under epoch "
                    + number(held));
  if (!c.claim) {
    // An end that no driver writes has an epoch of its own, and a run begins
    // where no removed one ever was.
    if (held > run.epoch && !is_terminal(c.record.state.status)
        && c.expected_version != 0)
      accuse("I6", id, "the epoch rose to " + number(held) + " with no claim");
    return;
  }
  if (c.claim->epoch.value != held || held <= run.epoch)
    accuse("I6", id,
           "a claim must have an epoch above " + number(run.epoch) + ", found "
             + number(c.claim->epoch.value));
  run.claims.push_back(*c.claim);
}

void witness::check_entries(durable_run& run, const storage::commit& c) {
  const auto& id = c.record.id().str();
  const auto& state = c.record.state;
  for (const auto& e : c.entries) {
    if (e.seq.value != run.last_seq + 1)
      accuse("I2", id,
             "entry " + number(run.last_seq + 1) + " was next, found "
               + number(e.seq.value));
    if (e.begin.value != run.bytes.size()
        || e.end.value != e.begin.value + e.data.size())
      accuse("I3", id,
             "entry " + number(e.seq.value) + " must begin at byte "
               + number(run.bytes.size()) + ", found [" + number(e.begin.value)
               + ", " + number(e.end.value) + ")");
    if (e.epoch.value != state.epoch.value)
      accuse("I1", id,
             "entry " + number(e.seq.value) + " has epoch "
               + number(e.epoch.value) + ", the claim is at "
               + number(state.epoch.value));
    check_bytes(run, c.record.id(), e);
    run.last_seq = e.seq.value;
    run.bytes += e.data;
    run.ends.push_back(run.bytes.size());
    run.epochs.push_back(e.epoch.value);
  }
  if (state.last_seq.value != run.last_seq
      || state.end.value != run.bytes.size())
    accuse("I2", id,
           "the record must end at entry " + number(run.last_seq) + ", byte "
             + number(run.bytes.size()) + ", found entry "
             + number(state.last_seq.value) + ", byte "
             + number(state.end.value));
}

void witness::check_expiry(durable_run& run, const storage::commit& c) {
  const auto& state = c.record.state;
  const auto& id = c.record.id().str();
  if (state.cancel_requested_at && state.cancel_cause == errc::expired
      && !run.cancelled) {
    if (!run.detached_at)
      return accuse("I12", id, "the run expired, and viewers watched it");
    auto alone = now_() - *run.detached_at;
    if (alone + commit_delay_max < detached_ttl / fastest_clock)
      accuse("I12", id,
             "nobody watched the run for "
               + number(static_cast<std::uint64_t>(in_ms(alone)))
               + " ms, and it expired, with a time-to-live of "
               + number(static_cast<std::uint64_t>(in_ms(detached_ttl)))
               + " ms");
  }
  if (!state.detached_since)
    run.detached_at.reset();
  else if (!run.detached_at)
    run.detached_at = now_();
}

void witness::check_takeover(const durable_run& run, const storage::commit& c) {
  if (run.external || !c.claim || !tells_of_a_loss(*c.claim) || !nodes_stay_from
      || now_() < *nodes_stay_from)
    return;
  accuse("I9", c.record.id().str(),
         "'" + run.holder
           + "' had long been alive and within reach, and the "
             "run was taken from it as "
           + c.claim->cause);
}

void witness::check_abort(const durable_run& run, const storage::commit& c) {
  if (run.external || c.record.state.status != run_status::aborted)
    return;
  const auto* agent = agents_.of(c.record.id());
  if (agent != nullptr && agent->alive)
    accuse("I11", c.record.id().str(),
           "the run is aborted, and its agent lives on");
}

void witness::check_bytes(const durable_run& run, const run_id& id,
                          const entry& e) {
  if (auto source = sources_.find(id); source != sources_.end()) {
    if (source->second.compare(run.bytes.size(), e.data.size(), e.data) != 0)
      accuse("I3", id.str(),
             "entry " + number(e.seq.value)
               + " is not what the source has at byte "
               + number(run.bytes.size()),
             byte_difference(source->second, run.bytes.size(), e.data));
  } else if (run.external) {
    auto named = epoch_in(e.data);
    if (named && *named != e.epoch.value)
      accuse("I1", id.str(),
             "entry " + number(e.seq.value) + " was written under epoch "
               + number(*named) + ", and stands in the log under "
               + number(e.epoch.value));
  } else {
    const auto* agent = agents_.of(id);
    if (agent == nullptr
        || agent->written.compare(
             std::min<std::size_t>(run.bytes.size(), agent->written.size()),
             e.data.size(), e.data)
             != 0)
      accuse(
        "I3", id.str(),
        "entry " + number(e.seq.value) + " is not what the agent wrote at byte "
          + number(run.bytes.size()),
        byte_difference(agent == nullptr ? std::string_view{} : agent->written,
                        run.bytes.size(), e.data));
  }
}

void witness::tell_commit(durable_run& run, const storage::commit& c) {
  const auto& id = c.record.id();
  const auto& state = c.record.state;
  auto here = coordinator_lane();
  if (run.version == 0)
    put(event_kind::create, here, id.str(), 0, 0, 0,
        c.record.spec->external ? "external" : "");
  if (c.claim)
    put(event_kind::claim, lane_of_holder(c.claim->holder), id.str(),
        state.epoch.value, c.claim->first_seq.value, 0, c.claim->cause,
        tells_of_a_loss(*c.claim) ? last_fault_ : std::nullopt);
  if (!c.entries.empty()) {
    auto sent = appends_.find({id, c.entries.back().seq.value});
    run.commits[run.last_seq] =
      put(event_kind::commit, here, id.str(), state.epoch.value,
          c.entries.front().seq.value, c.entries.back().seq.value, "",
          sent == appends_.end() ? std::nullopt : std::optional{sent->second});
  }
  if (state.cancel_requested_at && !run.cancelled)
    put(event_kind::note, here, id.str(), state.epoch.value, 0, 0,
        state.cancel_cause == errc::expired ? "expired" : "cancel recorded");
  if (is_terminal(state.status))
    put(event_kind::finish, here, id.str(), state.epoch.value, 0, run.last_seq,
        std::string{to_string(state.status)});
}

void witness::on_remove(const run_id& run) {
  put(event_kind::note, coordinator_lane(), run.str(), 0, 0, 0, "removed");
  if (auto i = runs_.find(run); i != runs_.end())
    removed_.emplace(i->second.no, i->second.version);
  // Its epochs are remembered: the id may be used again (I6).
  runs_.erase(run);
  ++lives_[run];
  launches_.erase(run);
  cancels_.erase(run);
}

void witness::on_recovered(const storage::store& contents) {
  for (const auto& [id, run] : runs_) {
    auto stored = contents.load(id);
    if (!stored)
      return accuse("I4", id.str(),
                    "was durable, and cannot be read back: "
                      + stored.error().message);
    // Its own commits may have come since.
    if (stored->state.version < run.version)
      return accuse("I4", id.str(),
                    "version " + number(run.version)
                      + " was durable, found version "
                      + number(stored->state.version));
    std::string bytes;
    auto log = contents.read(*stored, {{}, SIZE_MAX, SIZE_MAX});
    for (std::size_t i = 0; log && i < log->size(); ++i)
      bytes += (*log)[i].data;
    if (bytes != run.bytes)
      return accuse("I4", id.str(),
                    number(run.bytes.size()) + " bytes were durable, "
                      + number(bytes.size()) + " are there");
  }
}

// -- viewers ------------------------------------------------------------------

void witness::on_page(const std::string& viewer, const run_id& id, seq after,
                      const entry_page& page) {
  auto lane = trace_.lane_of(lane_kind::viewer, viewer);
  auto i = runs_.find(id);
  if (i == runs_.end())
    return accuse("I8", id.str(), viewer + " reads a run that is not durable");
  const auto& run = i->second;
  auto next = after.value;
  for (const auto& e : page.entries.items) {
    if (e->seq.value != ++next)
      return accuse("I8", id.str(),
                    viewer + " must see entry " + number(next) + ", was given "
                      + number(e->seq.value));
    if (next > run.last_seq)
      return accuse("I4", id.str(),
                    viewer + " was given entry " + number(next)
                      + ", durable are " + number(run.last_seq));
    auto begin = next == 1 ? 0 : run.ends[next - 2];
    if (run.bytes.compare(begin, run.ends[next - 1] - begin, e->data) != 0
        || e->begin.value != begin)
      return accuse("I8", id.str(),
                    viewer + " was given entry " + number(next)
                      + " with other bytes than the log has");
  }
  if (next > after.value) {
    auto by = run.commits.lower_bound(next);
    put(event_kind::viewer_got, lane, id.str(), 0, after.value + 1, next, "",
        by == run.commits.end() ? std::nullopt : std::optional{by->second});
  }
  if (!page.ended)
    return;
  if (!is_terminal(run.status) || next != run.last_seq)
    accuse("I8", id.str(),
           viewer + " was told of the end at entry " + number(next)
             + "; the run is " + std::string{to_string(run.status)} + " with "
             + number(run.last_seq) + " entries");
  put(event_kind::viewer_end, lane, id.str(), 0, 0, next,
      std::string{to_string(run.status)});
}

// -- agents -------------------------------------------------------------------

void witness::on_launch(const agent& x) {
  put(event_kind::launch, agent_lane(x), x.run.str(), 0, 0, 0, "");
  if (++launches_[x.run] > 1)
    accuse("I7", x.run.str(), "the agent was launched a second time");
  auto run = runs_.find(x.run);
  if (run == runs_.end()
      || std::ranges::find(run->second.nonce_hashes, hash_of_nonce(x.nonce))
           == run->second.nonce_hashes.end())
    accuse("I7", x.run.str(),
           "the agent was launched, and no durable record allows it");
  else if (is_terminal(run->second.status))
    accuse("I7", x.run.str(),
           "the run had ended " + std::string{to_string(run->second.status)}
             + ", and then its agent was launched");
}

void witness::on_output(const agent& x, std::string_view bytes) {
  put(event_kind::output, agent_lane(x), x.run.str(), 0, 0, 0,
      number(bytes.size()) + " bytes");
}

void witness::on_exit(const agent& x) {
  put(event_kind::exit, agent_lane(x), x.run.str(), 0, 0, 0,
      x.killed
        ? "killed"
        : "code " + number(static_cast<std::uint64_t>(x.script.exit_code)));
}

void witness::on_destroy(const agent& x) {
  auto lives = [&](const auto& y) {
    return y.second.sandbox == x.id && !is_terminal(y.second.status);
  };
  if (std::ranges::any_of(runs_, lives))
    accuse("I10", x.run.str(),
           "the sandbox " + x.id
             + " was destroyed, and the durable record says that its run is "
               "running");
}

} // namespace baton::sim
