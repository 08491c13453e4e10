// SPDX-License-Identifier: MIT
#include "actors/gateway/stream.hpp"

#include "actors/gateway/attach_preflight.hpp"
#include "actors/gateway/live_view.hpp"
#include "actors/gateway/page_limits.hpp"
#include "actors/gateway/record_json.hpp"
#include "actors/gateway/response.hpp"
#include "actors/gateway/stream_text.hpp"
#include "storage/commit_check.hpp"

#include <caf/actor_system.hpp>

#include <algorithm>
#include <optional>

namespace baton::http {
namespace {

constexpr std::chrono::milliseconds tick{1000};
/// How long a live stream outlives a channel that cannot be opened again.
constexpr int reopen_ticks_max = 60;

/// What stands around an entry's data in a stream: some 130 bytes with short
/// numbers. A text that needs more grows.
constexpr std::size_t entry_frame_bytes = 192;

/// A size line of fixed width, patched when the chunk is whole: leading zeros
/// are allowed (RFC 9112, 7.1) and nothing has to move.
constexpr std::string_view no_size = "00000000\r\n";

/// Body text on its way to the client.
class body_writer {
public:
  body_writer(service& s, connection& to, bool chunked)
    : service_(s), to_(to), chunked_(chunked) {
    begin();
  }

  std::string& text() { return text_; }

  bool empty() const { return text_.size() == (chunked_ ? no_size.size() : 0); }

  /// Sends what was gathered; false when the client is gone.
  asio::awaitable<bool> flush() {
    if (empty())
      co_return to_.is_open();
    if (chunked_)
      seal();
    bool good = co_await to_.write(text_, service_.options.stuck_timeout);
    // A stream holds no more than it must while it waits.
    std::string{}.swap(text_);
    begin();
    co_return good;
  }

  /// The regular end of the body.
  asio::awaitable<bool> finish() {
    bool good = co_await flush();
    if (good && chunked_)
      good = co_await to_.write("0\r\n\r\n", service_.options.stuck_timeout);
    co_return good;
  }

private:
  void begin() {
    if (chunked_)
      text_ = no_size;
  }

  void seal() {
    constexpr std::string_view digits = "0123456789abcdef";
    auto size = text_.size() - no_size.size();
    for (std::size_t i = 0; i < 8; ++i)
      text_[7 - i] = digits[(size >> (4 * i)) & 0xF];
    text_ += "\r\n";
  }

  service& service_;
  connection& to_;
  bool chunked_;
  std::string text_;
};

/// Counts an open stream.
class stream_gauge {
public:
  explicit stream_gauge(metrics& m) : metrics_(m) {
    ++metrics_.streams_open;
    ++metrics_.streams_total;
  }
  ~stream_gauge() { --metrics_.streams_open; }
  stream_gauge(const stream_gauge&) = delete;
  stream_gauge& operator=(const stream_gauge&) = delete;

private:
  metrics& metrics_;
};

response refusal_of(const attach_preflight& x) {
  auto out = error_response(x.why(), x.http_status());
  if (auto detached = x.detached())
    out.body = error_json(x.why(), {{"detached", *detached}}) + "\n";
  return out;
}

/// One reading, from its request to its end. Messages are named before they
/// are asked: GCC 12 moves aggregates that stand inside an await expression by
/// their bytes, which breaks their strings.
class stream {
public:
  stream(service& s, std::shared_ptr<connection> to, const route& from,
         view_request how, bool modern, bool keep_alive)
    : service_(s),
      to_(std::move(to)),
      run_(from.id),
      how_(how),
      text_(how),
      after_(how.after),
      modern_(modern),
      head_only_(from.head),
      keep_alive_(keep_alive && modern && (from.head || !how.live)),
      gauge_(s.counters) {}

  asio::awaitable<stream_end> serve() {
    if (how_.live && !head_only_)
      co_return co_await serve_live();
    co_return co_await serve_stored();
  }

private:
  asio::awaitable<stream_end> serve_stored();
  asio::awaitable<stream_end> serve_live();

  /// Follows the channel from `after_`; false when it ended before the run.
  asio::awaitable<bool> follow(std::shared_ptr<live_view> view,
                               body_writer& body);
  /// Opens the run's channel again, as often as it makes sense.
  asio::awaitable<caf::actor> reopen(body_writer& body);

  /// Waits until there may be a journal (B11), and brings the record up to
  /// date. Who waits watches, given a channel. False: there is nothing to
  /// read; see refuse().
  asio::awaitable<bool> await_journal(run_view& run, const caf::actor& channel);
  asio::awaitable<void> look_again(result<run_view>& found);
  mono_time now() const { return service_.system.clock().now(); }

  asio::awaitable<result<entry_page>> read(std::uint32_t entries_max);
  asio::awaitable<status> seek(const run_record& run);
  asio::awaitable<stream_end> fail(status why);
  /// Sends `refused_`, if the client is still there.
  asio::awaitable<stream_end> refuse();
  asio::awaitable<bool> send_head();
  /// Adds what only the coordinator knows to a record that the reader gave.
  asio::awaitable<void> complete(run_view& run);
  /// Empties the page: a client that does not read costs one text, not two.
  asio::awaitable<bool> send_page(entry_page& page, body_writer& body);
  /// Tells an idle client that we live, and finds out whether it does.
  asio::awaitable<bool> keep_up(body_writer& body);

  service& service_;
  std::shared_ptr<connection> to_;
  run_id run_;
  view_request how_;
  stream_text text_;
  seq after_;
  bool modern_;
  bool head_only_;
  bool keep_alive_;
  bool ended_ = false;
  /// What a reader of a journal that is not there is told.
  std::optional<response> refused_;
  /// Set when the log was trimmed past a live reader.
  std::optional<status> fell_behind_;
  std::chrono::milliseconds silent_{0};
  stream_gauge gauge_;
};

// -- shared steps -------------------------------------------------------------

asio::awaitable<result<entry_page>> stream::read(std::uint32_t entries_max) {
  read_entries order{run_, after_, entries_max, page_bytes_max};
  co_return co_await service_.asking.ask<entry_page>(
    service_.reader, std::move(order), service_.timeout());
}

/// For journals: moves `after_` to where the wanted byte's entry follows.
/// errc::trimmed when what is wanted is not there any more.
asio::awaitable<status> stream::seek(const run_record& run) {
  const auto& state = run.state;
  if (how_.format != stream_format::journal) {
    if (after_ < state.trimmed)
      co_return storage::trimmed(run.id(), state.trimmed);
    co_return status{};
  }
  journal_seek search{how_.from, state.last_seq, state.trimmed};
  while (auto at = search.probe()) {
    after_ = seq{at->value - 1};
    auto page = co_await read(1);
    if (!page)
      co_return page.error();
    if (page->entries.items.empty())
      break;
    search.see(*page->entries.items.front());
  }
  after_ = search.after();
  if (search.is_before_the_cut() && how_.from < state.end)
    co_return storage::trimmed(run.id(), state.trimmed);
  co_return status{};
}

asio::awaitable<stream_end> stream::fail(status why) {
  refused_ = error_response(why);
  co_return co_await refuse();
}

asio::awaitable<stream_end> stream::refuse() {
  if (!refused_)
    co_return stream_end{};
  stream_end out{refused_->http_status, keep_alive_};
  auto text = render(*refused_, {keep_alive_, head_only_});
  bool good = co_await to_->write(text, service_.options.stuck_timeout);
  out.keep_alive = good && keep_alive_;
  co_return out;
}

asio::awaitable<bool> stream::send_head() {
  auto head = render_stream_head(text_.content_type(), modern_, keep_alive_);
  co_return co_await to_->write(head, service_.options.stuck_timeout);
}

asio::awaitable<void> stream::complete(run_view& run) {
  if (how_.format != stream_format::sse || run.record.state.sandbox.id.empty()
      || run.sandbox != sandbox_stage::none)
    co_return;
  get_run order{run_};
  auto now = co_await service_.asking.ask<run_view>(
    service_.coordinator, std::move(order), service_.timeout());
  if (now && now->record.state.no == run.record.state.no)
    run.sandbox = now->sandbox;
}

asio::awaitable<bool> stream::send_page(entry_page& page, body_writer& body) {
  std::size_t bytes = 0;
  for (const auto& e : page.entries.items)
    bytes += e->data.size() + entry_frame_bytes;
  body.text().reserve(body.text().size() + bytes);
  for (const auto& e : page.entries.items) {
    text_.add(*e, body.text());
    after_ = e->seq;
  }
  if (page.ended && !page.view.empty()) {
    co_await complete(page.view.front());
    text_.add_end(page.view.front(), body.text());
    ended_ = true;
  }
  page = {};
  if (body.empty())
    co_return to_->is_open();
  silent_ = {};
  co_return co_await body.flush();
}

asio::awaitable<bool> stream::keep_up(body_writer& body) {
  silent_ += std::min(tick, service_.options.heartbeat);
  if (to_->is_peer_silent())
    to_->close();
  if (silent_ < service_.options.heartbeat)
    co_return to_->is_open();
  silent_ = {};
  body.text() += text_.heartbeat();
  co_return co_await body.flush();
}

// -- a journal that may not be there yet --------------------------------------

asio::awaitable<bool> stream::await_journal(run_view& run,
                                            const caf::actor& channel) {
  attach_preflight preflight{now()};
  std::shared_ptr<live_view> waiting;
  auto found = result<run_view>{run};
  auto verdict = preflight.look(found, now());
  while (verdict == attach_verdict::wait && to_->is_open()) {
    // So that the run does not expire; but whoever stops to wait must not end
    // a run that lives as long as its viewers.
    if (channel && !waiting && run.record.spec->detach_on_disconnect) {
      waiting = std::make_shared<live_view>(service_, channel);
      waiting->open();
      waiting->ask(after_);
    }
    co_await look_again(found);
    verdict = preflight.look(found, now());
    if (found)
      run = *found;
  }
  if (verdict == attach_verdict::refuse)
    refused_ = refusal_of(preflight);
  co_return verdict == attach_verdict::attach;
}

asio::awaitable<void> stream::look_again(result<run_view>& found) {
  asio::steady_timer pause{service_.io};
  pause.expires_after(attach_probe_interval);
  co_await pause.async_wait(asio::use_awaitable);
  get_run order{run_};
  found = co_await service_.asking.ask<run_view>(
    service_.coordinator, std::move(order), service_.timeout());
}

// -- what is stored -----------------------------------------------------------

asio::awaitable<stream_end> stream::serve_stored() {
  get_run order{run_};
  auto view = co_await service_.asking.ask<run_view>(
    service_.coordinator, std::move(order), service_.timeout());
  if (!view)
    co_return co_await fail(view.error());
  if (how_.format == stream_format::journal) {
    caf::actor nobody;
    bool there = co_await await_journal(*view, nobody);
    if (!there)
      co_return co_await refuse();
  }
  // A log that grows faster than the client reads still comes to an end here.
  auto last = view->record.state.last_seq;
  bool terminal = is_terminal(view->record.state.status);
  auto why = co_await seek(view->record);
  if (!why.ok())
    co_return co_await fail(std::move(why));
  auto page = co_await read(page_entries_max);
  if (!page)
    co_return co_await fail(page.error());
  if (!co_await send_head())
    co_return stream_end{};
  stream_end out{200, keep_alive_};
  if (head_only_)
    co_return out;
  body_writer body{service_, *to_, modern_};
  for (;;) {
    bool empty = page->entries.items.empty();
    bool good = co_await send_page(*page, body);
    if (!good)
      co_return stream_end{};
    if (ended_ || empty || (!terminal && after_ >= last))
      break;
    page = co_await read(page_entries_max);
    if (!page)
      co_return stream_end{};
  }
  out.keep_alive = co_await body.finish() && keep_alive_;
  co_return out;
}

// -- live ---------------------------------------------------------------------

asio::awaitable<stream_end> stream::serve_live() {
  watch_run order{run_};
  auto opened = co_await service_.asking.ask<channel_opened>(
    service_.coordinator, std::move(order), service_.timeout());
  if (!opened)
    co_return co_await fail(opened.error());
  // The client's end must reach whichever view is current.
  auto current = std::make_shared<std::weak_ptr<live_view>>();
  to_->watch([current, to = std::weak_ptr{to_}] {
    if (auto c = to.lock())
      c->close();
    if (auto v = current->lock())
      v->leave();
  });
  if (how_.format == stream_format::journal) {
    bool there = co_await await_journal(opened->view, opened->channel);
    if (!there)
      co_return co_await refuse();
  }
  auto why = co_await seek(opened->view.record);
  if (!why.ok())
    co_return co_await fail(std::move(why));
  auto view = std::make_shared<live_view>(service_, opened->channel);
  *current = view;
  view->open();
  view->ask(after_);
  if (!co_await send_head())
    co_return stream_end{};
  body_writer body{service_, *to_, modern_};
  for (;;) {
    bool done = co_await follow(view, body);
    if (done || !to_->is_open())
      break;
    view.reset();
    auto channel = co_await reopen(body);
    if (!channel)
      co_return stream_end{};
    view = std::make_shared<live_view>(service_, channel);
    *current = view;
    view->open();
  }
  // Only server-sent events can say why; other streams break off.
  if (fell_behind_)
    text_.add_refusal(*fell_behind_, body.text());
  if (ended_ || (fell_behind_ && how_.format == stream_format::sse))
    co_await body.finish();
  co_return stream_end{};
}

asio::awaitable<bool> stream::follow(std::shared_ptr<live_view> view,
                                     body_writer& body) {
  while (to_->is_open() && !ended_) {
    view->ask(after_);
    co_await view->wait(std::min(tick, service_.options.heartbeat));
    if (view->is_left())
      co_return true;
    auto page = view->take();
    if (page && !page->ok() && page->error().code == errc::trimmed) {
      fell_behind_ = page->error();
      co_return true;
    }
    if (page && !page->ok())
      co_return false;
    bool good = false;
    if (page) {
      auto content = std::move(page->value());
      page.reset();
      good = co_await send_page(content, body);
    } else {
      good = co_await keep_up(body);
    }
    if (!good)
      co_return true;
  }
  co_return true;
}

asio::awaitable<caf::actor> stream::reopen(body_writer& body) {
  asio::steady_timer pause{service_.io};
  for (int i = 0; i < reopen_ticks_max && to_->is_open(); ++i) {
    watch_run order{run_};
    auto opened = co_await service_.asking.ask<channel_opened>(
      service_.coordinator, std::move(order), service_.timeout());
    if (opened)
      co_return opened->channel;
    if (disposition_of(opened.error().code) == disposition::give_up)
      break;
    pause.expires_after(tick);
    co_await pause.async_wait(asio::use_awaitable);
    bool good = co_await keep_up(body);
    if (!good)
      break;
  }
  co_return caf::actor{};
}

} // namespace

asio::awaitable<stream_end> serve_stream(service& s,
                                         std::shared_ptr<connection> to,
                                         const route& from,
                                         const request_reader& request) {
  auto how =
    from.name == route_name::journal
      ? parse_journal(from.params)
      : parse_events(from.params, request.header("Accept").value_or(""),
                     request.header("Last-Event-ID"));
  if (!how) {
    auto r = error_response(how.error());
    bool keep = request.keep_alive();
    auto text = render(r, {keep, from.head});
    bool good = co_await to->write(text, s.options.stuck_timeout);
    co_return stream_end{r.http_status, good && keep};
  }
  stream reading{s,    std::move(to),       from,
                 *how, request.is_modern(), request.keep_alive()};
  co_return co_await reading.serve();
}

} // namespace baton::http
