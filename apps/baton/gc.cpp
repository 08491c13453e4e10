// SPDX-License-Identifier: MIT
// `baton gc`: finds sandboxes that no record names, and removes what is
// nobody's.
#include "apps/baton/api.hpp"
#include "apps/baton/render.hpp"
#include "apps/baton/verbs.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace baton::cli {

namespace {

tint tint_of_fate(const std::string& fate) {
  if (fate == "failed")
    return tint::red;
  return fate == "kept" || fate == "adopted" ? tint::dim : tint::none;
}

/// What cannot be seen may be anything: the person must know.
void tell_silent(context& c, const boost::json::value& body) {
  auto& all = body.is_object() ? body.get_object() : boost::json::object{};
  auto* nodes = all.if_contains("silent_nodes");
  if (!nodes || !nodes->is_array())
    return;
  for (auto& node : nodes->get_array())
    if (auto* name = node.if_string())
      c.complain("gc", "node " + std::string{name->data(), name->size()}
                         + " did not answer (nothing on it was looked at)");
}

} // namespace

int gc(context& c, const gc_options& o) {
  auto client = c.connect();
  if (!client)
    return c.fail("gc", client.error());
  boost::json::object body{{"remove", !o.dry_run}};
  auto answer = call(*client, "POST", "/v1/gc", boost::json::serialize(body));
  if (!answer && answer.error().code == errc::not_found)
    return c.fail("gc", make_status(errc::unsupported,
                                    "this batond has no sweep to call; "
                                    "nothing was removed (baton rm removes "
                                    "ended runs one by one)"));
  if (!answer)
    return c.fail("gc", answer.error());
  auto list = list_in(answer->body, "found");
  if (!list)
    return c.fail("gc", list.error());
  std::string text;
  auto has_failed = false;
  table out{{"NODE", "PROVIDER", "ID", "FATE", "REASON"}};
  for (auto& value : *list) {
    auto& x = value.get_object();
    auto fate = text_at(x, "fate");
    has_failed |= fate == "failed";
    text += boost::json::serialize(x) + "\n";
    out.add({{text_at(x, "node"), tint::none},
             {text_at(x, "provider"), tint::none},
             {text_at(x, "id"), tint::none},
             {fate, tint_of_fate(fate)},
             {text_at(x, "reason"), tint::dim}});
  }
  if (o.json && list->empty())
    text = boost::json::serialize(answer->body) + "\n";
  if (!o.json)
    text = list->empty() ? "nothing to do\n" : out.render(c.term());
  ignore_result(c.out().write(text), "finish reports it");
  tell_silent(c, answer->body);
  auto code = c.finish("gc");
  return code == exit_done && has_failed ? exit_refused : code;
}

} // namespace baton::cli
