// SPDX-License-Identifier: MIT
// `baton sandboxes`: the sandboxes that exist or may exist, and the removal of
// one.
#include "apps/baton/api.hpp"
#include "apps/baton/key_prefix.hpp"
#include "apps/baton/render.hpp"
#include "apps/baton/text_width.hpp"
#include "apps/baton/verbs.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace baton::cli {

namespace json = boost::json;

namespace {

/// With the ids of ours (36 columns, and the word in front of a thread's) a
/// line has at most 100 columns.
constexpr std::size_t host_columns = 10;

std::vector<std::string> keys_of(const json::array& list) {
  std::vector<std::string> out;
  for (const auto& value : list)
    out.push_back(text_at(value.get_object(), "key"));
  return out;
}

int remove(context& c, const http_client& client, const json::array& list,
           const std::string& prefix) {
  auto key = find_key(keys_of(list), prefix);
  if (!key)
    return c.fail("sandboxes", key.error());
  auto answer = call(client, "DELETE", "/v1/sandboxes/" + percent_encode(*key));
  if (!answer)
    return c.fail("sandboxes", answer.error());
  ignore_result(c.out().write(*key + "\n"), "finish reports it");
  return c.finish("sandboxes");
}

std::string or_dash(std::string text) {
  return text.empty() ? "-" : text;
}

/// The run that has it to itself, or the thread whose runs share it.
std::string user_of(const json::object& x) {
  auto run = text_at(x, "run_id");
  return run.empty() ? "thread " + text_at(x, "thread_id") : run;
}

std::string trouble_of(const json::object& x) {
  auto why = text_at(x, "last_error");
  if (why.empty())
    return {};
  return "tried " + std::to_string(number_at(x, "attempts"))
         + " times, last: " + why;
}

std::string render(const json::array& list, const terminal& term) {
  table out{{"KEY", "PROVIDER", "STATE", "HOST", "AGE", "RUN, OR THREAD"}};
  auto now = now_for_people();
  auto length = prefix_length(keys_of(list));
  for (const auto& value : list) {
    const auto& x = value.get_object();
    auto trouble = trouble_of(x);
    out.add({{text_at(x, "key").substr(0, length), tint::none},
             {or_dash(text_at(x, "provider")), tint::none},
             {or_dash(text_at(x, "state")),
              trouble.empty() ? tint::none : tint::yellow},
             {fit(or_dash(text_at(x, "host_label")), host_columns), tint::none},
             {age_since(text_at(x, "created_at"), now), tint::none},
             {user_of(x), tint::none}},
            trouble);
  }
  return out.render(term);
}

} // namespace

int sandboxes(context& c, const sandboxes_options& o) {
  auto client = c.connect();
  if (!client)
    return c.fail("sandboxes", client.error());
  auto list = fetch_list(*client, "/v1/sandboxes", "sandboxes");
  if (!list)
    return c.fail("sandboxes", list.error());
  if (!o.remove_key.empty())
    return remove(c, *client, *list, o.remove_key);
  std::string text;
  if (o.quiet || o.json)
    for (const auto& x : *list)
      text +=
        (o.quiet ? text_at(x.get_object(), "key") : json::serialize(x)) + "\n";
  else
    text = render(*list, c.term());
  ignore_result(c.out().write(text), "finish reports it");
  return c.finish("sandboxes");
}

} // namespace baton::cli
