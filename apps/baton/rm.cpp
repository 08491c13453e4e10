// SPDX-License-Identifier: MIT
// `baton rm`: forgets a run that has ended, and its log.
#include "apps/baton/api.hpp"
#include "apps/baton/verbs.hpp"

namespace baton::cli {

int rm(context& c, const run_name_options& o) {
  auto client = c.connect();
  if (!client)
    return c.fail("rm", client.error());
  auto answer = call(*client, "DELETE", run_path(o.run));
  if (!answer) {
    auto why = answer.error();
    if (why.code == errc::not_terminal)
      why.message += " (baton cancel " + o.run + " ends it)";
    return c.fail("rm", why);
  }
  ignore_result(c.out().write(o.run + "\n"), "finish reports it");
  return c.finish("rm");
}

} // namespace baton::cli
