// SPDX-License-Identifier: MIT
#include "actors/coordinator/reader.hpp"

#include "messages/caf_types.hpp"

#include <caf/behavior.hpp>

#include <algorithm>

namespace baton::coordinator {
namespace {

constexpr std::size_t list_limit_max = 1000;

result<entry_page> read_page(const storage::store& store,
                             const read_entries& x) {
  auto run = store.load(x.run);
  if (!run)
    return run.error();
  // Never none: a viewer would ask for ever.
  auto entries_max = std::max<std::size_t>(x.entries_max, 1);
  auto entries = store.read(*run, {x.after, entries_max, x.bytes_max});
  if (!entries)
    return entries.error();
  entry_page page;
  for (auto& e : *entries)
    page.entries.items.push_back(std::make_shared<const entry>(std::move(e)));
  const auto& items = page.entries.items;
  auto reached = items.empty() ? x.after : items.back()->seq;
  page.ended = is_terminal(run->state.status) && reached >= run->state.last_seq;
  if (page.ended || items.empty())
    page.view.push_back({*run, 0});
  return page;
}

result<run_page> list_page(const storage::store& store, const list_runs& x) {
  storage::list_query query;
  if (!x.thread.empty())
    query.thread = x.thread;
  if (x.status != 0)
    query.status = static_cast<run_status>(x.status);
  query.after = x.after;
  query.limit = std::clamp<std::size_t>(x.limit, 1, list_limit_max);
  auto runs = store.list(query);
  if (!runs)
    return runs.error();
  run_page page;
  for (auto& run : *runs)
    page.runs.push_back({std::move(run), 0});
  if (page.runs.size() == query.limit)
    page.next = page.runs.back().record.state.no;
  return page;
}

template <class T>
caf::result<T> answer_with(result<T> x) {
  if (!x)
    return to_caf_error(x.error());
  return *std::move(x);
}

} // namespace

caf::behavior reader(caf::event_based_actor*,
                     std::shared_ptr<const storage::store> store) {
  return {
    [=](const read_entries& x) { return answer_with(read_page(*store, x)); },
    [=](const list_runs& x) { return answer_with(list_page(*store, x)); },
    [=](const get_run& x) -> caf::result<run_view> {
      auto run = store->load(x.run);
      if (!run)
        return to_caf_error(run.error());
      return run_view{*std::move(run), 0};
    },
    [=](const get_claims& x) -> caf::result<claim_history> {
      auto run = store->load(x.run);
      if (!run)
        return to_caf_error(run.error());
      auto claims = store->claims(*run);
      if (!claims)
        return to_caf_error(claims.error());
      return claim_history{*std::move(claims)};
    },
  };
}

} // namespace baton::coordinator
