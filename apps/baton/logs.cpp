// SPDX-License-Identifier: MIT
// `baton logs` and `baton attach`: a run's log, for people, programs or as the
// exact bytes.
#include "apps/baton/api.hpp"
#include "apps/baton/interrupts.hpp"
#include "apps/baton/log_follower.hpp"
#include "apps/baton/render.hpp"
#include "apps/baton/verbs.hpp"

#include <boost/json/parse.hpp>

#include <optional>

namespace baton::cli {

namespace {

enum class form : unsigned char { raw, json, pretty };

boost::json::object parse_object(std::string_view text) {
  boost::system::error_code ec;
  auto x =
    boost::json::parse(boost::json::string_view{text.data(), text.size()}, ec);
  return ec || !x.is_object() ? boost::json::object{} : x.get_object();
}

/// The journal position behind entry `seq`: where the next entry begins. A
/// reader that is not live gets nothing when there is none.
struct found_position {
  follow_end end = follow_end::stopped;
  std::uint64_t position = 0;
  std::string record;
};

result<found_position> find_position(log_follower& follower,
                                     const logs_options& o) {
  if (o.from == 0)
    return found_position{};
  found_position out;
  auto got = follower.entries({o.run, o.from, o.follow},
                              [&](std::uint64_t, std::string_view entry) {
                                auto x = parse_object(entry);
                                out.position = number_at(x, "begin");
                                return false;
                              });
  if (!got)
    return std::move(got).error();
  out.end = got->end;
  out.record = got->record;
  return out;
}

result<follow_result> show_raw(context& c, log_follower& follower,
                               const logs_options& o) {
  auto start = find_position(follower, o);
  if (!start)
    return std::move(start).error();
  if (start->end != follow_end::stopped)
    return follow_result{start->end, start->record};
  return follower.journal(
    {o.run, start->position, o.follow},
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
  auto got = shape == form::raw ? show_raw(c, follower, o)
                                : show_entries(c, follower, o, shape);
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
