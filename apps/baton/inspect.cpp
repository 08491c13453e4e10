// SPDX-License-Identifier: MIT
// `baton inspect`: all there is to know about one run.
#include "apps/baton/api.hpp"
#include "apps/baton/placement.hpp"
#include "apps/baton/render.hpp"
#include "apps/baton/text_width.hpp"
#include "apps/baton/verbs.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace baton::cli {

namespace json = boost::json;

namespace {

class sheet {
public:
  explicit sheet(const terminal& term) : term_(term) {}

  void add(std::string name, const std::string& value,
           tint colour = tint::none) {
    if (value.empty())
      return;
    name += ":";
    name.resize(16, ' ');
    text_ += tinted(name, tint::dim, term_)
             + tinted(without_controls(value), colour, term_) + "\n";
  }
  void add_json(const std::string& name, const json::object& x,
                std::string_view key) {
    auto value = x.if_contains(json::string_view{key.data(), key.size()});
    auto is_empty = !value || value->is_null()
                    || (value->is_object() && value->get_object().empty());
    if (!is_empty)
      add(name, json::serialize(*value));
  }
  void add_text(const std::string& more) { text_ += more; }
  const std::string& text() const { return text_; }

private:
  terminal term_;
  std::string text_;
};

std::string claims_table(const json::array& claims, const terminal& term) {
  table out{{"EPOCH", "HOLDER", "CAUSE", "FIRST SEQ", "LAST SEQ", "AT"}};
  for (auto& value : claims) {
    if (!value.is_object())
      continue;
    auto& x = value.get_object();
    out.add(
      {{std::to_string(number_at(x, "epoch")), tint::none},
       {text_at(x, "holder"), tint::none},
       {text_at(x, "cause"), tint::none},
       {std::to_string(number_at(x, "first_seq")), tint::none},
       {x.contains("last_seq") ? std::to_string(number_at(x, "last_seq")) : "-",
        tint::none},
       {text_at(x, "at"), tint::dim}});
  }
  return out.render(term);
}

std::string time_at(const json::object& x, const char* key, wall_time now) {
  auto time = text_at(x, key);
  return time.empty() ? time : time + " (" + age_since(time, now) + " ago)";
}

/// The stages that the cancel has reached.
void add_cancel(sheet& out, const json::object& x, wall_time now) {
  auto& cancel = object_at(x, "cancel");
  auto stage = text_at(cancel, "stage");
  out.add("cancel", stage.empty() ? "recorded" : stage,
          stage == "gone" ? tint::none : tint::yellow);
  out.add("  recorded", time_at(cancel, "requested_at", now));
  out.add("  delivered", time_at(cancel, "delivered_at", now));
  out.add("  stopped", time_at(cancel, "stopped_at", now));
  if (!text_at(cancel, "stopped_at").empty())
    out.add("  sandbox", text_at(object_at(x, "sandbox"), "state"));
}

void add_sandbox(sheet& out, const json::object& x) {
  auto& sandbox = object_at(x, "sandbox");
  out.add("sandbox", text_at(sandbox, "provider"));
  out.add("  key", text_at(sandbox, "key"));
  out.add("  id", text_at(sandbox, "id"));
  out.add("  shared", text_at(sandbox, "shared_id"));
  out.add("  state", text_at(sandbox, "state"));
  if (sandbox.contains("network"))
    out.add("  network", is_true_at(sandbox, "network") ? "on" : "off");
  if (is_true_at(sandbox, "reuse"))
    out.add("  reuse", "with the runs of its thread");
  auto& workspace = object_at(sandbox, "workspace");
  if (workspace.empty())
    return;
  out.add("workspace", source_text(workspace));
  auto steps = number_at(workspace, "setup_steps");
  out.add("  set-up",
          std::to_string(steps) + (steps == 1 ? " step" : " steps")
            + (workspace.contains("install") ? ", after what the lock file pins"
                                             : ""));
  out.add_json("  secrets", workspace, "secrets");
  if (may_be_in_set_up(x))
    out.add("  stage", "set-up, or an agent that has printed nothing yet",
            tint::yellow);
}

std::string render(const json::object& x, const json::array& claims,
                   const terminal& term) {
  sheet out{term};
  auto now = now_for_people();
  auto when = [&](const char* key) { return time_at(x, key, now); };
  out.add("run", text_at(x, "run_id"), tint::bold);
  out.add("thread", text_at(x, "thread_id"));
  out.add("status", end_text(x), tint_of_status(text_at(x, "status")));
  out.add("waits", what_it_waits_for(x), tint::yellow);
  if (is_true_at(x, "cancel_requested"))
    add_cancel(out, x, now);
  out.add("command", is_true_at(x, "external") ? "" : command_text(x));
  out.add("cwd", text_at(x, "cwd"));
  out.add("started", when("started_at"));
  out.add("finished", when("finished_at"));
  out.add("node", text_at(x, "node"));
  out.add("holder", text_at(x, "holder"));
  out.add("epoch", std::to_string(number_at(x, "epoch")));
  out.add("entries", std::to_string(number_at(x, "entries")));
  if (auto trimmed = number_at(x, "trimmed"); trimmed > 0)
    out.add("trimmed", "entries 1 to " + std::to_string(trimmed));
  out.add("position", std::to_string(number_at(x, "position")) + " bytes");
  out.add("viewers", std::to_string(number_at(x, "viewers")));
  out.add("detached", when("detached_since"));
  add_sandbox(out, x);
  out.add_json("usage", x, "usage");
  out.add_json("labels", x, "labels");
  if (!claims.empty())
    out.add_text("\n" + claims_table(claims, term));
  return out.text();
}

} // namespace

int inspect(context& c, const run_name_options& o) {
  auto client = c.connect();
  if (!client)
    return c.fail("inspect", client.error());
  auto record = call(*client, "GET", run_path(o.run));
  if (!record)
    return c.fail("inspect", record.error());
  auto claims = call(*client, "GET", run_path(o.run, "/claims"));
  // The run may be removed between the two; a history is then empty.
  if (!claims && claims.error().code != errc::unknown_run)
    return c.fail("inspect", claims.error());
  json::object none;
  auto& x = record->body.is_object() ? record->body.get_object() : none;
  json::array history;
  if (claims && claims->body.is_object())
    if (auto list = claims->body.get_object().if_contains("claims");
        list && list->is_array())
      history = list->get_array();
  std::string text;
  if (o.json) {
    x["claims"] = history;
    text = json::serialize(x) + "\n";
  } else {
    text = render(x, history, c.term());
  }
  ignore_result(c.out().write(text), "finish reports it");
  return c.finish("inspect");
}

} // namespace baton::cli
