// SPDX-License-Identifier: MIT
#include "apps/baton_bench/run_table.hpp"

#include "apps/baton_bench/give_up.hpp"

#include <algorithm>
#include <limits>
#include <thread>

namespace baton::bench {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr auto flow_timeout = 60s;
constexpr auto poll_interval = 50ms;

} // namespace

void create_generated_runs(const daemon& where, int runs) {
  for (int i = 0; i < runs; ++i)
    where.post("/v1/runs", {{"run_id", "r" + std::to_string(i)},
                            {"command", json::array{"true"}},
                            {"sandbox", "generated"}});
}

entry_count count_entries(const daemon& where) {
  entry_count out;
  out.least = std::numeric_limits<std::uint64_t>::max();
  std::string cursor;
  do {
    auto page = where.get("/v1/runs?status=running" + cursor);
    for (const auto& x : page.at("runs").as_array()) {
      auto entries = number(x.as_object(), "entries");
      out.sum += entries;
      out.least = std::min(out.least, entries);
      out.runs += 1;
    }
    const auto* next = page.if_contains("next_cursor");
    cursor = next == nullptr
               ? std::string{}
               : "&cursor=" + std::string{next->as_string().c_str()};
  } while (!cursor.empty());
  return out;
}

void wait_until_flowing(const daemon& where, int runs, std::uint64_t least) {
  auto until = clock::now() + flow_timeout;
  while (true) {
    auto now = count_entries(where);
    if (now.runs == static_cast<std::uint64_t>(runs) && now.least >= least)
      return;
    if (clock::now() > until)
      give_up("expected " + std::to_string(runs) + " runs with entries, found "
              + std::to_string(now.runs) + ", the slowest with "
              + std::to_string(now.least));
    std::this_thread::sleep_for(poll_interval);
  }
}

} // namespace baton::bench
