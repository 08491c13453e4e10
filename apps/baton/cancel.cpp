// SPDX-License-Identifier: MIT
// `baton cancel`: asks for the end of a run.
#include "apps/baton/api.hpp"
#include "apps/baton/verbs.hpp"

namespace baton::cli {

int cancel(context& c, const run_name_options& o) {
  auto client = c.connect();
  if (!client)
    return c.fail("cancel", client.error());
  auto answer = call(*client, "POST", run_path(o.run, "/cancel"));
  if (!answer)
    return c.fail("cancel", answer.error());
  ignore_result(c.out().write(o.run + "\n"), "finish reports it");
  return c.finish("cancel");
}

} // namespace baton::cli
