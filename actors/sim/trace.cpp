// SPDX-License-Identifier: MIT
#include "actors/sim/trace.hpp"

#include "actors/sim/faults.hpp"
#include "messages/check.hpp"

#include <algorithm>
#include <array>

namespace baton::sim {
namespace {

constexpr std::array<std::string_view, 5> lane_names{
  "node", "coordinator", "agent", "viewer", "driver"};

constexpr std::array<std::string_view, 19> event_names{
  "create", "claim", "append", "commit",     "ack",        "refused", "launch",
  "output", "exit",  "finish", "viewer_got", "viewer_end", "request", "sent",
  "lost",   "fault", "heal",   "violation",  "note"};

static_assert(static_cast<std::size_t>(event_kind::note) + 1
              == event_names.size());

} // namespace

std::string_view to_string(lane_kind x) noexcept {
  return lane_names[static_cast<std::size_t>(x)];
}

std::string_view to_string(event_kind x) noexcept {
  return event_names[static_cast<std::size_t>(x)];
}

std::size_t trace::lane_of(lane_kind kind, std::string_view name) {
  auto i = std::ranges::find_if(
    lanes_, [&](const lane& x) { return x.kind == kind && x.name == name; });
  if (i == lanes_.end())
    i = lanes_.insert(i, {kind, std::string{name}});
  return static_cast<std::size_t>(i - lanes_.begin());
}

void trace::place(std::size_t lane, std::size_t on) {
  auto& known = lanes_.at(lane).on;
  if (std::ranges::find(known, on) == known.end())
    known.push_back(on);
}

std::string trace::name_of(std::size_t lane) const {
  const auto& x = lanes_.at(lane);
  std::string kind{to_string(x.kind)};
  auto seat = seat_of(lane);
  return x.name.starts_with(kind) ? seat : kind + " " + seat;
}

std::string trace::seat_of(std::size_t lane) const {
  const auto& x = lanes_.at(lane);
  auto out = x.name;
  std::string_view joint = " on ";
  for (auto on : x.on) {
    out += std::string{joint} + lanes_.at(on).name;
    joint = lanes_.at(on).is_gone ? ", then " : " and ";
  }
  return out;
}

std::size_t trace::add(event x) {
  BATON_CHECK(x.lane < lanes_.size(), "an event happens on a lane");
  mix(static_cast<std::uint64_t>(x.at_us));
  mix(x.lane);
  mix(static_cast<std::uint64_t>(x.kind));
  mix(x.run);
  mix(x.epoch);
  mix(x.seq_first);
  mix(x.seq_last);
  mix(x.text);
  return show(std::move(x));
}

std::size_t trace::show(event x) {
  BATON_CHECK(x.lane < lanes_.size(), "an event happens on a lane");
  if (x.kind == event_kind::fault && x.text == gone_for_good)
    lanes_[x.lane].is_gone = true;
  events_.push_back(std::move(x));
  return events_.size() - 1;
}

void trace::retell(std::size_t event, std::string run, std::string text) {
  auto& x = events_.at(event);
  x.run = std::move(run);
  x.text = std::move(text);
  x.detail.clear();
}

// FNV-1a, by words of eight bytes where there are some.
void trace::mix(std::uint64_t x) noexcept {
  hash_ = (hash_ ^ x) * 1099511628211U;
  hash_ ^= hash_ >> 29;
}

void trace::mix(std::string_view x) noexcept {
  mix(x.size());
  for (auto c : x)
    hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 1099511628211U;
}

} // namespace baton::sim
