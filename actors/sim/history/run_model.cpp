// SPDX-License-Identifier: MIT
#include "actors/sim/history/run_model.hpp"

#include <algorithm>

namespace baton::history {
namespace {

template <class T>
bool agrees(const std::optional<T>& got, const std::optional<T>& told) {
  return !got || got == told;
}

bool agrees(const answer& got, const answer& told) {
  return got.what == told.what && agrees(got.epoch, told.epoch)
         && agrees(got.seq, told.seq) && agrees(got.position, told.position)
         && agrees(got.duplicate, told.duplicate)
         && agrees(got.status, told.status);
}

bool is_current(const run_state& s, std::uint64_t epoch) {
  return s.held && s.epoch == epoch;
}

} // namespace

// -- logs ---------------------------------------------------------------------

log_tree::id log_tree::add(id parent, std::uint64_t epoch,
                           const std::string& line) {
  auto [named, is_new_line] =
    line_ids_.try_emplace(line, static_cast<std::uint32_t>(lines_.size()));
  if (is_new_line)
    lines_.push_back(line);
  auto [child, is_new] = children_.try_emplace({parent, epoch, named->second},
                                               static_cast<id>(nodes_.size()));
  if (is_new)
    nodes_.push_back({parent, named->second, nodes_[parent].size + 1,
                      nodes_[parent].end + line.size() + 1});
  return child->second;
}

log_tree::id log_tree::prefix(id log, std::uint64_t size) const {
  while (nodes_[log].size > size)
    log = nodes_[log].parent;
  return log;
}

const std::string& log_tree::last_line(id log) const {
  return lines_[nodes_[log].line];
}

// -- the contract -------------------------------------------------------------

run_model::run_model(std::span<const operation> all)
  : all_(all), seen_(all.size()) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].got.log)
      continue;
    auto log = log_tree::root;
    for (const auto& item : *all[i].got.log)
      log = logs_.add(log, item.epoch, item.line);
    seen_[i] = log;
  }
}

std::optional<run_state> run_model::apply(const run_state& s, std::size_t i) {
  const auto& x = all_[i];
  step to;
  switch (x.what) {
  case verb::claim:
    to = claim(s, x);
    break;
  case verb::append:
    to = append(s, x);
    break;
  case verb::renew:
    to = is_current(s, x.epoch) && !s.ended
           ? step{{outcome::ok, s.epoch, logs_.size_of(s.log) + 1,
                   logs_.end_of(s.log)},
                  s}
           : fenced(s);
    break;
  case verb::release:
    to = release(s, x);
    break;
  case verb::finish:
    to = finish(s, x);
    break;
  case verb::read:
    to = record_of(s);
    break;
  }
  if (x.got.what == outcome::unknown)
    return to.next;
  if (!agrees(x.got, to.told) || (seen_[i] && *seen_[i] != s.log))
    return std::nullopt;
  return to.next;
}

run_model::step run_model::claim(const run_state& s, const operation& x) {
  if (s.ended)
    return {{outcome::terminal}, s};
  // Whether a lease has lapsed is a matter of time: a claim that steals
  // nothing may see either.
  if (!x.steal && x.got.what == outcome::held && s.held)
    return {{outcome::held, s.epoch}, s};
  auto next = s;
  next.epoch += 1;
  next.held = true;
  return {
    {outcome::ok, next.epoch, logs_.size_of(s.log) + 1, logs_.end_of(s.log)},
    next};
}

run_model::step run_model::append(const run_state& s, const operation& x) {
  if (!is_current(s, x.epoch))
    return fenced(s);
  auto size = logs_.size_of(s.log);
  auto last = x.first_seq + x.lines.size() - 1;
  auto common = std::min(last, size);
  auto before = s.log;
  if (x.begin && x.first_seq <= size
      && *x.begin != logs_.end_of(logs_.prefix(s.log, x.first_seq - 1)))
    return {{outcome::gap, {}, x.first_seq}, s};
  for (auto seq = x.first_seq; seq <= common; ++seq) {
    auto at = logs_.prefix(s.log, seq);
    if (logs_.last_line(at) != x.lines[seq - x.first_seq])
      return {{outcome::mismatch, {}, seq}, s};
    before = at;
  }
  if (last <= size)
    return {{outcome::ok, {}, last, logs_.end_of(before), true}, s};
  if (s.ended)
    return {{outcome::terminal}, s};
  if (x.first_seq > size + 1
      || (x.begin && x.first_seq > size && *x.begin != logs_.end_of(s.log)))
    return {{outcome::gap, {}, size + 1}, s};
  auto next = s;
  for (auto seq = size + 1; seq <= last; ++seq)
    next.log = logs_.add(next.log, x.epoch, x.lines[seq - x.first_seq]);
  return {{outcome::ok, {}, last, logs_.end_of(next.log), false}, next};
}

run_model::step run_model::release(const run_state& s, const operation& x) {
  if (!is_current(s, x.epoch))
    return fenced(s);
  if (s.ended)
    return {{outcome::terminal}, s};
  auto next = s;
  next.held = false;
  return {{outcome::ok}, next};
}

run_model::step run_model::finish(const run_state& s, const operation& x) {
  if (!is_current(s, x.epoch))
    return fenced(s);
  auto status = number_of(x.status);
  if (s.ended && s.status != status)
    return {{outcome::terminal}, s};
  auto next = s;
  next.ended = true;
  next.status = status;
  return record_of(next);
}

run_model::step run_model::record_of(const run_state& s) const {
  return {{outcome::ok,
           s.epoch,
           logs_.size_of(s.log),
           logs_.end_of(s.log),
           {},
           statuses_[s.status]},
          s};
}

run_model::step run_model::fenced(const run_state& s) const {
  return {{outcome::fenced, s.epoch}, s};
}

std::uint32_t run_model::number_of(const std::string& status) {
  auto at = std::ranges::find(statuses_, status);
  if (at == statuses_.end())
    at = statuses_.insert(at, status);
  return static_cast<std::uint32_t>(at - statuses_.begin());
}

std::string run_model::describe(const run_state& s) const {
  return "epoch " + std::to_string(s.epoch) + (s.held ? " (held)" : " (free)")
         + ", " + std::to_string(logs_.size_of(s.log)) + " entries, "
         + statuses_[s.status];
}

} // namespace baton::history
