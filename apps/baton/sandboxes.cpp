// SPDX-License-Identifier: MIT
// `baton sandboxes`: the sandboxes that exist or may exist, and the removal of
// one.
#include "apps/baton/api.hpp"
#include "apps/baton/render.hpp"
#include "apps/baton/verbs.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace baton::cli {

namespace {

int remove(context& c, const http_client& client, const std::string& key) {
  auto answer = call(client, "DELETE", "/v1/sandboxes/" + percent_encode(key));
  if (!answer)
    return c.fail("sandboxes", answer.error());
  ignore_result(c.out().write(key + "\n"), "finish reports it");
  return c.finish("sandboxes");
}

std::string or_dash(std::string text) {
  return text.empty() ? "-" : text;
}

} // namespace

int sandboxes(context& c, const sandboxes_options& o) {
  auto client = c.connect();
  if (!client)
    return c.fail("sandboxes", client.error());
  if (!o.remove_key.empty())
    return remove(c, *client, o.remove_key);
  auto list = fetch_list(*client, "/v1/sandboxes", "sandboxes");
  if (!list)
    return c.fail("sandboxes", list.error());
  std::string text;
  auto now = now_for_people();
  table out{{"KEY", "PROVIDER", "STATE", "RUN", "THREAD", "HOST", "AGE",
             "TRIES", "LAST ERROR"}};
  for (auto& value : *list) {
    auto& x = value.get_object();
    text += boost::json::serialize(x) + "\n";
    out.add({{text_at(x, "key"), tint::none},
             {or_dash(text_at(x, "provider")), tint::none},
             {or_dash(text_at(x, "state")),
              text_at(x, "last_error").empty() ? tint::none : tint::yellow},
             {or_dash(text_at(x, "run_id")), tint::none},
             {or_dash(text_at(x, "thread_id")), tint::none},
             {or_dash(text_at(x, "host_label")), tint::none},
             {age_since(text_at(x, "created_at"), now), tint::none},
             {std::to_string(number_at(x, "attempts")), tint::none},
             {or_dash(text_at(x, "last_error")), tint::dim}});
  }
  if (!o.json)
    text = out.render(c.term());
  ignore_result(c.out().write(text), "finish reports it");
  return c.finish("sandboxes");
}

} // namespace baton::cli
