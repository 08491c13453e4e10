// SPDX-License-Identifier: MIT
// `baton takeover`: gives a run to another node.
#include "apps/baton/api.hpp"
#include "apps/baton/verbs.hpp"

#include <boost/json/serialize.hpp>

namespace baton::cli {

int takeover(context& c, const takeover_options& o) {
  auto client = c.connect();
  if (!client)
    return c.fail("takeover", client.error());
  boost::json::object body;
  if (!o.node.empty())
    body["node"] = o.node;
  auto answer = call(*client, "POST", run_path(o.run, "/takeover"),
                     boost::json::serialize(body));
  if (!answer)
    return c.fail("takeover", answer.error());
  auto text = boost::json::serialize(answer->body);
  if (auto x = answer->body.if_object(); x && !o.json)
    text = o.run + " is driven by " + text_at(*x, "node") + " at epoch "
           + std::to_string(number_at(*x, "epoch"));
  ignore_result(c.out().write(text + "\n"), "finish reports it");
  return c.finish("takeover");
}

} // namespace baton::cli
