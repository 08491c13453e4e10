// SPDX-License-Identifier: MIT
#include "messages/wall_time.hpp"

#include <cstdio>

namespace baton {

std::string to_rfc3339(wall_time t) {
  using namespace std::chrono;
  auto day = floor<days>(t);
  year_month_day date{day};
  hh_mm_ss clock{t - day};
  char out[40];
  std::snprintf(
    out, sizeof(out), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
    static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
    static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
    static_cast<int>(clock.minutes().count()),
    static_cast<int>(clock.seconds().count()),
    static_cast<int>(clock.subseconds().count()));
  return out;
}

std::optional<wall_time> wall_time_from_rfc3339(std::string_view text) {
  using namespace std::chrono;
  int y = 0, h = 0, mi = 0, s = 0, ms = 0;
  unsigned mo = 0, d = 0;
  std::string copy{text};
  if (std::sscanf(copy.c_str(), "%4d-%2u-%2uT%2d:%2d:%2d.%3dZ", &y, &mo, &d, &h,
                  &mi, &s, &ms)
      != 7)
    return std::nullopt;
  year_month_day date{year{y}, month{mo}, day{d}};
  if (!date.ok())
    return std::nullopt;
  auto t = wall_time{sys_days{date}} + hours{h} + minutes{mi} + seconds{s}
           + milliseconds{ms};
  // Whatever sscanf forgives, the round trip does not.
  return to_rfc3339(t) == text ? std::optional{t} : std::nullopt;
}

} // namespace baton
