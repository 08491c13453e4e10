// SPDX-License-Identifier: MIT
// `baton version`: of this program and of the daemon that answers.
#include "apps/baton/daemon_facts.hpp"
#include "apps/baton/verbs.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace baton::cli {

int version(context& c, const list_options& o) {
  std::string daemon;
  std::string server;
  if (auto client = c.connect(start_policy::never_start); client.ok()) {
    daemon = identity_of_daemon(*client).version;
    server = to_text(client->options().server);
  }
  std::string text = "baton " BATON_VERSION "\n";
  if (!daemon.empty())
    text += "batond " + daemon + " (" + server + ")\n";
  if (o.json) {
    boost::json::object x{{"baton", BATON_VERSION}};
    if (!daemon.empty())
      x["batond"] = daemon;
    text = boost::json::serialize(x) + "\n";
  }
  ignore_result(c.out().write(text), "finish reports it");
  return c.finish("version");
}

} // namespace baton::cli
