// SPDX-License-Identifier: MIT
#include "apps/baton/log_follower.hpp"

#include "apps/baton/api.hpp"
#include "apps/baton/sse_parser.hpp"
#include "messages/record.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>
#include <optional>

namespace baton::cli {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds delay_min{50};
constexpr milliseconds delay_max{2'000};
/// A reader of what is there waits this long for a daemon; a follower waits
/// as long as the person does.
constexpr milliseconds wait_max{10'000};
/// Three of the server's heartbeats.
constexpr milliseconds silence_max{45'000};

/// What was lost on the way or refused for now, as opposed to for good.
bool is_passing(errc code) {
  return code == errc::unavailable || code == errc::outcome_unknown
         || code == errc::timed_out || code == errc::too_many;
}

struct record_facts {
  bool is_over = false;
  std::uint64_t position = 0;
};

record_facts facts_of(const std::string& record) {
  boost::system::error_code ec;
  auto parsed = boost::json::parse(record, ec);
  if (ec || !parsed.is_object())
    return {};
  auto& x = parsed.get_object();
  auto status = run_status_from_string(text_at(x, "status"));
  return {status && is_terminal(*status), number_at(x, "position")};
}

std::optional<std::uint64_t> parse_seq(std::string_view text) {
  std::uint64_t n = 0;
  auto last = text.data() + text.size();
  auto [stop, ec] = std::from_chars(text.data(), last, n);
  if (ec != std::errc{} || stop != last)
    return std::nullopt;
  return n;
}

status interrupted_error() {
  return make_status(errc::cancelled, "interrupted");
}

/// The status of a stream that did not get through, if it did not.
status trouble_of(const result<stream_result>& got) {
  if (!got)
    return got.error();
  if (got->end == stream_end::woken)
    return interrupted_error();
  if (got->head.code != 0 && got->head.code != 200)
    return to_status(got->head, got->error_body);
  if (got->end == stream_end::broken)
    return make_status(errc::outcome_unknown, got->why);
  return {};
}

} // namespace

void log_follower::on_progress() {
  is_away_ = false;
  delay_ = milliseconds{0};
  waited_ = milliseconds{0};
}

log_follower::next log_follower::pause() {
  delay_ = std::clamp(delay_ * 2, delay_min, delay_max);
  waited_ += delay_;
  return ctrl_c_.wait_for(1, delay_) ? next::interrupted : next::again;
}

result<log_follower::next> log_follower::after_failure(const status& why) {
  if (why.code == errc::cancelled)
    return next::interrupted;
  if (!is_passing(why.code) || (!is_live_ && waited_ >= wait_max))
    return why;
  if (!is_away_) {
    is_away_ = true;
    notice_(why.message);
  }
  return pause();
}

result<std::string> log_follower::read_record(const std::string& run) {
  auto answer = call(client_, "GET", run_path(run));
  if (!answer)
    return std::move(answer).error();
  return boost::json::serialize(answer->body);
}

result<follow_result> log_follower::journal(const follow_options& options,
                                            const byte_sink& sink) {
  auto at = options.from;
  // How often a finished stream of an ended run brought nothing new.
  int empty_ends = 0;
  is_live_ = options.live;
  for (;;) {
    http_request request;
    request.target = run_path(options.run, "/journal?from=")
                     + std::to_string(at)
                     + (options.live ? "&live=1" : "&live=0");
    auto before = at;
    auto got =
      client_.stream(request, milliseconds{0}, [&](std::string_view bytes) {
        on_progress();
        at += bytes.size();
        return sink(bytes);
      });
    auto why = trouble_of(got);
    if (why.ok() && got->end == stream_end::stopped)
      return follow_result{follow_end::stopped, {}};
    if (why.ok() && !options.live)
      return follow_result{follow_end::caught_up, {}};
    if (why.ok()) {
      auto record = read_record(options.run);
      if (record.ok()) {
        on_progress();
        auto facts = facts_of(*record);
        empty_ends = facts.is_over && at == before ? empty_ends + 1 : 0;
        // A quarantined log is shorter than its record says: ask again once,
        // then believe it.
        if (facts.is_over && (at >= facts.position || empty_ends > 1))
          return follow_result{follow_end::finished, *record};
        if (pause() == next::interrupted)
          return follow_result{follow_end::interrupted, {}};
        continue;
      }
      why = record.error();
    }
    // What was never launched has nothing to show but its end.
    if (options.live && why.code == errc::terminal) {
      auto record = read_record(options.run);
      if (record.ok())
        return follow_result{follow_end::finished, *record};
      why = record.error();
    }
    // A follower waits for the launch as long as the person does.
    auto then = options.live && why.code == errc::journal_timeout
                  ? result<next>{pause()}
                  : after_failure(why);
    if (!then)
      return std::move(then).error();
    if (*then == next::interrupted)
      return follow_result{follow_end::interrupted, {}};
  }
}

result<follow_result> log_follower::entries(const follow_options& options,
                                            const entry_sink& sink) {
  auto seen = options.from;
  is_live_ = options.live;
  for (;;) {
    http_request request;
    request.target = run_path(options.run, "/events?from=")
                     + std::to_string(seen)
                     + (options.live ? "&live=1" : "&live=0");
    request.headers = {{"Accept", "text/event-stream"}};
    sse_parser parser;
    std::string record;
    status broken;
    bool has_stopped = false;
    auto take = [&](const sse_event& event) {
      if (event.name == "end") {
        record = event.data;
        return false;
      }
      if (event.name == "error") {
        http_head head;
        head.code = 410;
        broken = to_status(head, event.data);
        return false;
      }
      auto seq = event.name == "entry" ? parse_seq(event.id) : std::nullopt;
      if (!seq || *seq <= seen)
        return true;
      if (*seq != seen + 1) {
        broken =
          make_status(errc::corrupt,
                      "expected entry " + std::to_string(seen + 1)
                        + ", found entry " + event.id + " (the log has a gap)");
        return false;
      }
      seen = *seq;
      on_progress();
      has_stopped = !sink(seen, event.data);
      return !has_stopped;
    };
    auto got =
      client_.stream(request, silence_max, [&](std::string_view bytes) {
        return parser.feed(bytes, take);
      });
    if (!broken.ok())
      return broken;
    if (has_stopped)
      return follow_result{follow_end::stopped, {}};
    if (!record.empty())
      return follow_result{follow_end::finished, record};
    auto why = trouble_of(got);
    if (why.ok() && !options.live)
      return follow_result{follow_end::caught_up, {}};
    if (why.ok())
      why = make_status(errc::outcome_unknown,
                        "the server ended the stream before the run's end");
    auto then = after_failure(why);
    if (!then)
      return std::move(then).error();
    if (*then == next::interrupted)
      return follow_result{follow_end::interrupted, {}};
  }
}

result<follow_result>
log_follower::journal_behind(const follow_options& options,
                             const byte_sink& sink) {
  if (options.from == 0)
    return journal(options, sink);
  // Where the next entry begins.
  std::uint64_t begin = 0;
  auto got = entries(options, [&](std::uint64_t, std::string_view entry) {
    boost::system::error_code ec;
    auto x = boost::json::parse({entry.data(), entry.size()}, ec);
    if (auto* object = ec ? nullptr : x.if_object())
      begin = number_at(*object, "begin");
    return false;
  });
  if (!got || got->end != follow_end::stopped)
    return got;
  return journal({options.run, begin, options.live}, sink);
}

} // namespace baton::cli
