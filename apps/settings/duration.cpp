// SPDX-License-Identifier: MIT
#include "apps/settings/duration.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace baton {

namespace {

struct unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::array<unit, 5> time_units{{{"ms", 1},
                                          {"s", 1'000},
                                          {"m", 60'000},
                                          {"h", 3'600'000},
                                          {"d", 86'400'000}}};

constexpr std::array<unit, 4> size_units{
  {{"", 1}, {"KiB", 1u << 10}, {"MiB", 1u << 20}, {"GiB", 1u << 30}}};

/// Number times unit; nothing on any deviation or on overflow of int64.
std::optional<std::uint64_t> parse(std::string_view text,
                                   std::span<const unit> units) {
  std::uint64_t number = 0;
  auto last = text.data() + text.size();
  auto [stop, ec] = std::from_chars(text.data(), last, number);
  if (ec != std::errc{} || stop == text.data())
    return std::nullopt;
  auto name = std::string_view{stop, static_cast<std::size_t>(last - stop)};
  constexpr std::uint64_t limit = std::numeric_limits<std::int64_t>::max();
  for (auto& u : units)
    if (u.name == name && number <= limit / u.factor)
      return number * u.factor;
  return std::nullopt;
}

std::string shortest(std::uint64_t value, std::span<const unit> units) {
  auto best = units.front();
  for (auto& u : units)
    if (value != 0 && value % u.factor == 0)
      best = u;
  return std::to_string(value / best.factor) + std::string{best.name};
}

} // namespace

result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  if (auto x = parse(text, time_units))
    return std::chrono::milliseconds{static_cast<std::int64_t>(*x)};
  return {errc::malformed, "expected a duration such as 250ms, 10s, 30m, 1h or "
                           "7d, found '"
                             + std::string{text} + "'"};
}

std::string to_text(std::chrono::milliseconds x) {
  if (x.count() == 0)
    return "0s";
  return shortest(static_cast<std::uint64_t>(x.count()), time_units);
}

result<std::size_t> parse_byte_size(std::string_view text) {
  if (auto x = parse(text, size_units))
    return static_cast<std::size_t>(*x);
  return {errc::malformed, "expected a size such as 4096, 64KiB or 1MiB, found "
                           "'"
                             + std::string{text} + "'"};
}

std::string byte_size_text(std::size_t bytes) {
  return shortest(bytes, size_units);
}

} // namespace baton
