// SPDX-License-Identifier: MIT
// `baton ps`: the runs.
#include "apps/baton/api.hpp"
#include "apps/baton/placement.hpp"
#include "apps/baton/render.hpp"
#include "apps/baton/verbs.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <vector>

namespace baton::cli {

namespace json = boost::json;

namespace {

/// What is asked for, oldest first.
status collect(const http_client& client, const ps_options& o,
               std::vector<json::object>& runs) {
  std::vector<std::string> filters{"&status=running", "&status=interrupted"};
  if (o.all)
    filters = {""};
  for (auto& filter : filters) {
    auto thread = o.thread.empty() ? std::string{}
                                   : "&thread_id=" + percent_encode(o.thread);
    auto why = each_run(client, filter + thread, [&](const json::object& x) {
      runs.push_back(x);
      return true;
    });
    if (!why.ok())
      return why;
  }
  // RFC 3339 in UTC sorts as text.
  std::stable_sort(runs.begin(), runs.end(), [](auto& a, auto& b) {
    return text_at(a, "started_at") < text_at(b, "started_at");
  });
  return {};
}

/// The status, and what is in its way.
std::string status_text(const json::object& x) {
  auto status = text_at(x, "status");
  if (is_true_at(x, "cancel_requested") && text_at(x, "finished_at").empty())
    return status + " (cancelling)";
  if (waits(x))
    return status + " (waits " + what_it_waits_for(x) + ")";
  return may_be_in_set_up(x) ? status + " (set-up?)" : status;
}

std::string render(const std::vector<json::object>& runs,
                   const terminal& term) {
  table out{{"RUN", "STATUS", "NODE", "EPOCH", "ENTRIES", "AGE", "DETACHED",
             "COMMAND"}};
  auto now = now_for_people();
  for (auto& x : runs) {
    auto status = text_at(x, "status");
    auto node = text_at(x, "node");
    auto is_over = !text_at(x, "finished_at").empty();
    out.add({{text_at(x, "run_id"), tint::none},
             {status_text(x), tint_of_status(status)},
             {node.empty() ? "-" : node, tint::none},
             {std::to_string(number_at(x, "epoch")), tint::none},
             {std::to_string(number_at(x, "entries")), tint::none},
             {age_since(text_at(x, "started_at"), now), tint::none},
             {is_over ? "-" : age_since(text_at(x, "detached_since"), now),
              tint::none},
             {is_true_at(x, "external") ? "(external)" : command_text(x),
              tint::dim}});
  }
  return out.render(term);
}

} // namespace

int ps(context& c, const ps_options& o) {
  auto client = c.connect();
  if (!client)
    return c.fail("ps", client.error());
  std::vector<json::object> runs;
  if (auto why = collect(*client, o, runs); !why.ok())
    return c.fail("ps", why);
  std::string text;
  if (o.quiet || o.json)
    for (auto& x : runs)
      text += (o.quiet ? text_at(x, "run_id") : json::serialize(x)) + "\n";
  else
    text = render(runs, c.term());
  ignore_result(c.out().write(text), "finish reports it");
  return c.finish("ps");
}

} // namespace baton::cli
