// SPDX-License-Identifier: MIT
// `baton gc`: has the reaper sweep now instead of at its next interval.
#include "apps/baton/api.hpp"
#include "apps/baton/render.hpp"
#include "apps/baton/verbs.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace baton::cli {

int gc(context& c, const gc_options& o) {
  auto client = c.connect();
  if (!client)
    return c.fail("gc", client.error());
  boost::json::object body{{"dry_run", o.dry_run}};
  auto answer = call(*client, "POST", "/v1/gc", boost::json::serialize(body));
  if (!answer && answer.error().code == errc::not_found)
    return c.fail("gc", make_status(errc::unsupported,
                                    "this batond has no sweep to call; "
                                    "nothing was removed (baton rm removes "
                                    "ended runs one by one)"));
  if (!answer)
    return c.fail("gc", answer.error());
  auto list = list_in(answer->body, "actions");
  if (!list)
    return c.fail("gc", list.error());
  std::string text;
  table out{{"WHAT", "NAME", "OUTCOME", "REASON"}};
  for (auto& value : *list) {
    auto& x = value.get_object();
    text += boost::json::serialize(x) + "\n";
    out.add({{text_at(x, "what"), tint::none},
             {text_at(x, "name"), tint::none},
             {text_at(x, "outcome"), tint::none},
             {text_at(x, "reason"), tint::dim}});
  }
  if (!o.json)
    text = list->empty() ? "nothing to do\n" : out.render(c.term());
  ignore_result(c.out().write(text), "finish reports it");
  return c.finish("gc");
}

} // namespace baton::cli
