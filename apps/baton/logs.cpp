// SPDX-License-Identifier: MIT
// `baton logs` and `baton attach`: a run's log, for people, programs or as the
// exact bytes.
#include "apps/baton/api.hpp"
#include "apps/baton/interrupts.hpp"
#include "apps/baton/log_follower.hpp"
#include "apps/baton/render.hpp"
#include "apps/baton/verbs.hpp"

#include <boost/json/parse.hpp>

namespace baton::cli {

namespace {

enum class form : unsigned char { raw, json, pretty };

boost::json::object parse_object(std::string_view text) {
  boost::system::error_code ec;
  auto x =
    boost::json::parse(boost::json::string_view{text.data(), text.size()}, ec);
  return ec || !x.is_object() ? boost::json::object{} : x.get_object();
}

/// Without --from a log begins with the first entry that is left of it.
result<logs_options> what_is_left(context& c, const http_client& client,
                                  const logs_options& o,
                                  const std::string& verb) {
  auto answer = call(client, "GET", run_path(o.run));
  if (!answer)
    return std::move(answer).error();
  auto out = o;
  if (auto* record = answer->body.if_object())
    out.from = number_at(*record, "trimmed");
  c.complain(verb, trimmed_text(o.run, out.from));
  return out;
}

result<follow_result> show_raw(context& c, log_follower& follower,
                               const logs_options& o) {
  return follower.journal_behind(
    {o.run, o.from, o.follow},
    [&](std::string_view bytes) { return c.out().write(bytes); });
}

result<follow_result> show_entries(context& c, log_follower& follower,
                                   const logs_options& o, form shape) {
  entry_style style{c.term(), !o.no_trunc};
  return follower.entries(
    {o.run, o.from, o.follow}, [&](std::uint64_t, std::string_view entry) {
      auto text = shape == form::json ? std::string{entry} + "\n"
                                      : render_entry(entry, style);
      return c.out().write(text);
    });
}

int show(context& c, const logs_options& o, form shape,
         const std::string& verb) {
  interrupts ctrl_c;
  auto client = c.connect(start_policy::may_start, ctrl_c.fd());
  if (!client)
    return c.fail(verb, client.error());
  log_follower follower{*client, ctrl_c, [&](const std::string& why) {
                          c.complain(verb, why
                                             + " (waiting for the daemon; "
                                               "the run goes on)");
                        }};
  auto shown = [&](const logs_options& wanted) {
    return shape == form::raw ? show_raw(c, follower, wanted)
                              : show_entries(c, follower, wanted, shape);
  };
  auto got = shown(o);
  if (!got && got.error().code == errc::trimmed && o.from == 0) {
    auto rest = what_is_left(c, *client, o, verb);
    got = rest ? shown(*rest) : result<follow_result>{rest.error()};
  }
  if (!got)
    return c.fail(verb, got.error());
  if (got->end == follow_end::interrupted) {
    if (o.follow && c.error_term().is_tty)
      c.complain(verb, "detached, " + o.run
                         + " is left as it is (come back "
                           "with: baton attach "
                         + o.run + ")");
    return exit_interrupted;
  }
  if (verb == "attach" && got->end == follow_end::finished
      && c.error_term().is_tty)
    c.complain(verb, o.run + " " + end_text(parse_object(got->record)));
  return c.finish(verb);
}

form chosen_form(const logs_options& o, form otherwise) {
  if (o.raw)
    return form::raw;
  if (o.json)
    return form::json;
  return o.pretty ? form::pretty : otherwise;
}

} // namespace

int logs(context& c, const logs_options& o) {
  // Piped, the bytes are for a program: the agent's own, as if it was run.
  auto usual = c.term().is_tty ? form::pretty : form::raw;
  return show(c, o, chosen_form(o, usual), "logs");
}

int attach(context& c, const logs_options& o) {
  auto live = o;
  live.follow = true;
  return show(c, live, chosen_form(o, form::raw), "attach");
}

} // namespace baton::cli
