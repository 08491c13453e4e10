// SPDX-License-Identifier: MIT
// `baton trim`: forgets the beginning of a run's log; its end stays.
#include "apps/baton/api.hpp"
#include "apps/baton/verbs.hpp"

#include <boost/json/serialize.hpp>

namespace baton::cli {

int trim(context& c, const trim_options& o) {
  auto client = c.connect();
  if (!client)
    return c.fail("trim", client.error());
  boost::json::object body{{"before", o.before}};
  auto answer = call(*client, "POST", run_path(o.run, "/trim"),
                     boost::json::serialize(body));
  if (!answer)
    return c.fail("trim", answer.error());
  ignore_result(c.out().write(o.run + "\n"), "finish reports it");
  return c.finish("trim");
}

} // namespace baton::cli
