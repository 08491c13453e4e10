// SPDX-License-Identifier: MIT
// `baton status`: whether there is a daemon, and how it is.
#include "apps/baton/api.hpp"
#include "apps/baton/daemon_facts.hpp"
#include "apps/baton/table.hpp"
#include "apps/baton/text_width.hpp"
#include "apps/baton/verbs.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace baton::cli {

namespace {

struct facts {
  std::string server;
  daemon_identity who;
  status readiness;
  std::uint64_t nodes_live = 0;
  std::uint64_t nodes = 0;
  std::uint64_t runs = 0;
};

status gather(const http_client& client, facts& out) {
  auto nodes = fetch_list(client, "/v1/nodes", "nodes");
  if (!nodes)
    return nodes.error();
  out.nodes = nodes->size();
  for (auto& x : *nodes)
    out.nodes_live += text_at(x.get_object(), "state") == "live" ? 1 : 0;
  for (auto filter : {"&status=running", "&status=interrupted"})
    if (auto why = each_run(client, filter,
                            [&](auto&) {
                              ++out.runs;
                              return true;
                            });
        !why.ok())
      return why;
  return {};
}

std::string as_json(const facts& x) {
  boost::json::object out{
    {"server", x.server},    {"version", x.who.version},  {"node", x.who.node},
    {"http", x.who.http},    {"ready", x.readiness.ok()}, {"nodes", nullptr},
    {"nodes_live", nullptr}, {"active_runs", nullptr}};
  if (x.readiness.ok()) {
    out["nodes"] = x.nodes;
    out["nodes_live"] = x.nodes_live;
    out["active_runs"] = x.runs;
  } else {
    out["why_not_ready"] = x.readiness.message;
  }
  return boost::json::serialize(out) + "\n";
}

std::string as_text(const facts& x, const terminal& term) {
  auto line = [&](const char* name, const std::string& value,
                  tint colour = tint::none) {
    return tinted(name, tint::dim, term)
           + tinted(without_controls(value), colour, term) + "\n";
  };
  auto or_unknown = [](const std::string& text) {
    return text.empty() ? "unknown" : text;
  };
  auto is_ready = x.readiness.ok();
  auto out =
    line("daemon:  ", is_ready ? "ready" : "not ready: " + x.readiness.message,
         is_ready ? tint::green : tint::yellow)
    + line("server:  ", x.server) + line("http:    ", or_unknown(x.who.http))
    + line("node:    ", or_unknown(x.who.node))
    + line("version: ", or_unknown(x.who.version));
  if (!is_ready)
    return out
           + line("cluster: ", "no coordinator is reachable from here; start "
                               "it, or mend the network to it (agents go on)");
  return out
         + line("nodes:   ", std::to_string(x.nodes_live) + " live of "
                               + std::to_string(x.nodes))
         + line("runs:    ", std::to_string(x.runs) + " active");
}

} // namespace

int status_of_daemon(context& c, const list_options& o) {
  auto client = c.connect(start_policy::never_start);
  if (!client)
    return c.fail("status", client.error());
  facts x;
  x.server = to_text(client->options().server);
  x.readiness = daemon_readiness(*client);
  auto& why = x.readiness;
  // Not ready is an answer; nobody there is none.
  if (!why.ok() && why.message.starts_with("cannot reach"))
    return c.fail("status", why);
  x.who = identity_of_daemon(*client);
  if (why.ok())
    if (auto trouble = gather(*client, x); !trouble.ok())
      return c.fail("status", trouble);
  ignore_result(c.out().write(o.json ? as_json(x) : as_text(x, c.term())),
                "finish reports it");
  auto code = c.finish("status");
  return code == exit_done && !why.ok() ? exit_refused : code;
}

} // namespace baton::cli
