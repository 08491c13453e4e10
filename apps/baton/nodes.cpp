// SPDX-License-Identifier: MIT
// `baton nodes`: the cluster.
#include "apps/baton/api.hpp"
#include "apps/baton/render.hpp"
#include "apps/baton/verbs.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace baton::cli {

namespace {

tint tint_of_state(const std::string& state) {
  if (state == "live")
    return tint::green;
  return state == "suspect" ? tint::yellow : tint::red;
}

} // namespace

int nodes(context& c, const nodes_options& o) {
  auto client = c.connect();
  if (!client)
    return c.fail("nodes", client.error());
  auto list = fetch_list(*client, "/v1/nodes", "nodes");
  if (!list)
    return c.fail("nodes", list.error());
  std::string text;
  table out{{"NODE", "STATE", "ROLE", "RUNS", "SINCE", "HOST", "ADDRESS"}};
  auto now = now_for_people();
  for (auto& value : *list) {
    auto& x = value.get_object();
    auto state = text_at(x, "state");
    auto address = text_at(x, "address");
    text +=
      (o.quiet ? text_at(x, "node_id") : boost::json::serialize(x)) + "\n";
    out.add({{text_at(x, "node_id"), tint::none},
             {state, tint_of_state(state)},
             {text_at(x, "role"), tint::none},
             {std::to_string(number_at(x, "runs")), tint::none},
             {age_since(text_at(x, "since"), now), tint::none},
             {text_at(x, "host_label"), tint::none},
             {address.empty() ? "-" : address, tint::dim}});
  }
  if (!o.json && !o.quiet)
    text = out.render(c.term());
  ignore_result(c.out().write(text), "finish reports it");
  return c.finish("nodes");
}

} // namespace baton::cli
