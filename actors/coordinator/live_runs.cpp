// SPDX-License-Identifier: MIT
#include "actors/coordinator/live_runs.hpp"

namespace baton::coordinator {

std::optional<run_view> active_run(std::vector<run_view> live,
                                   const thread_id& thread) {
  std::optional<run_view> best;
  for (auto& view : live) {
    const auto& record = view.record;
    if (record.spec->thread == thread
        && record.state.status == run_status::running
        && (!best || best->record.spec->started_at <= record.spec->started_at))
      best = std::move(view);
  }
  return best;
}

run_page live_page(std::vector<run_view> live, const list_runs& x) {
  run_page page;
  for (auto& view : live) {
    const auto& record = view.record;
    if (record.state.no <= x.after
        || (!x.thread.empty() && record.spec->thread != x.thread)
        || (x.status != 0
            && record.state.status != static_cast<run_status>(x.status)))
      continue;
    if (page.runs.size() == x.limit) {
      page.next = page.runs.back().record.state.no;
      break;
    }
    page.runs.push_back(std::move(view));
  }
  return page;
}

} // namespace baton::coordinator
