// SPDX-License-Identifier: MIT
// What the coordinator, nodes and drivers tell each other, judged by what was
// durable when it left.
#include "actors/sim/witness.hpp"

namespace baton::sim {

void witness::check_told(const run_record& x) {
  auto run = runs_.find(x.id());
  auto gone = removed_.find(x.state.no);
  if (run == runs_.end() && gone == removed_.end())
    return accuse("I4", x.id().str(), "a run was told of that is not durable");
  auto durable = gone != removed_.end() ? gone->second : run->second.version;
  if (x.state.version > durable)
    accuse("I4", x.id().str(),
           "version " + std::to_string(x.state.version)
             + " was told, durable is version " + std::to_string(durable));
}

void witness::on_told(const caf::message& x, const std::string& to_node) {
  auto lane = trace_.lane_of(lane_kind::node, to_node);
  if (x.match_elements<append_done>()) {
    const auto& done = x.get_as<append_done>(0);
    auto run = runs_.find(done.run);
    if (run == runs_.end() || run->second.last_seq < done.last_seq.value)
      return accuse("I4", done.run.str(),
                    "entry " + std::to_string(done.last_seq.value)
                      + " was acknowledged before it was durable");
    auto by = run->second.commits.lower_bound(done.last_seq.value);
    put(event_kind::ack, lane, done.run.str(), done.epoch.value, 0,
        done.last_seq.value, "",
        by == run->second.commits.end() ? std::nullopt
                                        : std::optional{by->second});
  } else if (x.match_elements<drive_refused>()) {
    const auto& no = x.get_as<drive_refused>(0);
    put(event_kind::refused, lane, no.run.str(), no.epoch.value, 0, 0,
        std::string{to_string(no.code)});
  } else if (x.match_elements<drive_run>()) {
    check_told(x.get_as<drive_run>(0).record);
  } else if (x.match_elements<run_created>()) {
    check_told(x.get_as<run_created>(0).view.record);
  } else if (x.match_elements<run_view>()) {
    check_told(x.get_as<run_view>(0).record);
  } else if (x.match_elements<launch_recorded>()) {
    check_told(x.get_as<launch_recorded>(0).record);
  } else if (x.match_elements<run_finished>()) {
    check_told(x.get_as<run_finished>(0).view.record);
  } else if (x.match_elements<stop_drive>()) {
    const auto& stop = x.get_as<stop_drive>(0);
    put(event_kind::note, lane, stop.run.str(), stop.epoch.value, 0, 0,
        "told to stop");
  }
}

void witness::on_asked(const caf::message& x, const std::string& from_node) {
  if (!x.match_elements<append_lines>())
    return;
  const auto& a = x.get_as<append_lines>(0);
  auto last = a.first_seq.value + a.lines.size() - 1;
  appends_[{a.run, last}] =
    put(event_kind::append, trace_.lane_of(lane_kind::node, from_node),
        a.run.str(), a.epoch.value, a.first_seq.value, last, "", sent_by(a));
}

/// The event with which a driver on that node sent it.
std::optional<std::size_t> witness::sent_by(const append_lines& x) const {
  auto i = appends_.find({x.run, x.first_seq.value + x.lines.size() - 1});
  if (i == appends_.end() || trace_.events()[i->second].epoch != x.epoch.value)
    return std::nullopt;
  return i->second;
}

void witness::on_lost(const caf::message& x, const std::string& from) {
  auto lane = trace_.lane_of(lane_kind::node, from);
  if (x.match_elements<append_lines>()) {
    const auto& a = x.get_as<append_lines>(0);
    put(event_kind::lost, lane, a.run.str(), a.epoch.value, a.first_seq.value,
        a.first_seq.value + a.lines.size() - 1, "append");
  } else if (x.match_elements<append_done>()) {
    const auto& a = x.get_as<append_done>(0);
    put(event_kind::lost, lane, a.run.str(), a.epoch.value, 0, a.last_seq.value,
        "ack");
  } else if (x.match_elements<finish_run>()) {
    const auto& a = x.get_as<finish_run>(0);
    put(event_kind::lost, lane, a.run.str(), a.epoch.value, 0, a.last_seq.value,
        "finish");
  }
}

void witness::on_driver_append(const std::string& driver,
                               const append_lines& x) {
  auto last = x.first_seq.value + x.lines.size() - 1;
  appends_[{x.run, last}] =
    put(event_kind::append, trace_.lane_of(lane_kind::driver, driver),
        x.run.str(), x.epoch.value, x.first_seq.value, last, "");
}

void witness::on_driver_ack(const std::string& driver, const append_done& x) {
  auto run = runs_.find(x.run);
  auto durable = run == runs_.end() ? 0 : run->second.last_seq;
  if (durable < x.last_seq.value)
    return accuse("I4", x.run.str(),
                  "entry " + std::to_string(x.last_seq.value)
                    + " was acknowledged, durable are "
                    + std::to_string(durable));
  auto by = run->second.commits.lower_bound(x.last_seq.value);
  put(event_kind::ack, trace_.lane_of(lane_kind::driver, driver), x.run.str(),
      x.epoch.value, 0, x.last_seq.value, "",
      by == run->second.commits.end() ? std::nullopt
                                      : std::optional{by->second});
}

void witness::on_driver_refused(const std::string& driver, const run_id& run,
                                const std::string& why) {
  put(event_kind::refused, trace_.lane_of(lane_kind::driver, driver), run.str(),
      0, 0, 0, why);
}

void witness::show_driver_append(const std::string& driver,
                                 const append_lines& x) {
  auto last = x.first_seq.value + x.lines.size() - 1;
  appends_[{x.run, last}] = trace_.show(
    {now_us(), trace_.lane_of(lane_kind::driver, driver), event_kind::append,
     x.run.str(), x.epoch.value, x.first_seq.value, last});
}

void witness::show_driver_ack(const std::string& driver, const append_done& x,
                              const std::string& text) {
  event out{now_us(),         trace_.lane_of(lane_kind::driver, driver),
            event_kind::ack,  x.run.str(),
            x.epoch.value,    0,
            x.last_seq.value, text};
  if (auto run = runs_.find(x.run); run != runs_.end())
    if (auto by = run->second.commits.lower_bound(x.last_seq.value);
        by != run->second.commits.end())
      out.caused_by = by->second;
  trace_.show(std::move(out));
}

void witness::show_driver(event_kind what, const std::string& driver,
                          const run_id& run, std::uint64_t epoch,
                          std::uint64_t last, const std::string& text) {
  trace_.show({now_us(), trace_.lane_of(lane_kind::driver, driver), what,
               run.str(), epoch, 0, last, text});
}

void witness::on_created(const run_id& run) {
  if (!runs_.contains(run))
    accuse("I4", run.str(), "a run was told of that is not durable");
}

void witness::on_cancel_acknowledged(const run_id& run, std::uint64_t life) {
  if (life != life_of(run))
    return;
  auto i = runs_.find(run);
  if (i == runs_.end()
      || (!i->second.cancelled && !is_terminal(i->second.status)))
    return accuse("I11", run.str(),
                  "a cancel was acknowledged, the durable "
                  "record knows nothing of it");
  if (!is_terminal(i->second.status))
    cancels_.insert(run);
}

} // namespace baton::sim
